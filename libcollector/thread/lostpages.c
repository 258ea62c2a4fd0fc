/* lostpages.c: put memory in the place of lost pages. See lostpages.h.
 *
 * The users of mappings know which mapping it is: the slots and writers of threads, and the table
 * of stacks. There is no list of mappings, so an extent costs nothing more. Most faults are in the
 * slot of the faulting thread itself; but a child that shares the memory (vfork) has no slot. The
 * slot of another thread is read while it may change: it is empty before its extent is unmapped,
 * and has its size before its address, so other mappings never get mixed up with it.
 * See doc/decisions/03-sigbus.md. */
#include "libcollector/thread/lostpages.h"

#include "libcollector/thread/altstack.h"
#include "libcollector/thread/thread.h"
#include "libcollector/unwind/tree.h"

struct lost {
	uint8_t *at;
	size_t size;
	enum fmt_stream stream;
};

static int is_in_slot(const struct col_slot *slot, enum fmt_stream stream, uintptr_t address,
                      struct lost *out)
{
	uint8_t *at = __atomic_load_n(&slot->map, __ATOMIC_ACQUIRE);
	uint32_t size = __atomic_load_n(&slot->map_size, __ATOMIC_ACQUIRE);

	if (!at || address - (uintptr_t)at >= size ||
	    __atomic_load_n(&slot->map, __ATOMIC_ACQUIRE) != at)
		return 0;
	*out = (struct lost){at, size, stream};
	return 1;
}

static int is_of_thread(const struct col_thread *thread, uintptr_t address, struct lost *out)
{
	const struct functrace_thread *functrace = &thread->functrace;

	for (int i = 0; i < COL_CONTEXTS; i++)
		for (int k = 0; k < FMT_STREAMS; k++)
			if (is_in_slot(&thread->slot[i][k], (enum fmt_stream)k, address, out))
				return 1;
	if (is_in_slot(&functrace->first.slot, FMT_STREAM_FUNCTRACE, address, out))
		return 1;
	for (const struct functrace_writer *writer = functrace->more; writer; writer = writer->next)
		if (is_in_slot(&writer->slot, FMT_STREAM_FUNCTRACE, address, out))
			return 1;
	return 0;
}

static int find(uintptr_t address, struct lost *out)
{
	out->stream = FMT_STREAM_FRAMEINFO;
	out->at = tree_find_map(address, &out->size);
	if (out->at)
		return 1;
	for (const struct col_thread *thread = thread_first(); thread; thread = thread->next)
		if (is_of_thread(thread, address, out))
			return 1;
	return 0;
}

/* Shared, as the file was: otherwise it would count as data of the program, which may be
 * limited. */
static int put_memory(uint8_t *at, size_t size)
{
	if (SYS6(SYS_mmap, at, size, PROT_READ | PROT_WRITE,
	         MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) < 0)
		return 0;
	sys_madvise(at, size, MADV_DONTFORK);
	return 1;
}

/* If memory is limited, there may be enough for one page. What is called then runs on the program's
 * stack, which may be small. */
int lostpages_replace(uintptr_t address, const ucontext_t *context)
{
	struct lost lost;

	if (!col_is_recording() || !find(address, &lost) || altstack_is_exhausted(context))
		return 0;
	arch_allow_unaligned(context);
	sys_sigmask(SIG_SETMASK, &sys_kept_out, NULL);
	if (!put_memory(lost.at, lost.size) &&
	    !put_memory((uint8_t *)(address & ~(uintptr_t)(SYS_PAGE - 1)), SYS_PAGE))
		return 0;
	col_stream_lose(lost.stream);
	if (lost.stream == FMT_STREAM_FRAMEINFO)
		col_stop_events("call stacks cannot be written any more: events end here");
	return 1;
}

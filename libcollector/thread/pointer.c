/* pointer.c: see pointer.h.
 * See doc/decisions/05-processor-state.md. */
#include "libcollector/thread/pointer.h"

#include "libcollector/thread/thread.h"

#include <errno.h>

enum { SPACE = 8192 }; /* around what we read there */

/* How far the thread's own data that a handler reads are from its pointer, below and above. */
static struct reach {
	uintptr_t below, above;
} reach; /* below 0: pointers are left alone */

static _Atomic uintptr_t spare; /* 0: none was needed yet */

static void extend(ptrdiff_t offset)
{
	if (offset < 0 && reach.below < (uintptr_t)-offset)
		reach.below = (uintptr_t)-offset;
	if (offset > 0 && reach.above < (uintptr_t)offset)
		reach.above = (uintptr_t)offset;
}

void pointer_open(void)
{
	if (reach.below || !arch_has_thread_pointer())
		return;
	extend((ptrdiff_t)((uintptr_t)&col_self - arch_libc_pointer()));
	if (&__rseq_offset)
		extend(__rseq_offset);
	reach.below = (reach.below + SPACE) & ~(uintptr_t)(SPACE - 1);
}

/* Threads that make one at the same time use one of them. */
static uintptr_t make_spare(void)
{
	static const int32_t no_cpu = -1;
	size_t size = reach.below + reach.above + SPACE;
	char *memory = sys_mmap_anonymous(size), *at;
	uintptr_t none = 0;

	if (!memory)
		return 0;
	at = memory + reach.below;
	arch_make_thread_block(at);
	if (&__rseq_offset)
		memcpy(at + __rseq_offset + COL_RSEQ_CPU, &no_cpu, sizeof(no_cpu));
	if (atomic_compare_exchange_strong(&spare, &none, (uintptr_t)at))
		return (uintptr_t)at;
	sys_munmap(memory, size);
	return none;
}

static uintptr_t pointer_of(const struct col_thread *thread)
{
	uintptr_t there;

	if (likely(thread && thread->pointer))
		return thread->pointer;
	there = atomic_load(&spare);
	return there ? there : make_spare();
}

int pointer_borrow(const struct col_thread *thread, uintptr_t *before)
{
	uintptr_t libc;

	if (!reach.below)
		return 0;
	libc = pointer_of(thread);
	if (!libc)
		return -ENOMEM;
	*before = arch_thread_pointer();
	if (unlikely(*before != libc))
		arch_set_thread_pointer(libc);
	return 0;
}

void pointer_return(uintptr_t before)
{
	if (reach.below && unlikely(arch_thread_pointer() != before))
		arch_set_thread_pointer(before);
}

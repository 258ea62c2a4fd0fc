/* lostpages.c: put memory in the place of lost pages. See lostpages.h.
 *
 * The mappings are the windows of streams (window.h), those of the table of stacks, and that of the
 * sum of sizes (account.h). A window that is written to has a user, who does not unmap it
 * meanwhile. See doc/decisions/03-sigbus.md.
 */
#include "libcollector/thread/lostpages.h"

#include "libcollector/thread/altstack.h"
#include "libcollector/unwind/tree.h"
#include "libcollector/write/account.h"
#include "libcollector/write/stream.h"

struct lost {
	uint8_t *at;
	size_t size;
	enum fmt_stream stream;
};

static int find(uintptr_t address, struct lost *out)
{
	const struct window *window = window_find(address);

	out->stream = FMT_STREAM_FRAMEINFO;
	out->at = tree_find_map(address, &out->size);
	if (out->at)
		return 1;
	out->stream = FMT_STREAM_NONE;
	out->at = account_find_map(address, &out->size);
	if (out->at)
		return 1;
	if (!window)
		return 0;
	*out = (struct lost){window_memory(window, window->at), window->size, window->stream};
	return out->at != NULL;
}

/* Shared, as the file was: otherwise it would count as data of the program, which may be limited.
 * Forked children have it where they had the file. */
static int put_memory(uint8_t *at, size_t size, enum fmt_stream stream)
{
	if (SYS6(SYS_mmap, at, size, PROT_READ | PROT_WRITE,
	         MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) < 0)
		return 0;
	if (stream != FMT_STREAM_NONE)
		sys_madvise(at, size, MADV_DONTFORK);
	return 1;
}

/* If memory is limited, there may be enough for one page. What is called then runs on the program's
 * stack, which may be small. */
int lostpages_replace(uintptr_t address, const ucontext_t *context)
{
	struct lost lost;

	if (!col_is_recording() || !find(address, &lost) ||
	    altstack_is_exhausted(context, ALTSTACK_ENOUGH / 4))
		return 0;
	arch_allow_unaligned(context);
	sys_sigmask(SIG_SETMASK, &sys_kept_out, NULL);
	if (!put_memory(lost.at, lost.size, lost.stream) &&
	    !put_memory((uint8_t *)(address & ~(uintptr_t)(SYS_PAGE - 1)), SYS_PAGE, lost.stream))
		return 0;
	if (lost.stream != FMT_STREAM_NONE)
		col_stream_lose(lost.stream);
	if (lost.stream == FMT_STREAM_FRAMEINFO)
		col_stop_events("call stacks cannot be written any more: events end here");
	return 1;
}

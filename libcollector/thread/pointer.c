/* pointer.c: see pointer.h.
 * See doc/decisions/05-processor-state.md. */
#include "libcollector/thread/pointer.h"

#include "libcollector/thread/thread.h"

#include <errno.h>

enum { SPACE = 8192 }; /* around what we read there */

static uintptr_t spare; /* 0: there is none */

/* How far the thread's own data that a handler reads are from its pointer, below and above. */
struct reach {
	uintptr_t below, above;
};

static void extend(struct reach *reach, ptrdiff_t offset)
{
	if (offset < 0 && reach->below < (uintptr_t)-offset)
		reach->below = (uintptr_t)-offset;
	if (offset > 0 && reach->above < (uintptr_t)offset)
		reach->above = (uintptr_t)offset;
}

int pointer_open(void)
{
	static const int32_t no_cpu = -1;
	struct reach reach = {0, 0};
	char *memory;

	if (spare || !arch_has_thread_pointer())
		return 0;
	extend(&reach, (ptrdiff_t)((uintptr_t)&col_self - arch_libc_pointer()));
	if (&__rseq_offset)
		extend(&reach, __rseq_offset);
	reach.below = (reach.below + SPACE) & ~(uintptr_t)(SPACE - 1);
	memory = sys_mmap_anonymous(reach.below + reach.above + SPACE);
	if (!memory)
		return -ENOMEM;
	arch_make_thread_block(memory + reach.below);
	if (&__rseq_offset)
		memcpy(memory + reach.below + __rseq_offset + COL_RSEQ_CPU, &no_cpu,
		       sizeof(no_cpu));
	spare = (uintptr_t)memory + reach.below;
	return 0;
}

uintptr_t pointer_borrow(const struct col_thread *thread)
{
	uintptr_t libc, now;

	if (!spare)
		return 0;
	libc = thread && thread->pointer ? thread->pointer : spare;
	now = arch_thread_pointer();
	if (unlikely(now != libc))
		arch_set_thread_pointer(libc);
	return now;
}

void pointer_return(uintptr_t pointer)
{
	if (spare && unlikely(arch_thread_pointer() != pointer))
		arch_set_thread_pointer(pointer);
}

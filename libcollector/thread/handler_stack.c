/* handler_stack.c: see handler_stack.h. */
#include "libcollector/thread/handler_stack.h"

#include "libcollector/base/collector.h"

enum { STACKS = 32, SIZE = 32 << 10 };

static char *memory;                /* of all; NULL: there is none */
static atomic_uint holders[STACKS]; /* ids of threads, 0: free */

void handler_stacks_open(void)
{
	if (!memory)
		memory = sys_mmap_anonymous((size_t)STACKS * SIZE);
}

void handler_stacks_restart(void)
{
	for (int i = 0; i < STACKS; i++)
		atomic_store(&holders[i], 0);
}

/* A child of vfork, which shares our memory, may be killed in its handler. */
static int is_lost(unsigned holder)
{
	return SYS2(SYS_tkill, holder, 0) == -ESRCH;
}

/* The first free one, so that few of them are ever touched. Returns its number, or -1. */
static int take(uint32_t tid)
{
	unsigned self = tid | 1u << 31; /* never 0 */

	for (int i = 0; i < STACKS; i++) {
		unsigned free = 0;

		if (atomic_load_explicit(&holders[i], memory_order_relaxed) == 0 &&
		    atomic_compare_exchange_strong(&holders[i], &free, self))
			return i;
	}
	for (int i = 0; i < STACKS; i++) {
		unsigned holder = atomic_load(&holders[i]);

		if (holder && is_lost(holder & ~(1u << 31)) &&
		    atomic_compare_exchange_strong(&holders[i], &holder, self))
			return i;
	}
	return -1;
}

int handler_stack_run(void (*function)(void *argument), void *argument, uint32_t tid)
{
	int number;

	if (unlikely(!memory)) {
		function(argument);
		return 1;
	}
	number = take(tid);
	if (unlikely(number < 0))
		return 0;
	arch_on_stack(memory + (size_t)(number + 1) * SIZE, function, argument);
	atomic_store_explicit(&holders[number], 0, memory_order_release);
	return 1;
}

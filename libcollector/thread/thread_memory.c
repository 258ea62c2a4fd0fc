/* thread_memory.c: memory for the states of threads. See thread_state.h.
 *
 * States have numbers, and lie in blocks that double in size, so there are few mappings however
 * many threads there are. Unused states are in a list: the number of the first one, with a count of
 * the changes of the list above it, so that a thread which comes late does not take an old list for
 * the present one. */
#include "libcollector/thread/thread_state.h"

enum { FIRST = 16, BLOCKS = 20 /* for 2^24 states */ };

static _Atomic(struct col_thread *) blocks[BLOCKS];
static atomic_uint made;            /* states, as far as memory was found */
static atomic_uint_fast64_t unused; /* number | changes << 32 */
static _Atomic(struct col_thread *) all;

struct col_thread *thread_first(void)
{
	return atomic_load_explicit(&all, memory_order_acquire);
}

/* The first state of block b is number FIRST * (2^b - 1) + 1. */
static unsigned block_of(uint32_t number, uint32_t *index)
{
	uint32_t place = (number - 1) / FIRST + 1;
	unsigned block = 31 - (unsigned)__builtin_clz(place);

	*index = number - 1 - FIRST * ((1u << block) - 1);
	return block;
}

static size_t block_size(unsigned block)
{
	return ((size_t)FIRST << block) * sizeof(struct col_thread);
}

struct col_thread *thread_at(uint32_t number)
{
	uint32_t index;
	unsigned block = block_of(number, &index);

	return atomic_load_explicit(&blocks[block], memory_order_acquire) + index;
}

int thread_is_state(const void *address)
{
	for (unsigned i = 0; i < BLOCKS; i++) {
		uintptr_t start = (uintptr_t)atomic_load_explicit(&blocks[i], memory_order_acquire);
		uintptr_t at = (uintptr_t)address - start;

		if (start && at < block_size(i) && at % sizeof(struct col_thread) == 0)
			return 1;
	}
	return 0;
}

static int have_block(unsigned block)
{
	struct col_thread *there = NULL, *fresh;

	if (block >= BLOCKS)
		return 0;
	if (atomic_load(&blocks[block]))
		return 1;
	fresh = sys_mmap_apart(block_size(block));
	if (!fresh)
		return 0;
	if (!atomic_compare_exchange_strong(&blocks[block], &there, fresh))
		sys_munmap(fresh, block_size(block));
	return 1;
}

struct col_thread *thread_make(void)
{
	uint32_t number = atomic_fetch_add(&made, 1) + 1, index;
	struct col_thread *state;

	if (!have_block(block_of(number, &index)))
		return NULL;
	state = thread_at(number);
	state->number = number;
	state->next = thread_first();
	while (!atomic_compare_exchange_weak(&all, &state->next, state))
		continue;
	return state;
}

/* ---- unused states */

void thread_release(struct col_thread *state)
{
	uint64_t seen = atomic_load(&unused), with;

	do {
		atomic_store(&state->next_free, (uint32_t)seen);
		with = ((seen >> 32) + 1) << 32 | state->number;
	} while (!atomic_compare_exchange_weak(&unused, &seen, with));
}

struct col_thread *thread_take_unused(void)
{
	uint64_t seen = atomic_load(&unused), without;
	struct col_thread *state;

	do {
		if ((uint32_t)seen == 0)
			return NULL;
		state = thread_at((uint32_t)seen);
		without = ((seen >> 32) + 1) << 32 | atomic_load(&state->next_free);
	} while (!atomic_compare_exchange_weak(&unused, &seen, without));
	return state;
}

void thread_memory_keep(const struct col_thread *state, int advice)
{
	uintptr_t start = (uintptr_t)state & ~(uintptr_t)(SYS_PAGE - 1);

	sys_madvise((void *)start, (uintptr_t)(state + 1) - start, advice);
}

void thread_memory_restart(void)
{
	for (unsigned i = 0; i < BLOCKS; i++)
		atomic_store(&blocks[i], NULL);
	atomic_store(&made, 0);
	atomic_store(&unused, 0);
	atomic_store(&all, NULL);
}

/* thread_table.c: states found by the numbers of their threads. See thread_state.h.
 * See doc/decisions/93-many-threads.md. */
#include "libcollector/thread/thread_state.h"

#include "libcollector/base/hashtable.h"

#include <errno.h>

enum {
	ENDED = (1 << HASHTABLE_VALUE_BITS) - 1, /* in the place of a state's number */
	LATELY = 64
};

static struct hashtable table;
static atomic_uint count, ended_count;

/* Threads that have ended lately. When it is their turn again, they are hardly listed any more. */
static atomic_uint lately[LATELY];
static atomic_uint lately_count;

int thread_is_alive(uint32_t tid)
{
	return SYS3(SYS_tgkill, col.pid, tid, 0) != -ESRCH;
}

uint32_t thread_table_count(void)
{
	return atomic_load(&count);
}

struct col_thread *thread_find(uint32_t tid)
{
	uint32_t number = tid ? hashtable_find(&table, tid, tid) : 0;
	struct col_thread *state = number && number != ENDED ? thread_at(number) : NULL;

	return state && atomic_load_explicit(&state->tid, memory_order_relaxed) == tid ? state
	                                                                               : NULL;
}

int thread_table_has_ended(uint32_t tid)
{
	return hashtable_find(&table, tid, tid) == ENDED;
}

static void forget_ended(uint32_t tid)
{
	if (hashtable_remove(&table, tid, tid, ENDED))
		atomic_fetch_sub(&ended_count, 1);
}

void thread_table_enter(uint32_t tid, const struct col_thread *state)
{
	forget_ended(tid);
	if (hashtable_add(&table, tid, tid, state->number) == 0)
		atomic_fetch_add(&count, 1);
	else
		col_count(&col.count.lost_threads, 1);
}

int thread_table_leave(uint32_t tid, const struct col_thread *state)
{
	int was_there = hashtable_remove(&table, tid, tid, state->number);

	if (was_there)
		atomic_fetch_sub(&count, 1);
	return was_there;
}

void thread_table_end(uint32_t tid, const struct col_thread *state)
{
	uint32_t place = atomic_fetch_add(&lately_count, 1) % LATELY;
	uint32_t before;

	if (!hashtable_replace(&table, tid, tid, state->number, ENDED))
		return;
	atomic_fetch_add(&ended_count, 1);
	atomic_fetch_sub(&count, 1);
	before = atomic_exchange(&lately[place], tid);
	if (before && !thread_is_alive(before))
		forget_ended(before);
}

uint32_t thread_table_count_listed(void)
{
	for (int i = 0; i < LATELY && atomic_load(&ended_count); i++) {
		uint32_t tid = atomic_load(&lately[i]);

		if (tid && !thread_is_alive(tid) &&
		    atomic_compare_exchange_strong(&lately[i], &tid, 0))
			forget_ended(tid);
	}
	return atomic_load(&count) + atomic_load(&ended_count);
}

int thread_table_sweep(uint32_t *place, uint32_t most, thread_gone *gone)
{
	struct hashtable_entry entry;

	for (uint32_t end = *place + most; *place < end;) {
		int found = hashtable_next(&table, place, end - *place, &entry);
		uint32_t tid = (uint32_t)entry.key;

		if (found < 0)
			return 0;
		if (!found || thread_is_alive(tid))
			continue;
		if (entry.value == ENDED)
			forget_ended(tid);
		else
			gone(thread_at(entry.value), tid);
	}
	return 1;
}

/* The kernel has cleared its memory. */
void thread_table_restart(void)
{
	atomic_store(&count, 0);
	atomic_store(&ended_count, 0);
	for (int i = 0; i < LATELY; i++)
		atomic_store(&lately[i], 0);
}

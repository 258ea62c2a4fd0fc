/* States of threads: which threads have one, how threads that were not announced are found, and
 * which thread takes over. */
#include "libcollector/thread/thread_state.h"
#include "tests/unit/libcollector/scratch.h"

#include "libcollector/base/source.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static int begun, gone, accounted;

static void on_begin(struct col_thread *state)
{
	(void)state;
	begun++;
}

static void on_gone(struct col_thread *state)
{
	(void)state;
	__atomic_fetch_add(&gone, 1, __ATOMIC_SEQ_CST);
}

static void on_account(struct col_thread *state, struct col_thread *writer,
                       enum col_context context)
{
	__atomic_fetch_add(&accounted, state == writer && context == COL_NORMAL, __ATOMIC_SEQ_CST);
}

static void setup(void)
{
	static const struct source made = {.id = SOURCE_CLOCK,
	                                   .thread_begin = on_begin,
	                                   .thread_gone = on_gone,
	                                   .thread_account = on_account};

	scratch_open();
	scratch_host(&made, 1);
	cr_assert_eq(thread_open(), 0);
}

TestSuite(thread, .init = setup, .fini = scratch_remove, .timeout = 30);

static struct fmt_thread records[32];

static int load(void)
{
	return scratch_records("overview", FMT_KIND_thread, records, sizeof(records[0]), 32);
}

static int count_states(void)
{
	int count = 0;

	for (struct col_thread *state = thread_first(); state; state = state->next)
		count += atomic_load(&state->tid) != 0;
	return count;
}

Test(thread, the_first_one_is_the_main_thread)
{
	char name[16];
	struct col_thread *self = thread_current();

	prctl(PR_GET_NAME, name);
	cr_assert_eq(atomic_load(&self->tid), (unsigned)gettid());
	cr_assert_eq(thread_find((uint32_t)gettid()), self);
	cr_assert_eq(begun, 1);
	cr_assert_eq(atomic_load(&col.count.threads), 1);
	cr_assert_eq(load(), 1);
	cr_assert_eq(records[0].origin, FMT_thread_origin_MAIN);
	cr_assert_eq(records[0].tid, (uint32_t)gettid());
	cr_assert_str_eq(records[0].name.text, name);
	cr_assert_gt(records[0].start_ns, 0);
	cr_assert(thread_is_alive((uint32_t)gettid()));
	cr_assert(!thread_is_alive(1 << 30));
	cr_assert_null(thread_find(1 << 30));
}

Test(thread, a_new_name_is_told)
{
	struct col_thread *self = thread_current();

	thread_check_name(self, COL_NORMAL);
	cr_assert_eq(load(), 1);
	prctl(PR_SET_NAME, "another name");
	thread_check_name(self, COL_HANDLER);
	thread_check_name(self, COL_NORMAL);
	cr_assert_eq(load(), 2);
	cr_assert_eq(records[1].origin, FMT_thread_origin_RENAMED);
	cr_assert_str_eq(records[1].name.text, "another name");
}

/* A tick may come before the record of the thread: it must not seem to be two. */
Test(thread, a_name_is_not_told_before_the_thread)
{
	struct col_thread *self = thread_current();

	self->is_beginning = 1;
	prctl(PR_SET_NAME, "another name");
	thread_check_name(self, COL_HANDLER);
	cr_assert_eq(load(), 1);
	self->is_beginning = 0;
	thread_check_name(self, COL_HANDLER);
	cr_assert_eq(load(), 2);
}

/* Threads that wait until they are released. */
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t ready;

static void *wait_at_gate(void *adopts)
{
	if (adopts)
		cr_assert_not_null(thread_current());
	pthread_barrier_wait(&ready);
	pthread_mutex_lock(&gate);
	pthread_mutex_unlock(&gate);
	return NULL;
}

static void start(pthread_t *threads, int count, int adopt)
{
	pthread_mutex_lock(&gate);
	pthread_barrier_init(&ready, NULL, (unsigned)count + 1);
	for (int i = 0; i < count; i++)
		cr_assert_eq(
			pthread_create(&threads[i], NULL, wait_at_gate, adopt ? threads : NULL), 0);
	pthread_barrier_wait(&ready);
}

static void end(pthread_t *threads, int count)
{
	pthread_mutex_unlock(&gate);
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
}

/* The test runner has threads in this process, too. */
Test(thread, those_that_nobody_announced_are_found_and_dropped)
{
	pthread_t threads[5];
	int others, begun_before;

	thread_scan();
	others = count_states();
	begun_before = begun;
	start(threads, 5, 0);
	atomic_store(&thread_starting, 1);
	thread_scan();
	cr_assert_eq(count_states(), others, "one is just starting");
	atomic_store(&thread_starting, 0);
	thread_scan();
	cr_assert_eq(count_states(), others + 5);
	cr_assert_eq(begun, begun_before + 5);
	cr_assert_eq(atomic_load(&col.count.threads), (unsigned)begun);
	thread_scan();
	cr_assert_eq(begun, begun_before + 5);
	end(threads, 5);
	thread_scan();
	while (count_states() > others) /* the kernel lists them a moment longer */
		thread_scan();
	cr_assert_eq(gone, 5);
	start(threads, 2, 0);
	thread_scan();
	cr_assert_eq(count_states(), others + 2);
	end(threads, 2);
}

/* They are in all places of the table, the first among them. The kernel has no such numbers. */
Test(thread, all_that_are_gone_are_dropped)
{
	enum { MANY = 16, ABOVE = 1 << 23 };
	int others;

	thread_scan();
	others = count_states();
	for (uint32_t tid = ABOVE; tid < ABOVE + MANY; tid++)
		thread_found(tid);
	cr_assert_eq(count_states(), others + MANY);
	thread_scan();
	cr_assert_eq(count_states(), others);
	cr_assert_eq(gone, MANY);
}

Test(thread, one_that_is_known_is_not_found_again)
{
	thread_found((uint32_t)gettid());
	cr_assert_eq(begun, 1);
	thread_found(0);
	cr_assert_eq(begun, 1);
	thread_found(1 << 29);
	cr_assert_eq(begun, 2);
}

Test(thread, one_that_comes_by_itself_is_found_and_ends_by_itself)
{
	pthread_t threads[3];

	start(threads, 3, 1);
	cr_assert_eq(count_states(), 4);
	cr_assert_eq(load(), 4);
	for (int i = 1; i < 4; i++)
		cr_assert_eq(records[i].origin, FMT_thread_origin_FOUND);
	end(threads, 3);
	cr_assert_eq(accounted, 3);
	cr_assert_eq(count_states(), 1);
	cr_assert_geq(gone, 3);
}

Test(thread, a_new_one_takes_over_the_state_of_one_that_is_gone)
{
	struct col_thread *one = thread_take(), *other = thread_take(), *next;

	cr_assert(one && other && one != other);
	thread_begin(one, 1 << 29);
	strcpy(one->name, "old");
	one->last_stack = 5;
	thread_end(one);
	cr_assert_eq(gone, 1);
	next = thread_take();
	cr_assert_eq(next, one);
	atomic_store(&col.epoch, 3);
	thread_begin(next, (1 << 29) + 1);
	cr_assert_eq(next->name[0], '\0');
	cr_assert_eq(next->last_stack, 0);
	cr_assert_eq(next->epoch, 3);
	cr_assert_eq(atomic_load(&next->tid), (1u << 29) + 1);
	cr_assert_neq(thread_take(), other, "which is in use");
}

/* The kernel lists a thread for a moment after it has recorded its end. */
Test(thread, one_that_has_ended_is_not_found_again)
{
	uint32_t tid = (uint32_t)gettid();
	struct col_thread *self = thread_current(), *again;

	thread_table_end(tid, self);
	atomic_store(&self->tid, 0);
	cr_assert_null(thread_find(tid));
	cr_assert(thread_table_has_ended(tid));
	cr_assert_eq(thread_table_count(), 0);
	cr_assert_eq(thread_table_count_listed(), 1);
	thread_listed(tid);
	cr_assert_null(thread_find(tid));
	/* But it may go on, or another one may get its number. */
	again = thread_take();
	thread_begin(again, tid);
	cr_assert_eq(thread_find(tid), again);
	cr_assert(!thread_table_has_ended(tid));
	cr_assert_eq(thread_table_count_listed(), 1);
	thread_end(again);
	cr_assert_null(thread_find(tid));
}

static void take_states(struct col_thread **states, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		states[i] = thread_take();
		cr_assert_not_null(states[i]);
	}
}

Test(thread, the_table_forgets_those_that_are_gone)
{
	enum { THREADS = 1000, TID = 1 << 28 };
	struct col_thread *state[THREADS];
	uint32_t place = 0;
	int steps = 0;

	take_states(state, THREADS);
	for (uint32_t i = 0; i < THREADS; i++) {
		thread_begin(state[i], TID + i);
		if (i % 2) {
			thread_table_end(TID + i, state[i]);
			atomic_store(&state[i]->tid, 0);
		}
	}
	cr_assert_eq(thread_table_count(), 1 + THREADS / 2);
	cr_assert_eq(thread_table_count_listed(), 1 + THREADS / 2, "of those that have ended");
	cr_assert_eq(gone, 0);
	while (thread_table_sweep(&place, 100, thread_drop))
		steps++;
	cr_assert_geq(steps, THREADS / 100, "each does a part of it");
	cr_assert_eq(thread_table_count(), 1);
	cr_assert_eq(gone, THREADS / 2);
	cr_assert_eq(count_states(), 1);
}

/* States that nobody gives back are found by those who need new ones. */
Test(thread, states_stay_in_proportion_to_the_threads)
{
	enum { LIVE = 500, GONE = 20000, TID = 1 << 28 };
	uint32_t highest = 0;

	for (uint32_t i = 0; i < LIVE; i++)
		cr_assert_not_null(thread_take());
	for (uint32_t i = 0; i < GONE; i++) {
		struct col_thread *state = thread_take();

		thread_begin(state, TID + i);
		highest = state->number > highest ? state->number : highest;
	}
	cr_assert_lt(highest, 2 * LIVE, "%u", highest);
}

enum { FEW = 500, MANY = 20000 };

static double cpu_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Create states for `count` threads, and find and end them all. Returns the CPU time of one. */
static double live_and_die(uint32_t count)
{
	enum { TID = 1 << 28, TIMES = 5 };
	static struct col_thread *state[MANY];
	double start = cpu_s();

	take_states(state, count);
	for (uint32_t i = 0; i < count; i++)
		thread_begin(state[i], TID + i);
	for (uint32_t i = 0; i < TIMES * count; i++)
		cr_assert_not_null(thread_find(TID + i % count));
	for (uint32_t i = 0; i < count; i++)
		thread_end(thread_find(TID + i));
	return (cpu_s() - start) / count;
}

Test(thread, each_costs_as_much_when_there_are_many)
{
	double few, many;

	live_and_die(MANY); /* the memory is there */
	few = live_and_die(FEW);
	for (int i = 0; i < 4; i++) {
		double again = live_and_die(FEW);

		few = again < few ? again : few;
	}
	many = live_and_die(MANY);
	cr_assert_lt(many, 10 * few, "%.2f us each of many, %.2f of few", many * 1e6, few * 1e6);
}

Test(thread, another_recording_begins_with_the_threads_that_are_there)
{
	struct col_thread *self = thread_current(), *dead = thread_take();

	thread_begin(dead, 1 << 29);
	strcpy(self->name, "old");
	cr_assert_eq(thread_open(), 0);
	cr_assert_eq(thread_current(), self);
	cr_assert_eq(count_states(), 1);
	cr_assert_eq(begun, 3);
	cr_assert_eq(gone, 1);
	col.descriptor.step.thread_ns = 1000 + 15;
	strcpy(col.descriptor.step.lineage, "_f1");
	cr_assert_eq(thread_open(), 0);
	cr_assert_eq(atomic_load(&self->accounted_ns), 1008, "a multiple of 16");
	cr_assert_eq(load(), 2, "a descendant tells of it with its first event");
}

Test(thread, a_forked_child_has_one_state)
{
	const struct process_moment moment = {.ticks = 5, .mono_ns = 77};
	struct col_thread *before = thread_current();

	cr_assert_eq(thread_restart(), 0);
	cr_assert_neq(thread_current(), before);
	cr_assert_eq(count_states(), 1);
	thread_write_main(thread_current(), COL_NORMAL, &moment);
	cr_assert_eq(load(), 2);
	cr_assert_eq(records[1].origin, FMT_thread_origin_MAIN);
	cr_assert_eq(records[1].tid, (uint32_t)getpid());
	cr_assert_eq(records[1].start_ns, 77);
}

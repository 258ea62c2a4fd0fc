/* lock.c: tests of the recorder's locks: one holder at a time, and no lock is lost when a holder
 * keeps it for long. */
#include "libcollector/base/lock.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <unistd.h>

enum { THREADS = 4, TURNS = 2000 };

static struct col_lock lock;
static int inside, most, count;

static void *hold_a_while(void *held)
{
	cr_assert_eq(col_lock_take(&lock), 0);
	atomic_store((atomic_int *)held, 1);
	usleep(300000);
	col_lock_give(&lock);
	return NULL;
}

static void *take_and_give(void *unused)
{
	for (int i = 0; i < TURNS; i++) {
		cr_assert_eq(col_lock_take(&lock), 0);
		most = ++inside > most ? inside : most;
		count++;
		inside--;
		col_lock_give(&lock);
	}
	return unused;
}

Test(lock, one_at_a_time, .timeout = 60)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, take_and_give, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	cr_assert_eq(most, 1);
	cr_assert_eq(count, THREADS * TURNS);
}

/* As on a processor that a hypervisor has paused. */
Test(lock, a_slow_holder_is_waited_for, .timeout = 60)
{
	atomic_int held = 0;
	pthread_t thread;

	pthread_create(&thread, NULL, hold_a_while, &held);
	while (!atomic_load(&held))
		sched_yield();
	cr_assert_not(col_lock_try(&lock));
	cr_assert_eq(col_lock_take(&lock), 0);
	col_lock_give(&lock);
	pthread_join(thread, NULL);
}

Test(lock, a_lost_one_is_given_up_once, .timeout = 60)
{
	struct timespec begin, end;

	cr_assert(col_lock_try(&lock));
	cr_assert_eq(col_lock_take(&lock), -EBUSY);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	cr_assert_eq(col_lock_take(&lock), -EBUSY);
	clock_gettime(CLOCK_MONOTONIC, &end);
	cr_assert_lt((double)(end.tv_sec - begin.tv_sec) +
	                     (double)(end.tv_nsec - begin.tv_nsec) / 1e9,
	             5);
	col_lock_give(&lock);
	cr_assert_eq(col_lock_take(&lock), 0);
}

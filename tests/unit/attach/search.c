/* The search for a thread that can be used. */
#include "attach/search.h"
#include "tests/unit/refused.h"
#include "tests/unit/attach/child.h"

#include "attach/safe.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static volatile int sink;

static void *compute(void *unused)
{
	for (;;)
		sink++;
	return unused;
}

/* The first thread computes, the second one sleeps. */
static void *wait_long(void *unused)
{
	for (;;)
		pause();
	return unused;
}

static void compute_and_wait(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, wait_long, NULL);
	compute(NULL);
}

/* In malloc most of the time. */
static void allocate(void)
{
	for (;;)
		free(malloc(100));
}

static void only_wait(void)
{
	wait_long(NULL);
}

static int search_in(pid_t child, int timeout_ms, struct thread *thread)
{
	struct objects *objects;
	int error;

	cr_assert_eq(objects_open(child, "/nowhere", &objects), 0);
	error = search_thread(objects, child, timeout_ms, thread);
	objects_close(objects);
	return error;
}

static void end(pid_t child)
{
	kill(child, SIGKILL);
	kill(child, SIGCONT);
	child_status(child);
}

Test(search, a_thread_that_sleeps_comes_first, .timeout = 60, .init = needs_ptrace)
{
	pid_t child = child_start(compute_and_wait);
	struct thread thread;

	cr_assert_eq(search_in(child, 8000, &thread), 0);
	cr_assert_eq(thread.is_stopped, 1);
	cr_assert_neq(thread.tid, child, "the main thread computes");
	cr_assert_eq(thread_doing(thread.tid), 't');
	thread_release(&thread);
	end(child);
}

Test(search, a_thread_that_allocates_all_the_time_is_found_outside, .timeout = 60,
     .init = needs_ptrace)
{
	pid_t child = child_start(allocate);
	struct objects *objects;
	struct thread thread;
	uint64_t wait_for;

	cr_assert_eq(objects_open(child, "/nowhere", &objects), 0);
	cr_assert_eq(search_thread(objects, child, 8000, &thread), 0);
	cr_assert_eq(safe_judge(objects, &thread, &wait_for), SAFE_YES);
	thread_release(&thread);
	objects_close(objects);
	end(child);
}

Test(search, a_process_that_is_stopped_is_left_alone, .timeout = 60)
{
	pid_t child = child_start(only_wait);
	struct thread thread;

	kill(child, SIGSTOP);
	usleep(50000);
	cr_assert_eq(search_in(child, 300, &thread), -EBUSY);
	end(child);
}

Test(search, a_process_that_is_gone_has_no_thread, .timeout = 60)
{
	pid_t child = child_start(only_wait);
	struct objects *objects;
	struct thread thread;

	cr_assert_eq(objects_open(child, "/nowhere", &objects), 0);
	end(child);
	cr_assert_eq(search_thread(objects, child, 2000, &thread), -ESRCH);
	objects_close(objects);
}

/* What the running kernel is, and that the threads of a process are counted. */
#include "libcollector/base/kernel.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

Test(kernel, its_version_is_compared_by_both_numbers)
{
	struct utsname name;
	int major, minor;

	cr_assert_eq(uname(&name), 0);
	cr_assert_eq(sscanf(name.release, "%d.%d", &major, &minor), 2);
	cr_expect(kernel_is_at_least(major, minor));
	cr_expect(kernel_is_at_least(major - 1, 999));
	cr_expect_not(kernel_is_at_least(major, minor + 1));
	cr_expect_not(kernel_is_at_least(major + 1, 0));
}

static void *wait_for_end(void *lock)
{
	pthread_mutex_lock(lock);
	return lock;
}

/* A forked child has one thread, whatever the test's own process has. */
Test(kernel, a_second_thread_is_seen)
{
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	pthread_t thread;
	int status, was_one;
	pid_t child = fork();

	if (child == 0) {
		was_one = kernel_sees_one_thread();
		pthread_mutex_lock(&lock);
		if (pthread_create(&thread, NULL, wait_for_end, &lock) != 0)
			_exit(2);
		_exit(!was_one || kernel_sees_one_thread());
	}
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert_eq(status, 0);
}

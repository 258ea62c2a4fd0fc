/* Signal masks of the threads of another process. */
#include "attach/masks.h"
#include "tests/unit/refused.h"
#include "tests/unit/attach/child.h"

#include "format/attach.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int catches_trap;

static void ignore(int signal)
{
	(void)signal;
}

static void *wait_long(void *unused)
{
	for (;;)
		pause();
	return unused;
}

/* All threads but the last one block the tick, and all of them SIGTRAP and SIGUSR1. Those of the
 * first two have a handler, as the recorder has. */
static void run_threads(void)
{
	pthread_t threads[3];
	sigset_t set;

	signal(ATTACH_TICK_SIGNAL, ignore);
	signal(SIGUSR1, ignore);
	if (catches_trap)
		signal(SIGTRAP, ignore);
	sigemptyset(&set);
	sigaddset(&set, ATTACH_TICK_SIGNAL);
	sigaddset(&set, SIGTRAP);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, wait_long, NULL);
	sigdelset(&set, ATTACH_TICK_SIGNAL);
	pthread_sigmask(SIG_SETMASK, &set, NULL);
	pthread_create(&threads[2], NULL, wait_long, NULL);
	sigaddset(&set, ATTACH_TICK_SIGNAL);
	pthread_sigmask(SIG_SETMASK, &set, NULL);
	wait_long(NULL);
}

/* How many threads block a signal. */
static int count_blocking(pid_t pid, int signal)
{
	char command[200], answer[32] = "";
	FILE *pipe;

	snprintf(command, sizeof(command),
	         "sed -n 's/^SigBlk:[[:space:]]*//p' /proc/%d/task/*/status", (int)pid);
	pipe = popen(command, "r");
	cr_assert_not_null(pipe);
	for (int count = 0;; count += (int)(strtoull(answer, NULL, 16) >> (signal - 1) & 1))
		if (!fgets(answer, sizeof(answer), pipe)) {
			pclose(pipe);
			return count;
		}
}

Test(masks, the_tick_is_let_in_and_nothing_else, .timeout = 60, .init = needs_ptrace)
{
	pid_t child = child_start(run_threads);

	cr_assert_eq(count_blocking(child, ATTACH_TICK_SIGNAL), 3);
	cr_assert_eq(count_blocking(child, SIGUSR1), 4);
	masks_let_in(child);
	cr_assert_eq(count_blocking(child, ATTACH_TICK_SIGNAL), 0);
	cr_assert_eq(count_blocking(child, SIGUSR1), 4);
	cr_assert_eq(count_blocking(child, SIGTRAP), 4, "nobody has a handler for it");
	kill(child, SIGKILL);
	child_status(child);
	masks_let_in(child); /* which has ended */
}

Test(masks, traps_are_let_in_where_they_are_caught, .timeout = 60, .init = needs_ptrace)
{
	pid_t child;

	catches_trap = 1;
	child = child_start(run_threads);
	cr_assert_eq(count_blocking(child, SIGTRAP), 4);
	masks_let_in(child);
	cr_assert_eq(count_blocking(child, SIGTRAP), 0);
	cr_assert_eq(count_blocking(child, SIGUSR1), 4);
	kill(child, SIGKILL);
	child_status(child);
}

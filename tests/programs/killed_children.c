/* killed_children: children that allocate and are killed by signals.
 *
 * Facts: the first calls abort, the second is killed (SIGKILL) by its parent, the third writes to
 * address 0, the fourth exits with status 3, and the fifth stops, goes on and is killed by SIGTERM.
 * They are waited for by waitpid, without a place for the status; wait4; waitid; wait; and waitpid
 * with WUNTRACED, twice. Each has allocated 1,000 bytes once. Prints what the parent was told. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void *volatile block;

static pid_t make(void (*end)(void))
{
	pid_t child = fork();

	if (child != 0)
		return child;
	block = malloc(1000);
	end();
	_exit(3);
}

static void wait_for_ever(void)
{
	for (;;)
		pause();
}

static void write_to_nothing(void)
{
	*(volatile int *)block = 0;
	block = NULL;
	*(volatile int *)block = 1;
}

static void stop(void)
{
	raise(SIGSTOP);
	wait_for_ever();
}

static void nothing(void)
{
}

/* The child has allocated when it is in pause(). */
static void let_begin(void)
{
	usleep(300000);
}

int main(void)
{
	static const struct rlimit no_core;
	struct rusage usage;
	siginfo_t info;
	pid_t child;
	int status;

	setrlimit(RLIMIT_CORE, &no_core);
	child = make(abort);
	printf("waitpid %d\n", waitpid(child, NULL, 0) == child);
	child = make(wait_for_ever);
	let_begin();
	kill(child, SIGKILL);
	printf("wait4 %d", wait4(child, &status, 0, &usage) == child);
	printf(" signal %d\n", WTERMSIG(status));
	child = make(write_to_nothing);
	printf("waitid %d", waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT));
	printf(" %d", waitid(P_PID, (id_t)child, &info, WEXITED));
	printf(" signal %d\n", info.si_status);
	child = make(nothing);
	printf("wait %d", wait(&status) == child);
	printf(" status %d\n", WEXITSTATUS(status));
	child = make(stop);
	printf("waitpid %d", waitpid(child, &status, WUNTRACED) == child);
	printf(" stopped %d\n", WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP);
	kill(child, SIGCONT);
	kill(child, SIGTERM);
	printf("waitpid %d", waitpid(child, &status, 0) == child);
	printf(" signal %d\n", WTERMSIG(status));
	return 0;
}

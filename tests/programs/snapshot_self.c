/* snapshot_self: a program that asks for snapshots of its own recording.
 *
 * usage: snapshot_self NAME.er
 *
 * Facts: it keeps 1000 blocks of 24 bytes from middle_phase, makes the snapshot NAME.er, keeps 500
 * blocks of 40 bytes from last_phase, makes one without a name, and one whose name exists. It
 * prints what the three calls returned, "unchanged" if errno was, how many SIGCHLD it got, and
 * whether it has a child to wait for. With a signal after NAME.er, it raises that instead of the
 * second call, and waits until the directory snapshot.1.er has a log. */
#include "include/collectorAPI.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MIDDLE = 1000, LAST = 500, WAITS = 20000, MS = 1000 };

static void *volatile block;
static volatile sig_atomic_t children;

static void on_child(int signal)
{
	(void)signal;
	children++;
}

__attribute__((noinline)) static void middle_phase(void)
{
	for (int i = 0; i < MIDDLE; i++)
		block = malloc(24);
}

__attribute__((noinline)) static void last_phase(void)
{
	for (int i = 0; i < LAST; i++)
		block = malloc(40);
}

static int by_signal(int number)
{
	raise(number);
	for (int i = 0; i < WAITS && access("snapshot.1.er/log.xml", F_OK) != 0; i++)
		usleep(MS);
	return access("snapshot.1.er/log.xml", F_OK);
}

int main(int argc, char **argv)
{
	int first, second, third, kept;

	if (argc < 2)
		return 2;
	signal(SIGCHLD, on_child);
	middle_phase();
	errno = 77;
	first = collector_snapshot(argv[1]);
	last_phase();
	second = argc > 2 ? by_signal(atoi(argv[2])) : collector_snapshot(NULL);
	third = collector_snapshot(argv[1]);
	kept = argc > 2 || errno == 77;
	printf("%d %d %d %s %d %s\n", first, second, third, kept ? "unchanged" : "changed",
	       (int)children, waitpid(-1, NULL, WNOHANG) == -1 ? "none" : "some");
	return 0;
}

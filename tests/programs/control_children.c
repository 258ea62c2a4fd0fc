/* control_children: pauses and children.
 *
 * Facts: mallocs of 10 bytes, none freed. It pauses and forks: the child makes 10 in
 * `child_paused`, resumes, makes 20 in `child_resumed`, pauses and executes this program again with
 * an argument, which makes 30 in `executed_paused`, resumes, and makes 40 in `executed_resumed`.
 * The parent waits, makes 50 in `parent_paused`, resumes, and makes 60 in `parent_resumed`. */
#include "include/collectorAPI.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void *volatile last;

#define ALLOCATE(function, count) \
	static __attribute__((noinline)) void function(void) \
	{ \
		for (int i = 0; i < (count); i++) \
			last = malloc(10); \
	}
ALLOCATE(child_paused, 10)
ALLOCATE(child_resumed, 20)
ALLOCATE(executed_paused, 30)
ALLOCATE(executed_resumed, 40)
ALLOCATE(parent_paused, 50)
ALLOCATE(parent_resumed, 60)

static int run_child(char **argv)
{
	child_paused();
	collector_resume();
	child_resumed();
	collector_pause();
	execl("/proc/self/exe", argv[0], "again", (char *)NULL);
	return 1;
}

int main(int argc, char **argv)
{
	int status = 1;

	if (argc > 1) {
		executed_paused();
		collector_resume();
		executed_resumed();
		return 0;
	}
	collector_pause();
	if (fork() == 0)
		_exit(run_child(argv));
	wait(&status);
	parent_paused();
	collector_resume();
	parent_resumed();
	return status != 0;
}

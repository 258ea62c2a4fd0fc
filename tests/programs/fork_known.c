/* fork_known: children that allocate.
 *
 * Facts: the parent allocates 5 blocks of 100 bytes in parent_allocate, then forks 3 children one
 * after the other. Each child allocates 1000 blocks in child_allocate; one leaves by _exit, one by
 * exit and one by exec of /bin/true. The parent waits for each, expects status 0, and allocates 5
 * more. No child's event belongs to the parent's experiment. Exit status 0. */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void *volatile kept;

__attribute__((noinline)) static void parent_allocate(void)
{
	for (int i = 0; i < 5; i++)
		kept = malloc(100);
}

__attribute__((noinline)) static void child_allocate(void)
{
	for (int i = 0; i < 1000; i++)
		kept = malloc(50);
}

static void child(int way)
{
	child_allocate();
	if (way == 0)
		_exit(0);
	if (way == 1)
		exit(0);
	execl("/bin/true", "true", (char *)NULL);
	_exit(9);
}

int main(void)
{
	parent_allocate();
	for (int way = 0; way < 3; way++) {
		int status = -1;
		pid_t pid = fork();

		if (pid < 0)
			return 1;
		if (pid == 0)
			child(way);
		if (waitpid(pid, &status, 0) != pid || status != 0)
			return 2;
	}
	parent_allocate();
	return 0;
}

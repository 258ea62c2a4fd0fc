/* child.c: see child.h. */
#include "tests/unit/attach/child.h"

#include "attach/memory.h"

#include <criterion/criterion.h>
#include <sys/wait.h>
#include <unistd.h>

pid_t child_start(void (*work)(void))
{
	pid_t child = fork();

	if (child == 0) {
		alarm(20);
		work();
		_exit(1);
	}
	cr_assert(child > 0);
	cr_assert_eq(memory_open(child), 0);
	usleep(50000);
	return child;
}

int child_status(pid_t child)
{
	int status = -1;

	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

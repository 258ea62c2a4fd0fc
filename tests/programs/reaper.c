/* reaper: a program that would notice a child that it has not made. It has either a SIGCHLD handler
 * or a thread that waits for any child.
 *
 * usage: reaper handler|thread
 *
 * Facts: it makes no child, writes "end" and exits 0; "child" for each child that it notices. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void on_child(int signal)
{
	(void)signal;
	(void)!write(STDOUT_FILENO, "child\n", 6);
}

static void *wait_for_any(void *unused)
{
	for (;; usleep(1000))
		if (waitpid(-1, NULL, 0) > 0)
			on_child(SIGCHLD);
	return unused;
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_handler = on_child, .sa_flags = SA_RESTART};
	pthread_t thread;

	if (argc > 1 && strcmp(argv[1], "thread") == 0)
		pthread_create(&thread, NULL, wait_for_any, NULL);
	else
		sigaction(SIGCHLD, &action, NULL);
	free(malloc(10));
	(void)!write(STDOUT_FILENO, "end\n", 4);
	return 0;
}

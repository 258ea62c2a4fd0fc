/* alone.c: a program that makes processes, each of which uses a known CPU time. It is also built
 * statically linked (alone_static), so that no library can be loaded into it. Its arguments are
 * actions, done one after another: work MS (burn MS milliseconds of CPU time); two MS (the same in
 * this thread and in another one); fork MS (a child does that and ends); killed MS (a child does
 * that and is killed); short N (N children that end at once);
 *
 *     run PROGRAM...     a child executes the rest of the line; its exit status is added to the
 *                        parent's
 *     vrun PROGRAM...    the same by vfork
 *     become PROGRAM...  this process executes the rest of the line
 *
 * CPU time is burnt in the function `work`, called by `half`. It prints "as ever" ("preloaded" if
 * the environment has LD_PRELOAD); exit status 7. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile long sink;
static long burnt_ms;

static __attribute__((noinline)) void work(long ms)
{
	struct timespec now;
	long until;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	until = now.tv_sec * 1000 + now.tv_nsec / 1000000 + ms;
	do {
		for (long i = 0; i < 10000; i++)
			sink += i;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	} while (now.tv_sec * 1000 + now.tv_nsec / 1000000 < until);
}

static __attribute__((noinline)) void *half(void *unused)
{
	work(burnt_ms);
	__asm__ volatile(""); /* no tail call */
	return unused;
}

static void two(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, half, NULL);
	half(NULL);
	pthread_join(thread, NULL);
}

static int await(pid_t child)
{
	int status = 0;

	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

static void child(int is_killed)
{
	pid_t child = fork();

	if (child == 0) {
		half(NULL);
		if (is_killed)
			raise(SIGKILL);
		_exit(0);
	}
	await(child);
}

static int run(char **argv, int is_vfork)
{
	pid_t child = is_vfork ? vfork() : fork();

	if (child == 0) {
		execvp(argv[0], argv);
		_exit(127);
	}
	return await(child);
}

static void make_short_ones(long count)
{
	for (long i = 0; i < count; i++) {
		pid_t child = fork();

		if (child == 0)
			_exit(0);
		await(child);
	}
}

int main(int argc, char **argv)
{
	int status = 7;

	puts(getenv("LD_PRELOAD") ? "preloaded" : "as ever");
	fflush(stdout);
	for (int i = 1; i + 1 < argc; i += 2) {
		const char *action = argv[i];

		burnt_ms = atol(argv[i + 1]);
		if (strcmp(action, "run") == 0 || strcmp(action, "vrun") == 0)
			return status + run(&argv[i + 1], action[0] == 'v');
		if (strcmp(action, "become") == 0)
			execvp(argv[i + 1], &argv[i + 1]);
		if (strcmp(action, "work") == 0)
			half(NULL);
		if (strcmp(action, "two") == 0)
			two();
		if (strcmp(action, "fork") == 0 || strcmp(action, "killed") == 0)
			child(action[0] == 'k');
		if (strcmp(action, "short") == 0)
			make_short_ones(burnt_ms);
	}
	return status;
}

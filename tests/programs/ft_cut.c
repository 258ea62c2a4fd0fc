/* ft_cut: two rounds of the same work, with a wait for a line of input in between: in that time a
 * test can cut the files that were mapped in the first round.
 *
 * usage: ft_cut THREADS [own] own: it has a handler of SIGBUS, on an alternate stack, which would
 * end it; it must not be called
 *
 * In each round, the main thread and THREADS new threads each allocate and free ROUND blocks,
 * lock and unlock a mutex as often, write as often to /dev/null, log as many user events
 * (channels 0 and 1), call traced functions of the round's own at ROUND different depths, and use
 * 20 ms of CPU time. The main thread goes first; before that, a vfork child allocates a block.
 * After each round it prints a line with the sum of the depths of its calls, and it exits with
 * 3. */
#include "include/sys/trchkid.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROUND = 100, THREADS_MAX = 16, BURN_MS = 20 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int null;
static long depths; /* protected by the mutex */
static void *volatile block;

/* Where all calls end. */
__attribute__((noinline)) static long act(long depth)
{
	pthread_mutex_lock(&mutex);
	depths += depth;
	pthread_mutex_unlock(&mutex);
	block = malloc(64);
	free(block);
	TRCHKL1(0x02000000, depth);
	TRCGEN(1, 0x02100000, depth, 4, "text");
	return write(null, "x", 1);
}

__attribute__((noinline)) static long first_round(long depth, long left)
{
	return left > 0 ? first_round(depth, left - 1) + 1 : act(depth);
}

__attribute__((noinline)) static long second_round(long depth, long left)
{
	return left > 0 ? second_round(depth, left - 1) + 1 : act(depth);
}

static void burn(void)
{
	struct timespec begin, now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	while ((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000 <
	       BURN_MS);
}

static void *run(void *argument)
{
	long (*calls)(long, long) = !argument ? first_round : second_round;

	for (long depth = 0; depth < ROUND; depth++)
		calls(depth, depth);
	burn();
	return NULL;
}

static void is_bus_error(int signal)
{
	_exit(signal + 100);
}

static void have_handler(void)
{
	stack_t stack = {.ss_sp = malloc(65536), .ss_size = 65536};
	struct sigaction action = {.sa_handler = is_bus_error,
	                           .sa_flags = (int)SA_RESETHAND | SA_ONSTACK};

	sigfillset(&action.sa_mask);
	sigaltstack(&stack, NULL);
	sigaction(SIGBUS, &action, NULL);
}

/* Its calls are recorded into the files of this process. */
static int run_child(void)
{
	pid_t child = vfork();
	int status;

	if (child == 0) {
		block = malloc(64);
		free(block);
		_exit(4);
	}
	return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
	       WEXITSTATUS(status) == 4;
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 2;
	pthread_t threads[THREADS_MAX];
	char line[16];

	null = open("/dev/null", O_WRONLY);
	if (null < 0 || count < 0 || count > THREADS_MAX)
		return 2;
	if (argc > 2)
		have_handler();
	for (long round = 0; round < 2; round++) {
		if (!run_child())
			return 2;
		run((void *)round);
		for (int i = 0; i < count; i++)
			if (pthread_create(&threads[i], NULL, run, (void *)round) != 0)
				return 2;
		for (int i = 0; i < count; i++)
			pthread_join(threads[i], NULL);
		printf("round %ld: %ld\n", round, depths);
		fflush(stdout);
		if (round == 0 && !fgets(line, sizeof(line), stdin))
			return 2;
	}
	return 3;
}

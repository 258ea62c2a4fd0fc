/* crowd: threads whose beginnings and ends are easily missed or counted twice.
 *
 * usage: crowd leave | storm
 *
 * Facts: leave: the main thread burns 0.3 s of CPU time and ends by pthread_exit; a second one
 * burns 1.5 s and ends the process. storm: for 2.5 s, rounds of 100 threads, each of which burns 4
 * ms; prints "threads N": how many there were, the main one included. Exit status 0. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CROWD = 100 };

static double seconds(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void burn(double until)
{
	while (seconds(CLOCK_THREAD_CPUTIME_ID) < until)
		continue;
}

static void *burn_and_exit(void *unused)
{
	(void)unused;
	burn(1.5);
	exit(0);
}

static void *burn_shortly(void *unused)
{
	burn(0.004);
	return unused;
}

static int storm(void)
{
	double end = seconds(CLOCK_MONOTONIC) + 2.5;
	pthread_t thread[CROWD];
	int count = 1;

	while (seconds(CLOCK_MONOTONIC) < end) {
		for (int i = 0; i < CROWD; i++, count++)
			if (pthread_create(&thread[i], NULL, burn_shortly, NULL) != 0)
				return 1;
		for (int i = 0; i < CROWD; i++)
			pthread_join(thread[i], NULL);
	}
	printf("threads %d\n", count);
	return 0;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc > 1 && strcmp(argv[1], "storm") == 0)
		return storm();
	burn(0.3);
	if (pthread_create(&thread, NULL, burn_and_exit, NULL) != 0)
		return 1;
	pthread_exit(NULL);
}

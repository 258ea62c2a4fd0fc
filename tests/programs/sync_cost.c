/* sync_cost: the costs of a pair of lock and unlock.
 *
 * usage: sync_cost [pairs [threads]]      default: 1000000, 1
 *
 * Facts: each of the threads (1: the main one) locks and unlocks the same mutex `pairs` times.
 * Prints "pair_ns X": CPU time of the process for one pair. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { THREADS_MAX = 64 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long pairs = 1000000;
static volatile long count;

static void *lock_and_unlock(void *unused)
{
	(void)unused;
	for (long i = 0; i < pairs; i++) {
		pthread_mutex_lock(&mutex);
		count++;
		pthread_mutex_unlock(&mutex);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int threads = argc > 2 ? atoi(argv[2]) : 1;
	pthread_t made[THREADS_MAX];
	struct timespec now;

	if (argc > 1)
		pairs = atol(argv[1]);
	if (threads < 1 || threads > THREADS_MAX)
		return 2;
	for (int i = 1; i < threads; i++)
		pthread_create(&made[i], NULL, lock_and_unlock, NULL);
	lock_and_unlock(NULL);
	for (int i = 1; i < threads; i++)
		pthread_join(made[i], NULL);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	printf("pair_ns %.1f\n",
	       ((double)now.tv_sec * 1e9 + (double)now.tv_nsec) / (double)pairs / threads);
	return 0;
}

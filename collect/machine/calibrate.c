/* calibrate.c: measures the cost of an uncontended lock. */
#include "collect/machine/calibrate.h"

#include <pthread.h>
#include <time.h>

/* Waiting for a lock takes at least two system calls; taking a free one takes some tens of ns. The
 * factor is in between. */
enum { ROUNDS = 20, PAIRS = 50, FACTOR = 20, LEAST_NS = 500, MOST_NS = 20000 };

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t calibrate_sync_ns(void)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	uint64_t best = UINT64_MAX;
	uint64_t threshold;

	for (int i = 0; i < ROUNDS; i++) {
		uint64_t before = now_ns();

		for (int k = 0; k < PAIRS; k++) {
			pthread_mutex_lock(&mutex);
			pthread_mutex_unlock(&mutex);
		}
		before = now_ns() - before;
		best = before < best ? before : best;
	}
	threshold = best * FACTOR / PAIRS;
	if (threshold < LEAST_NS)
		return LEAST_NS;
	return threshold > MOST_NS ? MOST_NS : threshold;
}

/* short_lives: threads that use little CPU time each, four at a time.
 *
 * usage: short_lives THREADS MICROSECONDS
 *
 * Facts: each thread uses that much CPU time in `live`. It prints "live_ns N": what all of them
 * have used there together. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static uint64_t life_ns, sum;

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static __attribute__((noinline)) void *live(void *unused)
{
	uint64_t begin = now(), end = begin;

	while (end - begin < life_ns) {
		for (volatile int i = 0; i < 200; i++)
			continue;
		end = now();
	}
	__atomic_add_fetch(&sum, end - begin, __ATOMIC_RELAXED);
	return unused;
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 1000;
	pthread_t threads[4];

	life_ns = (argc > 2 ? strtoull(argv[2], NULL, 10) : 300) * 1000;
	for (int i = 0; i < count; i += 4) {
		for (int k = 0; k < 4; k++)
			pthread_create(&threads[k], NULL, live, NULL);
		for (int k = 0; k < 4; k++)
			pthread_join(threads[k], NULL);
	}
	printf("live_ns %llu\n", (unsigned long long)sum);
	return 0;
}

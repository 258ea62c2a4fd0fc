/* heap_churn: blocks that live long and are freed in any order, in several threads, which makes it
 * difficult to match each free with its allocation.
 *
 * usage: heap_churn [events [live [threads]]]      default: 1000000, 100000, 2
 *
 * Facts: each of `threads` threads keeps `live` / `threads` blocks of 16 to 271 bytes, and `events`
 * / 2 / `threads` times frees one at random and allocates another; at the end all are freed. One
 * block in 64 is passed to the next thread, which frees it. It prints "cpu_ns N". */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { THREADS_MAX = 64, SHARED = 1024 };

static long events = 1000000, live = 100000, threads = 2;
static void *_Atomic handed[THREADS_MAX][SHARED];

static uint64_t next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

__attribute__((noinline)) static void *churn(void *argument)
{
	long self = (long)(intptr_t)argument, count = live / threads;
	uint64_t state = 88172645463325252u + (uint64_t)self;
	void **blocks = calloc((size_t)count, sizeof(*blocks));

	for (long i = 0; i < events / 2 / threads; i++) {
		uint64_t random = next(&state);
		void **block = &blocks[random % (uint64_t)count];

		if (random >> 58 == 0)
			*block = __atomic_exchange_n(
				&handed[(self + 1) % threads][random >> 32 & (SHARED - 1)], *block,
				__ATOMIC_ACQ_REL);
		free(*block);
		*block = malloc(16 + (random >> 40 & 255));
	}
	for (long i = 0; i < count; i++)
		free(blocks[i]);
	free(blocks);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t made[THREADS_MAX];
	struct timespec now;

	if (argc > 1)
		events = atol(argv[1]);
	if (argc > 2)
		live = atol(argv[2]);
	if (argc > 3)
		threads = atol(argv[3]);
	if (threads < 1 || threads > THREADS_MAX || live < threads)
		return 2;
	for (long i = 0; i < threads; i++)
		if (pthread_create(&made[i], NULL, churn, (void *)(intptr_t)i) != 0)
			return 1;
	for (long i = 0; i < threads; i++)
		pthread_join(made[i], NULL);
	for (long i = 0; i < threads; i++)
		for (int j = 0; j < SHARED; j++)
			free(handed[i][j]);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	printf("cpu_ns %lld\n", (long long)now.tv_sec * 1000000000 + now.tv_nsec);
	return 0;
}

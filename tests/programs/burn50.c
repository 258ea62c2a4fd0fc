/* burn50: CPU time split over functions in known shares.
 *
 * usage: burn50 [seconds [threads]]      default: 2 seconds, 1 thread (the main one)
 *
 * Facts: every thread spends its CPU time in work_a 50 %, work_b 30 %, work_c 15 %, work_d 5 %,
 * called from `split` in rounds of 1 to 3 ms. The rounds are of random length, so that they do not
 * keep step with the kernel's tick; all four functions run the same loop, so the numbers of turns
 * are the shares. With N threads the main thread waits and N others run `split`. Everything else
 * takes less than 0.1 %. At the end it prints "cpu_ns N", the CPU time of the process so far. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define WORK(name) \
	__attribute__((noinline)) static uint64_t name(uint64_t turns, uint64_t value) \
	{ \
		for (uint64_t i = 0; i < turns; i++) \
			__asm__ volatile("imul $0x5851f42d, %0, %0\n\tadd $0x14057b7e, %0" \
			                 : "+r"(value)); \
		return value; \
	}
WORK(work_a)
WORK(work_b)
WORK(work_c)
WORK(work_d)

static double seconds = 2;
static volatile uint64_t sink;

static uint64_t cpu_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

__attribute__((noinline)) static void *split(void *unused)
{
	uint64_t end = cpu_ns(CLOCK_THREAD_CPUTIME_ID) + (uint64_t)(seconds * 1e9);
	uint64_t value = 1, random = (uint64_t)&end;

	while (cpu_ns(CLOCK_THREAD_CPUTIME_ID) < end) {
		uint64_t unit;

		random = random * 6364136223846793005u + 1442695040888963407u;
		unit = 5000 + (random >> 33) % 10000;
		value = work_a(50 * unit, value);
		value = work_b(30 * unit, value);
		value = work_c(15 * unit, value);
		value = work_d(5 * unit, value);
	}
	sink = value;
	return unused;
}

int main(int argc, char **argv)
{
	int threads = argc > 2 ? atoi(argv[2]) : 0;
	pthread_t *ids = calloc((size_t)threads + 1, sizeof(*ids));

	if (argc > 1)
		seconds = atof(argv[1]);
	for (int i = 0; i < threads; i++)
		pthread_create(&ids[i], NULL, split, NULL);
	if (threads == 0)
		split(NULL);
	for (int i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
	free(ids);
	printf("cpu_ns %llu\n", (unsigned long long)cpu_ns(CLOCK_PROCESS_CPUTIME_ID));
	return 0;
}

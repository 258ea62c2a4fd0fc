/* heap_cost: the costs of a pair of malloc and free under a stack of known depth.
 *
 * usage: heap_cost [pairs [depth [threads]]]      default: 1000000, 5, 1
 *
 * Facts: in each thread `pairs` blocks of 32 to 95 bytes are allocated and freed by `pairs_here`,
 * `depth` frames below the process's start (_start, two of libc, main, the recursion `descend`,
 * pairs_here). It prints "pair_ns X": CPU time of one pair, and "cpu_ns N". Nothing stays
 * allocated. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { FRAMES_AROUND = 5, THREADS_MAX = 64 };

static __thread void *volatile kept;
static long pairs = 1000000;

static double cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

__attribute__((noinline)) static double pairs_here(void)
{
	double before = cpu_ns();

	for (long i = 0; i < pairs; i++) {
		kept = malloc(32 + (size_t)(i & 63));
		free(kept);
	}
	return (cpu_ns() - before) / (double)pairs;
}

__attribute__((noinline)) static double descend(int depth)
{
	double result = depth > 1 ? descend(depth - 1) : pairs_here();

	__asm__ volatile("" : "+x"(result));
	return result;
}

static void *run(void *depth)
{
	int frames = (int)(intptr_t)depth - FRAMES_AROUND;
	double *ns = malloc(sizeof(*ns));

	*ns = frames > 0 ? descend(frames) : pairs_here();
	return ns;
}

/* CPU time of a pair when `threads` threads run them at the same time. */
static double run_threads(int depth, int threads)
{
	pthread_t thread[THREADS_MAX];
	double before = cpu_ns();

	for (int i = 0; i < threads; i++)
		pthread_create(&thread[i], NULL, run, (void *)(intptr_t)depth);
	for (int i = 0; i < threads; i++) {
		void *result;

		pthread_join(thread[i], &result);
		free(result);
	}
	return (cpu_ns() - before) / (double)pairs / threads;
}

int main(int argc, char **argv)
{
	int depth = argc > 2 ? atoi(argv[2]) : 5, threads = argc > 3 ? atoi(argv[3]) : 1;
	double ns;

	if (argc > 1)
		pairs = atol(argv[1]);
	if (threads > 1 && threads <= THREADS_MAX)
		ns = run_threads(depth, threads);
	else
		ns = depth > FRAMES_AROUND ? descend(depth - FRAMES_AROUND) : pairs_here();
	printf("pair_ns %.1f\ncpu_ns %.0f\n", ns, cpu_ns());
	return 0;
}

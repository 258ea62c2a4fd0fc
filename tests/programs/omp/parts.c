/* Constructs that begin and end in different threads, or while the recording is paused, with teams
 * of 3: 10 parallel regions in `apart`, in each of which one thread makes 20 untied tasks of three
 * parts each, which with libomp any thread may execute; 20 regions in `paused`, in which the
 * recording is paused, and resumed after each; 20 in `resumed` the other way round; 40 in `whole`,
 * one after each of these. */
#include "collectorAPI.h"

static volatile double sink;

static __attribute__((noinline)) void work(int steps)
{
	double x = 0;

	for (int i = 0; i < steps; i++)
		x += i * 0.5;
	sink = x;
}

static __attribute__((noinline)) void apart(void)
{
#pragma omp parallel num_threads(3)
#pragma omp single
	for (int i = 0; i < 20; i++) {
#pragma omp task untied
		{
			work(20000);
#pragma omp taskyield
			work(20000);
#pragma omp taskyield
			work(20000);
		}
	}
}

static __attribute__((noinline)) void paused(void)
{
#pragma omp parallel num_threads(3)
	{
#pragma omp barrier
#pragma omp master
		collector_pause();
#pragma omp barrier
		work(100);
	}
	collector_resume();
}

static __attribute__((noinline)) void resumed(void)
{
	collector_pause();
#pragma omp parallel num_threads(3)
	{
		work(100);
#pragma omp barrier
#pragma omp master
		collector_resume();
#pragma omp barrier
	}
}

static __attribute__((noinline)) void whole(void)
{
#pragma omp parallel num_threads(3)
	work(100);
}

int main(void)
{
	for (int i = 0; i < 10; i++)
		apart();
	for (int i = 0; i < 20; i++) {
		paused();
		whole();
	}
	for (int i = 0; i < 20; i++) {
		resumed();
		whole();
	}
	return 0;
}

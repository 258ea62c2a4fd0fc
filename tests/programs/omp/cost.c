/* cost.c: CPU nanoseconds of an OpenMP construct that makes one event: N critical sections in a
 * region of one thread. Prints "construct_ns" and the thread's CPU time divided by N (the
 * argument). */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 1000000;
	volatile long sum = 0;
	double begin = 0, end = 0;

#pragma omp parallel num_threads(1)
	{
		begin = cpu_ns();
		for (long i = 0; i < n; i++) {
#pragma omp critical
			sum++;
		}
		end = cpu_ns();
	}
	printf("construct_ns %.2f\n", (end - begin) / (double)n);
	return 0;
}

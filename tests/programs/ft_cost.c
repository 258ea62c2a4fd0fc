/* ft_cost.c: the costs of tracing one call, in ns of CPU time more than a plain call. Compiled for
 * function tracing.
 *
 *     ft_cost ROUNDS CALLS
 *
 * Prints the medians over ROUNDS rounds, each of CALLS calls, of: a plain call; the floor, which is
 * two rdtscp and two 8-byte stores into a freshly mapped file; a traced call; and (traced - plain)
 * / floor, by round. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#ifdef __clang__
#define PLAIN \
	__attribute__((no_instrument_function, xray_never_instrument, patchable_function_entry(0), \
	               noinline))
#else
#define PLAIN __attribute__((no_instrument_function, patchable_function_entry(0), noinline))
#endif

static volatile long sink;

PLAIN void plain(long i)
{
	sink += i;
}

__attribute__((noinline)) void traced(long i)
{
	sink += i;
}

PLAIN static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

PLAIN static double run_plain(long calls)
{
	uint64_t start = cpu_ns();

	for (long i = 0; i < calls; i++)
		plain(i);
	return (double)(cpu_ns() - start) / (double)calls;
}

PLAIN static double run_traced(long calls)
{
	uint64_t start = cpu_ns();

	for (long i = 0; i < calls; i++)
		traced(i);
	return (double)(cpu_ns() - start) / (double)calls;
}

PLAIN static double run_floor(long calls)
{
	size_t size = (size_t)calls * 16;
	char name[] = "/tmp/ft_cost.XXXXXX";
	int fd = mkstemp(name);
	uint64_t *at, start, last = 0;
	unsigned cpu;

	if (fd < 0 || unlink(name) < 0 || posix_fallocate(fd, 0, (off_t)size) != 0)
		exit(1);
	start = cpu_ns();
	at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, 0);
	if (at == MAP_FAILED)
		exit(1);
	for (long i = 0; i < 2 * calls; i++) {
		uint64_t ticks = __rdtscp(&cpu);

		at[i] = (ticks - last) << 32 | 16;
		last = ticks;
	}
	start = cpu_ns() - start;
	munmap(at, size);
	close(fd);
	return (double)start / (double)calls;
}

PLAIN static int by_value(const void *left, const void *right)
{
	const double *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

PLAIN static double median(double *values, int count)
{
	qsort(values, (size_t)count, sizeof(*values), by_value);
	return values[count / 2];
}

PLAIN int main(int argc, char **argv)
{
	enum { ROUNDS = 99 };
	double plains[ROUNDS], floors[ROUNDS], traces[ROUNDS], ratios[ROUNDS];
	int rounds = argc > 1 ? atoi(argv[1]) : 9;
	long calls = argc > 2 ? atol(argv[2]) : 1000000;

	for (int i = 0; i < rounds && i < ROUNDS; i++) {
		plains[i] = run_plain(calls);
		floors[i] = run_floor(calls);
		traces[i] = run_traced(calls);
		ratios[i] = (traces[i] - plains[i]) / floors[i];
	}
	printf("plain %.1f\nfloor %.1f\ntraced %.1f\nratio %.2f\n", median(plains, rounds),
	       median(floors, rounds), median(traces, rounds), median(ratios, rounds));
	return 0;
}

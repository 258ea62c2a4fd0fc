/* inlined.cc: known facts about inlined calls. Usage: inlined SECONDS
 * hot<1>, hot<2> templates with code of their own; each takes half of the CPU time
 *   twice           inlined in hot; it calls turn two times, which is inlined from inlined.h
 * spin calls hot<1> and hot<2> alternately; main calls spin
 * Most exclusive time is at the line "turned here"; all time is below the lines "first" and
 * "second" of spin. */
#include "inlined.h"

#include <cstdio>
#include <cstdlib>
#include <ctime>

static double cpu_seconds()
{
	timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return double(now.tv_sec) + double(now.tv_nsec) * 1e-9;
}

static inline __attribute__((always_inline)) unsigned long twice(unsigned long x)
{
	x = turn(x);        /* one turn */
	return turn(x) ^ 1; /* another turn */
}

template <int N> __attribute__((noinline)) unsigned long hot(unsigned long x)
{
	for (int i = 0; i < 200000; i++)
		x = twice(x) + N; /* in the loop */
	return x;
}

__attribute__((noinline)) unsigned long spin(unsigned long x)
{
	x = hot<1>(x);        /* first */
	return hot<2>(x) + 1; /* second */
}

int main(int argc, char **argv)
{
	double end = argc > 1 ? atof(argv[1]) : 1;
	unsigned long x = 1;

	while (cpu_seconds() < end)
		x = spin(x) + 1; /* from main */
	printf("%lu\n", x);
	return 0;
}

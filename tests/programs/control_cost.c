/* control_cost: the costs of calling the collector's control functions.
 *
 * usage: control_cost [calls]      default: 20000
 *
 * Facts: it prints "sample X" and "toggle X": CPU ns of one call of collector_sample, and of
 * collector_pause and collector_resume together, over `calls` calls each; when it is not recorded,
 * over a thousand times as many. */
#include "include/collectorAPI.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

int main(int argc, char **argv)
{
	long calls = argc > 1 ? atol(argv[1]) : 20000;
	double start, middle, end;

	if (!xer_collector_find())
		calls *= 1000;
	start = cpu_ns();
	for (long i = 0; i < calls; i++)
		collector_sample("a sample");
	middle = cpu_ns();
	for (long i = 0; i < calls; i++) {
		collector_pause();
		collector_resume();
	}
	end = cpu_ns();
	printf("sample %.1f\ntoggle %.1f\n", (middle - start) / (double)calls,
	       (end - middle) / (double)calls);
	return 0;
}

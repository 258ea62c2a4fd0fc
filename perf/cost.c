/* cost.c: see cost.h. The same work is done with and without samples in turn; the difference is the
 * cost of the samples. The work has a call stack like those of programs, with frame pointers.
 * See doc/decisions/53-sampling-cost.md. */
#include "perf/cost.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 7, TURNS = 400 * 1000, DEPTH = 12, PERIOD_NS = 100 * 1000 };

static volatile uint64_t sink;

static __attribute__((noinline)) uint64_t spin(int depth)
{
	uint64_t value = (uint64_t)__builtin_frame_address(0); /* asked for, it is there */

	if (depth > 0)
		return spin(depth - 1) + 1;
	for (int i = 0; i < TURNS; i++)
		value = value * UINT64_C(6364136223846793005) + 1;
	return value;
}

static uint64_t spin_ns(void)
{
	struct timespec from, to;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
	sink = spin(DEPTH);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
	return (uint64_t)((to.tv_sec - from.tv_sec) * 1000000000 + to.tv_nsec - from.tv_nsec);
}

static void ignore(void *context, const struct ring_sample *sample)
{
	(void)sample;
	++*(uint64_t *)context;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

uint64_t cost_of_sample(const struct ring_settings *settings)
{
	struct ring_settings own = *settings;
	struct ring_counts counts = {0};
	struct ring ring;
	double costs[ROUNDS];
	int fd, measured = 0;

	own.inherit = own.enable_on_exec = own.tell_mappings = 0;
	/* A shorter period costs more or less for each sample: its cost is measured as it is. */
	if (own.period_ns > PERIOD_NS)
		own.period_ns = PERIOD_NS;
	fd = ring_event_open(0, -1, &own);
	if (fd < 0)
		return 0;
	if (ring_of_event(&ring, fd, &own) < 0) {
		close(fd);
		return 0;
	}
	for (int i = 0; i < ROUNDS; i++) {
		uint64_t samples = 0, plain, sampled;

		plain = spin_ns();
		ring_event_enable(fd, 1);
		sampled = spin_ns();
		ring_event_enable(fd, 0);
		ring_drain(&ring, ignore, &samples, &counts);
		if (samples > 0)
			costs[measured++] = ((double)sampled - (double)plain) / (double)samples;
	}
	ring_close(&ring);
	qsort(costs, (size_t)measured, sizeof(costs[0]), compare);
	return measured > 0 && costs[measured / 2] > 0 ? (uint64_t)costs[measured / 2] : 0;
}

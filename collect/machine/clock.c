/* clock.c: decides whether the processor's clock (the TSC) can be trusted as the event clock, and
 * measures its rate.
 *
 * The rate comes from two pairs of readings (TSC, CLOCK_MONOTONIC_RAW), taken while xcollect does
 * its other work. Readers fit it better over the triples of the overview. */
#include "collect/machine/clock.h"

#include "collect/arch/arch.h"

#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SHORTEST_NS = 1000 * 1000, TRIES = 8 };

static uint64_t read_ns(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The kernel checks the TSC against other clocks all the time, and stops using it when it fails. */
static int tsc_is_kernels_choice(void)
{
	char name[32] = "";
	int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
	              O_RDONLY | O_CLOEXEC);
	ssize_t len;

	if (fd < 0)
		return 0;
	len = read(fd, name, sizeof(name) - 1);
	close(fd);
	name[strcspn(name, "\n")] = '\0';
	return len > 0 && strcmp(name, arch_clock_name()) == 0;
}

/* Read all clocks at one moment: the tightest of several brackets of TSC readings. */
static void read_moment(int is_tsc, struct clock_moment *out)
{
	uint64_t tightest = UINT64_MAX;

	for (int i = 0; i < TRIES; i++) {
		uint64_t before = arch_ticks();
		uint64_t raw_ns = read_ns(CLOCK_MONOTONIC_RAW);
		uint64_t after = arch_ticks();

		if (after - before >= tightest)
			continue;
		tightest = after - before;
		out->ticks = is_tsc ? before + (after - before) / 2 : raw_ns;
		out->raw_ns = raw_ns;
		out->real_ns = read_ns(CLOCK_REALTIME);
		out->mono_ns = read_ns(CLOCK_MONOTONIC);
	}
}

void clock_begin(struct clock_source *clock)
{
	clock->is_tsc = tsc_is_kernels_choice() && arch_has_constant_ticks();
	clock->hz = 1000000000u;
	read_moment(clock->is_tsc, &clock->begin);
}

void clock_end(struct clock_source *clock, struct clock_moment *start)
{
	const struct clock_moment *begin = &clock->begin;

	while (clock->is_tsc && read_ns(CLOCK_MONOTONIC_RAW) < begin->raw_ns + SHORTEST_NS)
		continue;
	read_moment(clock->is_tsc, start);
	if (clock->is_tsc)
		clock->hz = (uint64_t)((double)(start->ticks - begin->ticks) * 1e9 /
		                               (double)(start->raw_ns - begin->raw_ns) +
		                       0.5);
}

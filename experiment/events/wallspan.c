/* wallspan.c: see wallspan.h. Waits that a thread has left are shortened first, then those in calls
 * that compute, in proportion to their length; then all others, by equal amounts for each call.
 * See doc/decisions/86-wall-clock.md. */
#include "experiment/events/wallspan.h"

#include "experiment/table/arena.h"

#include <errno.h>
#include <stdlib.h>

int wallspan_add(struct wallspan *span, const struct wallspan_wait *wait)
{
	if (exp_array_reserve(&span->waits, &span->capacity, span->count, sizeof(*span->waits)) !=
	    0)
		return -ENOMEM;
	span->waits[span->count++] = *wait;
	span->ns += wait->ns;
	return 0;
}

static void shorten(struct wallspan *span, struct wallspan_wait *wait, double by_ns)
{
	uint64_t ns = by_ns >= (double)wait->ns ? wait->ns : (uint64_t)(by_ns + 0.5);

	ns = ns < wait->ns ? ns : wait->ns;
	wait->ns -= ns;
	span->ns -= ns;
}

/* Shorten those of one kind by `excess` ns together, in proportion to their length. */
static void shorten_doubtful(struct wallspan *span, enum wallspan_doubt doubt, uint64_t excess)
{
	double all = 0;

	for (size_t i = 0; i < span->count; i++)
		if (span->waits[i].doubt == doubt)
			all += (double)span->waits[i].ns;
	for (size_t i = 0; i < span->count && all > 0; i++)
		if (span->waits[i].doubt == doubt)
			shorten(span, &span->waits[i],
			        (double)span->waits[i].ns *
			                ((double)excess < all ? (double)excess / all : 1));
}

/* Shorten all by what their calls have taken, which is as much for each. Some were shorter than
 * that, so it is done again. */
static void shorten_all(struct wallspan *span, uint64_t most_ns)
{
	enum { ROUNDS = 8 };

	for (int round = 0; round < ROUNDS && span->ns > most_ns; round++) {
		double excess = (double)(span->ns - most_ns), calls = 0;

		for (size_t i = 0; i < span->count; i++)
			calls += span->waits[i].ns > 0 ? span->waits[i].count : 0;
		for (size_t i = 0; i < span->count && calls > 0; i++)
			if (span->waits[i].ns > 0)
				shorten(span, &span->waits[i],
				        excess * span->waits[i].count / calls);
	}
}

/* In proportion to their length, however sure they are. */
static void shorten_evenly(struct wallspan *span, uint64_t most_ns)
{
	double all = (double)span->ns, excess = (double)span->ns - (double)most_ns;

	for (size_t i = 0; i < span->count && excess > 0; i++)
		shorten(span, &span->waits[i], (double)span->waits[i].ns / all * excess);
}

static uint64_t excess_of(const struct wallspan *span, uint64_t most_ns)
{
	return span->ns > most_ns ? span->ns - most_ns : 0;
}

uint64_t wallspan_settle(struct wallspan *span, uint64_t off_ns, uint64_t queue_ns)
{
	uint64_t most_ns = off_ns > span->sure_ns ? off_ns - span->sure_ns : 0;
	uint64_t blocked_ns = most_ns > queue_ns ? most_ns - queue_ns : 0;

	if (excess_of(span, blocked_ns))
		shorten_doubtful(span, WALLSPAN_LEFT, excess_of(span, blocked_ns));
	if (excess_of(span, most_ns))
		shorten_doubtful(span, WALLSPAN_WORKS, excess_of(span, most_ns));
	shorten_all(span, most_ns);
	shorten_evenly(span, most_ns);
	return most_ns - (span->ns < most_ns ? span->ns : most_ns);
}

void wallspan_clear(struct wallspan *span)
{
	span->count = 0;
	span->ns = span->sure_ns = 0;
}

void wallspan_fini(struct wallspan *span)
{
	free(span->waits);
	*span = (struct wallspan){0};
}

/* simulate.c: see simulate.h. */
#include "simulate.h"

#include <math.h>

/* xorshift64* (Vigna, 2016). */
double chance_uniform(struct chance *chance)
{
	uint64_t x = chance->state;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	chance->state = x;
	return (double)((x * 0x2545f4914f6cdd1du) >> 11) * 0x1p-53;
}

double chance_exponential(struct chance *chance)
{
	return -log1p(-chance_uniform(chance));
}

double chance_normal(struct chance *chance)
{
	double radius = sqrt(2 * chance_exponential(chance));

	return radius * cos(2 * M_PI * chance_uniform(chance));
}

/* Where the program is: in a function, until a time. */
struct place {
	size_t function;
	double until;
};

static void next_turn(struct chance *chance, const struct program *program, struct place *place)
{
	double at = chance_uniform(chance);

	if (program->is_cycle) {
		place->function = (place->function + 1) % program->count;
		place->until += program->turn * (double)program->count *
		                program->shares[place->function] *
		                exp(program->noise * chance_normal(chance));
		return;
	}
	place->function = 0;
	while (place->function + 1 < program->count && at >= program->shares[place->function])
		at -= program->shares[place->function++];
	place->until += program->turn * chance_exponential(chance);
}

static double next_period(struct chance *chance, const struct clock *clock)
{
	return clock->period * (1 + clock->jitter * (2 * chance_uniform(chance) - 1));
}

struct recording simulate(struct chance *chance, const struct program *program,
                          const struct clock *clock, double time)
{
	struct recording recording = {.time = time};
	struct place place = {program->count - 1, 0};
	double now = 0, last = 0;
	double due = clock->period * (1 + 15 * chance_uniform(chance)) / 16;

	while (now < time) {
		double until;

		if (place.until <= now)
			next_turn(chance, program, &place);
		until = fmin(fmin(place.until, due), time);
		recording.spent[place.function] += until - now;
		now = until;
		if (now < due && now < time)
			continue;
		recording.found[place.function] += now - last;
		recording.squares += (now - last) * (now - last);
		recording.samples++;
		last = now;
		due = now + next_period(chance, clock);
	}
	return recording;
}

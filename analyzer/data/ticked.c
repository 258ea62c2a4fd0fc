/* ticked.c: which experiments have their clock samples at the kernel's ticks. See ticked.h.
 * See doc/decisions/85-clock.md and doc/decisions/91-uncertainty.md. */
#include "analyzer/data/ticked.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	TICKS = 4, /* with an interval of more of them, nobody asks for such short phases */
	FEW = 10,  /* less than one in so many samples by perf events is nearly none */
	NS_PER_US = 1000
};

/* Phases of fewer ticks are uncertain. */
#define PHASE_TICKS 2.5

/* The variance of shares at ticks over that of independent samples was 0.5 to 2.5; where rounds of
 * some ticks keep step with slices of time, shares are biased, which no factor mends. */
#define EFFECT 2.5

/* What would help, by what xcollect found out; NULL: it expected perf events. */
static const char *remedy(const char *clock)
{
	static const struct {
		const char *clock, *text;
	} remedies[] = {
		{"paranoid", "perf_event_paranoid <= 2 mends it"},
		{"refused",
	         "perf_event_paranoid <= 2 mends it, in a container a seccomp profile that passes perf_event_open"},
		{"kernel", "Linux 5.18 mends it"},
		{"attach", "a recording from the start of the program mends it"},
	};

	for (size_t i = 0; i < sizeof(remedies) / sizeof(remedies[0]); i++)
		if (strcmp(clock, remedies[i].clock) == 0)
			return remedies[i].text;
	return NULL;
}

void ticked_add(struct ticked *sum, const struct dataset_experiment *at)
{
	const char *clock = experiment_setting(at->experiment, "profile_clock", "");
	uint64_t us = strtoull(experiment_setting(at->experiment, "profile_us", "0"), NULL, 10);
	uint64_t tick_ns = at->info->tick_ns;

	if (us == 0 || us >= tick_ns * TICKS / NS_PER_US)
		return;
	/* Counts are written at the end. */
	if (!remedy(clock) && experiment_counter(at->experiment, "samples", 0) == 0)
		return;
	sum->user_samples += at->whole->quality.user_samples;
	sum->perf_samples += experiment_counter(at->experiment, "perf_samples", 0);
	if (sum->clock)
		return;
	sum->tick_ns = tick_ns;
	sum->clock = clock;
}

/* Where perf events tell user time alone, timers take the samples in system calls: so those in user
 * code are compared. */
int ticked_is(const struct ticked *sum)
{
	return sum->perf_samples < (sum->user_samples + FEW - 1) / FEW;
}

double ticked_effect(const struct dataset_experiment *at)
{
	struct ticked ticked = {.clock = NULL};

	ticked_add(&ticked, at);
	return ticked_is(&ticked) ? EFFECT : 1;
}

int ticked_text(const struct ticked *sum, char *text, size_t size)
{
	const char *helps = ticked_is(sum) ? remedy(sum->clock) : NULL;

	if (!ticked_is(sum))
		return 0;
	snprintf(
		text, size,
		"samples at the kernel's ticks (%.0f a second): shares of phases below %.3g ms are uncertain%s%s",
		1e9 / (double)sum->tick_ns, PHASE_TICKS * (double)sum->tick_ns * 1e-6,
		helps ? "; " : "", helps ? helps : "");
	return 1;
}

/* ticked.h: clock samples that CPU timers took, at the kernel's ticks. Slices of time of threads
 * begin and end there, so what has a rhythm of some ticks is always seen at the same moments. */
#ifndef XER_ANALYZER_DATA_TICKED_H
#define XER_ANALYZER_DATA_TICKED_H

#include "analyzer/data/dataset.h"

/* Of experiments together; all zero: of none. */
struct ticked {
	uint64_t user_samples; /* clock samples in user code */
	uint64_t perf_samples; /* clock samples, anywhere, that came by perf events */
	uint64_t tick_ns;
	const char *clock; /* the setting profile_clock; NULL: there is no experiment yet */
};

/* Add an experiment. Those whose interval is many ticks long are left out, and those
 * that do not say where their samples come from. */
void ticked_add(struct ticked *sum, const struct dataset_experiment *at);

/* Do nearly all samples stand at ticks? */
int ticked_is(const struct ticked *sum);

/* If so, say what this means, and what would help, in text[size], and return true. */
int ticked_text(const struct ticked *sum, char *text, size_t size);

/* The design effect of an experiment's clock samples: the variance of shares of them, over that of
 * shares of independent samples. More than 1 at ticks. */
double ticked_effect(const struct dataset_experiment *at);

#endif

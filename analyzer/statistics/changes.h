/* changes.h: which rows of a comparison have certainly changed.
 *
 * A row is a function, a line, ... with a value in each run of two groups. First the rows of each
 * metric are measured, then the rows of all metrics that are shown are decided together, because
 * whoever looks at many rows finds a large difference somewhere.
 * See doc/decisions/91-uncertainty.md. */
#ifndef XER_ANALYZER_STATISTICS_CHANGES_H
#define XER_ANALYZER_STATISTICS_CHANGES_H

#include "analyzer/statistics/runs.h"

enum change_verdict {
	CHANGE_UNTESTED, /* too little is known to say anything */
	CHANGE_NONE,     /* equal, and known exactly */
	CHANGE_NOISE,    /* within noise */
	CHANGE_MORE,
	CHANGE_LESS
};

/* Rows of fewer samples, in both groups together, are not tested: nothing of them can be certain,
 * and each test makes all others a little less sure. */
enum { CHANGE_SAMPLES_MIN = 10 };

struct change {
	struct runs from, to;
	double expected; /* variance that chance is expected to give a single run, 0: nothing is
	                    expected, so runs alone tell (change_expect) */
	double samples;  /* of the row in both groups; of values that are not sampled: 0 */
	int is_count;    /* exact numbers of things, which are compared exactly if there is only one
	                    run of each group; exact times are not */
	struct runs_known difference;
	double chance; /* that noise alone makes such a difference; 1 if it is not tested */
	enum change_verdict verdict;
};

/* What all samples of a metric together are, in two groups of runs. */
struct change_sums {
	struct runs from, to; /* of the sums of a run: all CPU time */
	double squares;       /* sum of the squares of what samples stand for, mean of a run */
};

/* What one sample stands for in the sum of a group's runs, divided by these: where the last digit
 * of a mean is worth anything. 0: nothing is sampled. */
double changes_sample(const struct change_sums *sums);

/* How many samples both groups have, 0: nothing is sampled. */
double changes_samples(const struct change_sums *sums);

/* How much runs of one group differ in all samples together: their standard deviation, that of both
 * groups, as a part of the mean; 0 if nothing is sampled. */
double changes_spread(const struct change_sums *sums);

/* Set what is expected of a sampled row from its runs. A single run of each group tells nothing
 * of how runs differ: then nothing is expected, nor of what is in all samples. */
void change_expect(struct change *row, const struct change_sums *sums);

/* Set difference and chance of the rows of one metric. */
void changes_measure(struct change *rows, size_t count);

/* Set the verdicts of all rows. Returns how many rows were tested. */
size_t changes_decide(struct change *rows, size_t count);

/* "more", "less", "within noise", "same" or "". */
const char *change_text(enum change_verdict verdict);

#endif

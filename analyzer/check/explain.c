/* explain.c: what a failed or undecided check means, in words. */
#include "analyzer/check/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *check_verdict_text(enum check_verdict verdict)
{
	static const char *const texts[] = {[CHECK_ERROR] = "error",
	                                    [CHECK_HOLDS] = "holds",
	                                    [CHECK_UNDECIDED] = "undecided",
	                                    [CHECK_FAILED] = "FAILED"};

	return texts[verdict];
}

/* Enough digits to tell two values apart that differ by 0.1 %. */
enum { FIGURE_MAX = 32 };
static const char *figure(double value, char *text)
{
	snprintf(text, FIGURE_MAX, fabs(value) >= 1000 || value == rint(value) ? "%.0f" : "%.4g",
	         value);
	return text;
}

/* " s", " bytes"; a count is its number alone. */
static const char *unit_of(const struct check_result *result)
{
	return strcmp(result->unit, "s") == 0       ? " s"
	       : strcmp(result->unit, "bytes") == 0 ? " bytes"
	                                            : "";
}

static void put_figures(const struct check_result *result, char *text)
{
	const struct check_outcome *outcome = &result->outcome;
	const char *unit = unit_of(result);
	char value[FIGURE_MAX], low[FIGURE_MAX], high[FIGURE_MAX], limit[FIGURE_MAX];

	figure(outcome->limit, limit);
	figure(outcome->value, value);
	if (outcome->low == outcome->high)
		snprintf(text, CHECK_ERROR_MAX, "it is %s%s, the limit is %s%s", value, unit, limit,
		         unit);
	else if (isinf(outcome->low) || isinf(outcome->high))
		snprintf(text, CHECK_ERROR_MAX, "it is about %s%s, the limit is %s%s", value, unit,
		         limit, unit);
	else
		snprintf(text, CHECK_ERROR_MAX,
		         "it is %s%s, %s to %s with 95 %% certainty; the limit is %s%s", value,
		         unit, figure(outcome->low, low), figure(outcome->high, high), limit, unit);
}

/* What would decide it. */
static void put_advice(const struct check_outcome *outcome, char *text, size_t size)
{
	const size_t runs = outcome->runs[CHECK_NEW] > outcome->runs[CHECK_OLD]
	                            ? outcome->runs[CHECK_NEW]
	                            : outcome->runs[CHECK_OLD];
	const size_t needed = runs > 1 ? check_runs_needed(outcome) : 0;

	if (outcome->is_guess)
		snprintf(text, size,
		         "; one run each does not tell how runs differ: xcollect --repeat=5");
	else if (needed > 0)
		snprintf(text, size, "; about %zu runs may decide: xcollect --repeat=%zu", needed,
		         needed);
	else if (runs > 1)
		snprintf(text, size, "; too near to the limit for 100 runs");
	else if (outcome->samples > 0)
		snprintf(text, size,
		         "; more samples tell more: xcollect -p hi, a longer run, or --repeat=5");
	else
		snprintf(text, size, "; --repeat=5 tells how much it varies");
}

char *check_explain(const struct check_result *result, char *text)
{
	size_t len;

	if (result->outcome.verdict == CHECK_ERROR) {
		snprintf(text, CHECK_ERROR_MAX, "%s", result->trouble);
		return text;
	}
	put_figures(result, text);
	len = strlen(text);
	if (result->outcome.verdict == CHECK_UNDECIDED)
		put_advice(&result->outcome, text + len, CHECK_ERROR_MAX - len);
	return text;
}

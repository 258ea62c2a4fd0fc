/* sureness.c: see sureness.h.
 * See doc/decisions/91-uncertainty.md. */
#include "analyzer/report/quality/sureness.h"

#include "analyzer/statistics/interval.h"

#include <stdio.h>

enum {
	FEW_POINTS = 5,   /* a share that is less sure is worth a hint */
	LONG_NS = 2000000 /* a mean period for which -p hi is shorter */
};

int sureness_of_half(const struct exp_quality *quality, double *points)
{
	double effective = interval_effective((double)quality->sampled_ns,
	                                      quality->sampled_squares);

	*points = 100 * interval_reach(interval_share(0.5, effective), 0.5);
	return quality->samples > 0 && effective > 0;
}

static const char *shorter_period(const struct exp_quality *quality, int is_ticked)
{
	if (is_ticked)
		return "";
	return quality->sampled_ns / quality->samples > LONG_NS ? "-p hi, " : "--sampler=100u, ";
}

int sureness_text(const struct exp_quality *quality, int is_ticked, char *text, size_t size)
{
	double points;
	int len;

	if (!sureness_of_half(quality, &points))
		return 0;
	len = snprintf(text, size, "50 %% is +-%.*f points (95 %%)", points < 1 ? 1 : 0, points);
	if (points >= FEW_POINTS && (size_t)len < size)
		snprintf(text + len, size - (size_t)len, "; %sa longer run or --repeat tells more",
		         shorter_period(quality, is_ticked));
	return 1;
}

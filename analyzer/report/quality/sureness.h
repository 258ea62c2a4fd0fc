/* sureness.h: how sure shares of the CPU time are, for the line about the quality of the data.
 * See doc/decisions/91-uncertainty.md. */
#ifndef XER_ANALYZER_REPORT_QUALITY_SURENESS_H
#define XER_ANALYZER_REPORT_QUALITY_SURENESS_H

#include "experiment/experiment.h"

#include <stddef.h>

/* How far a share of one half may be from the truth, in points, with 95 % certainty. Returns 0 if
 * there are no samples. */
int sureness_of_half(const struct exp_quality *quality, double *points);

/* "50 % is +-14 points (95 %)", and if that is not much, what would tell more; text[size]. Returns
 * 0 if there are no samples. is_ticked: they were taken at the kernel's ticks, so a shorter period
 * would not help. */
int sureness_text(const struct exp_quality *quality, int is_ticked, char *text, size_t size);

#endif

/* discovery.h: which of many tests have found something, if few of the findings may be false.
 * See doc/decisions/91-uncertainty.md. */
#ifndef XER_ANALYZER_STATISTICS_DISCOVERY_H
#define XER_ANALYZER_STATISTICS_DISCOVERY_H

#include <stddef.h>

/* The part of the findings that may be false, on average. Where nothing has changed, it is also the
 * part of comparisons that find anything: 1 %, with something left for what is only nearly true,
 * such as that rows are independent and that their spread has one prior. */
#define DISCOVERY_RATE 0.0075

/* The limit up to which a probability is a finding, by the procedure of Benjamini and Hochberg
 * (1995). chances[count] are sorted. Negative if nothing is found. */
double discovery_limit(double *chances, size_t count, double rate);

#endif

/* curve.h: the largest value in each step of time, in at most CURVE_STEPS steps, which become wider
 * while time goes on. */
#ifndef XER_ANALYZER_PAGE_CURVE_H
#define XER_ANALYZER_PAGE_CURVE_H

#include <stddef.h>
#include <stdint.h>

enum { CURVE_STEPS = 4096 };

struct curve {
	uint64_t width_ns; /* of a step */
	size_t count;      /* steps up to the last value */
	uint64_t values[CURVE_STEPS];
	unsigned char is_known[CURVE_STEPS];
};

void curve_init(struct curve *curve);

/* A value at a time. Times may be in any order; negative ones count as 0. */
void curve_add(struct curve *curve, int64_t time_ns, uint64_t value);

/* Steps without a value get that of the step before. */
void curve_fill(struct curve *curve);

#endif

/* curve.c: a curve over time in constant memory. */
#include "analyzer/page/curve.h"

#include <string.h>

enum { FIRST_WIDTH_NS = 1000000 };

void curve_init(struct curve *curve)
{
	memset(curve, 0, sizeof(*curve));
	curve->width_ns = FIRST_WIDTH_NS;
}

/* Two steps become one. */
static void widen(struct curve *curve)
{
	for (size_t i = 0; i < CURVE_STEPS / 2; i++) {
		uint64_t left = curve->values[2 * i], right = curve->values[2 * i + 1];

		curve->values[i] = left > right ? left : right;
		curve->is_known[i] = curve->is_known[2 * i] | curve->is_known[2 * i + 1];
	}
	memset(curve->values + CURVE_STEPS / 2, 0, CURVE_STEPS / 2 * sizeof(*curve->values));
	memset(curve->is_known + CURVE_STEPS / 2, 0, CURVE_STEPS / 2);
	curve->count = (curve->count + 1) / 2;
	curve->width_ns *= 2;
}

void curve_add(struct curve *curve, int64_t time_ns, uint64_t value)
{
	uint64_t at = time_ns < 0 ? 0 : (uint64_t)time_ns;

	while (at / curve->width_ns >= CURVE_STEPS)
		widen(curve);
	at /= curve->width_ns;
	if (!curve->is_known[at] || value > curve->values[at])
		curve->values[at] = value;
	curve->is_known[at] = 1;
	if (at >= curve->count)
		curve->count = at + 1;
}

void curve_fill(struct curve *curve)
{
	for (size_t i = 1; i < curve->count; i++)
		if (!curve->is_known[i])
			curve->values[i] = curve->values[i - 1];
}

/* discovery.c: see discovery.h.
 * See doc/decisions/91-uncertainty.md. */
#include "analyzer/statistics/discovery.h"

#include <stdlib.h>

static int ascending(const void *left, const void *right)
{
	const double *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

double discovery_limit(double *chances, size_t count, double rate)
{
	if (count > 1)
		qsort(chances, count, sizeof(*chances), ascending);
	for (size_t i = count; i-- > 0;)
		if (chances[i] <= rate * (double)(i + 1) / (double)count)
			return chances[i];
	return -1;
}

/* columns.h: values of many things, a column for each metric.
 *
 * A recording has a few of all metrics, and tables show a few of those. So values stand in a column
 * for each metric, and there is none where all values are 0. Columns that are computed are made
 * when they are asked for.
 * See doc/decisions/96-columns.md. */
#ifndef XER_ANALYZER_MODEL_COLUMNS_H
#define XER_ANALYZER_MODEL_COLUMNS_H

#include "analyzer/model/metric.h"

#include <stddef.h>
#include <stdint.h>

/* All zero is an empty one. */
struct columns {
	size_t count, capacity;      /* of things */
	uint64_t *of[METRIC_VALUES]; /* of[metric][capacity]; NULL: all 0, or not made yet */
	/* Where columns are computed: */
	metric_set made; /* of those that have been */
	uint64_t *(*make)(const void *source,
	                  unsigned metric); /* returns memory for free, or NULL:
	                                       all 0. NULL: nothing is computed */
	const void *source;                 /* borrowed */
};

void columns_fini(struct columns *columns);

/* Have `count` things; new ones are 0. */
void columns_extend(struct columns *columns, size_t count);

/* Add to the value of a thing. */
void columns_add(struct columns *columns, size_t at, unsigned metric, uint64_t amount);

/* The column of a metric, made if need be; NULL: all are 0. */
const uint64_t *columns_of(const struct columns *columns, unsigned metric);

/* Make all columns: their source is about to go. */
void columns_settle(struct columns *columns);

/* A measured value of a thing; all measured values of it; whether any is not 0. */
uint64_t columns_at(const struct columns *columns, size_t at, unsigned metric);
struct metric_values columns_values(const struct columns *columns, size_t at);
int columns_any(const struct columns *columns, size_t at);

/* The sums over all things. */
struct metric_values columns_sum(const struct columns *columns);

/* The values of one thing, wherever they stand: in `values`, or in columns[at]; in neither, all are
 * 0. Borrowed. */
struct metric_view {
	const struct metric_values *values;
	const struct columns *columns;
	size_t at;
};

static inline struct metric_view metric_view_of(const struct metric_values *values)
{
	return (struct metric_view){.values = values};
}

static inline struct metric_view columns_view(const struct columns *columns, size_t at)
{
	return (struct metric_view){.columns = columns, .at = at};
}

/* The value of a metric, also of one that is made of others. */
uint64_t metric_at(const struct metric_view *view, unsigned metric);

#endif

/* columns.c: columns of values. See columns.h.
 * See doc/decisions/96-columns.md. */
#include "analyzer/model/columns.h"

#include "analyzer/base/memory.h"
#include "experiment/base/clock.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 64 };

void columns_fini(struct columns *columns)
{
	for (size_t i = 0; i < METRIC_VALUES; i++)
		free(columns->of[i]);
	*columns = (struct columns){.count = 0};
}

static uint64_t *grown(uint64_t *column, size_t count, size_t capacity)
{
	uint64_t *larger = memory_take(capacity, sizeof(*larger));

	memcpy(larger, column, count * sizeof(*larger));
	free(column);
	return larger;
}

void columns_extend(struct columns *columns, size_t count)
{
	size_t capacity = columns->capacity == 0 ? FIRST_CAPACITY : columns->capacity;

	if (count > columns->capacity) {
		while (capacity < count)
			capacity *= 2;
		for (size_t i = 0; i < METRIC_VALUES; i++)
			if (columns->of[i])
				columns->of[i] = grown(columns->of[i], columns->count, capacity);
		columns->capacity = capacity;
	}
	if (count > columns->count)
		columns->count = count;
}

void columns_add(struct columns *columns, size_t at, unsigned metric, uint64_t amount)
{
	if (!columns->of[metric])
		columns->of[metric] = memory_take(columns->capacity, sizeof(uint64_t));
	columns->of[metric][at] += amount;
}

const uint64_t *columns_of(const struct columns *columns, unsigned metric)
{
	struct columns *own = (struct columns *)
		columns; /* a column is the same whenever it is made */

	if (own->make && !(own->made >> metric & 1)) {
		own->made |= METRIC_BIT(metric);
		own->of[metric] = own->make(own->source, metric);
	}
	return own->of[metric];
}

void columns_settle(struct columns *columns)
{
	for (unsigned i = 0; i < METRIC_VALUES; i++)
		columns_of(columns, i);
	columns->make = NULL;
	columns->source = NULL;
}

uint64_t columns_at(const struct columns *columns, size_t at, unsigned metric)
{
	const uint64_t *column = columns_of(columns, metric);

	return !column ? 0 : column[at];
}

struct metric_values columns_values(const struct columns *columns, size_t at)
{
	struct metric_values values;

	for (unsigned i = 0; i < METRIC_VALUES; i++)
		values.of[i] = columns_at(columns, at, i);
	return values;
}

int columns_any(const struct columns *columns, size_t at)
{
	for (unsigned i = 0; i < METRIC_VALUES; i++)
		if (columns_at(columns, at, i) != 0)
			return 1;
	return 0;
}

struct metric_values columns_sum(const struct columns *columns)
{
	struct metric_values sum = {.of = {0}};

	for (unsigned i = 0; i < METRIC_VALUES; i++) {
		const uint64_t *column = columns_of(columns, i);

		for (size_t at = 0; column && at < columns->count; at++)
			sum.of[i] += column[at];
	}
	return sum;
}

static uint64_t measured(const struct metric_view *view, unsigned metric)
{
	if (view->values)
		return view->values->of[metric];
	return !view->columns ? 0 : columns_at(view->columns, view->at, metric);
}

uint64_t metric_at(const struct metric_view *view, unsigned metric)
{
	unsigned above, below;
	uint64_t divisor;

	if (!metric_is_ratio(metric))
		return measured(view, metric);
	if (!metric_find_ratio(metric, &above, &below))
		return 0;
	divisor = measured(view, below);
	return divisor == 0 ? 0
	                    : exp_whole(1000.0 * (double)measured(view, above) / (double)divisor);
}

/* rows.c: rows of values, made when they are needed.
 * See doc/decisions/95-values-by-row.md. */
#include "experiment/streams/rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROWS = 16 };

void exp_rows_fini(struct exp_rows *rows)
{
	free(rows->of);
	free(rows->node);
	for (size_t i = 0; i < EXP_METRICS; i++)
		free(rows->value[i]);
	free(rows->others);
	*rows = (struct exp_rows){.count = 0};
}

/* Memory of calloc that is not touched costs nothing, where that of realloc would be cleared. */
static int grow_values(uint64_t **values, size_t count, size_t capacity)
{
	uint64_t *grown;

	if (!*values)
		return 0;
	grown = calloc(capacity, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	memcpy(grown, *values, count * sizeof(*grown));
	free(*values);
	*values = grown;
	return 0;
}

static int grow_nodes(struct exp_rows *rows, size_t capacity)
{
	uint32_t *grown = reallocarray(rows->node, capacity, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	rows->node = grown;
	return 0;
}

int exp_rows_reserve(struct exp_rows *rows, size_t count)
{
	size_t capacity = rows->capacity < FIRST_ROWS ? FIRST_ROWS : rows->capacity;
	int rc = 0;

	if (count <= rows->capacity)
		return 0;
	while (capacity < count)
		capacity *= 2;
	for (size_t i = 0; i < EXP_METRICS && rc == 0; i++)
		rc = grow_values(&rows->value[i], rows->count, capacity);
	if (rc == 0)
		rc = grow_values(&rows->others, rows->count, capacity);
	if (rc == 0 && rows->of)
		rc = grow_nodes(rows, capacity);
	if (rc == 0)
		rows->capacity = capacity;
	return rc;
}

int exp_rows_need(struct exp_rows *rows, enum exp_metric metric)
{
	if (!rows->value[metric])
		rows->value[metric] = calloc(rows->capacity + 1, sizeof(*rows->value[metric]));
	return !rows->value[metric] ? -ENOMEM : 0;
}

int exp_rows_count_other(struct exp_rows *rows, uint32_t row)
{
	if (!rows->others)
		rows->others = calloc(rows->capacity + 1, sizeof(*rows->others));
	if (!rows->others)
		return -ENOMEM;
	rows->others[row]++;
	return 0;
}

static int begin_nodes(struct exp_rows *rows, size_t node_count)
{
	rows->of = malloc(node_count * sizeof(*rows->of));
	if (!rows->of)
		return -ENOMEM;
	rows->of_count = node_count;
	memset(rows->of, 0xff, node_count * sizeof(*rows->of)); /* EXP_NO_INDEX */
	return 0;
}

uint32_t exp_rows_add(struct exp_rows *rows, uint32_t node, size_t node_count)
{
	uint32_t row = (uint32_t)rows->count;

	if ((!rows->of && begin_nodes(rows, node_count) != 0) ||
	    exp_rows_reserve(rows, rows->count + 1) != 0)
		return EXP_ROW_NONE;
	rows->of[node] = row;
	rows->node[row] = node;
	rows->count++;
	return row;
}

/* Where the rows of `from` are in `to`; the caller frees. NULL: there is no memory. */
static uint32_t *find_rows(struct exp_rows *to, const struct exp_rows *from, size_t node_count)
{
	uint32_t *rows = malloc((from->count + 1) * sizeof(*rows));

	for (size_t i = 0; rows && i < from->count; i++) {
		rows[i] = exp_rows_find(to, from->node[i]);
		if (rows[i] == EXP_NO_INDEX)
			rows[i] = exp_rows_add(to, from->node[i], node_count);
		if (rows[i] == EXP_ROW_NONE) {
			free(rows);
			rows = NULL;
		}
	}
	return rows;
}

static void add_column(uint64_t *to, const uint64_t *from, const uint32_t *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		to[rows[i]] += from[i];
}

int exp_rows_join(struct exp_rows *to, const struct exp_rows *from, size_t node_count)
{
	uint32_t *rows = find_rows(to, from, node_count);
	int rc = !rows ? -ENOMEM : 0;

	for (size_t i = 0; i < EXP_METRICS && rc == 0; i++) {
		if (!from->value[i])
			continue;
		rc = exp_rows_need(to, (enum exp_metric)i);
		if (rc != 0)
			break;
		add_column(to->value[i], from->value[i], rows, from->count);
		to->no_stack[i] += from->no_stack[i];
	}
	if (rc == 0 && from->others) {
		if (!to->others)
			to->others = calloc(to->capacity + 1, sizeof(*to->others));
		if (!to->others)
			rc = -ENOMEM;
		else
			add_column(to->others, from->others, rows, from->count);
	}
	free(rows);
	return rc;
}

/* table.c: the rows of tables of metrics, their order, and which of them are worth a line. */
#include "table.h"

#include "memory.h"

#include <stdlib.h>
#include <string.h>

void table_add(struct table *table, const struct metric_values *own,
	       const struct metric_values *total, const struct tree *tree, uint32_t item,
	       char *name)
{
	table->rows =
		memory_grow(table->rows, table->count, &table->capacity, sizeof(*table->rows));
	table->rows[table->count++] = (struct table_row){.own = own,
							 .total = total,
							 .function = tree->items[item].function,
							 .item = item,
							 .name = name};
}

int table_has_value(const struct table_row *row, const struct metric *metric)
{
	if (metric->id < METRIC_VALUES)
		return row->own != NULL;
	return row->function != NULL;
}

uint64_t table_value(const struct table_row *row, const struct metric *metric)
{
	if (metric->id == METRIC_SIZE)
		return row->function->size;
	if (metric->id == METRIC_ADDRESS)
		return row->function->address;
	if (metric->id >= METRIC_VALUES)
		return 0;
	return metric->flavor == METRIC_INCLUSIVE ? row->total->of[metric->id]
						  : row->own->of[metric->id];
}

struct order {
	const struct metric_sort *sort;
	const struct metric_list *metrics;
};

static int compare_values(const struct table_row *left, const struct table_row *right,
			  const struct metric *metric)
{
	uint64_t a = table_value(left, metric), b = table_value(right, metric);

	return a == b ? 0 : (a > b ? -1 : 1);
}

static int compare(const void *left_row, const void *right_row, void *context)
{
	const struct table_row *left = left_row, *right = right_row;
	const struct order *order = context;
	int result = 0;

	if (order->sort->metric.id == METRIC_NAME)
		result = strcmp(left->name, right->name);
	else
		result = compare_values(left, right, &order->sort->metric);
	if (order->sort->reverse)
		result = -result;
	for (size_t i = 0; result == 0 && i < order->metrics->count; i++)
		if (order->metrics->at[i].id < METRIC_VALUES)
			result = compare_values(left, right, &order->metrics->at[i]);
	if (result == 0)
		result = strcmp(left->name, right->name);
	return result;
}

void table_sort(struct table *table, size_t from, const struct metric_sort *sort,
		const struct metric_list *metrics)
{
	struct order order = {.sort = sort, .metrics = metrics};

	if (table->count > from + 1)
		qsort_r(table->rows + from, table->count - from, sizeof(*table->rows), compare,
			&order);
}

int table_is_worth(const struct metric_values *own, const struct metric_values *total,
		   const struct metric_list *metrics, const struct metric_sort *sort)
{
	const struct table_row row = {.own = own, .total = total};

	if (sort->metric.id < METRIC_VALUES && table_value(&row, &sort->metric) != 0)
		return 1;
	for (size_t i = 0; i < metrics->count; i++)
		if (metrics->at[i].id < METRIC_VALUES && table_value(&row, &metrics->at[i]) != 0)
			return 1;
	return 0;
}

void table_fini(struct table *table)
{
	for (size_t i = 0; i < table->count; i++)
		free(table->rows[i].name);
	free(table->rows);
	*table = (struct table){.count = 0};
}

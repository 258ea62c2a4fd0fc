/* table.c: the rows of tables of metrics, their order, and which of them are printed. */
#include "analyzer/table/table.h"

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"

#include <stdio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int table_has_value(const struct table_row *row, const struct metric *metric)
{
	if (metric->id < METRIC_VALUES)
		return row->has_values;
	return row->function != NULL;
}

void table_take_next(struct table *table, struct table_row *row)
{
	row->own = table->next[0].own;
	row->total = table->next[0].total;
	row->has_values = 1;
	row->values = table->value_count;
	for (size_t i = 0; i < table->group_count; i++) {
		table->values = memory_grow(table->values, table->value_count,
		                            &table->value_capacity, sizeof(*table->values));
		table->values[table->value_count++] = table->next[i];
	}
}

void table_add_next(struct table *table, const struct tree *tree, uint32_t item, char *name)
{
	table->rows = memory_grow(table->rows, table->count, &table->capacity,
	                          sizeof(*table->rows));
	table->rows[table->count++] = (struct table_row){
		.function = tree->items[item].function, .item = item, .name = name};
	table_take_next(table, &table->rows[table->count - 1]);
}

uint64_t table_value(const struct table_row *row, const struct metric *metric)
{
	if (metric->id == METRIC_SIZE)
		return row->function->size;
	if (metric->id == METRIC_ADDRESS)
		return row->function->address;
	if (metric->id >= METRIC_VALUES)
		return 0;
	return metric_at(metric->flavor == METRIC_INCLUSIVE ? &row->total : &row->own, metric->id);
}

/* For as much work as the first group did. */
static uint64_t scaled(const struct table *table, size_t group, uint64_t value)
{
	double factor = group < table->group_count ? table->groups[group].factor : 0;

	return factor > 0 ? (uint64_t)((double)value * factor + 0.5) : value;
}

/* 100 % of a group. */
static uint64_t sum_in(const struct table *table, size_t group, unsigned metric)
{
	return group == 0 ? table->sum.of[metric]
	                  : scaled(table, group, table->groups[group].sum.of[metric]);
}

uint64_t table_group_value(const struct table *table, const struct table_row *row,
                           const struct metric *metric, size_t group)
{
	struct table_row in_group = *row;

	if (group == 0 || metric->id >= METRIC_VALUES)
		return table_value(row, metric);
	in_group.own = table->values[row->values + group].own;
	in_group.total = table->values[row->values + group].total;
	return scaled(table, group, table_value(&in_group, metric));
}

struct order {
	const struct table *table;
	const struct metric_sort *sort;
	const struct metric_list *metrics;
};

/* What a row is sorted by: its value in the base, or its greatest difference to that. */
static uint64_t weight(const struct table *table, const struct table_row *row,
                       const struct metric *metric)
{
	uint64_t base = table_value(row, metric), greatest = 0;

	if (table->compare != TREE_COMPARE_DELTA || table->group_count < 2 ||
	    metric->id >= METRIC_VALUES)
		return base;
	for (size_t i = 1; i < table->group_count; i++)
		greatest = tree_greater_difference(greatest, base,
		                                   table_group_value(table, row, metric, i));
	return greatest;
}

static int compare_values(const struct table *table, const struct table_row *left,
                          const struct table_row *right, const struct metric *metric)
{
	uint64_t a = weight(table, left, metric), b = weight(table, right, metric);

	if (a == b) {
		a = table_value(left, metric);
		b = table_value(right, metric);
	}
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
		result = compare_values(order->table, left, right, &order->sort->metric);
	if (order->sort->reverse)
		result = -result;
	for (size_t i = 0; result == 0 && i < order->metrics->count; i++)
		if (order->metrics->at[i].id < METRIC_VALUES)
			result = compare_values(order->table, left, right, &order->metrics->at[i]);
	if (result == 0)
		result = strcmp(left->name, right->name);
	return result;
}

void table_sort(struct table *table, size_t from, const struct metric_sort *sort,
                const struct metric_list *metrics)
{
	struct order order = {.table = table, .sort = sort, .metrics = metrics};

	if (table->count > from + 1)
		qsort_r(table->rows + from, table->count - from, sizeof(*table->rows), compare,
		        &order);
}

int table_is_worth(const struct metric_view *own, const struct metric_view *total,
                   const struct metric_list *metrics, const struct metric_sort *sort)
{
	const struct table_row row = {.own = *own, .total = *total};

	if (sort->metric.id < METRIC_VALUES && table_value(&row, &sort->metric) != 0)
		return 1;
	for (size_t i = 0; i < metrics->count; i++)
		if (metrics->at[i].id < METRIC_VALUES && table_value(&row, &metrics->at[i]) != 0)
			return 1;
	return 0;
}

int table_next_is_worth(const struct table *table, const struct metric_list *metrics,
                        const struct metric_sort *sort)
{
	for (size_t i = 0; i < table->group_count; i++)
		if (table_is_worth(&table->next[i].own, &table->next[i].total, metrics, sort))
			return 1;
	return 0;
}

double table_sample(const struct table *table, const struct metric *metric, size_t group)
{
	const struct table_group *of = group < table->group_count ? &table->groups[group] : NULL;

	if (!of || metric->id >= METRIC_VALUES)
		return 0;
	if (of->unit[metric->id] > 0)
		return of->unit[metric->id];
	return of->effective[metric->id] > 0 ? of->whole[metric->id] / of->effective[metric->id]
	                                     : 0;
}

/* Of the metrics of that kind in a group: they are parts of each other. */
static uint64_t greatest_in(const struct table *table, size_t group, unsigned kind)
{
	uint64_t greatest = 0;

	for (unsigned id = 0; id < METRIC_VALUES; id++) {
		uint64_t sum = sum_in(table, group, id);

		if (metric_kind_of(id) == kind && metric_unit_of(id) == METRIC_UNIT_SECONDS &&
		    sum > greatest)
			greatest = sum;
	}
	return greatest;
}

/* One scale for all groups and all metrics of a kind, so that their columns compare. */
struct metric_scale table_scale(const struct table *table, const struct metric *metric)
{
	uint64_t greatest = 0;
	double sample = 0;

	if (metric->id >= METRIC_VALUES)
		return metric_scale_of(metric->id, 0, 0);
	for (size_t i = 0; i == 0 || i < table->group_count; i++) {
		uint64_t sum = greatest_in(table, i, metric_kind_of(metric->id));
		double of_group = table_sample(table, metric, i);

		greatest = sum > greatest ? sum : greatest;
		sample = of_group > sample ? of_group : sample;
	}
	return metric_scale_of(metric->id, greatest, sample);
}

static char *format_difference(unsigned id, uint64_t base, uint64_t value,
                               const struct metric_scale *scale, char *text)
{
	if (value == base)
		return metric_format_scaled(id, 0, scale, text);
	text[0] = value > base ? '+' : '-';
	metric_format_scaled(id, value > base ? value - base : base - value, scale, text + 1);
	return text;
}

/* Digits behind the point of a share in percent. A half of so many samples is known to 98 points
 * divided by their square root: 3 points of a thousand, 0.3 of a hundred thousand. */
unsigned table_percent_digits(const struct table *table, const struct metric *metric, size_t group)
{
	double sample = table_sample(table, metric, group), samples;

	if (!(sample > 0))
		return 2;
	samples = (double)sum_in(table, group, metric->id) / sample;
	return samples < 1e3 ? 0 : samples < 1e5 ? 1 : 2;
}

/* A ratio is a hundredth of a share in percent, of the group that is known less well. */
unsigned table_ratio_digits(const struct table *table, const struct metric *metric, size_t group)
{
	unsigned digits = table_percent_digits(table, metric, group),
		 base = table_percent_digits(table, metric, 0);

	digits = digits < base ? digits : base;
	return digits < 2 ? digits + 2 : 3;
}

static char *format_ratio(uint64_t base, uint64_t value, unsigned digits, char *text)
{
	if (base != 0)
		snprintf(text, METRIC_TEXT_MAX, "x%.*f", (int)digits, (double)value / (double)base);
	else
		snprintf(text, METRIC_TEXT_MAX, "%s", value != 0 ? "new" : "-");
	return text;
}

/* On a terminal. */
static char *group_thousands(const struct table *table, unsigned id, char *text)
{
	enum metric_unit unit = metric_unit_of(id);

	return table->width != 0 && (unit == METRIC_UNIT_COUNT || unit == METRIC_UNIT_BYTES)
	               ? text_group(text)
	               : text;
}

char *table_format(const struct table *table, const struct table_row *row,
                   const struct metric *metric, size_t group, char *text)
{
	uint64_t base = table_value(row, metric),
		 value = table_group_value(table, row, metric, group);
	struct metric_scale scale = table_scale(table, metric);

	if (group > 0 && table->compare == TREE_COMPARE_DELTA)
		return group_thousands(table, metric->id,
		                       format_difference(metric->id, base, value, &scale, text));
	if (group > 0 && table->compare == TREE_COMPARE_RATIO)
		return format_ratio(base, value, table_ratio_digits(table, metric, group), text);
	return group_thousands(table, metric->id,
	                       metric_format_scaled(metric->id, value, &scale, text));
}

double table_share(const struct table *table, const struct table_row *row,
                   const struct metric *metric, size_t group)
{
	uint64_t sum = metric->id < METRIC_VALUES ? sum_in(table, group, metric->id) : 0;

	return sum != 0 ? 100.0 * (double)table_group_value(table, row, metric, group) / (double)sum
	                : 0.0;
}

char *table_format_percent(const struct table *table, const struct table_row *row,
                           const struct metric *metric, size_t group, char *text)
{
	double share = table_share(table, row, metric, group);
	unsigned digits, base_digits;

	text[0] = '\0';
	if (metric->id >= METRIC_VALUES)
		return text;
	digits = table_percent_digits(table, metric, group);
	if (group == 0 || table->compare != TREE_COMPARE_DELTA) {
		snprintf(text, METRIC_TEXT_MAX, "%.*f", (int)digits, share);
		return text;
	}
	base_digits = table_percent_digits(table, metric, 0);
	snprintf(text, METRIC_TEXT_MAX, "%+.*f", (int)(digits < base_digits ? digits : base_digits),
	         share - table_share(table, row, metric, 0));
	if (!strpbrk(text, "123456789"))
		memmove(text, text + 1, strlen(text)); /* no difference has no sign */
	return text;
}

int table_interval(const struct table *table, const struct table_row *row,
                   const struct metric *metric, size_t group, struct interval *out)
{
	const struct table_group *of = group < table->group_count ? &table->groups[group] : NULL;
	double value;

	if (!of || metric->id >= METRIC_VALUES)
		return 0;
	value = (double)table_group_value(table, row, metric, group);
	if (of->unit[metric->id] > 0) {
		*out = interval_units(value, of->unit[metric->id]);
		return 1;
	}
	/* How much there is in all is not left to chance. */
	if (!(of->effective[metric->id] > 0) || (row->item == 0 && !table->is_listing))
		return 0;
	*out = interval_part(value, of->whole[metric->id], of->effective[metric->id]);
	return 1;
}

char *table_format_reach(const struct table *table, const struct table_row *row,
                         const struct metric *metric, size_t group, char *text)
{
	struct metric_scale scale = table_scale(table, metric);
	struct interval interval;

	text[0] = '\0';
	if (group > 0 && table->compare >= TREE_COMPARE_DELTA)
		return text;
	if (!table_interval(table, row, metric, group, &interval))
		return text;
	return metric_format_scaled(
		metric->id,
		(uint64_t)interval_reach(interval,
	                                 (double)table_group_value(table, row, metric, group)),
		&scale, text);
}

void table_fini(struct table *table)
{
	for (size_t i = 0; i < table->count; i++)
		free(table->rows[i].name);
	free(table->rows);
	for (size_t i = 0; i < table->group_count; i++)
		free(table->groups[i].label);
	free(table->groups);
	free(table->values);
	free(table->next);
	*table = (struct table){.count = 0};
}

/* table_data.c: tables of metrics as typed columns, for programs and pages. Each metric is a
 * column, its share another; the name comes first. */
#include "analyzer/table/table.h"

#include "analyzer/base/terminal.h"

#include "analyzer/base/memory.h"
#include "analyzer/data/names.h"

#include <stdlib.h>

static enum print_type type_of(unsigned id)
{
	switch (metric_unit_of(id)) {
	case METRIC_UNIT_SECONDS:
		return PRINT_NS;
	case METRIC_UNIT_BYTES:
		return PRINT_BYTES;
	case METRIC_UNIT_COUNT:
		return PRINT_COUNT;
	case METRIC_UNIT_HEX:
		return PRINT_HEX;
	case METRIC_UNIT_TEXT:
		return PRINT_WORD;
	case METRIC_UNIT_RATIO:
		return PRINT_RATIO;
	}
	return PRINT_COUNT;
}

/* The values that a metric's column shows, one after the other: its value, its share. */
static int shows(const struct metric *metric, unsigned what)
{
	if (metric->id == METRIC_NAME || metric->show & METRIC_SHOW_HIDDEN)
		return 0;
	return (metric->show & what) != 0;
}

static int has_interval(const struct metric *metric)
{
	return metric->id < METRIC_VALUES && shows(metric, METRIC_SHOW_REACH);
}

/* Programs always get both ends, behind all other columns if the interval was not asked for. */
static int has_late_interval(const struct output *output, const struct table *table,
                             const struct metric *metric)
{
	if ((output->print.mode != PRINT_JSON && output->print.mode != PRINT_DELIMITED) ||
	    !shows(metric, METRIC_SHOW_VALUE) || has_interval(metric) ||
	    output->print.leaves_out_ends)
		return 0;
	for (size_t i = 0; i < table->group_count; i++)
		if (table_sample(table, metric, i) > 0)
			return 1;
	return 0;
}

/* What a compared table has of a group beside its values. */
static const struct {
	const char *key, *heading;
} changes[] = {
	[TREE_COMPARE_DELTA] = {"delta", "difference to the first"},
	[TREE_COMPARE_RATIO] = {"ratio", "ratio to the first"},
};

/* How people see times of a metric, and ends of their intervals: as in text. */
static void scale_column(struct print_table *out, const struct table *table,
                         const struct metric *metric)
{
	struct metric_scale scale = table_scale(table, metric);

	if (metric_unit_of(metric->id) != METRIC_UNIT_SECONDS)
		return;
	print_column_digits(out, scale.digits);
	if (scale.unit_ns != METRIC_SECOND_NS)
		print_column_short(out);
}

static void add_column(struct print_table *out, const struct table *table, struct metric metric,
                       unsigned what, size_t group)
{
	char key[METRIC_TEXT_MAX], heading[METRIC_ERROR_MAX];
	enum print_type type = what == METRIC_SHOW_PERCENT ? PRINT_PERCENT : type_of(metric.id);
	char *whole_key, *whole_heading;

	metric.show = (uint8_t)what;
	metric_spell(&metric, key);
	metric_describe(&metric, heading);
	if (table->group_count < 2 || metric.id >= METRIC_VALUES) {
		print_column(out, type, key, heading);
	} else {
		whole_key = memory_format("%s[%zu]", key, group + 1);
		whole_heading = memory_format("%s, %s", heading, table->groups[group].label);
		print_column(out, type, whole_key, whole_heading);
		free(whole_heading);
		free(whole_key);
	}
	if (type == PRINT_PERCENT && table_sample(table, &metric, group) > 0)
		print_column_digits(out, table_percent_digits(table, &metric, group));
	else if (metric.id < METRIC_VALUES)
		scale_column(out, table, &metric);
}

/* Differences and ratios stand behind the values that they are of. */
static int has_change(const struct table *table, const struct metric *metric, unsigned what,
                      size_t group)
{
	return group > 0 && what == METRIC_SHOW_VALUE && metric->id < METRIC_VALUES &&
	       table->compare >= TREE_COMPARE_DELTA;
}

static void add_change_column(struct print_table *out, const struct table *table,
                              struct metric metric, size_t group)
{
	enum print_type type = table->compare == TREE_COMPARE_RATIO
	                               ? PRINT_RATIO
	                               : print_type_change(type_of(metric.id));
	char key[METRIC_TEXT_MAX], heading[METRIC_ERROR_MAX];
	char *whole_key, *whole_heading;

	metric.show = METRIC_SHOW_VALUE;
	metric_spell(&metric, key);
	metric_describe(&metric, heading);
	whole_key = memory_format("%s[%zu].%s", key, group + 1, changes[table->compare].key);
	whole_heading = memory_format("%s, %s: %s", heading, table->groups[group].label,
	                              changes[table->compare].heading);
	print_column(out, type, whole_key, whole_heading);
	if (type == PRINT_RATIO)
		print_column_digits(out, table_ratio_digits(table, &metric, group));
	else
		scale_column(out, table, &metric);
	free(whole_heading);
	free(whole_key);
}

/* The ends of the interval of a value. */
static void add_interval_columns(struct print_table *out, const struct table *table,
                                 struct metric metric)
{
	static const char *const ends[] = {"low", "high"};
	size_t groups = table->group_count > 1 ? table->group_count : 1;
	char key[METRIC_TEXT_MAX], heading[METRIC_ERROR_MAX];

	metric.show = METRIC_SHOW_VALUE;
	metric_spell(&metric, key);
	metric_describe(&metric, heading);
	for (size_t i = 0; i < 2 * groups; i++) {
		char *whole_key = groups == 1 ? memory_format("%s.%s", key, ends[i % 2])
		                              : memory_format("%s[%zu].%s", key, i / 2 + 1,
		                                              ends[i % 2]);
		char *whole_heading = memory_format(
			"%s%s%s: %s end of the interval of 95 %%", heading, groups == 1 ? "" : ", ",
			groups == 1 ? "" : table->groups[i / 2].label, ends[i % 2]);

		print_column(out, type_of(metric.id), whole_key, whole_heading);
		scale_column(out, table, &metric);
		free(whole_heading);
		free(whole_key);
	}
}

static void add_metric_columns(struct print_table *out, const struct table *table,
                               const struct metric *metric, unsigned what)
{
	size_t groups = metric->id < METRIC_VALUES && table->group_count > 1 ? table->group_count
	                                                                     : 1;

	for (size_t i = 0; i < groups; i++) {
		add_column(out, table, *metric, what, i);
		if (has_change(table, metric, what, i))
			add_change_column(out, table, *metric, i);
	}
}

static void add_columns(struct print_table *out, const struct table *table,
                        const struct metric_list *metrics)
{
	if (table->has_depth)
		print_column(out, PRINT_COUNT, "depth", "Depth");
	if (table->count != 0 && table->rows[0].mark != '\0')
		print_column(out, PRINT_WORD, "role", "Role");
	if (table->is_listing) {
		print_column(out, PRINT_WORD, "kind", "Kind");
		if (table->has_addresses)
			print_column(out, PRINT_HEX, "address", "Address");
		print_column(out, PRINT_ID, "line", "Line");
		print_column(out, PRINT_COUNT, "hot", "Hot");
	}
	print_column(out, PRINT_WORD, table->is_listing ? "text" : "name",
	             table->is_listing ? "Text" : "Name");
	for (size_t i = 0; i < metrics->count; i++) {
		if (shows(&metrics->at[i], METRIC_SHOW_VALUE))
			add_metric_columns(out, table, &metrics->at[i], METRIC_SHOW_VALUE);
		if (has_interval(&metrics->at[i]))
			add_interval_columns(out, table, metrics->at[i]);
		if (shows(&metrics->at[i], METRIC_SHOW_PERCENT))
			add_metric_columns(out, table, &metrics->at[i], METRIC_SHOW_PERCENT);
	}
}

static void add_intervals(struct print_table *out, const struct table *table,
                          const struct table_row *row, const struct metric *metric)
{
	size_t groups = table->group_count > 1 ? table->group_count : 1;
	struct interval interval;

	for (size_t i = 0; i < groups; i++) {
		if (!table_has_value(row, metric) ||
		    !table_interval(table, row, metric, i, &interval)) {
			print_none(out);
			print_none(out);
			continue;
		}
		print_number(out, (uint64_t)interval.low);
		print_number(out, (uint64_t)interval.high);
	}
}

static void add_change(struct print_table *out, const struct table *table, uint64_t base,
                       uint64_t value, const struct metric *metric)
{
	enum metric_unit unit = metric_unit_of(metric->id);
	double scale = unit == METRIC_UNIT_SECONDS ? 1e-9 : unit == METRIC_UNIT_RATIO ? 1e-3 : 1;
	double difference = value > base ? (double)(value - base) : -(double)(base - value);

	if (table->compare == TREE_COMPARE_DELTA)
		print_real(out, difference * scale);
	else if (base != 0)
		print_real(out, (double)value / (double)base);
	else
		print_none(out);
}

static void add_values(struct print_table *out, const struct table *table,
                       const struct table_row *row, const struct metric *metric, unsigned what)
{
	size_t groups = metric->id < METRIC_VALUES && table->group_count > 1 ? table->group_count
	                                                                     : 1;

	for (size_t i = 0; i < groups; i++) {
		uint64_t value;

		if (!table_has_value(row, metric)) {
			print_none(out);
			if (has_change(table, metric, what, i))
				print_none(out);
			continue;
		}
		value = table_group_value(table, row, metric, i);
		if (what == METRIC_SHOW_VALUE && metric_unit_of(metric->id) == METRIC_UNIT_RATIO)
			print_real(out, (double)value * 1e-3);
		else if (what == METRIC_SHOW_VALUE)
			print_number(out, value);
		else
			print_real(out, table_share(table, row, metric, i));
		if (has_change(table, metric, what, i))
			add_change(out, table, table_value(row, metric), value, metric);
	}
}

static void add_property_columns(struct print_table *out)
{
	print_column(out, PRINT_BYTES, "size", "Size");
	print_column(out, PRINT_HEX, "address", "Address");
	print_column(out, PRINT_WORD, "file", "Source File");
	print_column(out, PRINT_ID, "line", "Line");
	print_column(out, PRINT_WORD, "object", "Load Object");
	print_column(out, PRINT_WORD, "linker_name", "Linker Name");
}

static void add_properties(const struct dataset *dataset, struct print_table *out,
                           const struct sym_function *function)
{
	if (!function) {
		for (size_t i = 0; i < 6; i++)
			print_none(out);
		return;
	}
	print_number(out, function->size);
	print_number(out, function->address);
	print_word(out, name_file(dataset, function));
	print_number(out, function->line);
	print_word(out, function->object ? function->object->path : NULL);
	print_word(out, function->mangled);
}

static void add_metric(struct print_table *out, const struct table *table,
                       const struct table_row *row, const struct metric *metric)
{
	if (shows(metric, METRIC_SHOW_VALUE))
		add_values(out, table, row, metric, METRIC_SHOW_VALUE);
	if (has_interval(metric))
		add_intervals(out, table, row, metric);
	if (shows(metric, METRIC_SHOW_PERCENT))
		add_values(out, table, row, metric, METRIC_SHOW_PERCENT);
}

static void add_number(struct print_table *out, int is_there, uint64_t number)
{
	if (is_there)
		print_number(out, number);
	else
		print_none(out);
}

/* What a line of a listing is, before its text. */
static void add_place(struct print_table *out, const struct table *table,
                      const struct table_row *row)
{
	print_word(out, row->kind);
	if (table->has_addresses)
		add_number(out, row->address != 0, row->address);
	add_number(out, row->line != 0, row->line);
	print_number(out, row->is_hot != 0);
}

void table_put(const struct dataset *dataset, struct output *output, const struct table *table,
               const struct metric_list *metrics, size_t limit, const char *name)
{
	size_t count = limit != 0 && limit < table->count ? limit : table->count;
	struct print_table *out;
	const char *role = "caller";

	if (!print_is_data(output)) {
		struct table shown = *table;

		shown.has_color = terminal_has_color(output->out);
		shown.width = terminal_columns(output->out);
		table_print(&shown, metrics, limit, output->out);
		return;
	}
	out = print_table_begin(name);
	add_columns(out, table, metrics);
	if (table->has_properties)
		add_property_columns(out);
	for (size_t i = 0; i < metrics->count; i++)
		if (has_late_interval(output, table, &metrics->at[i]))
			add_interval_columns(out, table, metrics->at[i]);
	for (size_t i = 0; i < count; i++) {
		const struct table_row *row = &table->rows[i];

		if (table->has_depth)
			print_number(out, row->depth);
		if (row->mark != '\0')
			print_word(out, row->mark == '*' ? "function" : role);
		if (row->mark == '*')
			role = "callee";
		if (table->is_listing)
			add_place(out, table, row);
		print_word(out, row->name);
		for (size_t j = 0; j < metrics->count; j++)
			add_metric(out, table, row, &metrics->at[j]);
		if (table->has_properties)
			add_properties(dataset, out, row->function);
		for (size_t j = 0; j < metrics->count; j++)
			if (has_late_interval(output, table, &metrics->at[j]))
				add_intervals(out, table, row, &metrics->at[j]);
	}
	print_table_end(output, out, 0);
}

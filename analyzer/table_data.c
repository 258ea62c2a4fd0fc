/* table_data.c: tables of metrics as typed columns, for programs and pages. Each metric is a column, its share
 * another; the name comes first. */
#include "table.h"

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

static void add_column(struct print_table *out, struct metric metric, unsigned what)
{
	char key[METRIC_TEXT_MAX], heading[METRIC_ERROR_MAX];

	metric.show = (uint8_t)what;
	metric_spell(&metric, key);
	metric_describe(&metric, heading);
	print_column(out, what == METRIC_SHOW_PERCENT ? PRINT_PERCENT : type_of(metric.id), key, heading);
}

static void add_columns(struct print_table *out, const struct table *table, const struct metric_list *metrics)
{
	if (table->has_depth)
		print_column(out, PRINT_COUNT, "depth", "Depth");
	if (table->count != 0 && table->rows[0].mark != '\0')
		print_column(out, PRINT_WORD, "role", "Role");
	print_column(out, PRINT_WORD, "name", "Name");
	for (size_t i = 0; i < metrics->count; i++) {
		if (shows(&metrics->at[i], METRIC_SHOW_VALUE))
			add_column(out, metrics->at[i], METRIC_SHOW_VALUE);
		if (shows(&metrics->at[i], METRIC_SHOW_PERCENT))
			add_column(out, metrics->at[i], METRIC_SHOW_PERCENT);
	}
}

static void add_metric(struct print_table *out, const struct table *table, const struct table_row *row,
		       const struct metric *metric)
{
	uint64_t value = table_value(row, metric);
	uint64_t sum = metric->id < METRIC_VALUES ? table->sum.of[metric->id] : 0;

	if (shows(metric, METRIC_SHOW_VALUE))
		print_number(out, value);
	if (shows(metric, METRIC_SHOW_PERCENT))
		print_real(out, sum != 0 ? 100.0 * (double)value / (double)sum : 0.0);
}

void table_put(struct session *session, const struct table *table, const struct metric_list *metrics, size_t limit,
	       const char *name)
{
	size_t count = limit != 0 && limit < table->count ? limit : table->count;
	struct print_table *out;
	const char *role = "caller";

	if (!print_is_data(session)) {
		table_print(table, metrics, limit, session->out);
		return;
	}
	out = print_table_begin(name);
	add_columns(out, table, metrics);
	for (size_t i = 0; i < count; i++) {
		const struct table_row *row = &table->rows[i];

		if (table->has_depth)
			print_number(out, row->depth);
		if (row->mark != '\0')
			print_word(out, row->mark == '*' ? "function" : role);
		if (row->mark == '*')
			role = "callee";
		print_word(out, row->name);
		for (size_t j = 0; j < metrics->count; j++)
			add_metric(out, table, row, &metrics->at[j]);
	}
	print_table_end(session, out, 0);
}

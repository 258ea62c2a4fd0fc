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
	if (table->is_listing) {
		print_column(out, PRINT_WORD, "kind", "Kind");
		if (table->has_addresses)
			print_column(out, PRINT_HEX, "address", "Address");
		print_column(out, PRINT_COUNT, "line", "Line");
		print_column(out, PRINT_COUNT, "hot", "Hot");
	}
	print_column(out, PRINT_WORD, table->is_listing ? "text" : "name", table->is_listing ? "Text" : "Name");
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
	int has_value = table_has_value(row, metric);
	uint64_t value = has_value ? table_value(row, metric) : 0;
	uint64_t sum = metric->id < METRIC_VALUES ? table->sum.of[metric->id] : 0;

	if (shows(metric, METRIC_SHOW_VALUE)) {
		if (has_value)
			print_number(out, value);
		else
			print_none(out);
	}
	if (shows(metric, METRIC_SHOW_PERCENT)) {
		if (has_value)
			print_real(out, sum != 0 ? 100.0 * (double)value / (double)sum : 0.0);
		else
			print_none(out);
	}
}

static void add_number(struct print_table *out, int is_there, uint64_t number)
{
	if (is_there)
		print_number(out, number);
	else
		print_none(out);
}

/* What a line of a listing is, before its text. */
static void add_place(struct print_table *out, const struct table *table, const struct table_row *row)
{
	print_word(out, row->kind);
	if (table->has_addresses)
		add_number(out, row->address != 0, row->address);
	add_number(out, row->line != 0, row->line);
	print_number(out, row->is_hot != 0);
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
		if (table->is_listing)
			add_place(out, table, row);
		print_word(out, row->name);
		for (size_t j = 0; j < metrics->count; j++)
			add_metric(out, table, row, &metrics->at[j]);
	}
	print_table_end(session, out, 0);
}

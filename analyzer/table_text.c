/* table_text.c: puts values into columns. Numbers are right aligned, each metric is as wide as its
 * widest value or heading, and the name comes last, so that it may be as long as it likes. */
#include "table.h"

#include "text.h"

#include <string.h>

enum { GAP = 3 };

/* A metric's place: its value and share, both right aligned in their widths, inside `width`. */
struct column {
	struct metric metric;
	int value_width, percent_width, width;
};

struct layout {
	struct column columns[METRIC_LIST_MAX];
	size_t count;
};

static int larger(int left, size_t right)
{
	return left > (int)right ? left : (int)right;
}

static const char *unit_text(const struct metric *metric)
{
	return metric_unit_of(metric->id) == METRIC_UNIT_SECONDS ? "sec." : "";
}

static int has_unit(const struct metric *metric)
{
	return metric->show & METRIC_SHOW_PERCENT || unit_text(metric)[0] != '\0';
}

static void fit(struct column *column, const struct table *table, size_t count)
{
	const struct metric *metric = &column->metric;
	char text[METRIC_TEXT_MAX];

	if (metric->show & METRIC_SHOW_VALUE)
		column->value_width = larger(0, strlen(unit_text(metric)));
	if (metric->show & METRIC_SHOW_PERCENT)
		column->percent_width = 1;
	for (size_t i = 0; i < count; i++) {
		uint64_t value;

		if (!table_has_value(&table->rows[i], metric))
			continue;
		value = table_value(&table->rows[i], metric);
		if (metric->show & METRIC_SHOW_VALUE)
			column->value_width =
				larger(column->value_width,
				       strlen(metric_format(metric->id, value, text)));
		if (metric->show & METRIC_SHOW_PERCENT)
			column->percent_width =
				larger(column->percent_width,
				       strlen(metric_format_percent(
					       value, table->sum.of[metric->id], text)));
	}
	column->width = column->value_width + column->percent_width;
	if (column->value_width != 0 && column->percent_width != 0)
		column->width++;
	column->width = larger(column->width, strlen(metric_heading(metric->id)));
	column->width = larger(column->width, strlen(metric_flavor_heading(metric->flavor)));
}

static void lay_out(struct layout *layout, const struct table *table,
		    const struct metric_list *metrics, size_t count)
{
	*layout = (struct layout){.count = 0};
	for (size_t i = 0; i < metrics->count; i++) {
		const struct metric *metric = &metrics->at[i];
		struct column *column = &layout->columns[layout->count];

		if (metric->id == METRIC_NAME || metric->show & METRIC_SHOW_HIDDEN)
			continue;
		*column = (struct column){.metric = *metric};
		fit(column, table, count);
		layout->count++;
	}
}

/* A value and a share side by side, filled up to the column's width and the gap behind it, if asked
 * for. */
static void put_cell(const struct column *column, const char *value, const char *percent,
		     int is_filled, FILE *out)
{
	int used = 0;

	if (column->value_width != 0)
		used += fprintf(out, "%*s", column->value_width, value);
	if (column->percent_width != 0)
		used += fprintf(out, "%s%*s", used ? " " : "", column->percent_width, percent);
	if (is_filled)
		fprintf(out, "%*s", column->width - used + GAP, "");
}

/* Lines of a listing have a margin for marks. */
static void put_margin(const struct table *table, int is_hot, FILE *out)
{
	if (table->is_listing)
		fputs(is_hot ? "## " : "   ", out);
}

static void put_units(const struct layout *layout, const struct table *table, FILE *out)
{
	size_t count = layout->count;

	/* Behind the last unit the line ends. */
	while (count > 0 && !has_unit(&layout->columns[count - 1].metric))
		count--;
	if (count != 0)
		put_margin(table, 0, out);
	for (size_t i = 0; i < count; i++)
		put_cell(&layout->columns[i], unit_text(&layout->columns[i].metric), "%",
			 i + 1 < count, out);
	if (count != 0)
		fputc('\n', out);
}

static void put_heading(const struct layout *layout, const struct table *table, FILE *out)
{
	put_margin(table, 0, out);
	for (size_t i = 0; i < layout->count; i++)
		fprintf(out, "%-*s", layout->columns[i].width + GAP,
			metric_flavor_heading(layout->columns[i].metric.flavor));
	fputs(table->is_listing ? "\n" : "Name\n", out);
	if (layout->count != 0)
		put_margin(table, 0, out);
	for (size_t i = 0; i < layout->count; i++)
		fprintf(out, "%-*s", i + 1 < layout->count ? layout->columns[i].width + GAP : 0,
			metric_heading(layout->columns[i].metric.id));
	if (layout->count != 0)
		fputc('\n', out);
	put_units(layout, table, out);
}

static void put_row(const struct layout *layout, const struct table *table,
		    const struct table_row *row, FILE *out)
{
	char value[METRIC_TEXT_MAX], percent[METRIC_TEXT_MAX];

	put_margin(table, row->is_hot, out);
	for (size_t i = 0; i < layout->count; i++) {
		const struct metric *metric = &layout->columns[i].metric;
		uint64_t number = table_has_value(row, metric) ? table_value(row, metric) : 0;

		if (number == 0 && (table->is_listing || !table_has_value(row, metric))) {
			put_cell(&layout->columns[i], "", "", 1, out);
			continue;
		}
		metric_format(metric->id, number, value);
		percent[0] = '\0';
		if (metric->id < METRIC_VALUES)
			metric_format_percent(number, table->sum.of[metric->id], percent);
		put_cell(&layout->columns[i], value, percent, 1, out);
	}
	if (row->mark != '\0')
		fputc(row->mark, out);
	text_put(out, row->name);
	fputc('\n', out);
}

void table_print(const struct table *table, const struct metric_list *metrics, size_t limit,
		 FILE *out)
{
	size_t count = limit != 0 && limit < table->count ? limit : table->count;
	struct layout layout;

	lay_out(&layout, table, metrics, count);
	put_heading(&layout, table, out);
	for (size_t i = 0; i < count; i++)
		put_row(&layout, table, &table->rows[i], out);
}

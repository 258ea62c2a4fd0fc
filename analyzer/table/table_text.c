/* table_text.c: puts values into columns. Numbers are right aligned, each metric is as wide as its
 * widest value or heading, and the name comes last, so that it may be as long as it likes. On a
 * terminal that is too narrow headings are broken, then names lose their middle, and lines of
 * listings are broken. */
#include "analyzer/table/table.h"
#include "analyzer/model/choices.h"

#include "analyzer/base/fit.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/terminal.h"
#include "analyzer/base/text.h"

#include <stdlib.h>
#include <string.h>

enum { GAP = 3, NARROW_GAP = 1, MARGIN = 3, NAME_USUAL = 40, LISTING_INDENT = 16 };

/* What stands above the reach of a value. */
#define REACH "+-"

/* A metric's place: its value, how far it reaches, and its share, all right aligned in their
 * widths, inside `width`. */
struct column {
	struct metric metric;
	struct metric_scale scale;
	size_t group;
	int value_width, reach_width, percent_width, width;
};

struct layout {
	struct column *columns; /* columns[count] */
	size_t count;
	int has_ratios;
	int gap;       /* between columns */
	int is_narrow; /* headings of several words take two lines */
	size_t rest;   /* columns of the terminal for the name, 0: as many as it likes */
};

/* Where a heading is broken: at the blank that makes the longer part shortest; its length if it has
 * none. */
static size_t heading_break(const char *heading)
{
	size_t len = strlen(heading), best = len, width = len;

	for (size_t i = 0; i < len; i++) {
		size_t longer = i > len - i - 1 ? i : len - i - 1;

		if (heading[i] == ' ' && longer < width) {
			best = i;
			width = longer;
		}
	}
	return best;
}

static size_t heading_width(const struct layout *layout, const char *heading)
{
	size_t len = strlen(heading), first = heading_break(heading);

	if (!layout->is_narrow || first == len)
		return len;
	return first > len - first - 1 ? first : len - first - 1;
}

static int larger(int left, size_t right)
{
	return left > (int)right ? left : (int)right;
}

static const char *unit_text(const struct layout *layout, const struct column *column)
{
	if ((column->group > 0 && layout->has_ratios) ||
	    metric_unit_of(column->metric.id) != METRIC_UNIT_SECONDS)
		return "";
	return metric_scale_unit(&column->scale);
}

static int has_unit(const struct layout *layout, const struct column *column)
{
	return column->metric.show & (METRIC_SHOW_PERCENT | METRIC_SHOW_REACH) ||
	       unit_text(layout, column)[0] != '\0';
}

static void fit(const struct layout *layout, struct column *column, const struct table *table,
                size_t count)
{
	const struct metric *metric = &column->metric;
	char text[METRIC_TEXT_MAX];

	if (metric->show & METRIC_SHOW_VALUE)
		column->value_width = larger(0, strlen(unit_text(layout, column)));
	if (metric->show & METRIC_SHOW_REACH)
		column->reach_width = (int)strlen(REACH);
	if (metric->show & METRIC_SHOW_PERCENT)
		column->percent_width = 1;
	for (size_t i = 0; i < count; i++) {
		const struct table_row *row = &table->rows[i];

		if (!table_has_value(row, metric))
			continue;
		if (metric->show & METRIC_SHOW_VALUE)
			column->value_width = larger(
				column->value_width,
				strlen(table_format(table, row, metric, column->group, text)));
		if (metric->show & METRIC_SHOW_REACH)
			column->reach_width = larger(
				column->reach_width,
				strlen(table_format_reach(table, row, metric, column->group,
			                                  text)));
		if (metric->show & METRIC_SHOW_PERCENT)
			column->percent_width = larger(
				column->percent_width,
				strlen(table_format_percent(table, row, metric, column->group,
			                                    text)));
	}
	column->width = column->value_width + column->reach_width + column->percent_width;
	if (column->reach_width != 0)
		column->width++;
	if (column->value_width != 0 && column->percent_width != 0)
		column->width++;
	column->width = larger(column->width, heading_width(layout, metric_heading(metric->id)));
	column->width = larger(column->width, strlen(metric_flavor_heading(metric->flavor)));
	if (table->group_count > 1 && metric->id < METRIC_VALUES)
		column->width = larger(column->width, strlen(table->groups[column->group].label));
}

/* In a listing a metric without any value would be an empty column. */
static int is_empty(const struct table *table, const struct metric *metric, size_t count)
{
	size_t groups = table->group_count > 1 ? table->group_count : 1;

	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < groups && table_has_value(&table->rows[i], metric); j++)
			if (table_group_value(table, &table->rows[i], metric, j) != 0)
				return 0;
	return 1;
}

/* If there are none at all, the columns stay: they show what is missing. */
static int has_values(const struct table *table, const struct metric_list *metrics, size_t count)
{
	for (size_t i = 0; i < metrics->count; i++)
		if (metrics->at[i].id < METRIC_VALUES &&
		    !(metrics->at[i].show & METRIC_SHOW_HIDDEN) &&
		    !is_empty(table, &metrics->at[i], count))
			return 1;
	return 0;
}

static void lay_out(struct layout *layout, const struct table *table,
                    const struct metric_list *metrics, size_t count)
{
	size_t groups = table->group_count > 1 ? table->group_count : 1;
	int is_short = table->is_listing && has_values(table, metrics, count);

	layout->count = 0;
	for (size_t i = 0; i < metrics->count * groups; i++) {
		const struct metric *metric = &metrics->at[i / groups];
		struct column *column = &layout->columns[layout->count];

		if (metric->id == METRIC_NAME || metric->show & METRIC_SHOW_HIDDEN)
			continue;
		if (metric->id >= METRIC_VALUES && (i % groups > 0 || table->is_listing))
			continue;
		if (is_short && is_empty(table, metric, count))
			continue;
		*column = (struct column){.metric = *metric,
		                          .scale = table_scale(table, metric),
		                          .group = i % groups};
		fit(layout, column, table, count);
		layout->count++;
	}
}

/* Columns that all but the name take. */
static size_t used_width(const struct layout *layout, const struct table *table)
{
	size_t used = table->is_listing ? MARGIN : 0;

	for (size_t i = 0; i < layout->count; i++)
		used += (size_t)(layout->columns[i].width + layout->gap);
	return used;
}

/* Lay out for the terminal, if there is one. */
static struct layout make_layout(const struct table *table, const struct metric_list *metrics,
                                 size_t count)
{
	size_t groups = table->group_count > 1 ? table->group_count : 1, longest = 0;
	struct layout layout = {
		.columns = memory_take(metrics->count * groups, sizeof(struct column)),
		.has_ratios = table->compare == TREE_COMPARE_RATIO,
		.gap = GAP};

	lay_out(&layout, table, metrics, count);
	if (table->width == 0)
		return layout;
	for (size_t i = 0; i < count && longest < NAME_USUAL; i++) {
		size_t width = fit_width(table->rows[i].name);

		longest = width > longest ? width : longest;
	}
	if (used_width(&layout, table) + (longest < NAME_USUAL ? longest : NAME_USUAL) >
	    table->width) {
		layout.is_narrow = 1;
		layout.gap = NARROW_GAP;
		lay_out(&layout, table, metrics, count);
	}
	layout.rest = used_width(&layout, table) < table->width
	                      ? table->width - used_width(&layout, table)
	                      : 1;
	return layout;
}

/* A value, its reach and its share side by side, filled up to the column's width and the gap behind
 * it, if asked for. Only values have a reach. */
static void put_cell(const struct layout *layout, const struct column *column, const char *value,
                     const char *reach, const char *percent, int is_filled, FILE *out)
{
	int used = 0;

	if (column->value_width != 0)
		used += fprintf(out, "%*s", column->value_width, value);
	if (column->reach_width != 0)
		used += fprintf(out, " %*s", column->reach_width, reach);
	if (column->percent_width != 0)
		used += fprintf(out, "%s%*s", used ? " " : "", column->percent_width, percent);
	if (is_filled)
		fprintf(out, "%*s", column->width - used + layout->gap, "");
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
	while (count > 0 && !has_unit(layout, &layout->columns[count - 1]))
		count--;
	if (count != 0)
		put_margin(table, 0, out);
	for (size_t i = 0; i < count; i++)
		put_cell(layout, &layout->columns[i], unit_text(layout, &layout->columns[i]), REACH,
		         "%", i + 1 < count, out);
	if (count != 0)
		fputc('\n', out);
}

/* Which group a column is of, above its metric. */
static void put_labels(const struct layout *layout, const struct table *table, FILE *out)
{
	if (table->group_count < 2 || layout->count == 0)
		return;
	put_margin(table, 0, out);
	for (size_t i = 0; i < layout->count; i++) {
		const struct column *column = &layout->columns[i];
		const char *label = column->metric.id < METRIC_VALUES
		                            ? table->groups[column->group].label
		                            : "";

		fprintf(out, "%-*s", i + 1 < layout->count ? column->width + layout->gap : 0,
		        label);
	}
	fputc('\n', out);
}

/* One line of the headings: the first (line 0) or the second part of those that are broken, the
 * others in the second. */
static void put_metrics(const struct layout *layout, const struct table *table, int line,
                        const char *name, FILE *out)
{
	put_margin(table, 0, out);
	for (size_t i = 0; i < layout->count; i++) {
		const char *heading = metric_heading(layout->columns[i].metric.id);
		size_t len = strlen(heading), end = heading_break(heading);
		const char *part = heading;

		if (layout->is_narrow && line == 0)
			len = end < len ? end : 0;
		else if (layout->is_narrow && end < len)
			part = heading + end + 1;
		len = strnlen(part, len);
		fprintf(out, "%.*s%*s", (int)len, part,
		        i + 1 < layout->count || name[0] != '\0'
		                ? layout->columns[i].width + layout->gap - (int)len
		                : 0,
		        "");
	}
	fprintf(out, "%s\n", name);
}

/* Is there a heading above those of metrics? */
static int has_flavor(const struct layout *layout)
{
	for (size_t i = 0; i < layout->count; i++)
		if (metric_flavor_heading(layout->columns[i].metric.flavor)[0] != '\0')
			return 1;
	return 0;
}

static void put_heading(const struct layout *layout, const struct table *table, FILE *out)
{
	const char *name = table->is_listing ? "" : "Name";
	int is_above = layout->count == 0 || has_flavor(layout);

	if (is_above) {
		put_margin(table, 0, out);
		for (size_t i = 0; i < layout->count; i++)
			fprintf(out, "%-*s", layout->columns[i].width + layout->gap,
			        metric_flavor_heading(layout->columns[i].metric.flavor));
		fprintf(out, "%s\n", name);
	}
	if (layout->count != 0 && layout->is_narrow)
		put_metrics(layout, table, 0, "", out);
	if (layout->count != 0)
		put_metrics(layout, table, 1, is_above ? "" : name, out);
	put_units(layout, table, out);
}

/* Lines of a listing show nothing where nothing happened. */
static int is_blank(const struct table *table, const struct table_row *row,
                    const struct column *column)
{
	if (!table_has_value(row, &column->metric))
		return 1;
	if (!table->is_listing ||
	    table_group_value(table, row, &column->metric, column->group) != 0)
		return 0;
	return column->group == 0 || table->compare < TREE_COMPARE_DELTA ||
	       table_value(row, &column->metric) == 0;
}

/* `is_whole`: the name is not cut. */
static void put_row(const struct layout *layout, const struct table *table,
                    const struct table_row *row, int is_whole, FILE *out)
{
	char value[METRIC_TEXT_MAX], reach[METRIC_TEXT_MAX], percent[METRIC_TEXT_MAX];

	put_margin(table, row->is_hot, out);
	for (size_t i = 0; i < layout->count; i++) {
		const struct column *column = &layout->columns[i];

		if (is_blank(table, row, column)) {
			put_cell(layout, column, "", "", "", 1, out);
			continue;
		}
		table_format(table, row, &column->metric, column->group, value);
		table_format_percent(table, row, &column->metric, column->group, percent);
		table_format_reach(table, row, &column->metric, column->group, reach);
		put_cell(layout, column, value, reach, percent, 1, out);
	}
	if (row->mark != '\0')
		fputc(row->mark, out);
	if (table->is_listing && layout->rest != 0)
		fit_put_wrapped(out, row->name, layout->rest, used_width(layout, table),
		                LISTING_INDENT);
	else
		fit_put(out, row->name, is_whole ? 0 : layout->rest);
	fputc('\n', out);
}

static void set_color(const struct table *table, const char *code, FILE *out)
{
	if (table->has_color)
		fputs(code, out);
}

enum { HOT_SHARE = 10 }; /* from this part of the total on, a tenth, a row is hot */

/* A row with much of what the first column shows; <Total> is not. */
static int is_hot(const struct layout *layout, const struct table *table,
                  const struct table_row *row)
{
	const struct metric *metric = &layout->columns[0].metric;
	uint64_t sum;

	if (table->is_listing || !row->has_values)
		return row->is_hot;
	if (layout->count == 0 || metric->id >= METRIC_VALUES || row->item == 0)
		return 0;
	sum = table->sum.of[metric->id];
	return sum != 0 && table_value(row, metric) >= sum / HOT_SHARE;
}

/* A row with no more than one sample of what the first column shows, in each group that has any:
 * chance alone may have made it. */
static int is_faint(const struct layout *layout, const struct table *table,
                    const struct table_row *row)
{
	const struct metric *metric = &layout->columns[0].metric;
	size_t groups = table->group_count > 1 ? table->group_count : 1;
	int has_any = 0;

	if (layout->count == 0 || table->is_listing || !row->has_values || row->item == 0 ||
	    metric->id >= METRIC_VALUES)
		return 0;
	for (size_t i = 0; i < groups; i++) {
		uint64_t value = table_group_value(table, row, metric, i);

		if (value != 0 && (double)value >= 1.5 * table_sample(table, metric, i))
			return 0;
		has_any |= value != 0;
	}
	return has_any;
}

/* Rows whose names would look like others if they were cut; see fit_find_alike. */
static unsigned char *find_alike(const struct layout *layout, const struct table *table,
                                 size_t count)
{
	const char **names;
	unsigned char *alike;

	if (layout->rest == 0 || table->is_listing)
		return NULL;
	names = memory_take(count, sizeof(*names));
	for (size_t i = 0; i < count; i++)
		names[i] = table->rows[i].name;
	alike = fit_find_alike(names, count, layout->rest);
	free(names);
	return alike;
}

void table_print(const struct table *table, const struct metric_list *metrics, size_t limit,
                 FILE *out)
{
	size_t count = limit != 0 && limit < table->count ? limit : table->count;
	struct layout layout = make_layout(table, metrics, count);
	unsigned char *alike = find_alike(&layout, table, count);

	set_color(table, TERMINAL_BOLD, out);
	put_labels(&layout, table, out);
	put_heading(&layout, table, out);
	set_color(table, TERMINAL_PLAIN, out);
	for (size_t i = 0; i < count; i++) {
		const struct table_row *row = &table->rows[i];
		const char *color = !table->has_color               ? NULL
		                    : is_faint(&layout, table, row) ? TERMINAL_FAINT
		                    : is_hot(&layout, table, row)   ? TERMINAL_HOT
		                                                    : NULL;

		if (color)
			set_color(table, color, out);
		put_row(&layout, table, row, alike && alike[i], out);
		if (color)
			set_color(table, TERMINAL_PLAIN, out);
	}
	free(alike);
	free(layout.columns);
}

/* bound.c: see bound.h. */
#include "analyzer/page/bound.h"

#include "analyzer/base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { SHORT_GAP = 2 }; /* lines that take as much room as what would tell of them */

struct line {
	size_t row;
	double weight; /* the greatest share of any metric in the greatest value of it */
};

static int is_metric(const struct print_column *column)
{
	return strchr("eia", column->key[0]) && column->key[1] == '.' &&
	       column->type != PRINT_WORD && column->type != PRINT_LIST &&
	       column->type != PRINT_FIGURE;
}

static double value_of(const struct print_column *column, const struct print_cell *cell)
{
	const int is_real = column->type == PRINT_SECONDS || column->type == PRINT_PERCENT ||
	                    column->type == PRINT_RATIO || column->type == PRINT_VALUE;

	if (cell->is_none)
		return 0;
	return is_real ? cell->real : (double)cell->number;
}

/* A column as a weight of each line. */
static void weigh(const struct print_table *table, size_t column, struct line *lines, size_t count)
{
	const struct print_column *of = &table->columns[column];
	double most = 0;

	for (size_t i = 0; i < count; i++) {
		double value = value_of(of, &table->cells[i * table->column_count + column]);

		most = value > most ? value : most;
	}
	for (size_t i = 0; i < count && most > 0; i++) {
		double share = value_of(of, &table->cells[i * table->column_count + column]) / most;

		lines[i].weight = share > lines[i].weight ? share : lines[i].weight;
	}
}

static int compare(const void *left, const void *right)
{
	const struct line *a = left, *b = right;

	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	return (a->row > b->row) - (a->row < b->row);
}

static size_t choose(unsigned char *chosen, size_t count, size_t row, size_t around)
{
	size_t added = 0;

	for (size_t i = row > around ? row - around : 0; i < count && i <= row + around; i++) {
		added += !chosen[i];
		chosen[i] = 1;
	}
	return added;
}

/* Which lines are kept: 1; those with values that are not: 2. chosen[count]; the caller frees. */
static unsigned char *choose_lines(const struct print_table *table, size_t count)
{
	struct line *lines = memory_take(count, sizeof(*lines));
	unsigned char *chosen = memory_take(count, 1);
	size_t kept = choose(chosen, count, 0, 0);

	for (size_t i = 0; i < count; i++)
		lines[i].row = i;
	for (size_t i = 0; i < table->column_count; i++)
		if (is_metric(&table->columns[i]))
			weigh(table, i, lines, count);
	qsort(lines, count, sizeof(*lines), compare);
	for (size_t i = 0; i < count && lines[i].weight > 0; i++)
		if (kept < BOUND_LINES)
			kept += choose(chosen, count, lines[i].row, BOUND_AROUND);
		else if (!chosen[lines[i].row])
			chosen[lines[i].row] = 2;
	free(lines);
	return chosen;
}

static void put_gap(struct print_table *table, struct print_cell *cells, size_t lines, int has_data)
{
	for (size_t i = 0; i < table->column_count; i++) {
		const char *key = table->columns[i].key;

		cells[i] = (struct print_cell){.is_none = 1};
		if (strcmp(key, "kind") == 0)
			cells[i] = (struct print_cell){.text = memory_format("gap")};
		else if (strcmp(key, "text") == 0)
			cells[i] = (struct print_cell){
				.text = memory_format("        ... %zu lines: %s", lines,
			                              has_data ? "small values" : "no data")};
	}
}

/* Replace lines that are not kept. Returns how many lines there are then. */
static size_t leave_out(struct print_table *table, const unsigned char *chosen, size_t count)
{
	const size_t width = table->column_count, size = width * sizeof(*table->cells);
	size_t put = 0;

	for (size_t i = 0, end; i < count; i = end) {
		int has_data = 0;

		for (end = i; end < count && chosen[end] != 1; end++)
			has_data |= chosen[end] == 2;
		if (end - i <= SHORT_GAP) {
			end = end > i ? end : i + 1;
			memmove(&table->cells[put * width], &table->cells[i * width],
			        (end - i) * size);
			put += end - i;
			continue;
		}
		for (size_t cell = i * width; cell < end * width; cell++)
			free(table->cells[cell].text);
		put_gap(table, &table->cells[put++ * width], end - i, has_data);
	}
	return put;
}

size_t bound_listing(struct print_table *table)
{
	size_t count = table->column_count ? table->cell_count / table->column_count : 0;
	unsigned char *chosen;

	if (count <= BOUND_LINES)
		return 0;
	chosen = choose_lines(table, count);
	table->cell_count = leave_out(table, chosen, count) * table->column_count;
	free(chosen);
	return count;
}

/* Listings of functions that are too long for a page are bounded: the lines with the greatest
 * values stay, with some around them. */
#include "analyzer/page/bound.h"

#include "analyzer/base/memory.h"
#include "analyzer/print/output.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdlib.h>
#include <string.h>

/* A listing of `lines` lines; line i has values[i] ns, and is called "i". */
static struct print_table *make_listing(const uint64_t *values, size_t lines)
{
	struct print_table *table = print_table_begin("disasm");

	print_column(table, PRINT_WORD, "kind", "Kind");
	print_column(table, PRINT_WORD, "text", "Text");
	print_column(table, PRINT_NS, "e.totalcpu", "CPU");
	for (size_t i = 0; i < lines; i++) {
		char text[24];

		snprintf(text, sizeof(text), "%zu", i);
		print_word(table, "instruction");
		print_word(table, text);
		print_number(table, values[i]);
	}
	return table;
}

static void destroy(struct print_table *table)
{
	struct print_table *tables[] = {table};
	struct print_document document = {.tables = memory_take(1, sizeof(tables)),
	                                  .table_count = 1};

	memcpy(document.tables, tables, sizeof(tables));
	print_clear(&document);
}

static const char *text_at(const struct print_table *table, size_t row)
{
	return table->cells[row * 3 + 1].text;
}

static int is_gap(const struct print_table *table, size_t row)
{
	return strcmp(table->cells[row * 3].text, "gap") == 0;
}

/* Lines stand in their order, and with those that gaps tell of they are all. Returns how many are
 * kept.
 */
static size_t expect_all(const struct print_table *table, size_t lines)
{
	size_t rows = table->cell_count / 3, at = 0, kept = 0;

	for (size_t i = 0; i < rows; i++) {
		if (is_gap(table, i)) {
			cr_expect(eq(int, i > 0 && is_gap(table, i - 1), 0));
			at += strtoul(text_at(table, i) + strlen("        ... "), NULL, 10);
			continue;
		}
		cr_expect(eq(sz, strtoul(text_at(table, i), NULL, 10), at));
		at++;
		kept++;
	}
	cr_expect(eq(sz, at, lines));
	return kept;
}

static int has_line(const struct print_table *table, size_t line)
{
	for (size_t i = 0; i < table->cell_count / 3; i++)
		if (!is_gap(table, i) && strtoul(text_at(table, i), NULL, 10) == line)
			return 1;
	return 0;
}

Test(bound, leaves_a_short_listing_as_it_is)
{
	uint64_t values[BOUND_LINES] = {5};
	struct print_table *table = make_listing(values, BOUND_LINES);

	cr_expect(eq(sz, bound_listing(table), 0));
	cr_expect(eq(sz, table->cell_count, (size_t)3 * BOUND_LINES));
	destroy(table);
}

Test(bound, keeps_lines_around_values_and_counts_the_others)
{
	enum { LINES = 5000 };
	uint64_t values[LINES] = {[0] = 0, [1000] = 7, [1003] = 100, [4999] = 1};
	struct print_table *table = make_listing(values, LINES);

	cr_expect(eq(sz, bound_listing(table), LINES));
	cr_expect(eq(sz, expect_all(table, LINES),
	             1 + (3 + 2 * BOUND_AROUND + 1) + BOUND_AROUND + 1));
	cr_expect(has_line(table, 0));
	cr_expect(has_line(table, 1000 - BOUND_AROUND) && has_line(table, 1003 + BOUND_AROUND));
	cr_expect(has_line(table, 4999) && has_line(table, 4999 - BOUND_AROUND));
	cr_expect(not(has_line(table, 999 - BOUND_AROUND)));
	cr_expect(eq(str, (char *)text_at(table, 1), "        ... 987 lines: no data"));
	destroy(table);
}

Test(bound, keeps_the_greatest_of_very_many_values)
{
	enum { LINES = 50000, STEP = 5 };
	uint64_t *values = memory_take(LINES, sizeof(*values));
	struct print_table *table;
	size_t kept, small = 0;

	for (size_t i = 0; i < LINES; i += STEP)
		values[i] = 1 + i;
	table = make_listing(values, LINES);
	cr_expect(eq(sz, bound_listing(table), LINES));
	kept = expect_all(table, LINES);
	cr_expect(le(sz, kept, (size_t)BOUND_LINES + 2 * BOUND_AROUND + 1));
	cr_expect(ge(sz, kept, (size_t)BOUND_LINES));
	cr_expect(has_line(table, LINES - STEP));
	for (size_t i = 0; i < table->cell_count / 3; i++)
		small += is_gap(table, i) && strstr(text_at(table, i), "small values") != NULL;
	cr_expect(ge(sz, small, 1));
	destroy(table);
	free(values);
}

Test(bound, shows_gaps_of_one_or_two_lines)
{
	enum { LINES = 2000 };
	uint64_t values[LINES] = {[500] = 9, [500 + 2 * BOUND_AROUND + 3] = 9};
	struct print_table *table = make_listing(values, LINES);

	bound_listing(table);
	cr_expect(has_line(table, 500 + BOUND_AROUND + 1) &&
	          has_line(table, 500 + BOUND_AROUND + 2));
	expect_all(table, LINES);
	destroy(table);
}

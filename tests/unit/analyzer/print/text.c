/* Tests of analyzer/print/text.c: tables for people, as wide as the terminal. */
#include "analyzer/print/print.h"
#include "analyzer/views/analysis.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A table of one row, which is freed by the analysis's output. */
static struct print_table *begin(const char *first, uint64_t number, const char *second)
{
	struct print_table *table = print_table_begin("test");

	print_column(table, PRINT_WORD, "first", "First");
	print_column(table, PRINT_COUNT, "number", "Total\nEvents");
	print_column(table, PRINT_WORD, "second", "Second");
	print_word(table, first);
	print_number(table, number);
	print_word(table, second);
	return table;
}

/* Of the terminal's columns; the caller frees. */
static char *print(struct print_table *table, size_t columns)
{
	struct analysis analysis;
	char *text = NULL, *nothing = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	print_table_settle(table);
	print_text_table(table, columns, out);
	fclose(out);
	/* It takes the table. */
	analysis_init(&analysis);
	analysis.output.out = open_memstream(&nothing, &size);
	print_table_end(&analysis.output, table, 0);
	fclose(analysis.output.out);
	analysis.output.out = stdout;
	analysis_fini(&analysis);
	free(nothing);
	return text;
}

static void expect(struct print_table *table, size_t columns, const char *expected)
{
	char *text = print(table, columns);

	cr_expect_str_eq(text, expected, "%zu columns:\n%s", columns, text);
	free(text);
}

Test(print_text, columns_are_as_wide_as_their_cells_and_headings)
{
	expect(begin("a", 7, "b"), 0,
	       "        Total\n"
	       "First  Events  Second\n"
	       "a           7  b\n");
	expect(begin("a longer word", 1234567, "b"), 0,
	       "                 Total\n"
	       "First           Events  Second\n"
	       "a longer word  1234567  b\n");
}

/* Times that are all below a millisecond are in microseconds, and the heading says so; one that is
 * not makes all of the table seconds. */
static struct print_table *times(uint64_t ns)
{
	struct print_table *table = print_table_begin("test");

	print_column(table, PRINT_NS, "time", "Time\nsec.");
	print_column(table, PRINT_NS, "longest", "Longest");
	print_column(table, PRINT_NS, "both", "Two\nlines");
	print_column(table, PRINT_SECONDS, "end", "End");
	for (int i = 0; i < 2; i++) {
		print_number(table, i == 0 ? ns : 81);
		print_number(table, 20);
		print_number(table, 0);
		print_real(table, 0.5);
	}
	return table;
}

Test(print_text, short_times_are_microseconds)
{
	expect(times(999999), 0,
	       "   Time  Longest            Two\n"
	       "  usec.    usec.  lines (usec.)       End\n"
	       "999.999    0.020          0.000  0.500000\n"
	       "  0.081    0.020          0.000  0.500000\n");
	expect(times(1000000), 0,
	       "    Time                 Two\n"
	       "    sec.   Longest     lines       End\n"
	       "0.001000  0.000000  0.000000  0.500000\n"
	       "0.000000  0.000000  0.000000  0.500000\n");
}

/* Columns have the digits that they were given, for people. */
Test(print_text, columns_have_their_own_digits)
{
	struct print_table *table = print_table_begin("test");

	print_column(table, PRINT_NS, "cpu", "CPU");
	print_column_digits(table, 2);
	print_column(table, PRINT_PERCENT, "share", "Share");
	print_column_digits(table, 0);
	print_column(table, PRINT_SECONDS, "difference", "Difference");
	print_column_digits(table, 1);
	print_column(table, PRINT_NS, "wait", "Wait");
	print_column_digits(table, 1);
	print_column_short(table);
	print_number(table, 1235000000);
	print_real(table, 72.6);
	print_real(table, -0.26);
	print_number(table, 1250);
	print_none(table);
	print_real(table, 3);
	print_none(table);
	print_none(table);
	expect(table, 0,
	       "                          Wait\n"
	       " CPU  Share  Difference  usec.\n"
	       "1.24     73        -0.3    1.3\n"
	       "   -      3           -      -\n");
}

/* Elsewhere programs may read them. */
Test(print_text, thousands_are_apart_on_a_terminal)
{
	struct print_table *table = begin("a", 1234567, "b"), *record = print_record_begin("test");

	expect(table, 80,
	       "           Total\n"
	       "First     Events  Second\n"
	       "a      1,234,567  b\n");
	print_field(record, PRINT_BYTES, "bytes", "Bytes", 12345);
	print_field(record, PRINT_COUNT, "events", "Events", 9999);
	print_field(record, PRINT_ID, "pid", "PID", 12345);
	expect(record, 80,
	       "  Bytes                    12,345 bytes\n"
	       "  Events                   9999\n"
	       "  PID                      12345\n");
}

Test(print_text, words_that_would_look_alike_are_whole)
{
	struct print_table *table = print_table_begin("test");
	static const char *const words[] = {
		"/usr/lib/one_long_directory/of_the_first_program/file",
		"/usr/lib/one_long_directory/of_the_other_program/file",
		"/usr/share/quite_another_place/of_the_third_program/other"};
	char *text;

	print_column(table, PRINT_WORD, "file", "File");
	print_column(table, PRINT_COUNT, "number", "Number");
	for (int i = 0; i < 3; i++) {
		print_word(table, words[i]);
		print_number(table, 5);
	}
	text = print(table, 32);
	cr_expect_not_null(strstr(text, words[0]), "%s", text);
	cr_expect_not_null(strstr(text, words[1]), "%s", text);
	cr_expect_null(strstr(text, words[2]), "%s", text);
	free(text);
}

Test(print_text, what_fits_is_not_cut)
{
	static const char words[] = "0123456789012345678901234567890123456789";
	char expected[256];

	snprintf(expected, sizeof(expected),
	         "%40s   Total\nFirst%35s  Events  Second\n%s       7  b\n", "", "", words);
	/* 40 + 2 + 6 + 2 + 6 */
	expect(begin(words, 7, "b"), 56, expected);
	expect(begin(words, 7, "b"), 57, expected);
}

/* Where a column begins in the last line. */
static size_t place_of(const char *text, const char *word)
{
	const char *line = text + strlen(text) - 1, *found;

	while (line > text && line[-1] != '\n')
		line--;
	found = strstr(line, word);
	cr_assert_not_null(found, "%s in:\n%s", word, text);
	return (size_t)(found - line);
}

static size_t last_length(const char *text)
{
	const char *line = text + strlen(text) - 1;

	while (line > text && line[-1] != '\n')
		line--;
	return strlen(line) - 1;
}

Test(print_text, on_a_narrow_terminal_the_widest_words_are_cut)
{
	static const char forty[] = "a123456789012345678901234567890123456789",
			  sixty[] = "b12345678901234567890123456789012345678901234567890123456789";
	char *text = print(begin(forty, 7, sixty), 100);

	/* 100 = 40 + 2 + 6 + 2 + 50 */
	cr_expect_eq(last_length(text), 100, "%s", text);
	cr_expect_eq(place_of(text, " 7 "), 46);
	cr_expect_eq(place_of(text, "b1"), 50);
	cr_expect_not_null(strstr(text, forty));
	free(text);
	/* 80 = 35 + 2 + 6 + 2 + 35: the first one becomes as narrow as the second. */
	text = print(begin(forty, 7, sixty), 80);
	cr_expect_eq(last_length(text), 80, "%s", text);
	cr_expect_eq(place_of(text, "b1"), 45);
	cr_expect_null(strstr(text, forty));
	free(text);
	text = print(begin(forty, 7, sixty), 79);
	cr_expect_eq(last_length(text), 79, "%s", text);
	cr_expect_eq(place_of(text, "b1"), 44);
	free(text);
}

Test(print_text, words_are_not_cut_until_nothing_is_left)
{
	static const char forty[] = "a123456789012345678901234567890123456789",
			  sixty[] = "b12345678901234567890123456789012345678901234567890123456789";
	char *text = print(begin(forty, 7, sixty), 30);

	/* 24 + 2 + 6 + 2 + 24: wider than the terminal. */
	cr_expect_eq(last_length(text), 58, "%s", text);
	cr_expect_eq(place_of(text, "b1"), 34);
	free(text);
	text = print(begin("short", 7, sixty), 30);
	cr_expect_eq(last_length(text), 5 + 2 + 6 + 2 + 24, "%s", text);
	free(text);
}

Test(print_text, lists_stand_below_their_line)
{
	struct print_table *table = print_table_begin("test");

	print_column(table, PRINT_COUNT, "number", "Number");
	print_column(table, PRINT_WORD, "word", "Word");
	print_column(table, PRINT_LIST, "list", "List of many");
	print_number(table, 12);
	print_word(table, "w");
	print_word(table, "one\ntwo\n");
	print_number(table, 3);
	print_word(table, "v");
	print_word(table, NULL);
	expect(table, 14,
	       "Number  Word\n"
	       "    12  w\n"
	       "    one\n"
	       "    two\n"
	       "     3  v\n");
}

Test(print_text, a_record_has_a_line_for_each_value)
{
	struct print_table *table = print_record_begin("test");

	print_field(table, PRINT_COUNT, "events", "Events", 5);
	print_field(table, PRINT_BYTES, "bytes", "A heading of 26 characters", 6);
	print_field_word(table, "name", "Name", "word");
	print_field(table, PRINT_NS, "short", "Short", 5081);
	print_field(table, PRINT_NS, "long", "Long", 5081000);
	expect(table, 0,
	       "  Events                      5\n"
	       "  A heading of 26 characters  6 bytes\n"
	       "  Name                        word\n"
	       "  Short                       5.081 us\n"
	       "  Long                        0.005081 s\n");
}

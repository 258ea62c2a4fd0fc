/* Lines of functions in dyntext: of each address in long tables, after code of any size, and in
 * tables that are cut off. */
#include "experiment/jit/lines.h"

#include "format/layout.h"
#include "tests/unit/experiment/make_experiment.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 1300, ADDRESS = 0x2000 };

static struct maker maker;
static struct experiment *experiment;
static const struct exp_function *function;

static void set_up(void)
{
	maker_create(&maker);
}

static void tear_down(void)
{
	experiment_close(experiment);
	maker_destroy(&maker);
}

TestSuite(lines, .init = set_up, .fini = tear_down);

/* A function of `size` bytes at `offset` of dyntext, whose table claims `rows` rows, of which
 * `there` exist: row i begins at 3 * i and is line 10 + i. */
static void make(unsigned size, unsigned offset, unsigned rows, unsigned there)
{
	static uint8_t text[1 << 15];
	const struct exp_function *functions;
	struct exp_cause cause;
	char map[512];
	size_t at = (offset + size + 7) / 8 * 8;

	for (uint32_t i = 0; i < there; i++)
		memcpy(text + at + 8 * i, (uint32_t[]){3 * i, 10 + i}, 8);
	maker_put(&maker, FMT_FILE_DYNTEXT, text, at + 8 * there);
	snprintf(
		map, sizeof(map),
		"<map version=\"1.0\"><function name=\"f\" source=\"/f.jit\" address=\"%#x\" size=\"%u\" generation=\"0\" "
		"offset=\"%u\" lines=\"%u\"/></map>",
		ADDRESS, size, offset, rows);
	maker_put(&maker, FMT_FILE_MAP, map, strlen(map));
	cr_assert_eq(maker_open(&maker, &experiment, &cause), 0, "%s", cause.text);
	cr_assert_eq(experiment_functions(experiment, &functions), 1);
	function = functions;
}

static unsigned line_at(uint64_t offset)
{
	return experiment_function_line(experiment, function, ADDRESS + offset);
}

Test(lines, each_address_has_the_line_that_began_last)
{
	make(3 * ROWS, 16, ROWS, ROWS);
	for (uint64_t offset = 0; offset < 3 * ROWS; offset++)
		cr_assert_eq(line_at(offset), 10 + offset / 3, "offset %lu", offset);
}

Test(lines, stand_behind_code_of_any_size)
{
	for (unsigned size = 9; size < 20; size++) {
		make(size, 5, 3, 3);
		cr_expect_eq(line_at(0), 10, "%u bytes", size);
		cr_expect_eq(line_at(5), 11, "%u bytes", size);
		cr_expect_eq(line_at(8), 12, "%u bytes", size);
		experiment_close(experiment);
	}
	make(8, 0, 1, 1);
	cr_expect_eq(line_at(7), 10);
}

/* The rows that a cut table has are used. */
Test(lines, of_a_table_that_is_cut_are_as_many_as_are_there)
{
	make(3 * ROWS, 16, ROWS, 520);
	cr_expect_eq(line_at(3 * 500), 510);
	cr_expect_eq(line_at(3 * 519), 529);
	cr_expect_eq(line_at(3 * 1000), 529);
	experiment_close(experiment);
	make(3 * ROWS, 16, ROWS, 512);
	cr_expect_eq(line_at(3 * 600), 521);
}

Test(lines, a_table_has_no_more_rows_than_it_says)
{
	make(3 * ROWS, 16, 2, 5);
	cr_expect_eq(line_at(3), 11);
	cr_expect_eq(line_at(12), 11);
	experiment_close(experiment);
	make(3 * ROWS, 16, 0, 5);
	cr_expect_eq(line_at(3), 0);
}

Test(lines, a_function_without_code_has_none)
{
	struct exp_function none = {.address = ADDRESS, .size = 8, .line_count = 2};

	make(8, 0, 2, 2);
	cr_expect_eq(experiment_function_line(experiment, &none, ADDRESS), 0);
	none.has_text = 1;
	cr_expect_eq(experiment_function_line(experiment, &none, ADDRESS), 10);
	none.text_offset = INT64_MAX;
	cr_expect_eq(experiment_function_line(experiment, &none, ADDRESS), 0);
}

/* Lines from other programs' files are in memory, and each may have its own file. */
Test(lines, rows_in_memory_have_files)
{
	static const struct exp_function_line rows[] = {
		{"/a.c", 2, 5}, {NULL, 4, 6}, {"/b.c", 9, 7}};
	const struct exp_function made = {.address = ADDRESS,
	                                  .size = 16,
	                                  .source = "/main.c",
	                                  .origin = EXP_ORIGIN_JITDUMP,
	                                  .lines = rows,
	                                  .line_count = 3};
	static const struct {
		uint64_t offset;
		unsigned line;
		const char *file;
	} cases[] = {{0, 0, "/main.c"}, {1, 0, "/main.c"}, {2, 5, "/a.c"}, {3, 5, "/a.c"},
	             {4, 6, "/main.c"}, {8, 6, "/main.c"}, {9, 7, "/b.c"}, {15, 7, "/b.c"}};

	make(8, 0, 1, 1);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t pc = ADDRESS + cases[i].offset;

		cr_expect_eq(experiment_function_line(experiment, &made, pc), cases[i].line);
		cr_expect_str_eq(exp_function_file(&made, pc), cases[i].file);
	}
}

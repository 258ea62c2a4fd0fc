/* Tests of all views on the golden experiments: the commands of tests/golden/reports print the
 * texts of tests/golden/expected. */
#include "analyzer/code/disassemble.h"
#include "analyzer/command.h"
#include "tests/unit/analyzer/golden.h"
#include "tests/unit/capture.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <dlfcn.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROWS_MAX = 512, ARGUMENTS_MAX = 256, PARTS = 8 };

/* A row of the table. */
struct row {
	char expectation[64], experiments[64], arguments[ARGUMENTS_MAX];
};

static size_t read_rows(const char *table, struct row rows[ROWS_MAX])
{
	FILE *file = fopen(table, "r");
	char line[512];
	size_t count = 0;

	cr_assert_not_null(file);
	while (fgets(line, sizeof(line), file)) {
		struct row *row = &rows[count];

		if (line[0] == '#')
			continue;
		cr_assert_lt(count, ROWS_MAX);
		cr_assert_eq(sscanf(line, "%63s %63s %255[^\n]", row->expectation, row->experiments,
		                    row->arguments),
		             3, "%s", line);
		count++;
	}
	fclose(file);
	return count;
}

/* The end of a word, which may have blanks in quotes. */
static char *end_of_word(char *word)
{
	while (*word != '\0' && *word != ' ') {
		char *closing = *word == '"' || *word == '\'' ? strchr(word + 1, *word) : NULL;

		word = (closing ? closing : word) + 1;
	}
	return word;
}

/* "-sort name -functions" are the lines "sort name" and "functions". */
static void run_arguments(struct analysis *analysis, const char *arguments)
{
	char copy[ARGUMENTS_MAX], line[ARGUMENTS_MAX] = "", *end;

	strcpy(copy, arguments);
	for (char *word = copy; *word != '\0'; word = end) {
		int is_command = word[0] == '-' && word[1] != '\0' && word[1] != ' ';

		end = end_of_word(word);
		if (*end != '\0')
			*end++ = '\0';
		if (is_command && line[0] != '\0') {
			command_run_line(analysis, line);
			if (analysis->output.is_quit)
				return;
			line[0] = '\0';
		}
		if (line[0] != '\0')
			strcat(line, " ");
		strcat(line, is_command ? word + 1 : word);
	}
	command_run_line(analysis, line);
}

/* The output of the commands, and their exit status; the caller frees it. */
static char *print(const struct row *row, int *status)
{
	struct analysis analysis;
	char names[64], path[72], *rest = names, *name, *text = NULL;
	size_t size;

	strcpy(names, row->experiments);
	analysis_init(&analysis);
	analysis.output.out = open_memstream(&text, &size);
	while ((name = strsep(&rest, ","))) {
		snprintf(path, sizeof(path), "%s.er", name);
		cr_assert_eq(
			dataset_open(&analysis.dataset, &analysis.choices, &analysis.output, path),
			0);
	}
	analysis_set_defaults(&analysis);
	run_arguments(&analysis, row->arguments);
	print_finish(&analysis.output);
	*status = analysis.output.status;
	fclose(analysis.output.out);
	analysis.output.out = stdout;
	analysis_fini(&analysis);
	return text;
}

static void expect(const struct row *row)
{
	char directory[GOLDEN_PATH], *expected = golden_expected(row->expectation), *text, *said;
	struct capture messages;
	int status;

	golden_enter(row->experiments, directory);
	capture_begin(&messages, stderr);
	text = print(row, &status);
	said = capture_end(&messages);
	golden_compare(row->expectation, expected, text, status, said);
	free(said);
	free(text);
	free(expected);
	golden_leave(directory);
}

ParameterizedTestParameters(reports, are_as_expected)
{
	static int parts[PARTS];

	for (int i = 0; i < PARTS; i++)
		parts[i] = i;
	return cr_make_param_array(int, parts, PARTS);
}

ParameterizedTest(int *part, reports, are_as_expected)
{
	static struct row rows[ROWS_MAX];
	size_t count = read_rows("tests/golden/reports", rows);

	cr_assert_gt(count, 100);
	unsetenv("DEBUGINFOD_URLS");
	for (size_t i = (size_t)*part; i < count; i += PARTS)
		expect(&rows[i]);
}

/* Another version prints some instructions differently; without capstone there are none. */
Test(reports, disassembly_is_as_expected)
{
	static struct row rows[ROWS_MAX];
	struct disassembler *disassembler = NULL; /* the first one loads the library */
	int rc = disassembler_create(EM_X86_64, ASSEMBLY_ATT, &disassembler);
	size_t count = read_rows("tests/golden/disassembly", rows);

	if (rc != 0 || !dlopen("libcapstone.so.4", RTLD_LAZY | RTLD_NOLOAD))
		cr_skip_test("xer_print does not use version 4 of capstone");
	disassembler_destroy(disassembler);
	cr_assert_gt(count, 12);
	unsetenv("DEBUGINFOD_URLS");
	for (size_t i = 0; i < count; i++)
		expect(&rows[i]);
}

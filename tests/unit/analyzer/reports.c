/* Tests of all views on the experiments that are kept: what the commands of tests/golden/reports
 * print is what tests/golden/expected says. */
#include "analyzer/command.h"
#include "tests/unit/analyzer/messages.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROWS_MAX = 512, ARGUMENTS_MAX = 256, PARTS = 8 };

/* A row of the table. */
struct row {
	char expectation[64], experiments[64], arguments[ARGUMENTS_MAX];
};

static size_t read_rows(struct row rows[ROWS_MAX])
{
	FILE *file = fopen("tests/golden/reports", "r");
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

/* Copies, as a reader may archive what a killed process could not; in a directory of their own, as
 * reports name the experiment as it was named. */
static void copy_experiments(const struct row *row, char directory[32])
{
	char names[64], command[256], *rest = names, *name;

	strcpy(directory, "/tmp/xer-reports-XXXXXX");
	cr_assert_not_null(mkdtemp(directory));
	strcpy(names, row->experiments);
	while ((name = strsep(&rest, ","))) {
		snprintf(command, sizeof(command), "cp -r tests/golden/%s.er %s/", name, directory);
		cr_assert_eq(system(command), 0);
	}
}

static void remove_copies(const char *directory)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s", directory);
	cr_assert_eq(system(command), 0);
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

/* What the commands print, and their exit status; the caller frees. */
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

static char *read_expected(const struct row *row)
{
	char path[128], *text = calloc(1, 1 << 20);
	FILE *file;

	snprintf(path, sizeof(path), "tests/golden/expected/%s", row->expectation);
	file = fopen(path, "r");
	cr_assert_not_null(file, "%s", path);
	cr_assert_lt(fread(text, 1, (1 << 20) - 1, file), (1 << 20) - 1);
	fclose(file);
	return text;
}

/* In the text of an export stands which program wrote it: without the version. */
static void drop_version(char *text)
{
	static const char name[] = "xer_print " XER_VERSION;

	while ((text = strstr(text, name))) {
		char *end = text + sizeof(name) - 1;

		text += strlen("xer_print");
		memmove(text, end, strlen(end) + 1);
	}
}

/* What they print, then their exit status and messages, as the texts that are kept have it. */
static void expect(const struct row *row, const char *root)
{
	char directory[32], *expected, *text, *messages, *whole;
	int status;

	cr_assert_eq(chdir(root), 0);
	expected = read_expected(row);
	copy_experiments(row, directory);
	cr_assert_eq(chdir(directory), 0);
	messages_begin();
	text = print(row, &status);
	messages = messages_end();
	drop_version(text);
	cr_assert_geq(asprintf(&whole, "%sexit status %d\n%s", text, status, messages), 0);
	cr_expect(strcmp(whole, expected) == 0, "%s: printed is\n%s", row->expectation, whole);
	free(whole);
	free(messages);
	free(text);
	free(expected);
	remove_copies(directory);
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
	size_t count = read_rows(rows);
	char *root = getcwd(NULL, 0);

	cr_assert_gt(count, 100);
	unsetenv("DEBUGINFOD_URLS");
	for (size_t i = (size_t)*part; i < count; i += PARTS)
		expect(&rows[i], root);
	free(root);
}

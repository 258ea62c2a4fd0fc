/* answer.c: see answer.h. */
#include "tests/unit/analyzer/answer.h"
#include "tests/unit/capture.h"

#include "analyzer/command.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void run_lines(struct analysis *analysis, const char *lines)
{
	char *copy = strdup(lines), *rest = copy, *line;

	while ((line = strsep(&rest, "\n")) && !analysis->output.is_quit)
		command_run_line(analysis, line);
	free(copy);
}

struct answer answer_of(const char *path, const char *lines)
{
	struct answer answer = {.text = NULL};
	struct analysis analysis;
	struct capture messages;
	size_t size;
	FILE *out = open_memstream(&answer.text, &size);

	capture_begin(&messages, stderr);
	analysis_init(&analysis);
	analysis.output.out = out;
	if (path)
		cr_assert_eq(
			dataset_open(&analysis.dataset, &analysis.choices, &analysis.output, path),
			0);
	analysis_set_defaults(&analysis);
	run_lines(&analysis, lines);
	print_finish(&analysis.output);
	answer.status = analysis.output.status;
	fclose(out);
	analysis.output.out = stdout;
	analysis_fini(&analysis);
	answer.messages = capture_end(&messages);
	return answer;
}

void answer_fini(struct answer *answer)
{
	free(answer->text);
	free(answer->messages);
}

void answer_check(const char *path, const char *lines, const char *text, const char *messages,
                  int status)
{
	struct answer answer = answer_of(path, lines);

	cr_expect_str_eq(answer.text, text, "%s: prints\n%s", lines, answer.text);
	cr_expect_str_eq(answer.messages, messages, "%s: says\n%s", lines, answer.messages);
	cr_expect_eq(answer.status, status, "%s: ends with %d", lines, answer.status);
	answer_fini(&answer);
}

char *answer_file(const char *path, unsigned long *size)
{
	FILE *file = fopen(path, "r");
	char *text = calloc(1, 1 << 20);

	cr_assert(file != NULL, "%s", path);
	*size = fread(text, 1, (1 << 20) - 1, file);
	cr_assert_lt(*size, (1 << 20) - 1);
	fclose(file);
	return text;
}

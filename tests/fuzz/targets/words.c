/* Text that people and other programs write: expressions, checks, commands, the descriptor,
 * names. */
#include "tests/fuzz/targets/target.h"

#include "analyzer/check/check.h"
#include "analyzer/command.h"
#include "analyzer/filter/expression.h"
#include "analyzer/views/view.h"
#include "format/descriptor.h"
#include "format/lineage.h"
#include "format/xml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One of this many is also run on an experiment, as that takes hundreds of times as long. */
enum { EVALUATED = 8 };

void fuzz_expression(const uint8_t *bytes, size_t size)
{
	char *text = fuzz_text(bytes, size);
	struct expression_error error = {0, ""};
	struct expression *expression = expression_compile(text, &error);

	FUZZ_ASSERT(expression || (error.text[0] != '\0' && error.column >= 1 &&
	                           error.column <= strlen(text) + 1));
	if (expression && fuzz_sum(bytes, size) % EVALUATED == 0) {
		struct analysis *analysis = fuzz_analysis_open("tests/golden/profile.er");

		fuzz_analysis_command(analysis, "filters", text);
		fuzz_analysis_run(analysis, "functions\nheapstat\nsamples");
		fuzz_analysis_close(analysis);
	}
	if (expression)
		expression_destroy(expression);
	free(text);
}

void fuzz_check(const uint8_t *bytes, size_t size)
{
	char *text = fuzz_text(bytes, size), error[CHECK_ERROR_MAX] = "";
	struct check_list list = {NULL, 0, 0};

	int rc = check_parse(text, &list, error);

	FUZZ_ASSERT(rc == 0 || error[0] != '\0');
	check_list_fini(&list);
	if (rc == 0) {
		struct analysis *analysis = fuzz_analysis_open("tests/golden/profile.er");

		fuzz_analysis_run(analysis, "base tests/golden/heap.er");
		fuzz_analysis_command(analysis, "check", text);
		fuzz_analysis_close(analysis);
	}
	free(text);
}

/* Commands that open files for writing, or run other programs, are left out. */
static int is_harmless(const char *line)
{
	static const char *const writers[] = {"export", "instr_map_out", "junit", "trcrpt"};
	char word[64], error[256];
	const struct command *command;
	size_t len;

	line += strspn(line, " \t\r\v\f");
	line += *line == '-';
	len = strcspn(line, " \t\r\v\f#");
	if (len >= sizeof(word))
		return 1;
	memcpy(word, line, len);
	word[len] = '\0';
	command = command_find(word, error, sizeof(error));
	for (size_t i = 0; command && i < sizeof(writers) / sizeof(writers[0]); i++)
		if (strcmp(command->name, writers[i]) == 0)
			return 0;
	return !command || command->need != NEED_CONTROL;
}

/* As lines of an rc file, before an experiment is open; or of a script. */
static void run_commands(const uint8_t *bytes, size_t size, const char *experiment)
{
	struct analysis *analysis = fuzz_analysis_open(experiment);
	char *text = fuzz_text(bytes, size), *rest = text, *line;

	analysis->output.is_rc = !experiment;
	while ((line = strsep(&rest, "\n")))
		if (is_harmless(line))
			command_run_line(analysis, line);
	fuzz_analysis_close(analysis);
	free(text);
}

void fuzz_commands(const uint8_t *bytes, size_t size)
{
	run_commands(bytes, size, NULL);
	run_commands(bytes, size, "tests/golden/heap.er");
}

void fuzz_variable(const uint8_t *bytes, size_t size)
{
	char *text = fuzz_text(bytes, size);
	static struct descriptor first, second;
	static char written[2][DESCRIPTOR_TEXT_MAX + 1024];

	if (descriptor_get(text, &first) == 0) {
		/* What was read can be written, and reads the same. */
		FUZZ_ASSERT(descriptor_put(&first, written[0], sizeof(written[0])) > 0 &&
		            descriptor_get(written[0], &second) == 0);
		FUZZ_ASSERT(descriptor_put(&second, written[1], sizeof(written[1])) > 0 &&
		            strcmp(written[0], written[1]) == 0);
	}
	free(text);
}

void fuzz_names(const uint8_t *bytes, size_t size)
{
	char *text = fuzz_text(bytes, size), escaped[8192];
	struct xml_text out = XML_TEXT(escaped);

	lineage_is_experiment(text);
	xml_put_content(&out, text, strlen(text));
	FUZZ_ASSERT(out.len < sizeof(escaped));
	FUZZ_ASSERT(xml_decode(text) <= size);
	free(text);
}

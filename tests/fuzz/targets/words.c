/* What people and other programs write in words: expressions, checks, commands, the descriptor, names. */
#include "target.h"

#include "analyzer/check.h"
#include "analyzer/command.h"
#include "analyzer/expression.h"
#include "format/descriptor.h"
#include "format/lineage.h"
#include "format/xml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *text_of(const uint8_t *bytes, size_t size)
{
	char *text = malloc(size + 1);

	FUZZ_ASSERT(text != NULL);
	if (size > 0)
		memcpy(text, bytes, size);
	text[size] = '\0';
	return text;
}

void fuzz_expression(const uint8_t *bytes, size_t size)
{
	char *text = text_of(bytes, size);
	struct expression_error error = {0, ""};
	struct expression *expression = expression_compile(text, &error);

	FUZZ_ASSERT(expression != NULL || (error.text[0] != '\0' && error.column >= 1 && error.column <= strlen(text) + 1));
	if (expression != NULL)
		expression_destroy(expression);
	free(text);
}

void fuzz_check(const uint8_t *bytes, size_t size)
{
	char *text = text_of(bytes, size), error[CHECK_ERROR_MAX] = "";
	struct check_list list = {NULL, 0, 0};

	FUZZ_ASSERT(check_parse(text, &list, error) == 0 || error[0] != '\0');
	check_list_fini(&list);
	free(text);
}

/* Commands that open files to write, or that say what no file of settings may, are left out. */
static int is_harmless(const char *line)
{
	char word[64], error[256];
	const struct command *command;
	size_t len;

	line += strspn(line, " \t");
	len = strcspn(line, " \t");
	if (len >= sizeof(word))
		return 1;
	memcpy(word, line, len);
	word[len] = '\0';
	command = command_find(word, error, sizeof(error));
	return command == NULL || (command->need != NEED_CONTROL && command->need <= NEED_NOTHING);
}

void fuzz_commands(const uint8_t *bytes, size_t size)
{
	static FILE *null;
	char *text = text_of(bytes, size), *rest = text, *line;
	struct session session;

	if (null == NULL)
		null = fopen("/dev/null", "w");
	session_init(&session);
	session.out = null;
	session.is_rc = 1;
	while ((line = strsep(&rest, "\n")) != NULL)
		if (is_harmless(line))
			command_run_line(&session, line);
	session.out = stdout;
	session_fini(&session);
	free(text);
}

void fuzz_variable(const uint8_t *bytes, size_t size)
{
	char *text = text_of(bytes, size);
	static struct descriptor first, second;
	static char written[2][DESCRIPTOR_TEXT_MAX + 1024];

	if (descriptor_get(text, &first) == 0) {
		/* What was read can be written, and reads the same. */
		FUZZ_ASSERT(descriptor_put(&first, written[0], sizeof(written[0])) > 0 && descriptor_get(written[0], &second) == 0);
		FUZZ_ASSERT(descriptor_put(&second, written[1], sizeof(written[1])) > 0 && strcmp(written[0], written[1]) == 0);
	}
	free(text);
}

void fuzz_names(const uint8_t *bytes, size_t size)
{
	char *text = text_of(bytes, size), escaped[8192];
	struct xml_text out = XML_TEXT(escaped);

	lineage_is_experiment(text);
	xml_put_content(&out, text, strlen(text));
	FUZZ_ASSERT(out.len < sizeof(escaped));
	FUZZ_ASSERT(xml_decode(text) <= size);
	free(text);
}

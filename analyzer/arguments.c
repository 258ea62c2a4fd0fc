/* arguments.c: see arguments.h. */
#include "analyzer/arguments.h"

#include "analyzer/base/text.h"
#include "analyzer/print/output.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

static int is_number(const char *text)
{
	return text[0] != '\0' && strspn(text, "0123456789") == strlen(text);
}

/* Is this word of the command line an argument that may be left out, and not an experiment or a
 * command? */
static int is_spec(const char *word)
{
	struct metric_list list;
	char error[METRIC_ERROR_MAX];
	struct stat stat_buf;
	size_t len = strlen(word);

	if (word[0] == '-' && metric_list_parse(word + 1, ~0u, &list, error) != 0)
		return 0;
	if (len > 3 && (strcmp(word + len - 3, ".er") == 0 || word[len - 1] == '/'))
		return 0;
	return metric_list_parse(word + (word[0] == '-'), ~0u, &list, error) == 0 ||
	       stat(word, &stat_buf) != 0;
}

/* Is this word of the command line a list of numbers? */
static int is_list(const char *word)
{
	return word[0] >= '0' && word[0] <= '9' && word[strspn(word, "0123456789,-:+")] == '\0';
}

/* A list of threads, as `2:1,3+4:all` or `all`? */
static int is_threads(const char *word)
{
	return ((word[0] >= '0' && word[0] <= '9') || strncasecmp(word, "all", 3) == 0) &&
	       word[strspn(word, "0123456789,-:+alAL")] == '\0';
}

/* Is this word of the command line a range of time, as `1.5-2` or `all`? */
static int is_range(const char *word)
{
	const char *dash = strchr(word, '-');

	if (!dash || dash[1 + strspn(dash + 1, "0123456789.nums")] != '\0')
		return strcasecmp(word, "all") == 0;
	return dash == word ? isdigit((unsigned char)dash[1])
	                    : isdigit((unsigned char)word[0]) &&
	                              word + strspn(word, "0123456789.nums") == dash;
}

/* The number of an experiment, or all of them? */
static int is_id(const char *word)
{
	return is_number(word) || strcasecmp(word, "all") == 0;
}

static const char grain_word[] = "-grain";

/* `-grain 10ms`, then a list. Returns how many words were taken, or -EINVAL. */
static int take_grain(char *const *words, int count, struct command_argument *out)
{
	int taken = 0;

	if (count > 0 && strcmp(words[0], grain_word) == 0) {
		if (count < 2)
			return -EINVAL;
		out->second = words[1];
		taken = 2;
	}
	if (count > taken && is_list(words[taken]))
		out->text = words[taken++];
	return taken;
}

int arguments_take(const struct command *command, char *const *words, int count,
                   struct command_argument *out)
{
	*out = (struct command_argument){.text = NULL};
	switch (command->kind) {
	case ARGUMENT_NONE:
	case ARGUMENT_WORD:
		return 0;
	case ARGUMENT_TEXT:
	case ARGUMENT_SETTING:
	case ARGUMENT_NAME:
		if (count < 1)
			return -EINVAL;
		out->text = words[0];
		if (command->kind != ARGUMENT_NAME || count < 2 || !is_number(words[1]))
			return 1;
		out->number = strtoul(words[1], NULL, 10);
		return 2;
	case ARGUMENT_PAIR:
		if (count < 2)
			return -EINVAL;
		out->text = words[0];
		out->second = words[1];
		return 2;
	case ARGUMENT_SPEC:
		if (count < 1 || !is_spec(words[0]))
			return 0;
		out->text = words[0];
		return 1;
	case ARGUMENT_LIST:
		if (count < 1 || !is_list(words[0]))
			return 0;
		out->text = words[0];
		return 1;
	case ARGUMENT_GRAIN:
		return take_grain(words, count, out);
	case ARGUMENT_RANGE:
		if (count < 1 || !is_range(words[0]))
			return 0;
		out->text = words[0];
		if (count < 2 || !is_threads(words[1]))
			return 1;
		out->second = words[1];
		return 2;
	case ARGUMENT_ID:
		if (count < 1 || !is_id(words[0]))
			return 0;
		out->text = words[0];
		out->number = strtoul(words[0], NULL, 10);
		return 1;
	}
	return 0;
}

/* ---- in a line ---- */

/* Remove a number from the end of "NAME N"; a name alone may be a number. */
static void split_number(struct command_argument *argument, char *text)
{
	char *blank = strpbrk(text, " \t");

	for (char *next = blank; next; next = strpbrk(next + 1, " \t"))
		blank = next;
	argument->text = text;
	if (!blank || !is_number(blank + 1))
		return;
	argument->number = strtoul(blank + 1, NULL, 10);
	*blank = '\0';
	argument->text = text_trim(text);
}

/* Part "-grain LENGTH LIST", of which each may be left out. */
static void split_grain(struct command_argument *argument, char *text)
{
	size_t len = sizeof(grain_word) - 1;
	char *blank;

	argument->text = text;
	if (strncmp(text, grain_word, len) != 0 ||
	    (text[len] != '\0' && !isblank((unsigned char)text[len])))
		return;
	argument->second = text = text_trim(text + len);
	blank = strpbrk(text, " \t");
	argument->text = blank ? text_trim(blank + 1) : NULL;
	if (blank)
		*blank = '\0';
}

/* Part "FIRST SECOND", where SECOND may be left out. */
static void split_range(struct command_argument *argument, char *text)
{
	char *blank = strpbrk(text, " \t");

	argument->text = text;
	if (!blank)
		return;
	*blank = '\0';
	argument->second = text_trim(blank + 1);
}

/* Part "FIRST SECOND". Returns 0 or -EINVAL. */
static int split_pair(struct command_argument *argument, char *text)
{
	char *blank = strpbrk(text, " \t");

	if (!blank)
		return -EINVAL;
	*blank = '\0';
	argument->text = text;
	argument->second = text_trim(blank + 1);
	return 0;
}

int arguments_read(struct output *output, const struct command *command, char *text,
                   struct command_argument *out)
{
	size_t len;
	int is_quoted;

	text = text_trim(text);
	len = strlen(text);
	*out = (struct command_argument){.text = NULL};
	is_quoted = len >= 2 && (text[0] == '"' || text[0] == '\'') &&
	            strchr(text + 1, text[0]) == text + len - 1;
	if (is_quoted) {
		text[len - 1] = '\0';
		text++;
	}
	if (*text == '\0' && is_quoted && command->kind == ARGUMENT_TEXT) {
		out->text = text; /* empty, as on the command line */
		return 0;
	}
	if (*text == '\0') {
		if (command->kind != ARGUMENT_TEXT && command->kind != ARGUMENT_NAME)
			return 0;
		output_fail(output, EXIT_USAGE, "%s: needs %s", command->name,
		            command->argument_text);
		return -EINVAL;
	}
	if (command->kind == ARGUMENT_NONE || (command->kind == ARGUMENT_ID && !is_id(text))) {
		output_fail(output, EXIT_USAGE, "%s: unexpected '%.64s'", command->name, text);
		return -EINVAL;
	}
	if (command->kind == ARGUMENT_PAIR && split_pair(out, text) != 0) {
		output_fail(output, EXIT_USAGE, "%s: needs %s", command->name,
		            command->argument_text);
		return -EINVAL;
	}
	if (command->kind == ARGUMENT_PAIR)
		return 0;
	if (command->kind == ARGUMENT_NAME)
		split_number(out, text);
	else if (command->kind == ARGUMENT_GRAIN)
		split_grain(out, text);
	else if (command->kind == ARGUMENT_RANGE)
		split_range(out, text);
	else
		out->text = text;
	if (command->kind == ARGUMENT_ID)
		out->number = strtoul(text, NULL, 10);
	return 0;
}

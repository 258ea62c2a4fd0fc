/* command.c: from words to commands. */
#include "analyzer/command.h"

#include "analyzer/groups.h"
#include "analyzer/manual/manual.h"
#include "analyzer/model/datakind.h"
#include "analyzer/print/print.h"
#include "analyzer/rc.h"
#include "analyzer/script.h"
#include "analyzer/base/memory.h"
#include "format/nearest.h"
#include "analyzer/base/terminal.h"
#include "analyzer/views/view.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

static const struct command commands[] = {
#define GROUP(heading)
#define COMMAND(name, alias, argument, need, function, argument_text, help) \
	{name, alias, ARGUMENT_##argument, NEED_##need, NULL, function, argument_text, help},
#define VIEW(name, alias, argument, need, function, argument_text, help) \
	{name, alias, ARGUMENT_##argument, NEED_##need, function, NULL, argument_text, help},
#include "analyzer/views/command.def"
};
enum { COMMANDS = sizeof(commands) / sizeof(commands[0]), HELP_COLUMNS = 100 };

const char *command_name(size_t index, const char **alias)
{
	if (index >= COMMANDS)
		return NULL;
	*alias = commands[index].alias;
	return commands[index].name;
}

static int is_exact(const struct command *command, const char *word)
{
	return strcasecmp(command->name, word) == 0 ||
	       (command->alias && strcasecmp(command->alias, word) == 0);
}

static int is_prefix(const struct command *command, const char *word)
{
	size_t len = strlen(word);

	return len != 0 && (strncasecmp(command->name, word, len) == 0 ||
	                    (command->alias && strncasecmp(command->alias, word, len) == 0));
}

static const char *nearest(const char *word)
{
	const char *names[2 * COMMANDS];
	size_t count = 0;

	for (size_t i = 0; i < COMMANDS; i++) {
		names[count++] = commands[i].name;
		if (commands[i].alias)
			names[count++] = commands[i].alias;
	}
	return nearest_of(word, names, count);
}

static void list_matches(const char *word, char *error, size_t size)
{
	int len = snprintf(error, size, "'%.64s' is ambiguous:", word);

	for (size_t i = 0; i < COMMANDS && len > 0 && (size_t)len < size; i++)
		if (is_prefix(&commands[i], word))
			len += snprintf(error + len, size - (size_t)len, " %s", commands[i].name);
}

const struct command *command_find(const char *word, char *error, size_t size)
{
	const struct command *found = NULL;
	size_t count = 0;
	const char *guess;

	for (size_t i = 0; i < COMMANDS; i++) {
		if (is_exact(&commands[i], word))
			return &commands[i];
		if (is_prefix(&commands[i], word)) {
			found = &commands[i];
			count++;
		}
	}
	if (count == 1)
		return found;
	if (count > 1) {
		list_matches(word, error, size);
		return NULL;
	}
	guess = nearest(word);
	if (guess)
		snprintf(error, size, "unknown command '%.64s' (did you mean '%s'?)", word, guess);
	else
		snprintf(error, size, "unknown command '%.64s' (help lists the commands)", word);
	return NULL;
}

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

int command_take_words(const struct command *command, char *const *words, int count,
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

/* The kind of data that a command needs and the dataset does not have; NULL: it may run. */
static const struct datakind *find_missing(const struct analysis *analysis, enum command_need need)
{
	if (need < NEED_KIND || analysis->dataset.have & 1u << (need - NEED_KIND))
		return NULL;
	return &datakinds[need - NEED_KIND];
}

void command_run(struct analysis *analysis, const struct command *command,
                 const struct command_argument *argument)
{
	const struct datakind *missing;

	if (command->need > NEED_CONTROL && analysis->output.is_rc) {
		output_fail(&analysis->output, EXIT_USAGE, "%s: an rc file holds settings only",
		            command->name);
		return;
	}
	if (command->need > NEED_CONTROL && analysis->dataset.count == 0) {
		output_fail(&analysis->output, EXIT_USAGE,
		            "%s: no experiment is open (open_exp EXPERIMENT opens one)",
		            command->name);
		return;
	}
	if (command->need > NEED_CONTROL)
		dataset_load(&analysis->dataset, &analysis->output);
	missing = find_missing(analysis, command->need);
	if (missing) {
		output_fail(&analysis->output, EXIT_TROUBLE,
		            "%s: no %s data (record with xcollect %s)", command->name,
		            missing->name, missing->option);
		return;
	}
	/* Where output goes may change, and scripts run other commands: not inside a document. */
	if (command->need != NEED_CONTROL)
		print_begin(&analysis->output, command->name);
	groups_run(analysis, command, argument);
	memory_check();
	if (command->need != NEED_CONTROL)
		print_end(&analysis->output);
}

static char *trim(char *text)
{
	size_t len;

	text += strspn(text, " \t\r\n");
	len = strlen(text);
	while (len > 0 && isspace((unsigned char)text[len - 1]))
		len--;
	text[len] = '\0';
	return text;
}

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
	argument->text = trim(text);
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
	argument->second = text = trim(text + len);
	blank = strpbrk(text, " \t");
	argument->text = blank ? trim(blank + 1) : NULL;
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
	argument->second = trim(blank + 1);
}

/* Part "FIRST SECOND". Returns 0 or -EINVAL. */
static int split_pair(struct command_argument *argument, char *text)
{
	char *blank = strpbrk(text, " \t");

	if (!blank)
		return -EINVAL;
	*blank = '\0';
	argument->text = text;
	argument->second = trim(blank + 1);
	return 0;
}

/* What follows the command in a line. Quotes around all of it are removed, if there are no
 * others. */
static int read_argument(struct analysis *analysis, const struct command *command, char *text,
                         struct command_argument *out)
{
	size_t len;
	int is_quoted;

	text = trim(text);
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
		output_fail(&analysis->output, EXIT_USAGE, "%s: needs %s", command->name,
		            command->argument_text);
		return -EINVAL;
	}
	if (command->kind == ARGUMENT_NONE || (command->kind == ARGUMENT_ID && !is_id(text))) {
		output_fail(&analysis->output, EXIT_USAGE, "%s: unexpected '%.64s'", command->name,
		            text);
		return -EINVAL;
	}
	if (command->kind == ARGUMENT_PAIR && split_pair(out, text) != 0) {
		output_fail(&analysis->output, EXIT_USAGE, "%s: needs %s", command->name,
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

/* `#` begins a comment at the start of a line or after a blank: "operator#" is a name. Inside of
 * quotes it does not. */
static void cut_comment(char *line)
{
	for (char *at = line; *at != '\0'; at++) {
		char *closing = *at == '"' || *at == '\'' ? strchr(at + 1, *at) : NULL;

		if (closing)
			at = closing;
		if (*at == '#' && (at == line || isblank((unsigned char)at[-1]))) {
			*at = '\0';
			return;
		}
	}
}

void command_run_line(struct analysis *analysis, char *line)
{
	const struct command *command;
	struct command_argument argument;
	char error[512];
	char *start = line, *rest;
	const char *shower, *own;

	cut_comment(line);
	line = trim(line);
	analysis->output.place.column = (size_t)(line - start) + 1;
	if (*line == '-') /* as on the command line */
		line++;
	if (*line == '\0')
		return;
	rest = line + strcspn(line, " \t");
	if (*rest != '\0')
		*rest++ = '\0';
	shower = view_own_index(&analysis->dataset, line, &own);
	if (shower) { /* with all that the command checks */
		argument = (struct command_argument){.text = own};
		command_run(analysis, command_find(shower, error, sizeof(error)), &argument);
		return;
	}
	command = command_find(line, error, sizeof(error));
	if (!command) {
		output_fail(&analysis->output, EXIT_USAGE, "%s", error);
		return;
	}
	analysis->output.place.column = (size_t)(rest + strspn(rest, " \t") - start) + 1;
	if (read_argument(analysis, command, rest, &argument) != 0)
		return;
	if (argument.text)
		analysis->output.place.column = (size_t)(argument.text - start) + 1;
	command_run(analysis, command, &argument);
}

static void put_command(const struct command *command, FILE *out)
{
	char usage[80];

	snprintf(usage, sizeof(usage), "%s%s%s%s%s%s", command->name, command->alias ? "[" : "",
	         command->alias ? command->alias : "", command->alias ? "]" : "",
	         command->argument_text[0] ? " " : "", command->argument_text);
	fprintf(out, "  %-32s %s\n", usage, command->help);
}

void command_help(FILE *out)
{
	size_t at = 0;

	fputs("Any unambiguous beginning of a command will do; another spelling stands in [].\n",
	      out);
#define GROUP(heading) fprintf(out, "\n%s:\n", heading);
#define COMMAND(name, alias, argument, need, function, argument_text, help) \
	put_command(&commands[at++], out);
#define VIEW COMMAND
#include "analyzer/views/command.def"
}

/* A command and what the manual says of it, or a section of the manual. */
void view_help(struct analysis *analysis, const struct command_argument *argument)
{
	const struct command *command;
	FILE *out = analysis->output.out;
	size_t columns = terminal_columns(out);
	char error[512];

	if (!argument->text) {
		command_help(out);
		return;
	}
	columns = columns == 0 || columns > HELP_COLUMNS ? HELP_COLUMNS : columns;
	command = command_find(argument->text, error, sizeof(error));
	if (command) {
		put_command(command, out);
		manual_put(command->name, columns, out);
	} else if (manual_put(argument->text, columns, out) != 0) {
		output_fail(&analysis->output, EXIT_USAGE, "help: %s", error);
	}
}

/* ---- commands that run commands ---- */

void view_script(struct analysis *analysis, const struct command_argument *argument)
{
	script_run(analysis, command_run_line, argument->text);
}

void view_rc(struct analysis *analysis, const struct command_argument *argument)
{
	if (strcasecmp(argument->text, "off") != 0)
		rc_read(analysis, command_run_line, argument->text);
}

/* command.c: from words to commands. */
#include "analyzer/command.h"

#include "analyzer/arguments.h"
#include "analyzer/groups.h"
#include "analyzer/manual/manual.h"
#include "analyzer/model/datakind.h"
#include "analyzer/print/print.h"
#include "analyzer/rc.h"
#include "analyzer/script.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "format/nearest.h"
#include "analyzer/base/terminal.h"
#include "analyzer/views/view.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

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

/* The kind of data that a command needs and the dataset does not have; NULL: it may run. */
static const struct datakind *find_missing(const struct analysis *analysis, enum command_need need)
{
	if (need < NEED_KIND || analysis->dataset.have & 1u << (need - NEED_KIND))
		return NULL;
	return &datakinds[need - NEED_KIND];
}

/* What a process has used that was sampled from outside is known by its samples alone. */
static int is_known_by_events(const struct dataset *dataset)
{
	for (size_t i = 0; i < dataset->count; i++)
		if (dataset->experiments[i].info->outside)
			return 1;
	return 0;
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
	if (command->need > NEED_LIST ||
	    (command->need == NEED_LIST && is_known_by_events(&analysis->dataset)))
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
	line = text_trim(line);
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
	if (arguments_read(&analysis->output, command, rest, &argument) != 0)
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

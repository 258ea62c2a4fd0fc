/* command.h: the table of commands, and how a command is found and run.
 *
 * Names are compared without regard to case; an unambiguous beginning is enough. */
#ifndef XER_ANALYZER_COMMAND_H
#define XER_ANALYZER_COMMAND_H

#include "analyzer/views/view.h"

#include <stddef.h>

enum command_argument_kind {
	ARGUMENT_NONE,
	ARGUMENT_TEXT,
	ARGUMENT_SPEC,
	ARGUMENT_NAME,
	ARGUMENT_ID,
	ARGUMENT_WORD,
	ARGUMENT_SETTING,
	ARGUMENT_PAIR,
	ARGUMENT_LIST,
	ARGUMENT_GRAIN,
	ARGUMENT_RANGE
};
enum command_need {
	NEED_NOTHING,
	NEED_CONTROL,
	NEED_LIST,
	NEED_EXPERIMENT,
	NEED_KIND, /* and the number of a kind of data */
#define DATAKIND(id, number, ...) NEED_##id = NEED_KIND + (number),
#include "format/datakind.def"
};

struct command {
	const char *name, *alias;
	enum command_argument_kind kind;
	enum command_need need;
	/* One of the two: what shows something, or what may change the analysis. */
	void (*show)(const struct dataset *dataset, const struct choices *choices,
	             struct output *output, const struct command_argument *argument);
	void (*run)(struct analysis *analysis, const struct command_argument *argument);
	const char *argument_text, *help;
};

/* Find a command. Returns it; or NULL with the reason in error[size], for example
 * "unknown command 'functons' (did you mean 'functions'?)". */
const struct command *command_find(const char *word, char *error, size_t size);

/* Name and other spelling (NULL: none) of the index-th command of the table; NULL behind the last.
 */
const char *command_name(size_t index, const char **alias);

/* Run a command: check what it needs, then call its function. */
void command_run(struct analysis *analysis, const struct command *command,
                 const struct command_argument *argument);

/* Run a line of a script; blanks, `#` comments and empty lines are ignored; the line is changed. */
void command_run_line(struct analysis *analysis, char *line);

/* Print the list of commands, by group. */
void command_help(FILE *out);

#endif

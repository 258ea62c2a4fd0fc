/* view.h: one function for each command; the table in command.def says what each prints. */
#ifndef XER_ANALYZER_VIEWS_VIEW_H
#define XER_ANALYZER_VIEWS_VIEW_H

#include "analyzer/views/analysis.h"

/* What follows a command. */
struct command_argument {
	const char *text;     /* NULL if not given */
	const char *second;   /* of a pair */
	unsigned long number; /* 0 if not given */
};

#define GROUP(heading)
#define COMMAND(name, alias, argument, need, function, argument_text, help) \
	void function(struct analysis *analysis, const struct command_argument *argument);
#define VIEW(name, alias, argument, need, function, argument_text, help) \
	void function(const struct dataset *dataset, const struct choices *choices, \
	              struct output *output, const struct command_argument *argument);
#include "analyzer/views/command.def"

/* Is there a command of this name, or with this other spelling? */
int view_is_command(const char *name);

/* Print a setting. Machine-readable forms do not have settings. */
void view_put_setting(struct output *output, const char *what, const char *value);

/* Walk over the experiments that a command with an optional number means: that one, or all selected
 * ones. `at` is NULL at first. Returns NULL at the end, or after a message if no experiment has
 * that number. */
const struct dataset_experiment *view_next_experiment(const struct dataset *dataset,
                                                      struct output *output, const char *command,
                                                      const struct command_argument *argument,
                                                      const struct dataset_experiment *at);

/* What would have recorded a program that an event reports as not recorded: text to add to the
 * reason, "" if there is nothing. */
const char *view_remedy(const struct dataset_experiment *at, const struct exp_event *event);

/* The command that shows the user's index object or memory object with exactly this name, in any
 * case: "indxobj" or "memobj", and its name in *own. NULL: there is none. */
const char *view_own_index(const struct dataset *dataset, const char *name, const char **own);

/* If function tracing was on and no traceable function was called: say how code must be
 * compiled. */
void view_put_untraced(const struct dataset *dataset, struct output *output);

/* Add the table of the experiments to the document. */
void view_add_experiments(const struct dataset *dataset, struct output *output);

#endif

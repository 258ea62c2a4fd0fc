/* view.h: one function for each command; the table in command.def says what each prints. */
#ifndef XER_ANALYZER_VIEWS_VIEW_H
#define XER_ANALYZER_VIEWS_VIEW_H

#include "analyzer/command.h"

#define GROUP(heading)
#define COMMAND(name, alias, argument, need, function, argument_text, help) \
	void function(struct session *session, const struct command_argument *argument);
#include "analyzer/views/command.def"

/* Say what a setting is. Forms for programs have no word of settings. */
void view_put_setting(struct session *session, const char *what, const char *value);

/* Walk over the experiments that a command with an optional number means: that one, or all selected
 * ones. `at` is NULL at first. Returns NULL at the end, or after a message if there is none of that
 * number. */
const struct session_experiment *view_next_experiment(struct session *session, const char *command,
                                                      const struct command_argument *argument,
                                                      const struct session_experiment *at);

/* Has the tree of an experiment a process of this lineage (NULL: of none) that was sampled from
 * outside? */
int view_is_outside(const struct session *session, const struct session_experiment *at,
                    const char *lineage);

/* What would have shown a program that an event tells was not recorded: text to go behind the
 * reason, "" if there is none. */
const char *view_remedy(const struct session_experiment *at, const struct exp_event *event);

/* Show the index object or memory object of the user's that has exactly this name. Returns 0 if
 * there is none. */
int view_own_index(struct session *session, const char *name);

/* The item called `argument->text` in the tree of functions; of several, the argument->number-th.
 * Says so and returns TREE_NONE if there is none or the number is missing. */
uint32_t view_pick_function(struct session *session, const char *command,
                            const struct command_argument *argument);

/* Where function tracing was on and no function was called that could be traced: say what code
 * needs for that. */
void view_put_untraced(struct session *session);

/* Add the table of the experiments to the document. */
void view_add_experiments(struct session *session);

#endif

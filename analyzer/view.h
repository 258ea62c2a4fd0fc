/* view.h: one function for each command; the table in command.def says what each prints. */
#ifndef XER_ANALYZER_VIEW_H
#define XER_ANALYZER_VIEW_H

#include "analyzer/command.h"

#define GROUP(heading)
#define COMMAND(name, alias, argument, need, function, argument_text, help) \
	void function(struct session *session, const struct command_argument *argument);
#include "command.def"

/* The item called `argument->text` in the tree of functions; of several, the argument->number-th.
 * Says so and returns TREE_NONE if there is none or the number is missing. */
uint32_t view_pick_function(struct session *session, const char *command,
			    const struct command_argument *argument);

#endif

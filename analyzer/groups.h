/* groups.h: commands that do not handle groups, in a comparison. */
#ifndef XER_ANALYZER_GROUPS_H
#define XER_ANALYZER_GROUPS_H

#include "analyzer/command.h"

/* Run a command: once; or, if it is in compare.def and several groups are compared, for each of
 * them, as described there. */
void groups_run(struct analysis *analysis, const struct command *command,
                const struct command_argument *argument);

#endif

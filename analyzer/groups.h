/* groups.h: commands that know nothing of groups, in a comparison. */
#ifndef XER_ANALYZER_GROUPS_H
#define XER_ANALYZER_GROUPS_H

#include "analyzer/command.h"

/* Run a command: once, or if it is in compare.def and several groups are compared, for each of
 * them, as is told there. */
void groups_run(struct analysis *analysis, const struct command *command,
                const struct command_argument *argument);

#endif

/* compare_beside.h: comparisons of what has no rows of metrics: facts and statistics, side by side.
 */
#ifndef XER_ANALYZER_REPORT_COMPARE_BESIDE_H
#define XER_ANALYZER_REPORT_COMPARE_BESIDE_H

#include "analyzer/command.h"
#include "analyzer/data/session.h"

/* Run `put`, which makes tables (print.h), for each compared group, and print what it made with
 * columns for all of them: a record has a line a fact; of other tables print_describe says which
 * rows are one. A number that a group has no row for is 0. */
void compare_beside(struct session *session, void (*put)(struct session *session));

/* The same with a command of compare.def, whose output is nothing but tables and notes. */
void compare_beside_command(struct session *session, const struct command *command,
                            const struct command_argument *argument);

#endif

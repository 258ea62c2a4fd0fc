/* arguments.h: what stands behind a command, in words of the command line or in a line of a script.
 */
#ifndef XER_ANALYZER_ARGUMENTS_H
#define XER_ANALYZER_ARGUMENTS_H

#include "analyzer/command.h"

/* Take the arguments of `command` from words[count], the words behind it on the command line.
 * Returns how many were taken, or -EINVAL (a required one is missing). */
int arguments_take(const struct command *command, char *const *words, int count,
                   struct command_argument *out);

/* Read them from the rest of a line, which is changed, and must live as long as they do. Quotes
 * around all of it are removed, if there are no others. Returns 0; or -EINVAL, and the output has
 * the reason. */
int arguments_read(struct output *output, const struct command *command, char *text,
                   struct command_argument *out);

#endif

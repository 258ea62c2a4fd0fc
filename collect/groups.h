/* groups.h: groups of hooks that a user has given names: a text file in the user's configuration.
 *
 * A line of the file is NAME LIST DESCRIPTION, separated by blanks; # begins a comment. It is XDG_CONFIG_HOME/xer/groups, or
 * .config/xer/groups in the home directory. */
#ifndef XER_COLLECT_GROUPS_H
#define XER_COLLECT_GROUPS_H

#include "cause.h"

#include <stddef.h>
#include <stdio.h>

/* The list of hooks of the group name[len] into out[size]. Returns 0, -ENOENT or -E2BIG. */
int groups_find(const char *name, size_t len, char *out, size_t size);

/* Define the group of "NAME:LIST[:DESCRIPTION]" anew; delete one. Return 0, or the exit status with `cause`. */
int groups_define(const char *text, struct cause *cause);
int groups_delete(const char *name, struct cause *cause);

/* Print all of them as `name - description (user) "list"`. Returns 0, or the exit status with `cause`. */
int groups_list(FILE *to, struct cause *cause);

#endif

/* groups.h: the commands for the groups of hooks of groupfile.h. */
#ifndef XER_COLLECT_GROUPS_H
#define XER_COLLECT_GROUPS_H

#include "collect/base/cause.h"

#include <stdio.h>

/* Define the group of "NAME:LIST[:DESCRIPTION]", again if there is one; delete one. Return 0, or
 * the exit status with `cause`. */
int groups_define(const char *text, struct cause *cause);
int groups_delete(const char *name, struct cause *cause);

/* Print all of them as `name - description (user) "list"`. Returns 0, or the exit status with
 * `cause`. */
int groups_list(FILE *to, struct cause *cause);

#endif

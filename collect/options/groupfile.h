/* groupfile.h: groups of hooks that a user has given names: a text file in the user's
 * configuration.
 *
 * A line of the file is NAME LIST DESCRIPTION, separated by blanks; # begins a comment. It is
 * XDG_CONFIG_HOME/xer/groups, or .config/xer/groups in the home directory. */
#ifndef XER_COLLECT_OPTIONS_GROUPFILE_H
#define XER_COLLECT_OPTIONS_GROUPFILE_H

#include "collect/options/hooks.h"

#include <stddef.h>
#include <stdio.h>

enum { GROUPFILE_LINE = HOOKS_TEXT + 512 };

/* One line of the file. `text` is the line, cut into the others. */
struct group {
	char text[GROUPFILE_LINE];
	const char *name, *hooks, *description;
};

/* The path of the file into out[PATH_MAX] with "/groups" for `last`, of its directory with "".
 * Returns 0 or -errno. */
int groupfile_path(const char *last, char *out);

/* The file, NULL if there is none; the caller closes it. */
FILE *groupfile_open(void);

/* The next group of the file. Returns 1, or 0 at its end. */
int groupfile_next(FILE *file, struct group *group);

/* The list of hooks of the group name[len] into out[size]. Returns 0, -ENOENT or -E2BIG. */
int groupfile_find(const char *name, size_t len, char *out, size_t size);

#endif

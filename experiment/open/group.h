/* group.h: experiment groups: text files that name experiments. */
#ifndef XER_EXPERIMENT_OPEN_GROUP_H
#define XER_EXPERIMENT_OPEN_GROUP_H

#include "experiment/experiment.h"

/* The first line of a group file is FMT_GROUP_HEAD. Then come the experiments, one path a line,
 * relative ones from the directory of the file; lines that are empty or begin with `#` mean
 * nothing. */

/* True if `path` ends like a group file and is no directory. */
int experiment_group_is(const char *path);

/* Called for the experiments of a group: `path` (borrowed for the call) as it can be opened, and
 * the number of its line. Returns 0, or another value if that line is bad. */
struct exp_group_reader {
	int (*member)(void *context, const char *path, unsigned line);
	void *context;
	struct exp_reporter reporter; /* told of lines that are no paths */
};

/* Read the group file at `path`. Returns the number of bad lines; or -ENOENT, -EBADMSG (not a
 * group) or another -errno, with `cause` saying so for a person. */
int experiment_group_read(const char *path, const struct exp_group_reader *reader,
                          struct exp_cause *cause);

#endif

/* experiment.h: choose, make and remove experiment directories. */
#ifndef XER_COLLECT_EXPERIMENT_EXPERIMENT_H
#define XER_COLLECT_EXPERIMENT_EXPERIMENT_H

#include "collect/base/cause.h"
#include "collect/options/options.h"

#include <limits.h>

struct experiment_directory {
	char name[PATH_MAX]; /* as shown to the user */
	char path[PATH_MAX]; /* absolute */
	int fd;              /* the open directory, -1 if it was not made */
};

/* Create the directory that `request` asks for, with `archives` in it, or, for a dry run, only
 * choose its name. Returns 0, or 125 with `cause`. Close with experiment_close. */
int experiment_create(const struct request *request, struct experiment_directory *out,
                      struct cause *cause);

/* Delete the directory that experiment_create made. */
void experiment_remove(struct experiment_directory *experiment);
void experiment_close(struct experiment_directory *experiment);

/* Make the file `name` in the experiment with bytes[size], whole or not at all.
 * Returns 0 or -errno; -EFBIG where the limit of file sizes is too low. */
int experiment_put_file(const struct experiment_directory *experiment, const char *name,
                        const char *bytes, size_t size);

#endif

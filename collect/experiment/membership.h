/* membership.h: experiment groups (-g): text files that name experiments, see
 * experiment/open/group.h.
 */
#ifndef XER_COLLECT_EXPERIMENT_MEMBERSHIP_H
#define XER_COLLECT_EXPERIMENT_MEMBERSHIP_H

#include "collect/experiment/experiment.h"

#include <sys/types.h>

/* What membership_add did. */
struct membership {
	int fd;              /* the group file, -1: nothing was added */
	off_t before, after; /* its sizes */
};

/* See whether the file `name` is, or can become, a group. Returns 0, or 125 with `cause`. */
int membership_check(const char *name, struct cause *cause);

/* Append the experiment to the group, which is created if it is missing, while no other program
 * does so: by its name only if they are in the same directory, else by its absolute path. Returns
 * 0, or 125 with `cause`. Close with membership_withdraw; an exec closes the file, too. */
int membership_add(const char *name, const struct experiment_directory *experiment,
                   struct membership *out, struct cause *cause);

/* Nothing will be recorded: remove the line again, unless others have added theirs after it. */
void membership_withdraw(struct membership *membership);

#endif

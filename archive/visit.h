/* visit.h: open what the command line names, one experiment after the other. */
#ifndef XER_ARCHIVE_VISIT_H
#define XER_ARCHIVE_VISIT_H

#include "experiment/experiment.h"

enum { EXIT_DONE = 0, EXIT_PROBLEM = 1, EXIT_USAGE = 2 };

struct visit {
	/* Called for each experiment. Returns an exit status. */
	int (*experiment)(void *context, struct experiment *experiment);
	void *context;
	int founders_only;            /* not their descendants */
	struct exp_reporter reporter; /* told of faults in experiments */
	struct exp_reporter failures; /* told of what cannot be opened */
};

/* Visit the experiment at `path` and its descendants, or those of a group file. Returns the worst
 * exit status. */
int visit_path(const struct visit *visit, const char *path);

#endif

/* critsum.h: the time of a critical path by function. */
#ifndef XER_ANALYZER_VIEWS_TIME_CRITSUM_H
#define XER_ANALYZER_VIEWS_TIME_CRITSUM_H

#include "analyzer/model/choices.h"
#include "analyzer/views/time/critpath.h"

struct crit_sum_row {
	const char *state; /* "running", "ready", or a name of enum fmt_wall_state */
	char *name;        /* "compute", "usleep <- slow_sync" */
	uint64_t ns;
};

struct crit_sum {
	struct crit_sum_row *rows; /* rows[count], the most time first */
	size_t count, capacity;
};

/* Clock samples tell what ran; time without samples is in a row of its own. Reads the samples of
 * the experiments on the path. Returns 0, then crit_sum_fini frees; or -ENOMEM. */
int crit_sum_make(const struct dataset *dataset, const struct choices *choices,
                  const struct crit_waits *waits, const struct crit_path *path,
                  struct crit_sum *out);
void crit_sum_fini(struct crit_sum *sum);

#endif

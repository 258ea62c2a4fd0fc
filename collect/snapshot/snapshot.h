/* snapshot.h: xcollect --snapshot: copy what is recorded of a running process, and of the tree of
 * processes that it is in, into an experiment of its own. The processes are not touched.
 * See doc/decisions/105-snapshots.md. */
#ifndef XER_COLLECT_SNAPSHOT_SNAPSHOT_H
#define XER_COLLECT_SNAPSHOT_SNAPSHOT_H

#include "collect/experiment/environment.h"
#include "collect/machine/clock.h"
#include "collect/options/options.h"

/* Make it, archive it, and say so. Returns 0, or 125 to 127 with `cause`; nothing is left then. */
int snapshot_make(const struct installation *installation, const struct request *request,
                  struct clock_source *clock, struct cause *cause);

#endif

/* directory.h: the experiment directory of a descendant, made by itself. */
#ifndef XER_LIBCOLLECTOR_PROCESS_DIRECTORY_H
#define XER_LIBCOLLECTOR_PROCESS_DIRECTORY_H

#include "libcollector/base/moment.h"

/* Create the directory of this process, named by its lineage, with log.xml, whose recording began
 * at `start`, and open it. If the name is taken, the number in the lineage is increased. Returns 0
 * or -errno. Signal-safe. */
int directory_make(const struct process_moment *start);

/* Note in log.xml that the recording began at `start`. Signal-safe. */
void directory_log_open(const struct process_moment *start);

/* Make its map.xml. Returns 0 or -errno. Signal-safe. */
int directory_make_map(void);

#endif

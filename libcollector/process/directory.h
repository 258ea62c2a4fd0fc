/* directory.h: the experiment directory of a descendant, made by itself. */
#ifndef XER_LIBCOLLECTOR_PROCESS_DIRECTORY_H
#define XER_LIBCOLLECTOR_PROCESS_DIRECTORY_H

#include <stdint.h>

/* A moment on all clocks. */
struct process_moment {
	uint64_t ticks, raw_ns, real_ns, mono_ns;
};

/* Now. Signal-safe. */
struct process_moment process_moment_now(void);

/* Make the directory of this process, named by its lineage, with log.xml, whose recording began at
 * `start`, and open it. If the name is taken, the lineage is counted up. Returns 0 or -errno.
 * Signal-safe. */
int directory_make(const struct process_moment *start);

/* Make its map.xml. Returns 0 or -errno. Signal-safe. */
int directory_make_map(void);

#endif

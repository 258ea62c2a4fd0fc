/* birth.h: the experiment directory of a descendant, made by itself. */
#ifndef XER_COLLECTOR_BIRTH_H
#define XER_COLLECTOR_BIRTH_H

#include <stdint.h>

/* A moment on all clocks. */
struct birth_moment {
	uint64_t ticks, raw_ns, real_ns, mono_ns;
};

/* Now. Signal-safe. */
struct birth_moment birth_now(void);

/* Make the directory of this process, named by its lineage, with log.xml, whose recording began at
 * `start`, and open it. If the name is taken, the lineage is counted up. Returns 0 or -errno.
 * Signal-safe. */
int birth_make(const struct birth_moment *start);

/* Make its map.xml. Returns 0 or -errno. Signal-safe. */
int birth_make_map(void);

#endif

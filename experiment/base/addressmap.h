/* addressmap.h: the load objects of an experiment by their addresses. */
#ifndef XER_EXPERIMENT_BASE_ADDRESSMAP_H
#define XER_EXPERIMENT_BASE_ADDRESSMAP_H

#include "experiment/base/internal.h"

/* An object with what the reader alone needs. */
struct exp_map_object {
	uint64_t id;
	struct exp_object object;
};

/* Make the experiment's table of objects, to be looked up by address. Returns 0 or -ENOMEM.
 */
int exp_map_index(struct experiment *experiment, const struct exp_map_object *objects,
                  size_t count);

/* Does the object have addresses in common with one of the table, whatever the generations? */
int exp_map_overlaps(const struct experiment *experiment, const struct exp_object *object);

#endif

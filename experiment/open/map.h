/* map.h: what map.xml says about the address space. */
#ifndef XER_EXPERIMENT_OPEN_MAP_H
#define XER_EXPERIMENT_OPEN_MAP_H

#include "experiment/base/internal.h"

/* Read map.xml: fills the objects. A missing or damaged map is warned about. Returns 0 or
 * -ENOMEM. */
int exp_map_read(struct experiment *experiment);

#endif

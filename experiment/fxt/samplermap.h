/* samplermap.h: the code that samplers met, by their map.fxt: what map.xml does not have, as
 * libraries that the collector never met, or all of a process that none was in. */
#ifndef XER_EXPERIMENT_FXT_SAMPLERMAP_H
#define XER_EXPERIMENT_FXT_SAMPLERMAP_H

#include "experiment/base/addressmap.h"
#include "experiment/fxt/samplers.h"

/* Visit the records of each sampler's map. Returns 0 or -ENOMEM. */
int exp_samplermap_visit(struct experiment *experiment, exp_sampler_visitor *visit, void *context);

/* The code that was mapped in this process and image, by the first sampler that tells of any: *out,
 * to be freed, or NULL. With it, when the image began and ended (experiment->began_ns, ended_ns,
 * kernel_pid). Returns 0 or -ENOMEM. */
int exp_samplermap_objects(struct experiment *experiment, struct exp_map_object **out,
                           size_t *count);

#endif

/* samplermap.h: the code that samplers found, from their map.fxt: what map.xml does not have, such
 * as libraries that the recorder never saw, or all code of a process without a recorder. */
#ifndef XER_EXPERIMENT_FXT_SAMPLERMAP_H
#define XER_EXPERIMENT_FXT_SAMPLERMAP_H

#include "experiment/base/addressmap.h"
#include "experiment/fxt/samplers.h"

/* Visit the records of each sampler's map. Returns 0 or -ENOMEM. */
int exp_samplermap_visit(struct experiment *experiment, exp_sampler_visitor *visit, void *context);

/* The code that was mapped in this process and image, from the first sampler that has any: *out, to
 * be freed, or NULL. Also sets when the image began and ended (experiment->began_ns, ended_ns,
 * kernel_pid). is_alone: the experiment has no other objects; then code that lay at the same place
 * one after the other has generations, and they are the experiment's. Returns 0 or -ENOMEM. */
int exp_samplermap_objects(struct experiment *experiment, int is_alone, struct exp_map_object **out,
                           size_t *count);

#endif

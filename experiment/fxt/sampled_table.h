/* sampled_table.h: the images of all processes, in order. */
#ifndef XER_EXPERIMENT_FXT_SAMPLED_TABLE_H
#define XER_EXPERIMENT_FXT_SAMPLED_TABLE_H

#include "experiment/base/internal.h"
#include "experiment/fxt/sampled_image.h"
#include "experiment/table/hash.h"

/* Images in order of pids, and then of their beginnings. */
struct exp_sampled {
	struct exp_sampled_image *images;
	size_t count, capacity;
	struct exp_sampled_image **by_time; /* in order of their beginnings */
	struct exp_hash shown;              /* those of which experiments are made, by lineage */
};

/* Sort the images, and merge all descriptions of one image. */
void exp_sampled_settle(struct exp_sampled *sampled);

/* Then make by_time. Returns 0 or -ENOMEM. */
int exp_sampled_order(struct exp_sampled *sampled);

/* Did the same process execute both? */
int exp_sampled_is_same_process(const struct exp_sampled_image *left,
                                const struct exp_sampled_image *right);

/* The last image of a pid that began by then; NULL if there is none. */
struct exp_sampled_image *exp_sampled_at(const struct exp_sampled *sampled, uint64_t pid,
                                         uint64_t time_ns);

/* The image before this one in the same process; NULL if none is told. */
struct exp_sampled_image *exp_sampled_before(const struct exp_sampled *sampled,
                                             const struct exp_sampled_image *image);

#endif

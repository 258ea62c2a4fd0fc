/* keep.h: what is left of a recording with xcollect --keep. */
#ifndef XER_EXPERIMENT_STREAMS_KEEP_H
#define XER_EXPERIMENT_STREAMS_KEEP_H

#include "experiment/base/internal.h"

/* Read from the founder's directory since when everything is there, if something was dropped. Of an
 * experiment that is being recorded, this changes. Without the file, nothing is known of it. */
void exp_keep_read(struct experiment *experiment);

/* The data have been read, the last event at `last`. Returns true if some of them were dropped
 * meanwhile, by whichever process: then kept_from is later than before, by so much that another try
 * should be in time. */
int exp_keep_has_moved(struct experiment *experiment, uint64_t last);

/* May something have been dropped or used again since it was last asked what is kept? Other
 * processes do that to the data of one that has ended, too. */
int exp_keep_is_moving(const struct experiment *experiment);

#endif

/* compress.h: compress the data files of a process that has ended. */
#ifndef XER_EXPERIMENT_ARCHIVE_COMPRESS_H
#define XER_EXPERIMENT_ARCHIVE_COMPRESS_H

#include "experiment/experiment.h"

enum { EXP_COMPRESS_LEAST = 64 << 10 }; /* bytes on the disk; smaller files stay plain */

/* Replace each data file NAME that is worth it by NAME.zst (format/seekable.h), whole or not at
 * all: at every instant, one of them is there and complete. Of an experiment without data files
 * nothing is done. Returns 0; -EBUSY: its process still records; -ENOSYS: there is no libzstd; or
 * another -errno; with a readable reason in `cause`. */
int exp_compress(const struct experiment *experiment, struct exp_cause *cause);

#endif

/* channels.h: which descriptors of all selected experiments are ends of one pipe, connection or
 * message queue, by their names. */
#ifndef XER_ANALYZER_REPORT_CHANNELS_H
#define XER_ANALYZER_REPORT_CHANNELS_H

#include "analyzer/data/dataset.h"
#include "experiment/table/hash.h"

enum { CHANNELS_NONE = UINT32_MAX };

/* The files of an experiment. */
struct channels_files;

struct channels {
	struct exp_hash by_name;
	uint32_t count;
	struct channels_files *files; /* files[file_count] */
	size_t file_count;
	struct exp_hash pairs; /* the other ends of sockets that only their maker knows */
};

void channels_make(const struct dataset *dataset, struct channels *channels);
void channels_free(struct channels *channels);

/* The files of an experiment; NULL: it is not selected. */
const struct channels_files *channels_of(const struct channels *channels,
                                         const struct dataset_experiment *at);

/* What one end writes to and the other reads from: the channel that a call of that family and
 * function reads, or writes, by the object of the wait or the number of the file. CHANNELS_NONE: it
 * is not known, or none. */
uint32_t channels_read(struct channels *channels, const struct channels_files *files,
                       unsigned family, unsigned func, uint64_t object);
uint32_t channels_written(struct channels *channels, const struct channels_files *files,
                          unsigned family, unsigned func, uint64_t object);

#endif

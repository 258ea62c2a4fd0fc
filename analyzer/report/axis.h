/* axis.h: the axis of time that the experiments of a founder share: ns since the founder's start.
 */
#ifndef XER_ANALYZER_REPORT_AXIS_H
#define XER_ANALYZER_REPORT_AXIS_H

#include "analyzer/data/dataset.h"
#include "experiment/streams/selection.h"

/* From the founder's start to that of the experiment; 0 in the founder. */
int64_t axis_offset_ns(const struct dataset *dataset, const struct dataset_experiment *at);

/* A time since the start of an experiment on the axis; 0 if it is beyond the type. */
int64_t axis_time_ns(const struct dataset *dataset, const struct dataset_experiment *at,
                     double time_s);

/* An event time on the axis, behind the experiment's offset; 0 if it is beyond the type. */
int64_t axis_ticks_ns(const struct experiment *experiment, int64_t offset_ns, uint64_t ticks);

/* The begin and the end of an event on the axis, begin_ns <= end_ns whatever a hostile one says. */
struct axis_span {
	int64_t begin_ns, end_ns;
};
struct axis_span axis_span_of(const struct experiment *experiment, int64_t offset_ns,
                              const struct exp_fact *fact);

#endif

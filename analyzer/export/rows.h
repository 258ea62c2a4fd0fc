/* rows.h: the events of an experiment by thread and call stack, and if wanted by time, in
 * one reading. */
#ifndef XER_ANALYZER_EXPORT_ROWS_H
#define XER_ANALYZER_EXPORT_ROWS_H

#include "analyzer/data/dataset.h"
#include "analyzer/print/output.h"

/* Where events count together. */
struct export_row {
	uint32_t thread; /* as the filter token THRID says: from 1, 0: not known */
	uint32_t node;   /* the innermost of the stack, EXP_NO_INDEX: none */
	uint64_t slice;  /* of time, from the experiment's start; 0 if width_ns is 0 */
};

struct export_rows {
	struct export_row
		*rows;    /* rows[count], sorted by thread, slice and node; several may be equal */
	uint32_t *values; /* values[count]: where the values of a row stand in
	                     set->nodes.value[metric] */
	size_t count;
	uint64_t width_ns;      /* of a slice; 0: time is not told apart */
	struct exp_nodes nodes; /* the stacks, without values */
	const struct exp_data_set *set;
	int has_overflow; /* there were too many rows: some events are missing */
};

/* Read the events of an experiment that the filters leave. with_times: in slices of a
 * millisecond, or of 8, 64, ... of them where the rows would be too many. Memory grows with the
 * rows, not with events. Returns 0, then export_rows_fini frees; or -ENOMEM. */
int export_rows_read(const struct dataset *dataset, const struct dataset_experiment *at,
                     int with_times, struct export_rows *out);

/* Say so if events are missing. */
void export_rows_check(const struct export_rows *rows, const struct dataset_experiment *at,
                       struct output *output);
void export_rows_fini(struct export_rows *rows);

#endif

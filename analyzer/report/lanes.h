/* lanes.h: what threads did, column by column of a range of time: for time lines.
 *
 * Times are on the axis of a founder (axis.h). */
#ifndef XER_ANALYZER_REPORT_LANES_H
#define XER_ANALYZER_REPORT_LANES_H

#include "analyzer/data/dataset.h"
#include "format/record.h"

/* The states of a cell: enum fmt_wall_state, of which USER stands for all CPU time. */
enum { LANES_STATES = FMT_wall_state_OTHER + 1, LANES_CPU = FMT_wall_state_USER };

struct lanes_axis {
	int64_t from_ns, to_ns; /* from_ns < to_ns; the end does not belong to the range */
	size_t columns;         /* at least 1 */
};

/* A thread. */
struct lane {
	const struct dataset_experiment *at;
	uint32_t thread; /* as the filter token THRID says: from 1, 0: not known */
	uint64_t cpu_ns; /* in the range */
	/* Set by lanes_read: from when to when the thread was there, as far as that is known. */
	int64_t begin_ns, end_ns;
};

/* Nanoseconds of each state in each column. */
struct lanes_cell {
	float ns[LANES_STATES];
};

/* Where a column begins; `column` may be axis->columns, which is the end. */
int64_t lanes_column_ns(const struct lanes_axis *axis, size_t column);

/* The column of a time, SIZE_MAX: it is outside of the range. */
size_t lanes_column_at(const struct lanes_axis *axis, int64_t ns);

/* Read lanes[count] of one experiment, by the filters of the dataset: cells[count * axis->columns],
 * lane by lane. The CPU time of a sample is given to columns up to its end that have room: time
 * without a wait. Without wall-clock data, waits are those of synchronization and of input and
 * output. Returns 0, then the caller frees *cells; or -ENOMEM. */
int lanes_read(const struct dataset *dataset, const struct lanes_axis *axis, struct lane *lanes,
               size_t count, struct lanes_cell **cells);

/* How much of a column the thread was there. */
double lanes_alive_ns(const struct lanes_axis *axis, const struct lane *lane, size_t column);

/* The state with most time in a cell, or LANES_STATES if more than that is not known, of alive_ns.
 * *most_ns: its time. */
unsigned lanes_main_state(const struct lanes_cell *cell, double alive_ns, double *most_ns);

#endif

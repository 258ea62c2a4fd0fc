/* eventrange.h: the arguments [RANGE] [THREADS] of commands that show what happened when. */
#ifndef XER_ANALYZER_VIEWS_TIME_EVENTRANGE_H
#define XER_ANALYZER_VIEWS_TIME_EVENTRANGE_H

#include "analyzer/filter/expression.h"
#include "analyzer/views/view.h"

struct event_range {
	int64_t from_ns,
		to_ns; /* on the axis (report/axis.h), with the filter of time; from_ns < to_ns */
	struct expression *wanted; /* of events: of the range and the threads; NULL: all */
	int has_threads;           /* THREADS was given: a list or `all` */
	int has_list;              /* a list */
};

/* Read the arguments of a command, which have 1.5-2 or `all`, then a list of thread_select or
 * `all`. Without an end, the range ends with the last experiment. Returns 0, then event_range_fini
 * frees; or -EINVAL after a message. */
int event_range_read(const struct dataset *dataset, struct output *output, const char *command,
                     const struct command_argument *argument, struct event_range *out);
void event_range_fini(struct event_range *range);

#endif

/* timemarks.h: what a time line shows besides threads: marks by column, and the axis of time. */
#ifndef XER_ANALYZER_VIEWS_TIME_TIMEMARKS_H
#define XER_ANALYZER_VIEWS_TIME_TIMEMARKS_H

#include "analyzer/report/lanes.h"

#include <stdio.h>

/* TIMEMARK(id, key, heading) */
#define TIMEMARKS_ALL(X) \
	X(BEGIN, "process_begin", "processes begin") \
	X(END, "process_end", "processes end") \
	X(SAMPLES, "usage_samples", "usage samples") \
	X(USER, "user_events", "user events") \
	X(COLLECTIONS, "collections", "collections")

enum timemark {
#define X(id, key, heading) TIMEMARK_##id,
	TIMEMARKS_ALL(X)
#undef X
		TIMEMARKS
};

/* counts[TIMEMARKS][columns]: how many marks of which kind are in a column. */
struct timemarks {
	const struct lanes_axis *axis;
	uint64_t *counts;
	uint64_t all[TIMEMARKS];
};

/* Those of all selected experiments; of user events, those that the filters leave. Returns 0, then
 * timemarks_fini frees; or -ENOMEM. */
int timemarks_read(const struct dataset *dataset, const struct lanes_axis *axis,
                   struct timemarks *out);
void timemarks_fini(struct timemarks *marks);

uint64_t timemarks_at(const struct timemarks *marks, enum timemark mark, size_t column);

/* "process_begin": for programs. "processes begin": for people. */
const char *timemark_key(enum timemark mark);
const char *timemark_heading(enum timemark mark);

/* Print the rows that have marks, each behind its name in label_width columns and a blank: in each
 * column how many there are, `+`: more than 9. */
void timemarks_put(const struct timemarks *marks, FILE *out, size_t label_width);

/* Print the axis: `|` and a round number of seconds where its columns begin, as many as there is
 * room for. */
void timemarks_put_axis(const struct lanes_axis *axis, FILE *out, size_t label_width);

#endif

/* work.h: the unit of work that compared values are told for.
 *
 * Runs of different length do not compare: the longer has more of everything. If each is divided by
 * the requests, rounds or events that it had, they do. Values of all groups are told for as much
 * work as the first one did, so that numbers of things stay numbers of things.
 * See doc/decisions/31-comparing.md. */
#ifndef XER_ANALYZER_DATA_WORK_H
#define XER_ANALYZER_DATA_WORK_H

#include "analyzer/model/metric.h"

#include <stddef.h>

struct dataset;

enum work_kind {
	WORK_NONE,    /* values are as they were measured */
	WORK_NUMBERS, /* the user says how much each group did */
	WORK_METRIC   /* what a metric has in each group, in all or in a function */
};
enum { WORK_GROUPS_MAX = 16, WORK_FUNCTION_MAX = 256 };

struct work {
	enum work_kind kind;
	double numbers[WORK_GROUPS_MAX]; /* numbers[count]; the last is that of all further groups
	                                  */
	size_t count;
	unsigned metric;                  /* its inclusive values */
	char function[WORK_FUNCTION_MAX]; /* "": all functions */
};

/* Read "off", "1000,500", "ioreadcnt" or "fcalls(serve)"; `have`: the kinds of data there are.
 * Returns 0 or -EINVAL with the reason in error[METRIC_ERROR_MAX]. */
int work_parse(const char *text, unsigned have, struct work *out, char *error);

/* The same as text[size], without the word "off". Returns text. */
char *work_spell(const struct work *work, char *text, size_t size);

/* How much work a column of the comparison did, of which `group` is the number of the group. 0: it
 * is not known, since there is none of the metric or no such function. */
double work_done(const struct dataset *dataset, size_t column, size_t group);

/* What the values of a column are to be multiplied by, for as much work as that of the first. 1 if
 * that is not known, or not asked for. */
double work_factor(const struct dataset *dataset, size_t column);

#endif

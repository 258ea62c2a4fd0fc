/* metric_list.h: lists of metrics and an order to sort by, and the keywords that users write for
 * them.
 *
 * A keyword is [flavor][visibility]name. Flavors: e exclusive, i inclusive, a attributed.
 * Visibility: `.` and `+` the value, `%` its share of the total, `~` the value and how far it may
 * be from the truth, `!` hidden (but usable for sorting). Several flavors and signs expand; flavors
 * first. `any` and `all` name every metric that has data, `default` the list to begin with, `wide`
 * the same with more columns. */
#ifndef XER_ANALYZER_MODEL_METRIC_LIST_H
#define XER_ANALYZER_MODEL_METRIC_LIST_H

#include "analyzer/model/metric.h"

/* The signs of visibility. */
#define METRIC_SIGNS ".%+!~"

enum { METRIC_LIST_MAX = 3 * METRICS };

struct metric_list {
	struct metric at[METRIC_LIST_MAX];
	size_t count;
};

struct metric_sort {
	struct metric metric;
	int reverse;
};

/* How many more columns `wide` has, if `shown` is the list shown at first; else 0. */
size_t metric_left_out(unsigned have, const struct metric_list *shown);

/* The list shown at first for data of the kinds in `have`, and the metric to sort by. */
void metric_defaults(unsigned have, struct metric_list *list, struct metric_sort *sort);

/* The list and the order of programs, of which nothing is measured: where functions are. */
void metric_of_programs(struct metric_list *list, struct metric_sort *sort);

/* Read `spec`, keywords joined by `:`, for data of the kinds in `have`. Returns 0; or -EINVAL (not
 * a list of metrics) or -ENODATA (a metric without data), the reason in error[METRIC_ERROR_MAX]. */
int metric_list_parse(const char *spec, unsigned have, struct metric_list *out, char *error);

/* The column, from 1, of the first keyword for which metric_list_parse refuses `spec`. */
size_t metric_list_fault(const char *spec, unsigned have);

/* Read a sort order: one keyword, `-` before it for the reverse. Errors as metric_list_parse. */
int metric_sort_parse(const char *spec, unsigned have, struct metric_sort *out, char *error);

/* Take what is not measured by data of the kinds in `have` out of the list. Returns how many
 * measured metrics stay. */
size_t metric_list_reduce(unsigned have, struct metric_list *list);

/* True if both lists show the same. */
int metric_list_equal(const struct metric_list *left, const struct metric_list *right);

/* Keep `sort` if its metric is in the list (names always are), else sort by the list's first
 * measured metric. */
void metric_sort_adjust(const struct metric_list *list, struct metric_sort *sort);

/* The same list for callers-callees and calltree: each measured metric once, attributed. */
void metric_list_attributed(const struct metric_list *list, struct metric_list *out);

#endif

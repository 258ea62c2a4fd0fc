/* join.h: which rows in the tables of compared groups match. */
#ifndef XER_ANALYZER_REPORT_COMPARE_JOIN_H
#define XER_ANALYZER_REPORT_COMPARE_JOIN_H

#include "analyzer/print/print.h"

#include <stddef.h>

/* The row of each group that a row is made of: cells[column], NULL: it has none. */
struct compare_row {
	const struct print_cell **cells;
};

/* Join tables[columns], the same table of each group, NULL if a group has none; at least one is not
 * NULL. Rows match if their keys are equal, or their places if print_describe named no keys. A
 * group may have several rows of a key, as for a construct in several processes: the first ones of
 * all groups match, then the second ones, and so on. Rows are sorted by their keys; if keys are
 * words, in order of the groups. The cells belong to the tables. Returns rows[*count], for
 * compare_join_free. */
struct compare_row *compare_join(const struct print_table *const *tables, size_t columns,
                                 size_t *count);
void compare_join_free(struct compare_row *rows, size_t count);

#endif

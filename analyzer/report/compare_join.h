/* compare_join.h: which rows of the tables of compared groups are one. */
#ifndef XER_ANALYZER_REPORT_COMPARE_JOIN_H
#define XER_ANALYZER_REPORT_COMPARE_JOIN_H

#include "analyzer/print/print.h"

#include <stddef.h>

/* The row of each group that a row is made of: cells[column], NULL: it has none. */
struct compare_row {
	const struct print_cell **cells;
};

/* Join tables[columns], the same one of each group, NULL where there is none; not all of them are.
 * Rows of equal keys are one, or of equal places where print_describe named no keys. A group may
 * have several of a key, as a construct in several processes: the first ones of all groups are one,
 * the second ones, and so on. Rows are in order of their keys; of words, in order of the groups.
 * The cells are the tables'. Returns rows[*count], for compare_join_free. */
struct compare_row *compare_join(const struct print_table *const *tables, size_t columns,
                                 size_t *count);
void compare_join_free(struct compare_row *rows, size_t count);

#endif

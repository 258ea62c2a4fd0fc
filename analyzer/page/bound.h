/* bound.h: listings of a report page are bounded: of a huge function, the lines around the greatest
 * values. */
#ifndef XER_ANALYZER_PAGE_BOUND_H
#define XER_ANALYZER_PAGE_BOUND_H

#include "analyzer/print/print.h"

enum { BOUND_LINES = 800, BOUND_AROUND = 12 };

/* Leave out lines of a listing that has more than BOUND_LINES, down to about as many, but not the
 * first: lines are kept that have values, the greatest shares of any metric first, and BOUND_AROUND
 * lines around each. Where some are missing, a line of the kind "gap" tells how many. table: with
 * columns "kind" and "text". Returns how many lines it had, 0: none is left out. */
size_t bound_listing(struct print_table *table);

#endif

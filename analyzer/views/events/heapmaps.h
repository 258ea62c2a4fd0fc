/* heapmaps.h: what heapstat says of memory that was mapped without a file. */
#ifndef XER_ANALYZER_VIEWS_EVENTS_HEAPMAPS_H
#define XER_ANALYZER_VIEWS_EVENTS_HEAPMAPS_H

#include "analyzer/data/dataset.h"
#include "analyzer/print/output.h"

/* The facts of all selected experiments together; the peak is that of the process with the highest.
 */
struct exp_heap_maps heapmaps_sum(const struct dataset *dataset);

/* Print its totals, nothing if there is none. */
void heapmaps_put_totals(const struct dataset *dataset, struct output *output);

#endif

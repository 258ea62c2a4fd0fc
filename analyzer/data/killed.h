/* killed.h: by which signals processes were killed. They cannot tell themselves; who waited for
 * them was told, and its log has it. */
#ifndef XER_ANALYZER_DATA_KILLED_H
#define XER_ANALYZER_DATA_KILLED_H

#include "analyzer/data/dataset.h"

/* Set killed_by and has_core of the experiments from number `first` on, experiments[first..count),
 * in time and memory that grow with them as a sort does. */
void killed_find(struct dataset *dataset, size_t first);

#endif

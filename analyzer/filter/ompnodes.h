/* ompnodes.h: which construct of OpenMP a call stack is in. */
#ifndef XER_ANALYZER_FILTER_OMPNODES_H
#define XER_ANALYZER_FILTER_OMPNODES_H

#include "experiment/experiment.h"
#include "format/record.h"

/* For each node the number of the innermost construct whose mark (FMT_PC_PARALLEL or FMT_PC_TASK)
 * its stack has: the first node at the place of the construct, + 1; 0: none. The caller frees. */
uint32_t *omp_find_constructs(const struct exp_nodes *nodes, enum fmt_pc_mark mark);

#endif

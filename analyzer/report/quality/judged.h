/* judged.h: how good the data of a dataset are, in numbers: what was covered, lost, cut or without
 * a name. quality.h says it. */
#ifndef XER_ANALYZER_REPORT_QUALITY_JUDGED_H
#define XER_ANALYZER_REPORT_QUALITY_JUDGED_H

#include "analyzer/data/dataset.h"
#include "analyzer/data/stackends.h"
#include "analyzer/data/ticked.h"
#include "analyzer/report/quality/heapsampled.h"

/* Of all experiments of a dataset together. */
struct judged {
	struct exp_quality sum;
	uint64_t covered_ns; /* CPU time in clock samples */
	uint64_t cpu_ns;     /* CPU time of the process at the same moment, without paused_ns */
	uint64_t paused_ns;  /* CPU time while events were paused */
	uint64_t since_ns;   /* CPU time in clock samples after that moment */
	uint64_t absent_ns;  /* part of cpu_ns: of processes without an experiment */
	uint64_t outside_ns; /* CPU time in samples of programs that were sampled from outside: how
	                        much they used is not known */
	uint64_t judged;     /* samples; where there are none, allocations, waits or I/O calls */
	uint64_t unresolved; /* those of them in code without a name */
	struct ticked ticked;
	struct heapsampled heap;
	struct stackends ends;
};

/* Judge the selected experiments. What the result points to belongs to the dataset. */
struct judged judged_of(const struct dataset *dataset);

#endif

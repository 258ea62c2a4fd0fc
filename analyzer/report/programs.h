/* programs.h: processes grouped by the program that they ran. */
#ifndef XER_ANALYZER_REPORT_PROGRAMS_H
#define XER_ANALYZER_REPORT_PROGRAMS_H

#include "analyzer/data/dataset.h"

struct program {
	const char *path; /* of the executed file, "?": unknown; borrowed from the dataset */
	size_t processes; /* images of processes, as experiments are */
	size_t failed;    /* that ended with an exit code other than 0 */
	size_t died;
	uint64_t cpu_ns;
	double wall_s, longest_s; /* the sum of their durations, and the longest one */
};

/* The programs of the selected experiments, most CPU time first; founder: of the descendants of
 * this experiment alone, 0: of all. Returns how many, in *out, which the caller frees. */
size_t programs_gather(const struct dataset *dataset, unsigned founder, struct program **out);

#endif

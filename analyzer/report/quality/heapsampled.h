/* heapsampled.h: heaps of which only blocks chosen at random were recorded (xcollect -H sampled):
 * how much they stand for, and how sure it is.
 * See doc/decisions/98-sampled-heap.md. */
#ifndef XER_ANALYZER_REPORT_QUALITY_HEAPSAMPLED_H
#define XER_ANALYZER_REPORT_QUALITY_HEAPSAMPLED_H

#include "analyzer/data/dataset.h"

/* All zero: none. */
struct heapsampled {
	uint64_t every;         /* bytes from one marked byte to the next; of several, the most */
	uint64_t blocks;        /* that were recorded */
	uint64_t allocs, bytes; /* that they stand for */
};

/* Add an experiment, if its heap was sampled. */
void heapsampled_add(struct heapsampled *sum, const struct dataset_experiment *at);

/* Say it, in text[size]. Returns 1, or 0 if no heap was sampled. */
int heapsampled_text(const struct heapsampled *sum, char *text, size_t size);

#endif

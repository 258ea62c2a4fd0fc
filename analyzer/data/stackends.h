/* stackends.h: the code at which stacks end too early, for the lines about the quality of the data.
 */
#ifndef XER_ANALYZER_DATA_STACKENDS_H
#define XER_ANALYZER_DATA_STACKENDS_H

#include "analyzer/data/dataset.h"

#include <stddef.h>

/* Code that stacks end at. */
struct stackends_code {
	const char *name; /* of a load object or, of code that a program made while it ran, of the
	                     program */
	int is_jit;
	uint64_t events;
};

enum { STACKENDS_SHOWN = 3, STACKENDS_NAME = 80 };

struct stackends {
	uint64_t events, cut; /* that name a stack, and those of them whose stack is not whole */
	uint64_t deep;        /* those that were too deep */
	/* What most of the others end at, the first one the most. */
	struct stackends_code most[STACKENDS_SHOWN];
};

/* Find where the stacks of all events of the dataset end. */
struct stackends stackends_find(const struct dataset *dataset);

/* Are so many stacks not whole that it is worth a line? */
int stackends_are_many(const struct stackends *ends);

/* "JIT code of beam.smp" or "shellcheck", in text[size]. Returns text. */
const char *stackends_name(const struct stackends_code *code, char *text, size_t size);

/* If many stacks are not whole, say how many, and where they end, in text[size]; else return 0. */
int stackends_text(const struct stackends *ends, char *text, size_t size);

#endif

/* space.h: what is mapped where in the processes that are sampled, as far as it can be executed. */
#ifndef XER_PERF_SPACE_H
#define XER_PERF_SPACE_H

#include "object.h"

#include "sampler/ring.h"

struct mapping {
	uint64_t start, end; /* addresses */
	uint64_t offset;     /* of start in the file */
	struct object *object;
	int is_told;
};

struct space;

/* Take note of a record that is no sample. */
void space_take(const struct ring_record *record);

/* The memory of a process; one that nobody has told of is looked at in /proc. NULL without memory. */
struct space *space_of(pid_t pid);

/* The next mapping that was not told by this before; NULL if there is none. */
const struct mapping *space_tell(struct space *space);

/* The name of the program in it, and when the process began or executed it (CLOCK_MONOTONIC, 0: not known), the first time that this
 * is asked; then NULL until it executes another one. */
const char *space_tell_program(struct space *space, uint64_t *began_ns);

/* If a record, which space_take has got, put another program in the place of one that was told: its memory; else NULL. */
struct space *space_of_next(const struct ring_record *record);

/* What is mapped at an address; NULL if that is no code. Valid until the next record. */
const struct mapping *space_at(const struct space *space, uint64_t address);

#endif

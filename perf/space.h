/* space.h: the executable mappings of the sampled processes.
 * See doc/decisions/55-sampled-descendants.md. */
#ifndef XER_PERF_SPACE_H
#define XER_PERF_SPACE_H

#include "perf/object.h"

#include "sampler/ring.h"

struct mapping {
	uint64_t start, end; /* addresses */
	uint64_t offset;     /* of start in the file */
	struct object *object;
	int is_told;
};

/* A program that a process executed, or the copy of its parent that it was after a fork: valid as
 * long as its space, or a space whose image has it as parent. */
enum { IMAGE_NAME = 16, IMAGE_DEPTH_MAX = 128 };

struct image {
	struct image *parent_image; /* that forked the process; NULL: not known */
	pid_t pid, parent;          /* parent 0: not known */
	uint64_t forked_ns;         /* when the process was, CLOCK_MONOTONIC; 0: not known */
	uint64_t began_ns;          /* when it was forked or executed this program; 0: not known */
	unsigned executed;          /* how many programs it had executed by then, as far as known */
	struct object *program;     /* what it executes; NULL: not known */
	char name[IMAGE_NAME];
	int is_told, is_sampled, is_archiver, is_outsider; /* the caller's */
	unsigned holders, depth;
};

struct space;

/* Take note of a record that is no sample. */
void space_take(const struct ring_record *record);

/* The memory of a process; for a process without records, /proc is read. NULL without memory. */
struct space *space_of(pid_t pid);

/* The next mapping that was not told by this before; NULL if there is none. */
const struct mapping *space_tell(struct space *space);

/* The present image of it. */
struct image *space_image(const struct space *space);

/* If a record, which space_take has got, put another program in the place of one whose image
 * is_told: its memory; else NULL. */
struct space *space_of_next(const struct ring_record *record);

/* If a record tells that a process has ended: its memory, which is there for some ends more, as of
 * threads that end later; else NULL. */
struct space *space_of_end(const struct ring_record *record);

/* What is mapped at an address; NULL if that is no code. Valid until the next record. */
const struct mapping *space_at(const struct space *space, uint64_t address);

#endif

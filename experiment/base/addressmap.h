/* addressmap.h: the load objects of an experiment by their addresses. */
#ifndef XER_EXPERIMENT_BASE_ADDRESSMAP_H
#define XER_EXPERIMENT_BASE_ADDRESSMAP_H

#include "experiment/base/internal.h"

/* An object with what the reader alone needs. */
struct exp_map_object {
	uint64_t id;
	struct exp_object object;
};

/* Make the experiment's table of objects, to be looked up by address. Returns 0 or -ENOMEM.
 */
int exp_map_index(struct experiment *experiment, const struct exp_map_object *objects,
                  size_t count);

/* Keep when generations began, epochs[count] in any order; before the first, it was generation 0.
 * Returns 0 or -ENOMEM. */
int exp_map_set_epochs(struct experiment *experiment, const struct exp_instant *epochs,
                       size_t count);

/* The generation of the address map at a time; the last one if no time of any is known. */
uint32_t exp_map_generation_then(const struct experiment *experiment, uint64_t ticks);

/* A generation in which the object of an address is the one that was there in `generation`; one
 * that came later, if there was none, since objects are told when they are first met; else the last
 * one. 0: no object was ever there. */
uint32_t exp_map_generation(const struct experiment *experiment, uint64_t pc, uint32_t generation);

/* Does the object have addresses in common with one of the table, whatever the generations? */
int exp_map_overlaps(const struct experiment *experiment, const struct exp_object *object);

/* ---- the kernel (kernelmap.c): the functions of it that stacks have. They were noted when they
 * were met, so their names need neither that kernel nor its files. */

#define EXP_KERNEL_OBJECT "[kernel]" /* the load object of all of them */

/* Code [start, end) of the kernel or, "NAME [MODULE]", of a module of it. */
struct exp_kernel_function {
	uint64_t start; /* the first member, see search.h */
	uint64_t end;
	const char *name; /* any bytes but blanks and newlines */
};

/* Take the functions that a text has, which says "START END NAME[ MODULE]" in each line; the
 * numbers are hexadecimal. It may have been cut anywhere. Returns 0, -EBADMSG if some lines are
 * something else (they are left out), or -ENOMEM. */
int exp_kernel_take(struct experiment *experiment, const char *text, size_t size);

/* Behind the last text: from now on, addresses of the kernel are known as such. Returns 0 or
 * -ENOMEM. */
int exp_kernel_finish(struct experiment *experiment);

/* The function at an address; NULL: it is not known. */
const struct exp_kernel_function *exp_kernel_at(const struct experiment *experiment, uint64_t pc);

/* What a clock sample is known by in experiment->kernel_nodes. */
static inline uint64_t exp_kernel_key(uint32_t tid, uint64_t tsc)
{
	return tsc ^ (uint64_t)tid << 44 ^ tid;
}

#endif

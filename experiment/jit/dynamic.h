/* dynamic.h: JIT functions, from map.xml and from files. */
#ifndef XER_EXPERIMENT_JIT_DYNAMIC_H
#define XER_EXPERIMENT_JIT_DYNAMIC_H

#include "experiment/base/internal.h"

/* Those that have been taken so far. Zeroed at first. */
struct exp_dynamic {
	struct experiment *experiment;
	struct exp_function *functions;
	size_t count, capacity;
	struct exp_binary_copy *binaries; /* binaries[image_count] */
	size_t image_count, image_capacity;
};

struct exp_element;

/* An ELF file that the program had in memory, registered for debuggers. */
struct exp_binary_copy {
	uint64_t entry, offset,
		size; /* address of the registration; where in dyntext the file is */
	uint32_t generation;
	uint64_t ticks_from, ticks_to;
};

/* Add an <image>, an <image_unload>; then make functions of their symbols (jitbinary.c). Return 0
 * or -ENOMEM. */
int exp_binary_copy_load(struct exp_dynamic *dynamic, const struct exp_element *element);
int exp_binary_copy_unload(struct exp_dynamic *dynamic, const struct exp_element *element);
int exp_binary_copies_read(struct exp_dynamic *dynamic);

/* Take a function. Returns 0 or -ENOMEM. */
int exp_dynamic_add(struct exp_dynamic *dynamic, const struct exp_function *function);

/* Take a <function>, a <function_unload>. Return 0 or -ENOMEM. */
int exp_dynamic_load(struct exp_dynamic *dynamic, const struct exp_element *element);
int exp_dynamic_unload(struct exp_dynamic *dynamic, const struct exp_element *element);

/* Take a <code>. Returns 0 or -ENOMEM. */
int exp_dynamic_code(struct exp_dynamic *dynamic, const struct exp_element *element);

/* All have been taken: give them to the experiment. Frees `dynamic`. Returns 0 or -ENOMEM. */
int exp_dynamic_finish(struct exp_dynamic *dynamic);

#endif

/* jitfunctions.h: what files say of JIT functions. See jitfiles.h. */
#ifndef XER_EXPERIMENT_JIT_JITFUNCTIONS_H
#define XER_EXPERIMENT_JIT_JITFUNCTIONS_H

#include "experiment/jit/dynamic.h"

/* A file as it is read. */
struct exp_jit_reader {
	struct exp_dynamic *dynamic;
	const char *file; /* how its text is found again: name or path */
	int fd;
	uint64_t size;
	size_t functions, skipped; /* that were found; lines or records that mean nothing */
	const char *fault;         /* why the rest was not read, NULL: it was */
};

/* Read one. Return 0 or -ENOMEM. (perfmap.c, jitdump.c) */
int exp_perfmap_read(struct exp_jit_reader *reader);
int exp_jitdump_read(struct exp_jit_reader *reader);

/* Take a function of the file, unless there are too many. Returns 0 or -ENOMEM; sets reader->fault.
 */
int exp_jit_add(struct exp_jit_reader *reader, const struct exp_function *function);

/* What was read, in words, for the header. Returns 0 or -ENOMEM. */
int exp_jit_say(struct experiment *experiment, const char *text);

/* A name like "JS:*sort /src/a.js:12:3" says where the function is: set its source and line.
 * Returns 0 or -ENOMEM. */
int exp_jit_find_source(struct exp_arena *arena, struct exp_function *function);

#endif

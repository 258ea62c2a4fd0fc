/* target.h: the targets of fuzzing, and what they share. They run in the root of the source tree. */
#ifndef XER_TESTS_FUZZ_TARGET_H
#define XER_TESTS_FUZZ_TARGET_H

#include "experiment/experiment.h"

#include <stddef.h>
#include <stdint.h>

typedef void fuzz_run(const uint8_t *bytes, size_t size);

struct fuzz_target {
	const char *name, *what;
	fuzz_run *run;          /* NULL: the input is a file of an experiment */
	const char *base, *file; /* of which golden experiment, and its name there */
};

extern const struct fuzz_target fuzz_targets[];
extern const size_t fuzz_target_count;

/* The target of that name, NULL if there is none. */
const struct fuzz_target *fuzz_find(const char *name);

/* Give an input to a target. It returns when all that can be asked of the input was asked. */
void fuzz_give(const struct fuzz_target *target, const uint8_t *bytes, size_t size);

#define FILE_TARGET(name, base, file)
#define TARGET(name, what) fuzz_run fuzz_##name;
#include "../targets.def"
#undef TARGET
#undef FILE_TARGET

/* Warnings and refusals of experiments so far. */
extern unsigned fuzz_complaints;

/* A directory of this process, in memory if there is a place, that goes with it. */
const char *fuzz_directory(void);

/* A descriptor of a file with these bytes, at its beginning. The same one each time; nobody closes it. */
int fuzz_descriptor(const uint8_t *bytes, size_t size);

/* Path of a regular file with these bytes, the same each time. */
const char *fuzz_path(const uint8_t *bytes, size_t size);

/* Open what is at a path, an experiment or a log, ask all of its data, close it. */
void fuzz_read_experiment(const char *path);

/* An experiment that was not opened, for parts that want one; experiment_close frees it. */
struct experiment *fuzz_blank_experiment(void);

/* Something is not as it must be: end the program. */
#define FUZZ_ASSERT(condition) ((condition) ? (void)0 : __builtin_trap())

#endif

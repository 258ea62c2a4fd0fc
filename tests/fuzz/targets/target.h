/* target.h: the targets of fuzzing, and what they share. They run in the root of the source tree.
 */
#ifndef XER_TESTS_FUZZ_TARGET_H
#define XER_TESTS_FUZZ_TARGET_H

#include "experiment/experiment.h"

#include <stddef.h>
#include <stdint.h>

typedef void fuzz_run(const uint8_t *bytes, size_t size);

struct fuzz_target {
	const char *name, *what;
	fuzz_run *run;           /* NULL: the input is a file of an experiment */
	const char *base, *file; /* the golden experiment, and the file's name in it */
};

extern const struct fuzz_target fuzz_targets[];
extern const size_t fuzz_target_count;

/* The target of that name, NULL if there is none. */
const struct fuzz_target *fuzz_find(const char *name);

/* The file that the inputs of a target replace, relative to its experiment. Valid until the next
 * call. */
const char *fuzz_base_file(const struct fuzz_target *target);

/* Run a target on an input. It returns when everything was asked of the input. */
void fuzz_give(const struct fuzz_target *target, const uint8_t *bytes, size_t size);

/* From now on this program may use so many seconds of CPU time, and take ten times as long: if it
 * does not call this again until then, with 0 for no limit, it says that NAME does not end, and
 * ends with status 3. The name must stay. */
void fuzz_limit(const char *name, unsigned seconds);

#define FILE_TARGET(name, base, file)
#define TARGET(name, what) fuzz_run fuzz_##name;
#include "tests/fuzz/targets.def"
#undef TARGET
#undef FILE_TARGET

/* Warnings and refused experiments so far; and: one of this many inputs is also given to the
 * analyzer, all others to the library only. */
extern unsigned fuzz_complaints, fuzz_asked;

/* A directory of this process, in memory if possible, which is removed with the process. */
const char *fuzz_directory(void);

/* A descriptor of a file with these bytes, at its beginning. The same one each time; the caller
 * does not close it. */
int fuzz_descriptor(const uint8_t *bytes, size_t size);

/* Path of a regular file of this name with these bytes, in fuzz_directory(). Valid until the next
 * call. */
const char *fuzz_path(const char *name, const uint8_t *bytes, size_t size);

/* A copy of the input's bytes with a NUL after them, which the caller frees. */
char *fuzz_text(const uint8_t *bytes, size_t size);

/* Open the experiment or log at a path, load all of its data, and ask one of the questions of
 * questions.def, chosen by any number, for one input in fuzz_asked. */
void fuzz_read_experiment(const char *path, unsigned which);

/* An analyzer without output, with an experiment open; path NULL: with none. There is one at a
 * time. */
struct analysis;
struct analysis *fuzz_analysis_open(const char *path);
void fuzz_analysis_close(struct analysis *analysis);

/* Run commands, separated by newlines; or a single one, whose text may be anything. */
void fuzz_analysis_run(struct analysis *analysis, const char *commands);
void fuzz_analysis_command(struct analysis *analysis, const char *name, const char *text);

/* A number that depends on every byte of an input. */
unsigned fuzz_sum(const uint8_t *bytes, size_t size);

/* An experiment that was not opened, for functions that need one; experiment_close frees it. */
struct experiment *fuzz_blank_experiment(void);

/* Something is not as it must be: abort. */
#define FUZZ_ASSERT(condition) ((condition) ? (void)0 : __builtin_trap())

#endif

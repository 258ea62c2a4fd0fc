/* jitfiles.h: files that describe the JIT functions of a process: the
 * perf map /tmp/perf-PID.map, and jitdump files. Both are made for perf(1); V8, .NET, LuaJIT, LLVM
 * and others write them.
 *
 * They are read from the experiment's directory, where archiving puts them, else from where the
 * process wrote them, if they surely are its own: files of its user, written while it ran, on the
 * same boot of this machine.
 *
 * Their writers may be killed at any time, so a file that is cut off is nothing unusual:
 * info->jit_notes says so. */
#ifndef XER_EXPERIMENT_JIT_JITFILES_H
#define XER_EXPERIMENT_JIT_JITFILES_H

#include "experiment/jit/jitfunctions.h"

/* One file that may be there. */
struct exp_jit_file {
	const char *what; /* "perf map", "jitdump" */
	const char *name; /* in the experiment's directory */
	const char *path; /* where the process wrote it */
	int is_told;      /* log.xml says that it was there */
	uint64_t size_max;
	int (*read)(struct exp_jit_reader *reader);
};

/* All files that the process may have written. Calls take for each. Returns 0, or what take
 * returned. */
int exp_jit_each(struct experiment *experiment,
                 int (*take)(void *context, const struct exp_jit_file *file), void *context);

/* Open the file where the process wrote it. Returns a descriptor; -ENOENT: none, or not its own;
 * -EFBIG, and other -errno. */
int exp_jit_open_original(const struct experiment *experiment, const struct exp_jit_file *file);

/* Open what exp_function.text_file names. Returns a descriptor or -errno. */
int exp_jit_open_text(const struct experiment *experiment, const char *file);

/* Read all of them. Returns 0 or -ENOMEM. */
int exp_jit_read(struct exp_dynamic *dynamic);

#endif

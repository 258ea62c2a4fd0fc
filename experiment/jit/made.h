/* made.h: files in which other programs tell of the functions that they make at run time: the perf
 * map /tmp/perf-PID.map, and jitdump files. Both are made for perf(1); V8, .NET, LuaJIT, LLVM and
 * others write them.
 *
 * They are read from the experiment's directory, where archiving puts them, else from where the
 * process wrote them, if they surely are its own: files of its user, written while it ran, on the
 * same boot of this machine.
 *
 * Their writers may be killed at any time, so a file that is cut off is nothing unusual: what is
 * told of it stands in info->made. */
#ifndef XER_EXPERIMENT_JIT_MADE_H
#define XER_EXPERIMENT_JIT_MADE_H

#include "experiment/base/internal.h"

struct exp_made_reader;

/* One file that may be there. */
struct exp_made_file {
	const char *what; /* "perf map", "jitdump" */
	const char *name; /* in the experiment's directory */
	const char *path; /* where the process wrote it */
	int is_told;      /* log.xml says that it was there */
	uint64_t size_max;
	int (*read)(struct exp_made_reader *reader);
};

/* A file as it is read. */
struct exp_made_reader {
	struct exp_dynamic *dynamic;
	const char *file; /* how its text is found again: name or path */
	int fd;
	uint64_t size;
	size_t functions, skipped; /* that were found; lines or records that mean nothing */
	const char *fault;         /* why the rest was not read, NULL: it was */
};

/* All files that the process may have written. Calls take for each. Returns 0, or what take
 * returned. */
int exp_made_each(struct experiment *experiment,
                  int (*take)(void *context, const struct exp_made_file *file), void *context);

/* Open the file where the process wrote it. Returns a descriptor; -ENOENT: none, or not its own;
 * -EFBIG, and other -errno. */
int exp_made_open_original(const struct experiment *experiment, const struct exp_made_file *file);

/* Open what exp_function.text_file names. Returns a descriptor or -errno. */
int exp_made_open_text(const struct experiment *experiment, const char *file);

/* Read all of them. Returns 0 or -ENOMEM. */
int exp_made_read(struct exp_dynamic *dynamic);

/* Read one. Return 0 or -ENOMEM. (perfmap.c, jitdump.c) */
int exp_perfmap_read(struct exp_made_reader *reader);
int exp_jitdump_read(struct exp_made_reader *reader);

/* Take a function of the file, unless there are too many. Returns 0 or -ENOMEM; sets reader->fault.
 */
int exp_made_add(struct exp_made_reader *reader, const struct exp_function *function);

/* What was read, in words, for the header. Returns 0 or -ENOMEM. */
int exp_made_say(struct experiment *experiment, const char *text);

/* A name like "JS:*sort /src/a.js:12:3" says where the function is: set its source and line.
 * Returns 0 or -ENOMEM. */
int exp_made_find_source(struct exp_arena *arena, struct exp_function *function);

#endif

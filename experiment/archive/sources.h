/* sources.h: archive the source files of recorded code. */
#ifndef XER_EXPERIMENT_ARCHIVE_SOURCES_H
#define XER_EXPERIMENT_ARCHIVE_SOURCES_H

#include "experiment/experiment.h"

/* Open a source where the compiler found it, if it is one that is archived: a file of 16 MiB at
 * most. Returns a descriptor or -ENOENT. */
int exp_source_open_original(const char *path);

/* Call `file` for each source file of the functions in recorded stacks, once. Returns 0, -ENOMEM,
 * or what `file` returned if that was not 0, which ends it. */
int exp_sources_each(struct experiment *experiment, int (*file)(void *context, const char *path),
                     void *context);

/* Copy the sources of the functions in recorded stacks into the archive directory. Sources that are
 * not on this machine are skipped, as those of most libraries; `fail` is called for those that
 * cannot be copied. Returns 0 or -ENOMEM. */
struct exp_sources_target {
	int archives, rewrite;
	void (*fail)(void *context, const char *path, int error);
	void *context;
};
int exp_sources_archive(struct experiment *experiment, const struct exp_sources_target *target);

#endif

/* copy.h: put a file into an archive directory so that it is there whole or not at all. */
#ifndef XER_EXPERIMENT_ARCHIVE_COPY_H
#define XER_EXPERIMENT_ARCHIVE_COPY_H

/* Copy the regular file `from` to `name` in `directory`. An existing file is kept, or replaced with
 * `rewrite`. Users who may not read the original may not read the copy, unless it belongs to them.
 * Returns 0 or -errno. */
int exp_copy(int from, int directory, const char *name, int rewrite);

/* Write text as the file `name`, replacing it. Returns 0 or -errno. */
int exp_copy_text(const char *text, int directory, const char *name);

/* True if the directory has a regular file of this name. */
int exp_copy_exists(int directory, const char *name);

/* Delete what killed archivers have left in the directory. */
void exp_copy_sweep(int directory);

/* Open or make a subdirectory, never following a link, and sweep it. Returns a descriptor or
 * -errno. */
int exp_copy_subdirectory(int directory, const char *name);

#endif

/* copy.h: put a file into an archive directory so that it is there whole or not at all. What is
 * added to an experiment can be read by those who may read the directory that it is put into, and
 * belongs to the owner of that as far as possible. */
#ifndef XER_EXPERIMENT_ARCHIVE_COPY_H
#define XER_EXPERIMENT_ARCHIVE_COPY_H

#include <sys/types.h>

/* The rights that a file added to the directory has besides FMT_FILE_MODE: may users other than the
 * owner read the directory? */
mode_t exp_copy_mode(int directory);

/* Give what was just made in the directory (two descriptors) to the directory's owner, if this
 * process may. */
void exp_copy_give(int made, int directory);

/* Copy the regular file `from` to `name` in `directory`. An existing file is kept, or replaced with
 * `rewrite`. If not everybody may read the original, only the caller may read the copy.
 * Returns 0 or -errno. */
int exp_copy(int from, int directory, const char *name, int rewrite);

/* The same, where `write` makes the contents of the copy: it gets the descriptor to write to, and
 * returns 0 or something else, which is returned; then nothing has changed. */
int exp_copy_with(int from, int directory, const char *name, int rewrite,
                  int (*write)(void *context, int to), void *context);

/* Make the file `name`, replacing it, by `write`, which gets the descriptor to write to and returns
 * 0 or -errno; its rights are `mode`. Returns what write returned, or -errno; then nothing has
 * changed. */
int exp_copy_made(int directory, const char *name, mode_t mode, int (*write)(void *context, int to),
                  void *context);

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

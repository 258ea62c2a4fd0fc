/* outfile.h: files that commands write, whole or not at all.
 *
 * If the program ends while one is open (as it does when there is no memory), or if not everything
 * could be written, the file is undone: a file that was created or replaced is removed, and a file
 * that was appended to gets its old length again. Pipes and devices keep what they got. */
#ifndef XER_ANALYZER_BASE_OUTFILE_H
#define XER_ANALYZER_BASE_OUTFILE_H

#include <stdio.h>

/* Make or replace a file; or append to it. NULL: it cannot be opened (errno). */
FILE *outfile_open(const char *path);
FILE *outfile_append(const char *path);

/* Close a stream of outfile_open or outfile_append, or another one; for standard output and error,
 * flush them. is_whole: everything that should be in it was written, as far as the caller knows.
 * Returns 0 or -errno: something could not be written. */
int outfile_close(FILE *out, int is_whole);

/* A file that something else writes by its name. outfile_begin makes an empty one beside `path`,
 * *name, which is removed if the program ends, also by SIGINT, SIGTERM or SIGHUP. One at a time.
 * outfile_end gives it the name `path` if it is whole, in place of a regular file or of the one
 * that a link leads to; else removes it. outfile_begin returns NULL (errno; ENOTSUP: `path` is
 * there and no regular file); outfile_end 0 or -errno. */
struct outfile;
struct outfile *outfile_begin(const char *path, const char **name);
int outfile_end(struct outfile *output, int is_whole);

/* Undo all of them, when the program ends suddenly. Signal-safe. */
void outfile_take_all_back(void);

#endif

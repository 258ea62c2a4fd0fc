/* outfile.h: files that commands write, whole or not at all.
 *
 * If the program ends while one is open, as it does when there is no memory, or not all could be
 * written, the file is taken back: one that was made or replaced is removed, one that was appended
 * to has its old length again. Pipes and devices keep what they got. */
#ifndef XER_ANALYZER_BASE_OUTFILE_H
#define XER_ANALYZER_BASE_OUTFILE_H

#include <stdio.h>

/* Make or replace a file; or append to it. NULL: it cannot be opened (errno). */
FILE *outfile_open(const char *path);
FILE *outfile_append(const char *path);

/* Close a stream of outfile_open or outfile_append, or another one; of standard output and error,
 * write what is kept back. is_whole: nothing that should be in it is missing, as far as the caller
 * knows. Returns 0 or -errno: something could not be written. */
int outfile_close(FILE *out, int is_whole);

/* Take all back, at a sudden end of the program. Signal-safe. */
void outfile_take_all_back(void);

#endif

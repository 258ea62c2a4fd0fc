/* closing.h: the line that a recording ends with on a terminal. */
#ifndef XER_ARCHIVE_CLOSING_H
#define XER_ARCHIVE_CLOSING_H

#include <stdio.h>

/* Print how much space the experiment at `path`, which the user calls `name`, takes with all its
 * descendants, and how to read it:
 *
 *   test.1.er: 1.2 MB of data, 3.0 MB of libraries and sources. Read it: xer_print -overview
 * test.1.er
 */
void closing_put(FILE *out, char *path, const char *name);

#endif

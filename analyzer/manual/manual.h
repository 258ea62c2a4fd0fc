/* manual.h: the manual page xer_print(1), which is a part of the program: for `help leaks`. */
#ifndef XER_ANALYZER_MANUAL_MANUAL_H
#define XER_ANALYZER_MANUAL_MANUAL_H

#include <stdio.h>

/* Print what the page says of a command, or else the section with this heading, in any case of
 * letters, filled to so many columns. Returns 0, or -ENOENT: it says nothing of it. */
int manual_put(const char *topic, size_t columns, FILE *out);

#endif

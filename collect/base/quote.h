/* quote.h: command lines as a shell would take them. */
#ifndef XER_COLLECT_BASE_QUOTE_H
#define XER_COLLECT_BASE_QUOTE_H

#include <stddef.h>

enum { QUOTE_MAX = 64 * 1024 };

/* Write argv as one line of shell words to out[size], size >= 8; a line that does not fit ends in "
 * ...". */
void quote_command(char *const *argv, char *out, size_t size);

#endif

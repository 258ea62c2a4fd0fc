/* printable.h: names in experiments may hold any bytes; this says which of them can be printed. */
#ifndef XER_EXPERIMENT_BASE_PRINTABLE_H
#define XER_EXPERIMENT_BASE_PRINTABLE_H

#include <stddef.h>

/* Length of the printable character at bytes[len], len > 0: 1 for ASCII, 2 to 4 for UTF-8; 0 if the
 * first byte must be escaped: it is a control character or begins one, or is not UTF-8. */
size_t exp_printable(const char *bytes, size_t len);

#endif

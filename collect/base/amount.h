/* amount.h: numbers and switches in the values of options. */
#ifndef XER_COLLECT_BASE_AMOUNT_H
#define XER_COLLECT_BASE_AMOUNT_H

#include <stdint.h>

/* Read "N" or "N.FRACTION" at *text in units of `unit`, rounded; *text is moved behind it. Returns
 * 0; -EINVAL if there is none; or -ERANGE, *text moved, if it is too large. */
int amount_read(const char **text, double unit, uint64_t *out);

/* "on" or "off". Returns 0, or -EINVAL if it is neither. */
int amount_switch(const char *value, int *out);

#endif

/* kernelframes.h: may stacks have the kernel's part (-k)? */
#ifndef XER_COLLECT_EXPERIMENT_KERNELFRAMES_H
#define XER_COLLECT_EXPERIMENT_KERNELFRAMES_H

#include "collect/options/options.h"

/* Switch it off in the request where the system forbids it or nothing has such stacks, and say so
 * on standard error. */
void kernelframes_prepare(struct request *request);

/* Do clock samples need samples of the kernel's beside them, for its part of their stacks? */
int kernelframes_for_clock(const struct request *request);

/* Has a text like /proc/kallsyms addresses, as far as it is given? */
int kernelframes_has_addresses(const char *text);

#endif

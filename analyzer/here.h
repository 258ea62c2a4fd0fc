/* here.h: experiments of the working directory, for a user who names none. */
#ifndef XER_ANALYZER_HERE_H
#define XER_ANALYZER_HERE_H

#include <limits.h>
#include <stddef.h>

/* Count the experiments in the working directory; the name of the one that was written last goes to
 * latest[]. */
size_t here_experiments(char latest[NAME_MAX + 1]);

#endif

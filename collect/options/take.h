/* take.h: what the values of options mean: one function for each row of options.def, in take_what.c
 * and take_how.c. */
#ifndef XER_COLLECT_OPTIONS_TAKE_H
#define XER_COLLECT_OPTIONS_TAKE_H

#include "collect/options/options.h"

#include <errno.h>

/* Takes the value of an option (NULL for flags). Returns 0, -EINVAL if the value makes no sense,
 * -ERANGE if it does but is not among those of request->range, -E2BIG if it was given too often. */
typedef int option_taker(struct request *request, const char *value);

/* What to return where the value is none of `range`, which is borrowed. */
static inline int take_out_of_range(struct request *request, const char *range)
{
	request->range = range;
	return -ERANGE;
}

#define OPTION(letter, word, argument, initial, take, meaning) option_taker take;
#include "collect/options/options.def"
#define SWITCH(field, kind, key, form, meaning) option_taker take_##field;
#include "format/datakind.def"

#endif

/* repeats.c: see repeats.h. */
#include "experiment/repeats.h"

#include <stdlib.h>

static uint64_t at_most(uint64_t count)
{
	return count < EXP_REPEATS_MAX ? count : EXP_REPEATS_MAX;
}

/* "{LEAST,MOST}", of which `at` is behind the brace. */
static uint64_t braces(const char *at)
{
	char *end;
	uint64_t least = strtoull(at, &end, 10), most = *end == ',' ? strtoull(end + 1, NULL, 10) : 0;

	return at_most(at_most(most > least ? most : least) + 1);
}

uint64_t exp_repeats(const char *pattern)
{
	uint64_t copies = 1;

	for (const char *at = pattern; *at != '\0'; at++) {
		if (at[0] == '\\' && at[1] != '\0')
			at++;
		else if (*at == '+')
			copies = at_most(2 * copies);
		else if (*at == '{') /* both are below 2^32 + 1 */
			copies = at_most(copies < EXP_REPEATS_MAX ? copies * braces(at + 1) : copies);
	}
	return copies;
}

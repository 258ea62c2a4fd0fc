/* repeats.h: how much a regular expression asks for. */
#ifndef XER_EXPERIMENT_REPEATS_H
#define XER_EXPERIMENT_REPEATS_H

#include <stdint.h>

/* The C library copies what is repeated when it compiles an extended regular expression: how many copies of a part that may be at most, as if all
 * repetitions stood within each other; EXP_REPEATS_MAX if that is more. */
uint64_t exp_repeats(const char *pattern);
#define EXP_REPEATS_MAX (UINT64_C(1) << 32)

enum { EXP_REPEATS_MODEST = 1 << 16 }; /* more may take all memory */

#endif

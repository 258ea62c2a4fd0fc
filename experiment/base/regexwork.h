/* regexwork.h: how much work a regular expression asks for, known before the C library is asked to
 * compile it; whoever reads one compiles it here. */
#ifndef XER_EXPERIMENT_BASE_REGEXWORK_H
#define XER_EXPERIMENT_BASE_REGEXWORK_H

#include <regex.h>
#include <stdint.h>

/* An estimate, from 1 to EXP_REGEX_WORK_MAX, of the work to compile an extended regular expression
 * with glibc (2.36: 40 ns a unit at most, of 55,000 expressions by chance). That copies what is
 * repeated, and then looks from each piece for all that can follow without a letter between; where
 * what may be nothing is repeated it goes every way there is, though ways meet again: as many as
 * two to the power of the expression's length. What refers back ("\1", no part of POSIX's extended
 * expressions) can take time without end to match, and "(a||)\1{0,4}+" crashes: the work is
 * EXP_REGEX_WORK_MAX. */
uint64_t exp_regex_work(const char *pattern);
#define EXP_REGEX_WORK_MAX (UINT64_C(1) << 30)

#define EXP_REGEX_MODEST (UINT64_C(1) << 22) /* more may take all day, or all memory */

/* Compile an extended regular expression that is modest. Returns 0, then regfree frees it; -EINVAL,
 * and why[EXP_REGEX_WHY] says so; or -ENOMEM. */
enum { EXP_REGEX_WHY = 128 };
int exp_regex_compile(regex_t *out, const char *pattern, char *why);

#endif

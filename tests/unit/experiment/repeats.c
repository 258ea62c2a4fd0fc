/* How much a regular expression asks for. */
#include "experiment/repeats.h"

#include <criterion/criterion.h>

Test(repeats, are_counted_as_if_within_each_other)
{
	cr_expect_eq(exp_repeats(""), 1);
	cr_expect_eq(exp_repeats("^_f[0-9].*$"), 1);
	cr_expect_eq(exp_repeats("a+b+"), 4);
	cr_expect_eq(exp_repeats("(a{3}){2,9}"), 4 * 10);
	cr_expect_eq(exp_repeats("a{,7}"), 8);
	cr_expect_eq(exp_repeats("operator\\+\\+"), 1);
	cr_expect_eq(exp_repeats("a\\"), 1);
}

Test(repeats, have_an_end)
{
	cr_expect_eq(exp_repeats("a{99999999999999999999}"), EXP_REPEATS_MAX);
	cr_expect_eq(exp_repeats("((a{4000000000}){4000000000}){4000000000}"), EXP_REPEATS_MAX);
	cr_expect_eq(exp_repeats("a++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++"), EXP_REPEATS_MAX);
}

/* Tests of analyzer/report/quality/sureness.c. */
#include "analyzer/report/quality/sureness.h"

#include <criterion/criterion.h>

/* n equal samples of a period. */
static struct exp_quality samples_of(uint64_t n, uint64_t period_ns)
{
	return (struct exp_quality){.samples = n,
	                            .sampled_ns = n * period_ns,
	                            .sampled_squares = (double)n * (double)period_ns *
	                                               (double)period_ns};
}

static void says(struct exp_quality quality, int is_ticked, const char *expected)
{
	char text[160] = "";

	cr_expect_eq(sureness_text(&quality, is_ticked, text, sizeof(text)), expected[0] != '\0');
	cr_expect_str_eq(text, expected);
}

/* Wilson's interval of 1/2 of n reaches 1.96 / 2 / sqrt(n + 1.96^2). */
Test(sureness, half_of_the_samples)
{
	struct exp_quality quality = samples_of(115, 10000000);
	double points;

	cr_expect(sureness_of_half(&quality, &points));
	cr_expect_float_eq(points, 100 * 0.97998 / 10.9014, 0.01);
	/* Two kinds of weights, 1 and 3: as many as 80 equal ones. */
	quality = (struct exp_quality){.samples = 100, .sampled_ns = 200, .sampled_squares = 500};
	cr_expect(sureness_of_half(&quality, &points));
	cr_expect_float_eq(points, 100 * 0.97998 / 9.1565, 0.01);
}

Test(sureness, what_helps_is_said_where_it_is_needed)
{
	says(samples_of(115, 10000000), 0,
	     "50 % is +-9 points (95 %); -p hi, a longer run or --repeat tells more");
	says(samples_of(115, 1000000), 0,
	     "50 % is +-9 points (95 %); --sampler=100u, a longer run or --repeat tells more");
	says(samples_of(115, 4000000), 1,
	     "50 % is +-9 points (95 %); a longer run or --repeat tells more");
	says(samples_of(1000, 1000000), 0, "50 % is +-3 points (95 %)");
	says(samples_of(100000, 1000000), 0, "50 % is +-0.3 points (95 %)");
	says(samples_of(0, 0), 0, "");
}

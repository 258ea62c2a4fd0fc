/* Tests of findings among many tests. */
#include "analyzer/statistics/discovery.h"

#include <criterion/criterion.h>

/* The example of Benjamini and Hochberg (1995), section 3.2. */
Test(discovery, the_first_four_of_fifteen)
{
	double chances[] = {0.4262, 0.0001, 0.0004, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240,
	                    0.0095, 0.0019, 0.5719, 0.6528, 0.7590, 1.0,    0.0201};

	cr_expect_eq(discovery_limit(chances, 15, 0.05), 0.0095);
	cr_expect_lt(discovery_limit(chances, 15, 0.001), 0);
	cr_expect_lt(discovery_limit(chances, 0, 0.05), 0);
}

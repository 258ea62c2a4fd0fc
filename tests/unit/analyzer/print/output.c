/* Tests of analyzer/print/output.c: messages and the exit status. */
#include "analyzer/print/output.h"

#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <stdio.h>

Test(output, the_worst_status_remains, .init = cr_redirect_stderr)
{
	struct output output = {.program = "test"};

	output_fail(&output, EXIT_USAGE, "usage");
	output_fail(&output, EXIT_TROUBLE, "trouble");
	output_say(&output, "no failure");
	cr_assert_eq(output.status, EXIT_USAGE);
	output_fail(&output, EXIT_CHECK, "check");
	cr_assert_eq(output.status, EXIT_CHECK);
	fflush(stderr);
	cr_assert_stderr_eq_str("test: usage\ntest: trouble\ntest: no failure\ntest: check\n");
}

Test(output, a_fault_has_its_place_in_the_script, .init = cr_redirect_stderr)
{
	struct output output = {.program = "test"};

	output_fail_at(&output, "sort", 3, "no such metric");
	output.place.file = "a\033b";
	output.place.line = 7;
	output.place.column = 6;
	output_fail_at(&output, "sort", 3, "no such metric");
	cr_assert_eq(output.status, EXIT_USAGE);
	fflush(stderr);
	cr_assert_stderr_eq_str("test: sort: column 3: no such metric\n"
	                        "test: a\\x1bb:7:8: sort: no such metric\n");
}

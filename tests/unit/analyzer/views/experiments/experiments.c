/* Tests of the list of experiments. */
#include "tests/unit/analyzer/answer.h"

#include <criterion/criterion.h>
#include <string.h>

static void expect_in(const char *path, const char *part)
{
	struct answer answer = answer_of(path, "exp_list");

	cr_expect(strstr(answer.text, part) != NULL, "%s, not %s", answer.text, part);
	answer_fini(&answer);
}

Test(view_exp_list, descendants_are_indented_below_their_founder)
{
	expect_in("tests/golden/children.er", " tests/golden/children.er: ./alone run");
	expect_in("tests/golden/children.er", " executed another program    _f1: ./alone run");
	expect_in("tests/golden/children.er", " ended                     _f1_x1: alone_static\n");
	expect_in("tests/golden/children.er",
	          " ended                       _f1_x1_f1: alone_static\n");
}

/* It has a lineage, but no founder that it could be indented below. */
Test(view_exp_list, a_descendant_that_is_opened_alone_has_its_path)
{
	expect_in("tests/golden/children.er/_f1.er",
	          " tests/golden/children.er/_f1.er: ./alone run");
}

/* Tests of what is said of the work that compared values are for. heap_known made 269 allocations,
 * 5 of them in leak_malloc; the other program made 4. */
#include "tests/unit/analyzer/answer.h"

#include <criterion/criterion.h>
#include <string.h>

#define GROUPS \
	"add_exp tests/golden/heap.er\nadd_exp tests/golden/profile.er\n" \
	"metrics i.heapalloccnt\nlimit 1\n"

/* The lines of the answer that begin with "# per" and the row of <Total>. */
static void expect(const char *lines, const char *expected)
{
	char all[512] = GROUPS, found[1024] = "";
	struct answer answer;

	answer = answer_of(NULL, strcat(all, lines));
	for (char *line = strtok(answer.text, "\n"); line; line = strtok(NULL, "\n"))
		if (strncmp(line, "# per", 5) == 0 || strstr(line, "<Total>"))
			strcat(strcat(found, line), "\n");
	cr_expect_str_eq(found, expected, "%s%s", found, answer.messages);
	cr_expect_eq(answer.status, 0);
	cr_expect_str_empty(answer.messages);
	answer_fini(&answer);
}

#define ROW(left, right) left "           " right "           <Total>\n"

Test(quality_work, each_group_has_its_factor)
{
	expect("compare on\nfunctions", "269           4             <Total>\n");
	expect("compare on\nper 269,4\nfunctions",
	       "# per number: values of profile are those of as much work as the first did, "
	       "times 67.25\n" ROW("269", "269"));
	expect("compare on\nper heapalloccnt(main)\nfunctions",
	       "# per heapalloccnt(main): values of profile are those of as much work as the first "
	       "did, times 67.25\n" ROW("269", "269"));
	expect("compare on\nper 1,4\nfunctions",
	       "# per number: values of profile are those of as much work as the first did, "
	       "times 0.25\n" ROW("269", "1  "));
	expect("compare on\nper 3\nfunctions",
	       "# per number: values of profile are those of as much work as the first did, "
	       "times 1\n" ROW("269", "4  "));
}

Test(quality_work, who_did_none_stays_as_it_is)
{
	expect("compare on\nper heapalloccnt(leak_malloc)\nfunctions",
	       "# per heapalloccnt(leak_malloc): profile has none, its values are as measured\n" ROW(
		       "269", "4  "));
}

Test(quality_work, without_a_comparison_nothing_is_said)
{
	expect("compare off\nper 269,4\nfunctions", "273           <Total>\n");
}

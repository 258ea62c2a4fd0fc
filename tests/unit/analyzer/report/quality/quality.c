/* Tests of when the line about the quality of the data is printed. */
#include "tests/unit/analyzer/answer.h"

#include <criterion/criterion.h>
#include <string.h>

#define HEAP "tests/golden/heap.er"
#define LINE "# quality: "

static int count(const char *text, const char *part)
{
	int found = 0;

	for (; (text = strstr(text, part)); text += strlen(part))
		found++;
	return found;
}

static int lines_of(const char *commands, const char *part)
{
	struct answer answer = answer_of(HEAP, commands);
	int found = count(answer.text, part);

	cr_expect_eq(answer.status, 0, "%s", answer.messages);
	answer_fini(&answer);
	return found;
}

Test(quality, several_views_of_the_same_data_say_it_once)
{
	cr_expect_eq(lines_of("leaks\nheapstat\nallocs\nfunctions", LINE), 1);
}

Test(quality, where_it_has_changed_it_is_said_again)
{
	cr_expect_eq(lines_of("leaks\nfilters HSIZE > 50\nleaks\nallocs\nfilters all\nleaks", LINE),
	             3);
}

Test(quality, the_header_has_it_in_any_case)
{
	cr_expect_eq(lines_of("leaks\nheader\nheader\nallocs", LINE), 3);
}

Test(quality, each_document_has_it)
{
	cr_expect_eq(lines_of("printmode json\nleaks\nallocs", "\"quality\""), 2);
}

/* Tests of analyzer/page/page.c: what is compared with, and files that cannot be written. */
#include "tests/unit/analyzer/answer.h"
#include "tests/unit/analyzer/golden.h"
#include "tests/unit/analyzer/readpage.h"

#include <criterion/criterion.h>
#include <string.h>

/* What is compared with is a part of the events, and of nothing else. */
Test(page_base, has_its_own_group_and_no_documents)
{
	char directory[GOLDEN_PATH];
	struct answer alone, beside;

	golden_enter("heap,profile", directory);
	alone = answer_of("profile.er", "printmode json\nlimit 250\nstatistics");
	beside = answer_of("profile.er", "base heap.er\nreport -");
	cr_assert_eq(beside.status, 0, "%s", beside.messages);
	page_take(beside.text);
	page_expect(page_sections[PAGE_HEAD].text,
	            "\"origins\": [\"profile.er\"],\n\"base\": \"heap.er\"");
	page_expect(page_sections[PAGE_HEAD].text, "\"group\": 0, \"is_base\": false");
	page_expect(page_sections[PAGE_HEAD].text, "\"group\": 1, \"is_base\": true");
	page_same_tables(strstr(page_sections[PAGE_DOCUMENTS].text, "\"command\": \"statistics\""),
	                 alone.text);
	answer_fini(&alone);
	answer_fini(&beside);
	page_forget();
	golden_leave(directory);
}

Test(page_file, cannot_be_written)
{
	answer_check("tests/golden/user.er", "report missing/page.html", "",
	             "xer_print: report: missing/page.html: No such file or directory\n", 1);
	answer_check("tests/golden/user.er", "report /dev/full", "",
	             "xer_print: report: /dev/full: cannot be written\n", 1);
	answer_check("tests/golden/user.er", "base missing.er\nreport -", "",
	             "xer_print: missing.er: no such experiment\n", 1);
}

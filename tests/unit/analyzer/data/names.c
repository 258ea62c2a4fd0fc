/* Tests of analyzer/data/names.c: functions by their names and by addresses inside of them. The
 * golden experiment's program has main, 67 bytes at 0x910, and leak_malloc, 40 bytes at 0xa50. */
#include "analyzer/print/output.h"
#include "tests/unit/analyzer/answer.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* Which function is meant by a name, the first line behind that of the quality; "": none. */
static const char *meant_by(const char *name)
{
	static char found[64];
	char line[96];
	struct answer answer;
	const char *text;

	snprintf(line, sizeof(line), "fsingle %s", name);
	answer = answer_of("tests/golden/heap.er", line);
	text = strchr(answer.text, '\n');
	found[0] = '\0';
	if (answer.status == EXIT_OK && text)
		snprintf(found, sizeof(found), "%.*s", (int)strcspn(text + 1, "\n"), text + 1);
	cr_expect_eq(answer.status == EXIT_OK, answer.messages[0] == '\0', "%s", answer.messages);
	answer_fini(&answer);
	return found;
}

Test(names, a_function_is_found_by_its_name)
{
	cr_expect_str_eq(meant_by("main"), "main");
	cr_expect_str_eq(meant_by("leak_malloc"), "leak_malloc");
	cr_expect_str_eq(meant_by("<Total>"), "<Total>");
	cr_expect_str_empty(meant_by("mai"));
	cr_expect_str_empty(meant_by("main2"));
	cr_expect_str_empty(meant_by("MAIN"));
}

Test(names, a_function_is_found_by_each_of_its_addresses)
{
	cr_expect_str_eq(meant_by("heap_known+0x910"), "main");
	cr_expect_str_eq(meant_by("heap_known+0x930"), "main");
	cr_expect_str_eq(meant_by("heap_known+0x952"), "main");
	cr_expect_str_eq(meant_by("heap_known+0xa50"), "leak_malloc");
	cr_expect_str_eq(meant_by("heap_known+0xa77"), "leak_malloc");
	cr_expect_str_eq(meant_by("libc.so.6+0x27249"), "libc.so.6+0x27249", "that is its name");
}

Test(names, other_addresses_and_words_are_none)
{
	static const char *const wrong[] = {
		"heap_known+0x90f", "heap_known+0x953",  "heap_known+0xa4f", "heap_known+0xa78",
		"heap_know+0x910",  "heap_known2+0x910", "heap_known+910",   "heap_known+0x910x",
		"+0x910",           "main+0x10",         "heap_known-0x910", "0x910"};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		cr_expect_str_empty(meant_by(wrong[i]), "%s", wrong[i]);
}

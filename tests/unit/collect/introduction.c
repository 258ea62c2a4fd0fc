/* Tests of what xcollect says to a user who gives no words. */
#include "collect/introduction.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

TestSuite(introduction, .timeout = 20);

static char *introduce(const struct installation *installation)
{
	size_t size;
	char *text = NULL;
	FILE *to = open_memstream(&text, &size);

	cr_assert_not_null(to);
	introduction_print(installation, to);
	fclose(to);
	return text;
}

Test(introduction, says_how_to_begin_and_what_is_possible)
{
	static struct installation installation = {.helper = "xer_attach",
	                                           .library32 = "libcollector.so"};
	char *text = introduce(&installation);

	cr_expect(strstr(text, "\n  xcollect ./app arguments "), "%s", text);
	cr_expect(strstr(text, "\n  xer_print -overview test.1.er "), "%s", text);
	cr_expect(strstr(text, "clock samples"), "%s", text);
	cr_expect(strstr(text, " events of the processor and the kernel;"), "%s", text);
	cr_expect(strstr(text, "32-bit programs: user events"), "%s", text);
	cr_expect(strstr(text, "recorder: -P, no --sampler\n"), "%s", text);
	free(text);
}

Test(introduction, says_what_is_not_installed)
{
	static struct installation installation;
	char *text = introduce(&installation);

	cr_expect(strstr(text, "32-bit programs: no\n"), "%s", text);
	cr_expect(strstr(text, "recorder: no -P, no --sampler\n"), "%s", text);
	free(text);
}

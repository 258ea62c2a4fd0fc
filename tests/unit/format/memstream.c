/* A stream into memory: what it has when it is flushed and closed, and that no gap stays untold. */
#include "format/memstream.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

Test(memstream, text_grows_and_ends_with_a_nul)
{
	char *text;
	size_t size;
	FILE *out = memstream_open(&text, &size);

	cr_assert_not_null(out);
	cr_expect_null(text);
	fprintf(out, "%s %d", "leaks", 7);
	cr_expect_eq(ftello(out), 7);
	cr_assert_eq(fflush(out), 0);
	cr_expect_str_eq(text, "leaks 7");
	cr_expect_eq(size, 7);
	for (int i = 0; i < 100000; i++)
		fputs("0123456789", out);
	cr_assert_eq(fclose(out), 0);
	cr_expect_eq(size, 1000007);
	cr_expect_eq(strlen(text), size);
	cr_expect_str_eq(text + size - 11, "90123456789");
	free(text);
}

Test(memstream, an_empty_text_is_one)
{
	char *text;
	size_t size;
	FILE *out = memstream_open(&text, &size);

	cr_assert_eq(fclose(out), 0);
	cr_assert_not_null(text);
	cr_expect_str_eq(text, "");
	cr_expect_eq(size, 0);
	free(text);
}

/* What was lost stays an error of the stream, also if there is memory again. */
Test(memstream, lack_of_memory_is_told)
{
	struct rlimit before, none = {0, 0};
	char *text, *large = malloc(64 << 20);
	size_t size;
	FILE *out = memstream_open(&text, &size);

	memset(large, 'a', 64 << 20);
	fputs("before ", out);
	cr_assert_eq(fflush(out), 0);
	getrlimit(RLIMIT_AS, &before);
	none.rlim_max = before.rlim_max;
	cr_assert_eq(setrlimit(RLIMIT_AS, &none), 0);
	fwrite(large, 1, 64 << 20, out);
	fflush(out);
	setrlimit(RLIMIT_AS, &before);
	cr_expect(ferror(out));
	fputs("behind", out);
	cr_expect(ferror(out));
	fclose(out);
	cr_expect_eq(strncmp(text, "before ", 7), 0);
	free(text);
	free(large);
}

/* Functions that a program creates, in map.xml and dyntext. */
#include "libcollector/jit/dynamic.h"
#include "tests/unit/libcollector/scratch.h"

#include "libcollector/base/collector.h"
#include "libcollector/base/file.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TestSuite(dynamic, .init = scratch_open, .fini = scratch_remove);

static char code[65536];

static void has(const char *format, const void *address, int count)
{
	char wanted[256];

	snprintf(wanted, sizeof(wanted), format, (unsigned long)(uintptr_t)address);
	cr_assert_eq(scratch_count("map.xml", wanted), count, "%s", wanted);
}

static unsigned generation(void)
{
	return atomic_load(&col.generation);
}

/* Check that dyntext has these bytes at `at`. */
static void has_bytes(uint64_t at, const void *bytes, size_t size)
{
	size_t len;
	char *text = scratch_read("dyntext", &len);

	cr_assert(text && len >= at + size, "%zu of %lu", len, at + size);
	cr_assert_eq(memcmp(text + at, bytes, size), 0);
	free(text);
}

Test(dynamic, a_function_has_its_code_and_its_lines)
{
	static const Lineno lines[] = {{0, 10}, {4, 11}, {9, 10}};

	memcpy(code, "the code of it", 14);
	dynamic_load("function<1>", "alias", "source.x", code, 14, 3, lines);
	has(" <function name=\"function&lt;1&gt;\" alias=\"alias\" source=\"source.x\" "
	    "address=\"%#lx\" size=\"14\" generation=\"0\" time=\"",
	    code, 1);
	cr_assert_eq(scratch_count("map.xml", "\" offset=\"0\" lines=\"3\"/>"), 1);
	has_bytes(0, "the code of it\0", 16);
	has_bytes(16, lines, sizeof(lines));
	dynamic_load("other", NULL, NULL, code + 100, 5, 2, NULL);
	cr_assert_eq(scratch_count("map.xml", " <function name=\"other\" address="), 1);
	cr_assert_eq(scratch_count("map.xml", "\" offset=\"40\" lines=\"0\"/>"), 1);
	dynamic_load("third", NULL, NULL, code + 200, 5, -2, lines);
	cr_assert_eq(scratch_count("map.xml", "\" offset=\"48\" lines=\"0\"/>"), 1);
	cr_assert_eq(generation(), 0);
}

Test(dynamic, what_is_no_function_is_passed_over)
{
	dynamic_load("none", NULL, NULL, NULL, 14, 0, NULL);
	dynamic_load("empty", NULL, NULL, code, 0, 0, NULL);
	dynamic_load("negative", NULL, NULL, code, -1, 0, NULL);
	dynamic_unload(NULL);
	col.pid++;
	dynamic_load("of a child", NULL, NULL, code, 14, 0, NULL);
	dynamic_unload(code);
	cr_assert_eq(scratch_count("map.xml", "<function"), 0);
}

/* The kernel reads the code: with a wrong size it returns an error. */
Test(dynamic, code_that_is_not_there_is_not_kept)
{
	dynamic_load("short", NULL, NULL, (const void *)8, 14, 0, NULL);
	cr_assert_eq(scratch_count("map.xml", "<function name=\"short\" address=\"0x8\""), 1);
	cr_assert_eq(scratch_count("map.xml", "offset="), 0);
}

Test(dynamic, long_names_are_cut)
{
	char name[1201], wanted[1300];

	memset(name, 'n', 1200);
	name[1200] = '\0';
	dynamic_load(name, NULL, NULL, code, 5, 0, NULL);
	snprintf(wanted, sizeof(wanted), " name=\"%.1000s\" ", name);
	cr_assert_eq(scratch_count("map.xml", wanted), 1);
}

/* ---- generations: addresses that are used again */

static void load(size_t at, int size)
{
	dynamic_load("f", NULL, NULL, code + at, size, 0, NULL);
}

Test(dynamic, code_where_unloaded_code_was_begins_a_generation)
{
	load(4096, 64);
	load(8192, 64);
	dynamic_unload(code + 4096);
	has(" <function_unload address=\"%#lx\" generation=\"1\" time=\"", code + 4096, 1);
	cr_assert_eq(generation(), 0);
	load(16384, 64);
	cr_assert_eq(generation(), 0, "elsewhere");
	load(4096 + 48, 16);
	cr_assert_eq(generation(), 1, "its last bytes");
	load(4096, 16);
	cr_assert_eq(generation(), 1, "of the old generation");
	has("address=\"%#lx\" size=\"16\" generation=\"1\"", code + 4096 + 48, 1);
}

Test(dynamic, code_beside_unloaded_code_does_not)
{
	_Alignas(16) static char lines[256];

	dynamic_load("f", NULL, NULL, lines + 64, 32, 0, NULL);
	dynamic_unload(lines + 64);
	dynamic_load("f", NULL, NULL, lines + 32, 32, 0, NULL);
	dynamic_load("f", NULL, NULL, lines + 96, 32, 0, NULL);
	cr_assert_eq(generation(), 0);
	dynamic_load("f", NULL, NULL, lines + 48, 17, 0, NULL);
	cr_assert_eq(generation(), 1);
}

Test(dynamic, code_that_takes_the_place_of_other_code_begins_a_generation)
{
	load(4096, 64);
	load(4096, 32);
	cr_assert_eq(generation(), 1);
	load(8192, 32);
	cr_assert_eq(generation(), 1);
}

/* It is not known where its code ended. */
Test(dynamic, unloading_what_was_never_loaded_makes_the_next_load_begin_one)
{
	dynamic_unload(code + 100);
	cr_assert_eq(generation(), 0);
	load(20000, 16);
	cr_assert_eq(generation(), 1);
	load(30000, 16);
	cr_assert_eq(generation(), 1);
	load(100, 16);
	dynamic_unload(code + 100);
	dynamic_unload(code + 100);
	load(40000, 16);
	cr_assert_eq(generation(), 2, "it was unloaded twice");
}

Test(dynamic, sizes_of_many_functions_are_known)
{
	for (size_t i = 0; i < 4000; i++)
		load(16 * i, 16);
	cr_assert_eq(generation(), 0);
	for (size_t i = 0; i < 4000; i += 2)
		dynamic_unload(code + 16 * i);
	cr_assert_eq(generation(), 0);
	load(16 * 4001, 16);
	cr_assert_eq(generation(), 0, "all that were unloaded are known");
	load(16 * 1000, 16);
	cr_assert_eq(generation(), 1);
}

/* ---- dyntext */

Test(dynamic, bytes_have_places_of_their_own)
{
	uint64_t at;

	cr_assert_eq(dynamic_text_reserve(100), 0);
	cr_assert_eq(dynamic_text_reserve(10), 100);
	cr_assert_eq(dynamic_write("abc", 3, "defg", 4, &at), 0);
	cr_assert_eq(at, 110);
	has_bytes(110, "abc\0\0\0\0\0defg", 12);
	cr_assert_eq(dynamic_text_write("xyz", 3, &at), 0);
	cr_assert_eq(at, 126);
	cr_assert_eq(dynamic_text_put("1234", 4, 50), 0);
	has_bytes(50, "1234", 4);
	cr_assert_eq(dynamic_text_write((const void *)8, 3, &at), -EFAULT);
	cr_assert_eq(dynamic_write("a", 1, (const void *)8, 3, &at), -EFAULT);
	dynamic_forget();
	cr_assert_eq(dynamic_text_reserve(1), 0);
}

Test(dynamic, dyntext_is_opened_again_when_the_program_closes_it)
{
	uint64_t at;
	int fd = dynamic_text_fd();

	cr_assert_geq(fd, 960);
	cr_assert_eq(dynamic_text_fd(), fd);
	close(fd);
	cr_assert_eq(dynamic_text_write("abc", 3, &at), 0);
	has_bytes(0, "abc", 3);
}

Test(dynamic, dyntext_does_not_grow_beyond_the_limit)
{
	struct rlimit limit = {100, RLIM_INFINITY};
	uint64_t at;

	setrlimit(RLIMIT_FSIZE, &limit);
	cr_assert_eq(dynamic_write("a", 1, code, 92, &at), -EFBIG);
	cr_assert_eq(dynamic_text_put(code, 51, 50), -EFBIG);
	cr_assert_eq(dynamic_text_put(code, 50, 50), 0);
	limit.rlim_cur = RLIM_INFINITY;
	setrlimit(RLIMIT_FSIZE, &limit);
}

/* Pages of code in no load object that call stacks contain. */
#include "libcollector/jit/unmapped.h"
#include "tests/unit/libcollector/scratch.h"

#include "libcollector/base/collector.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, PAGES = 40 };

static uint8_t *code; /* PAGES of them, executable */

static uint8_t *map_code(size_t pages, int rights)
{
	/* Between two others that may be nothing: kernels join what is alike. */
	uint8_t *whole = mmap(NULL, (pages + 2) * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
	                      0);

	cr_assert_neq(whole, MAP_FAILED);
	cr_assert_eq(mprotect(whole + PAGE, pages * PAGE, rights), 0);
	return whole + PAGE;
}

static void setup(void)
{
	scratch_open();
	/* A tenth of a second, in which a page is not looked at again, is over at once. */
	col.descriptor.clock_hz = 10;
	code = map_code(PAGES, PROT_READ | PROT_WRITE | PROT_EXEC);
}

TestSuite(unmapped, .init = setup, .fini = scratch_remove);

static int count_elements(const uint8_t *page)
{
	char wanted[128];

	snprintf(wanted, sizeof(wanted),
	         " <code address=\"%#lx\" size=\"4096\" start=", (unsigned long)(uintptr_t)page);
	return scratch_count("map.xml", wanted);
}

/* The offset in dyntext of the last element of a page; -1: there is none. */
static long last_offset(const uint8_t *page)
{
	char wanted[64], *text, *at, *last = NULL, *end;
	long offset = -1;
	size_t len;

	snprintf(wanted, sizeof(wanted), " <code address=\"%#lx\"", (unsigned long)(uintptr_t)page);
	text = scratch_read("map.xml", &len);
	for (at = text; (at = strstr(at, wanted)) != NULL; at++)
		last = at;
	cr_assert_not_null(last);
	end = strchr(last, '>');
	at = strstr(last, " offset=\"");
	if (at && at < end)
		offset = atol(at + 9);
	free(text);
	return offset;
}

static void has_copy(const uint8_t *page)
{
	long offset = last_offset(page);
	size_t len;
	char *bytes = scratch_read("dyntext", &len);

	cr_assert_geq(offset, 0);
	cr_assert_leq((size_t)offset + PAGE, len);
	cr_assert_eq(memcmp(bytes + offset, page, PAGE), 0);
	free(bytes);
}

static void see(const uint8_t *at)
{
	unmapped_see((uint64_t)(uintptr_t)at);
}

Test(unmapped, a_page_of_code_is_kept)
{
	char wanted[200];

	memset(code, 0x90, PAGE);
	memset(code + PAGE, 0xcc, PAGE);
	see(code + PAGE + 17);
	cr_assert_eq(scratch_count("map.xml", "<code "), 1);
	snprintf(wanted, sizeof(wanted),
	         " <code address=\"%#lx\" size=\"4096\" start=\"%#lx\" generation=\"0\" time=\"",
	         (unsigned long)(uintptr_t)(code + PAGE), (unsigned long)(uintptr_t)code);
	cr_assert_eq(scratch_count("map.xml", wanted), 1);
	has_copy(code + PAGE);
	see(code);
	has_copy(code);
	cr_assert_eq(scratch_count("map.xml", "<code "), 2);
}

Test(unmapped, a_page_that_has_changed_is_kept_again)
{
	see(code);
	see(code + 100);
	cr_assert_eq(count_elements(code), 1);
	code[4095] = 0xc3;
	see(code);
	cr_assert_eq(count_elements(code), 2);
	has_copy(code);
	for (int i = 0; i < 100; i++) {
		code[i]++;
		see(code);
	}
	cr_assert_eq(count_elements(code), 16, "as often as is allowed");
}

Test(unmapped, a_page_is_looked_at_ten_times_a_second)
{
	col.descriptor.clock_hz = (uint64_t)1 << 62;
	see(code);
	code[0]++;
	see(code);
	cr_assert_eq(count_elements(code), 1);
	see(code + PAGE);
	cr_assert_eq(count_elements(code + PAGE), 1, "another one");
	unmapped_forget();
	see(code);
	cr_assert_eq(count_elements(code), 2);
}

Test(unmapped, what_is_no_code_is_not_kept)
{
	uint8_t *data = map_code(1, PROT_READ | PROT_WRITE);

	see(data);
	see(NULL);
	see(code - PAGE);
	see((const uint8_t *)8);
	unmapped_see((uint64_t)1 << 47);
	see((const uint8_t *)(uintptr_t)&see);
	see((const uint8_t *)(uintptr_t)&qsort);
	cr_assert_eq(scratch_count("map.xml", "<code "), 0);
	atomic_store(&col.switches->recording, 0);
	see(code);
	cr_assert_eq(scratch_count("map.xml", "<code "), 0);
}

Test(unmapped, a_mapping_is_code_from_its_first_byte_to_its_last)
{
	const uint8_t *end = code + PAGES * PAGE;

	for (int is_known = 0; is_known < 2; is_known++) {
		see(code - 1);
		see(end);
		cr_assert_eq(scratch_count("map.xml", "<code "), 2 * is_known);
		see(code);
		see(end - 1);
		cr_assert_eq(count_elements(code), 1);
		cr_assert_eq(count_elements(end - PAGE), 1);
	}
}

/* Its first page says where it is. */
Test(unmapped, code_that_cannot_be_read_is_told_of)
{
	uint8_t *hidden = map_code(1, PROT_EXEC);

	if (mprotect(hidden, PAGE, PROT_EXEC) != 0)
		cr_skip_test("no mapping can be executable alone");
	see(hidden);
	cr_assert_eq(count_elements(hidden), 1);
	mprotect(code, PAGES * PAGE, PROT_READ | PROT_EXEC);
	see(code);
	has_copy(code);
}

Test(unmapped, unmapped_code_is_told_of_once_more_when_it_comes_back)
{
	see(code);
	see(code + PAGE);
	mprotect(code, PAGE, PROT_NONE);
	see(code);
	cr_assert_eq(count_elements(code), 1);
	mprotect(code, PAGE, PROT_READ | PROT_WRITE);
	code[7] = 7;
	see(code);
	cr_assert_eq(count_elements(code), 2);
}

/* 64 addresses in no mapping are looked up, and each look-up reads /proc/self/maps. */
Test(unmapped, addresses_that_lie_nowhere_are_not_looked_up_without_end)
{
	uint8_t *nothing = map_code(100, PROT_NONE);

	for (int i = 0; i < 63; i++)
		see(nothing + i * PAGE);
	see(code);
	cr_assert_eq(count_elements(code), 1);
	unmapped_forget();
	for (int i = 0; i < 64; i++)
		see(nothing + i * PAGE);
	see(code + PAGE);
	cr_assert_eq(count_elements(code + PAGE), 0);
}

Test(unmapped, many_regions_are_known)
{
	enum { REGIONS = 256 };
	uint8_t *all[REGIONS + 1];

	for (int i = 0; i <= REGIONS; i++) {
		all[i] = map_code(1, PROT_READ | PROT_EXEC);
		see(all[i]);
	}
	for (int i = 0; i < REGIONS; i++)
		cr_assert_eq(count_elements(all[i]), 1, "%d", i);
	cr_assert_eq(count_elements(all[REGIONS]), 0, "but no more");
}

Test(unmapped, copies_end_where_files_may_not_grow)
{
	struct rlimit limit = {3 * PAGE, RLIM_INFINITY};

	setrlimit(RLIMIT_FSIZE, &limit);
	see(code);
	see(code + PAGE);
	see(code + 2 * PAGE);
	limit.rlim_cur = RLIM_INFINITY;
	setrlimit(RLIMIT_FSIZE, &limit);
	/* One page is readable. */
	cr_assert_eq(last_offset(code), PAGE);
	cr_assert_eq(last_offset(code + PAGE), 2 * PAGE);
	cr_assert_eq(last_offset(code + 2 * PAGE), -1, "it is told of, without a copy");
}

/* Changes of the program's code. */
#include "libcollector/object/code.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

static int met;

static void first(void)
{
	met += 1;
}

static void second(void)
{
	met += 10;
}

typedef void function(void);

Test(code, stubs_near_the_code_lead_to_their_targets)
{
	static void (*const targets[])(void) = {first, second};
	const uint8_t *stubs = code_make_stubs((uint64_t)first, targets, 2);
	int64_t distance = (int64_t)((uint64_t)stubs - (uint64_t)first);

	cr_assert_not_null(stubs);
	cr_assert(distance < 1 << 30 && distance > -(1 << 30), "%ld", distance);
	((function *)(uintptr_t)stubs)();
	cr_assert_eq(met, 1);
	((function *)(uintptr_t)(stubs + CODE_STUB_SIZE))();
	cr_assert_eq(met, 11);
	cr_assert_neq(code_make_stubs((uint64_t)first, targets, 2), stubs, "that place is taken");
}

/* Its page may be read and executed only. */
Test(code, code_is_written_between_begin_and_end)
{
	static const uint8_t return_7[] = {0xb8, 7, 0, 0, 0, 0xc3};
	uint8_t *page = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	cr_assert_neq((void *)page, MAP_FAILED);
	cr_assert_eq(code_write((uint64_t)page, return_7, sizeof(return_7)), -EACCES);
	cr_assert_eq(code_begin(), 0);
	cr_assert_eq(code_write((uint64_t)page, return_7, sizeof(return_7)), 0);
	code_tell_processors();
	cr_assert_eq(((int (*)(void))(uintptr_t)page)(), 7);
	cr_assert_eq(code_write(16, return_7, sizeof(return_7)), -EACCES);
	code_end();
	cr_assert_eq(code_write((uint64_t)page, return_7, sizeof(return_7)), -EACCES);
	code_end();
}

Test(code, pages_are_writable_for_a_time)
{
	uint8_t *pages = mmap(NULL, 3 * 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
	                      -1, 0);

	/* From the first page into the second one. */
	cr_assert_eq(code_open_pages((uint64_t)pages + 4000, (uint64_t)pages + 4100, 1), 0);
	pages[0] = 0xb8;
	pages[4097] = 1;
	memcpy(pages + 1, "\x09\0\0\0\xc3", 5);
	cr_assert_eq(((int (*)(void))(uintptr_t)pages)(), 9);
	cr_assert_eq(code_open_pages((uint64_t)pages + 4000, (uint64_t)pages + 4100, 0), 0);
	cr_assert_eq(((int (*)(void))(uintptr_t)pages)(), 9);
	cr_assert_lt(code_open_pages(4096, 8192, 1), 0);
}

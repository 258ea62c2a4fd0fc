/* Tests of analyzer/page/things.c and deaths.c: what golden experiments did with locks, files and
 * blocks, as the commands `locks` and `ioactivity` tell. */
#include "format/layout.h"
#include "tests/unit/analyzer/golden.h"
#include "tests/unit/analyzer/readpage.h"

#include <criterion/criterion.h>
#include <string.h>

static int64_t at(unsigned section, size_t row)
{
	return page_sections[section].numbers[row];
}

/* The sum of a column of the uses of things of this name and sort, of a class (-1: all). */
static int64_t sum_of(unsigned section, const char *name, const char *sort, int64_t class)
{
	int64_t sum = 0;

	for (size_t i = 0; i < page_sections[PAGE_USE_TIME].count; i++) {
		size_t thing = (size_t)at(PAGE_USE_THING, i);

		if (strcmp(page_strings[at(PAGE_THING_NAME, thing)], name) == 0 &&
		    strcmp(page_strings[at(PAGE_THING_SORT, thing)], sort) == 0 &&
		    (class < 0 || at(PAGE_USE_CLASS, i) == class))
			sum += at(section, i);
	}
	return sum;
}

Test(page_things, locks_and_files_have_what_their_tables_tell)
{
	static const char file[] = "/tmp/xer-golden/waits.d/file";
	char directory[GOLDEN_PATH];

	golden_enter("waits", directory);
	page_read("waits.er", "");
	cr_expect_eq(sum_of(PAGE_USE_COUNT, "mutex", "mutex", -1), 7);
	cr_expect_eq(sum_of(PAGE_USE_COUNT, "mutex", "mutex", 1), 2, "failed");
	cr_expect_eq(sum_of(PAGE_USE_NS, "mutex", "mutex", -1) / 1000, 10041);
	cr_expect_eq(sum_of(PAGE_USE_COUNT, "gate", "mutex", -1), 2);
	cr_expect_eq(sum_of(PAGE_USE_COUNT, "opened", "condition", -1), 1);
	cr_expect_eq(sum_of(PAGE_USE_COUNT, "spin", "spin lock", -1), 2);
	cr_expect_eq(sum_of(PAGE_USE_COUNT, file, "ext4", EXP_IO_READ), 2);
	cr_expect_eq(sum_of(PAGE_USE_BYTES, file, "ext4", EXP_IO_READ), 18);
	cr_expect_eq(sum_of(PAGE_USE_COUNT, file, "ext4", EXP_IO_WRITE), 11);
	cr_expect_eq(sum_of(PAGE_USE_BYTES, file, "ext4", EXP_IO_WRITE), 86);
	cr_expect_eq(sum_of(PAGE_USE_COUNT, file, "ext4", EXP_IO_OTHER), 4);
	cr_expect_eq(sum_of(PAGE_USE_COUNT, "/nowhere/at/all", "", EXP_IO_ERROR), 2);
	cr_expect_eq(sum_of(PAGE_USE_COUNT, "<Unknown>", "", EXP_IO_ERROR), 1);
	page_forget();
	golden_leave(directory);
}

/* tests/programs/user_known.c logs 18 events of hook 020, 9 with each sub-id. */
Test(page_things, hooks_have_their_events)
{
	char directory[GOLDEN_PATH];
	int64_t events[2] = {0, 0};

	golden_enter("user", directory);
	page_read("user.er", "");
	for (size_t i = 0; i < page_sections[PAGE_USE_TIME].count; i++) {
		size_t thing = (size_t)at(PAGE_USE_THING, i);

		if (strcmp(page_strings[at(PAGE_THING_NAME, thing)], "020") == 0) {
			cr_assert(at(PAGE_THING_NUMBER, thing) == 2 ||
			          at(PAGE_THING_NUMBER, thing) == 3);
			events[at(PAGE_THING_NUMBER, thing) - 2] += at(PAGE_USE_COUNT, i);
		}
	}
	cr_expect_eq(events[0], 9);
	cr_expect_eq(events[1], 9);
	cr_expect_eq(sum_of(PAGE_USE_BYTES, "020", "", -1), 144 + 72);
	page_forget();
	golden_leave(directory);
}

/* Two ranks that send each other 19 messages. */
Test(page_things, ranks_have_messages_and_functions_their_calls)
{
	char directory[GOLDEN_PATH];

	golden_enter("mpi", directory);
	page_read("mpi.er", "");
	cr_expect_eq(sum_of(PAGE_USE_COUNT, "rank 1", "", 1), 19);
	cr_expect_eq(sum_of(PAGE_USE_BYTES, "rank 1", "", 1), 6594);
	cr_expect_eq(sum_of(PAGE_USE_COUNT, "rank 0", "", 2), 19);
	cr_expect_eq(sum_of(PAGE_USE_RECEIVED, "rank 0", "", 2), 6594);
	cr_expect_eq(sum_of(PAGE_USE_COUNT, "MPI_Recv", "receive", -1), 20);
	cr_expect_eq(sum_of(PAGE_USE_RECEIVED, "MPI_Recv", "receive", -1), 8000);
	page_forget();
	golden_leave(directory);
}

/* Whatever was allocated is leaked, or freed in the same unit of time, or has a death. */
Test(page_deaths, belong_to_rows_of_the_heap)
{
	char directory[GOLDEN_PATH];

	golden_enter("java", directory);
	page_read("java.er", "");
	cr_assert_gt(page_sections[PAGE_DEATH_ROW].count, 0);
	for (size_t i = 0; i < page_sections[PAGE_DEATH_ROW].count; i++) {
		cr_expect_lt((size_t)at(PAGE_DEATH_ROW, i), page_sections[PAGE_ROW_TIME].count);
		cr_expect_gt(at(PAGE_DEATH_SPAN, i), 0);
		cr_expect_gt(at(PAGE_DEATH_COUNT, i), 0);
		if (i > 0)
			cr_expect(at(PAGE_DEATH_ROW, i) > at(PAGE_DEATH_ROW, i - 1) ||
			          at(PAGE_DEATH_SPAN, i) > at(PAGE_DEATH_SPAN, i - 1));
	}
	page_forget();
	golden_leave(directory);
}

/* Tests of analyzer/page/events.c: single events and usage samples. */
#include "format/layout.h"
#include "tests/unit/analyzer/golden.h"
#include "tests/unit/analyzer/readpage.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static uint64_t sum_of(unsigned from)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < page_totals[from].values.count; i++)
		sum += (uint64_t)page_totals[from].values.numbers[i];
	return sum;
}

/* How many marks of a kind there are; how long they took and what they moved together. */
static size_t marks_of(unsigned kind, uint64_t *duration_ns, uint64_t *bytes)
{
	size_t count = 0;

	*duration_ns = *bytes = 0;
	for (size_t i = 0; i < page_sections[PAGE_MARK_KIND].count; i++) {
		if (page_sections[PAGE_MARK_KIND].numbers[i] != (int64_t)kind)
			continue;
		count++;
		*duration_ns += (uint64_t)page_sections[PAGE_MARK_DURATION].numbers[i];
		*bytes += (uint64_t)page_sections[PAGE_MARK_BYTES].numbers[i];
	}
	return count;
}

static const char *mark_name(size_t mark)
{
	return page_strings[page_sections[PAGE_MARK_NAME].numbers[mark]];
}

Test(page_marks, are_all_events_that_took_a_while)
{
	char directory[GOLDEN_PATH];
	uint64_t duration_ns, bytes;
	size_t count;

	golden_enter("waits", directory);
	page_read("waits.er", "");
	count = marks_of(FMT_DATAKIND_SYNC, &duration_ns, &bytes);
	cr_expect_eq(count, 20);
	cr_expect_eq(sum_of(EXP_SYNC_COUNT), 20);
	cr_expect_eq(bytes, 0);
	/* Each is rounded to ns. */
	cr_expect_lt(llabs((long long)(duration_ns - sum_of(EXP_SYNC_WAIT) -
	                               sum_of(EXP_SYNC_JOIN_WAIT))),
	             20);
	count = marks_of(FMT_DATAKIND_IO, &duration_ns, &bytes);
	cr_expect_eq(count, sum_of(EXP_IO_READ_COUNT) + sum_of(EXP_IO_WRITE_COUNT) +
	                            sum_of(EXP_IO_OTHER_COUNT) + sum_of(EXP_IO_ERROR_COUNT));
	cr_expect_eq(bytes, sum_of(EXP_IO_READ_BYTES) + sum_of(EXP_IO_WRITE_BYTES));
	page_forget();
	golden_leave(directory);
}

/* tests/programs/waits_known.c: five waits of 5 ms of the second thread, and two of the first. */
Test(page_marks, have_their_names_threads_and_times)
{
	static const struct {
		const char *name;
		int64_t thread;
	} longest[] = {{"pthread_mutex_lock", 2},
	               {"pthread_mutex_timedlock", 2},
	               {"pthread_rwlock_rdlock", 2},
	               {"pthread_cond_wait", 2},
	               {"sem_wait", 2},
	               {"pthread_barrier_wait", 1},
	               {"pthread_join", 1}};
	char directory[GOLDEN_PATH];
	size_t found = 0;

	golden_enter("waits", directory);
	page_read("waits.er", "");
	for (size_t i = 0; i < page_sections[PAGE_MARK_KIND].count; i++) {
		int64_t begin = page_sections[PAGE_MARK_BEGIN].numbers[i],
			duration = page_sections[PAGE_MARK_DURATION].numbers[i];

		cr_expect(begin >= 0 && begin + duration <= 42021955);
		if (duration < 4900000)
			continue;
		cr_assert_lt(found, 7);
		cr_expect_lt(duration, 6000000);
		cr_expect_str_eq(mark_name(i), longest[found].name);
		cr_expect_eq(page_sections[PAGE_MARK_THREAD].numbers[i], longest[found].thread);
		cr_expect_eq(page_sections[PAGE_MARK_KIND].numbers[i], FMT_DATAKIND_SYNC);
		found++;
	}
	cr_expect_eq(found, 7);
	page_forget();
	golden_leave(directory);
}

/* As the command `statistics` tells. */
Test(page_usage, is_that_of_the_samples)
{
	static const int64_t expected[][2] = {{1082890, 42018855}, {0, 0},   {0, 6074000},
	                                      {0, 2372},           {0, 359}, {0, 24}};
	char directory[GOLDEN_PATH];

	golden_enter("waits", directory);
	page_read("waits.er", "");
	for (size_t i = 0; i <= PAGE_USAGE_SWITCHES - PAGE_USAGE_TIME; i++) {
		const struct page_section_read *section = &page_sections[PAGE_USAGE_TIME + i];

		cr_assert_eq(section->count, 2);
		cr_expect_eq(section->numbers[0], expected[i][0], "%zu", i);
		cr_expect_eq(section->numbers[1], expected[i][1], "%zu", i);
	}
	page_forget();
	golden_leave(directory);
}

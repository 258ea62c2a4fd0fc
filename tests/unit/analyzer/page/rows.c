/* Tests of analyzer/page/rows.c, on a synthetic experiment of two threads. */
#include "analyzer/page/rows.h"

#include "analyzer/data/filters.h"
#include "analyzer/views/analysis.h"
#include "tests/unit/experiment/make_experiment.h"

#include "format/record.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static const uint64_t t = MAKER_START_TICKS;
static struct maker maker;
static struct analysis analysis;
static size_t seen;

static void analyse(void)
{
	analysis_init(&analysis);
	cr_assert_eq(
		dataset_open(&analysis.dataset, &analysis.choices, &analysis.output, maker.path),
		0);
	analysis_set_defaults(&analysis);
	dataset_load(&analysis.dataset, &analysis.output);
	seen = 0;
}

/* A sample every step_ns in thread 42, of two stacks in turn; one in thread 43; a wait of 5 ms. A
 * tick is a ns. */
static void make(unsigned samples, uint64_t step_ns)
{
	static const uint64_t pcs[] = {0x1000, 0x2000};
	static const int parents[] = {-1, 0};
	struct maker_stream stream;
	uint32_t ids[2];

	maker_create(&maker);
	maker_nodes(&maker, 2, pcs, parents, ids);
	maker_stream_init(&stream);
	maker_extent(&stream, 42, t + 1, 1 << 22);
	for (unsigned i = 0; i < samples; i++)
		maker_clock(&stream, t + step_ns * i, FMT_clock_state_USER, 1000000, ids[i % 2]);
	maker_extent(&stream, 43, t + 2, 4096);
	maker_clock(&stream, t + 1500000, FMT_clock_state_SYSTEM, 3000000, ids[1]);
	maker_stream_put(&maker, &stream, "profile");
	analyse();
}

static void end(void)
{
	analysis_fini(&analysis);
	maker_destroy(&maker);
}

static void see(void *context, const struct page_fact *fact)
{
	(void)context;
	cr_expect_geq(fact->end_ns, fact->begin_ns);
	seen++;
}

static void read_rows(double share, struct page_rows *rows)
{
	const struct page_reading reading = {.kinds = ~0u, .share = share, .see = see};

	cr_assert_eq(page_rows_read(&analysis.dataset, dataset_next(&analysis.dataset, NULL),
	                            &reading, rows),
	             0);
}

static uint64_t sum_of(const struct page_rows *rows, enum exp_metric total)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < rows->count; i++)
		if (rows->set->nodes.value[total])
			sum += rows->set->nodes.value[total][rows->rows[i].value];
	return sum;
}

Test(page_rows, a_row_for_each_millisecond_thread_and_stack)
{
	struct page_rows rows;

	make(10, 2000000);
	read_rows(1, &rows);
	cr_assert_eq(rows.count, 11);
	cr_expect_eq(seen, 11);
	cr_expect_eq(rows.width_ns[FMT_DATAKIND_PROFILE], 1000000);
	for (size_t i = 1; i < rows.count; i++)
		cr_expect_leq(rows.rows[i - 1].end, rows.rows[i].end);
	cr_expect_eq(rows.rows[1].end, 1);
	cr_expect_eq(rows.rows[1].thread, 2);
	cr_expect_eq(rows.rows[2].end, 2);
	cr_expect_eq(rows.rows[2].begin, 2);
	cr_expect_eq(sum_of(&rows, EXP_CPU_USER), 10000000);
	cr_expect_eq(sum_of(&rows, EXP_CPU_SYSTEM), 3000000);
	page_rows_fini(&rows);
	end();
}

Test(page_rows, of_too_many_steps_become_wider_and_sums_stay)
{
	struct page_rows rows;
	size_t distinct = 1;

	make(5000, 2000000);
	read_rows(1e-9, &rows);
	cr_expect_gt(rows.width_ns[FMT_DATAKIND_PROFILE], 1000000);
	cr_expect_eq(sum_of(&rows, EXP_CPU_USER), 5000000000);
	cr_expect_eq(sum_of(&rows, EXP_SAMPLES), 5001);
	for (size_t i = 1; i < rows.count; i++)
		distinct += rows.rows[i].end != rows.rows[i - 1].end ||
		            rows.rows[i].node != rows.rows[i - 1].node;
	cr_expect_leq(distinct, 2 * PAGE_ROWS_LEAST);
	page_rows_fini(&rows);
	end();
}

Test(page_rows, among_those_of_late_none_comes_twice)
{
	struct page_rows rows;

	make(40000, 250000);
	read_rows(1, &rows);
	cr_assert_eq(rows.count, 20001);
	for (size_t i = 1; i < rows.count; i++)
		cr_assert(rows.rows[i].end != rows.rows[i - 1].end ||
		          rows.rows[i].thread != rows.rows[i - 1].thread ||
		          rows.rows[i].node != rows.rows[i - 1].node);
	cr_expect_eq(sum_of(&rows, EXP_SAMPLES), 40001);
	page_rows_fini(&rows);
	end();
}

/* Allocations in `threads` threads, `each` in every one, step_ns apart, of two stacks in turn; the
 * process ends after end_ns. */
static void make_heap(unsigned threads, unsigned each, uint64_t step_ns, uint64_t end_ns)
{
	static const uint64_t pcs[] = {0x1000, 0x2000};
	static const int parents[] = {-1, 0};
	struct maker_stream stream;
	uint32_t ids[2];
	char log[128];

	maker_create(&maker);
	snprintf(log, sizeof(log), "<event kind=\"exit\" time=\"%llu\" code=\"0\" cpu_ns=\"777\"/>",
	         (unsigned long long)t + end_ns);
	maker_log(&maker, log);
	maker_nodes(&maker, 2, pcs, parents, ids);
	maker_stream_init(&stream);
	for (unsigned thread = 0; thread < threads; thread++) {
		maker_extent(&stream, 42 + thread, t + 1, 1 << 18);
		for (unsigned i = 0; i < each; i++)
			maker_alloc(&stream, t + 10 + step_ns * i,
			            0x10000 + 64 * (thread * each + i), 16, ids[i % 2]);
	}
	maker_stream_put(&maker, &stream, "heaptrace");
	analyse();
}

/* Units become wider when the array of rows is just full: 1,023 rows of samples and 1,025 of heap
 * events are 2,048. */
Test(page_rows, become_wider_where_no_more_have_room)
{
	static const uint64_t pcs[] = {0x1000};
	static const int parents[] = {-1};
	enum { SAMPLES = PAGE_ROWS_LEAST - 1, ALLOCATIONS = PAGE_ROWS_LEAST + 76 };
	struct maker_stream stream;
	struct page_rows rows;
	uint32_t id;

	maker_create(&maker);
	maker_nodes(&maker, 1, pcs, parents, &id);
	maker_stream_init(&stream);
	maker_extent(&stream, 42, t + 1, 1 << 18);
	for (unsigned i = 0; i < SAMPLES; i++)
		maker_clock(&stream, t + 2000000 * i, FMT_clock_state_USER, 1000000, id);
	maker_stream_put(&maker, &stream, "profile");
	maker_stream_init(&stream);
	maker_extent(&stream, 42, t + 1, 1 << 18);
	for (unsigned i = 0; i < ALLOCATIONS; i++)
		maker_alloc(&stream, t + 10 + 2000000 * i, 0x10000 + 64 * i, 16, id);
	maker_stream_put(&maker, &stream, "heaptrace");
	analyse();
	read_rows(1e-9, &rows);
	cr_expect_eq(rows.width_ns[FMT_DATAKIND_PROFILE], 1000000);
	cr_expect_eq(rows.width_ns[FMT_DATAKIND_HEAP], 4000000);
	cr_expect_eq(sum_of(&rows, EXP_SAMPLES), SAMPLES);
	cr_expect_eq(sum_of(&rows, EXP_ALLOC_COUNT), ALLOCATIONS);
	page_rows_fini(&rows);
	end();
}

/* 40 threads of 100 allocations in 50 ms: 2,000 rows of a ms, a thread and a stack. */
Test(page_rows, of_a_short_run_threads_are_not_told_apart)
{
	struct page_rows rows;
	uint32_t latest = 0;

	make_heap(40, 100, 500000, 50000000);
	read_rows(1e-9, &rows);
	cr_expect_eq(seen, 4000);
	cr_expect_eq(rows.merged, 1u << FMT_DATAKIND_HEAP);
	cr_expect_eq(rows.width_ns[FMT_DATAKIND_HEAP], 4000000);
	cr_expect_eq(sum_of(&rows, EXP_ALLOC_COUNT), 4000);
	cr_expect_eq(sum_of(&rows, EXP_ALLOC_BYTES), 64000);
	for (size_t i = 0; i < rows.count; i++) {
		cr_expect_eq(rows.rows[i].thread, 0);
		latest = rows.rows[i].end > latest ? rows.rows[i].end : latest;
	}
	cr_expect_eq(latest, 12);
	page_rows_fini(&rows);
	end();
}

/* With room for all they are. */
Test(page_rows, of_few_rows_threads_are_told_apart)
{
	struct page_rows rows;

	make_heap(10, 100, 500000, 50000000);
	read_rows(1e-9, &rows);
	cr_expect_eq(rows.merged, 0);
	cr_expect_eq(rows.width_ns[FMT_DATAKIND_HEAP], 1000000);
	/* In each ms one of either stack. */
	cr_expect_eq(rows.count, 1000);
	page_rows_fini(&rows);
	end();
}

/* Units of time begin as wide as the number of events, stacks and threads wants: 10 s in 156 units
 * of 64 ms, for 3 places in 2 threads and an unknown one. */
Test(page_rows, of_many_events_the_first_step_is_wide)
{
	struct page_rows rows;

	make_heap(2, 2500, 4000000, 10000000000);
	read_rows(1e-9, &rows);
	cr_expect_eq(rows.merged, 0);
	cr_expect_eq(rows.width_ns[FMT_DATAKIND_HEAP], 64000000);
	cr_expect_eq(sum_of(&rows, EXP_ALLOC_COUNT), 5000);
	cr_expect_eq(rows.count, 2 * 2 * 157);
	page_rows_fini(&rows);
	end();
}

/* So many threads are one from the beginning. */
Test(page_rows, of_many_events_in_many_threads_these_are_one)
{
	struct page_rows rows;

	make_heap(50, 100, 100000000, 10000000000);
	read_rows(1e-9, &rows);
	cr_expect_eq(rows.merged, 1u << FMT_DATAKIND_HEAP);
	cr_expect_eq(sum_of(&rows, EXP_ALLOC_COUNT), 5000);
	cr_expect_eq(rows.width_ns[FMT_DATAKIND_HEAP], 16000000);
	cr_expect_eq(rows.count, 100);
	page_rows_fini(&rows);
	end();
}

Test(page_rows, filters_choose)
{
	struct page_rows rows;
	struct expression_error error;

	make(10, 2000000);
	cr_assert_eq(filters_set(&analysis.dataset, FILTERS_EXPRESSION, "THRID == 2", "THRID == 2",
	                         &error),
	             0);
	dataset_load(&analysis.dataset, &analysis.output);
	read_rows(1, &rows);
	cr_expect_eq(rows.count, 1);
	cr_expect_eq(sum_of(&rows, EXP_CPU_USER), 0);
	page_rows_fini(&rows);
	end();
}

/* Blocks of 10 bytes that live for 0.4, 1.2 and 5 ms, two of them at the same times; one that is
 * never freed. */
static void make_blocks(void)
{
	static const uint64_t pcs[] = {0x1000};
	static const int parents[] = {-1};
	static const uint64_t ends[] = {400000, 1200000, 5000000, 5000000, 0};
	struct maker_stream stream;
	uint32_t id;

	maker_create(&maker);
	maker_nodes(&maker, 1, pcs, parents, &id);
	maker_stream_init(&stream);
	maker_extent(&stream, 42, t + 1, 4096);
	for (unsigned i = 0; i < 5; i++)
		maker_alloc(&stream, t + 100 + i, 0x5000 + 64 * i, 10, id);
	for (unsigned i = 0; i < 4; i++)
		maker_free(&stream, t + ends[i] + i, 0x5000 + 64 * i);
	maker_stream_put(&maker, &stream, "heaptrace");
	analyse();
}

Test(page_rows, blocks_that_live_beyond_their_unit_have_deaths)
{
	struct page_rows rows;

	make_blocks();
	read_rows(1, &rows);
	cr_assert_eq(rows.count, 1);
	cr_assert_eq(rows.death_count, 2, "%zu", rows.death_count);
	for (size_t i = 0; i < 2; i++) {
		cr_expect_eq(rows.deaths[i].value, 0);
		cr_expect_eq(rows.deaths[i].end, i ? 5 : 1);
		cr_expect_eq(rows.deaths[i].bytes, i ? 20 : 10);
		cr_expect_eq(rows.deaths[i].count, i ? 2 : 1);
	}
	cr_expect_eq(sum_of(&rows, EXP_LEAK_BYTES), 10);
	page_rows_fini(&rows);
	end();
}

/* Blocks that live for i ms and are allocated 1 us apart. */
Test(page_rows, too_many_deaths_make_units_wider)
{
	static const uint64_t pcs[] = {0x1000};
	static const int parents[] = {-1};
	enum { BLOCKS = 3 * PAGE_ROWS_LEAST };
	struct maker_stream stream;
	struct page_rows rows;
	uint64_t bytes = 0, early = 0;
	uint32_t id;

	maker_create(&maker);
	maker_nodes(&maker, 1, pcs, parents, &id);
	maker_stream_init(&stream);
	maker_extent(&stream, 42, t + 1, 1 << 22);
	for (unsigned i = 0; i < BLOCKS; i++)
		maker_alloc(&stream, t + 1 + i, 0x5000 + 64 * i, 10, id);
	for (uint64_t i = 0; i < BLOCKS; i++)
		maker_free(&stream, t + 1000000 * i + BLOCKS + 1, 0x5000 + 64 * i);
	maker_stream_put(&maker, &stream, "heaptrace");
	analyse();
	read_rows(1e-9, &rows);
	cr_expect_eq(rows.width_ns[FMT_DATAKIND_HEAP], 4000000);
	cr_expect_eq(rows.death_count, BLOCKS / 4 - 1, "%zu", rows.death_count);
	for (size_t i = 0; i < rows.death_count; i++) {
		bytes += rows.deaths[i].bytes;
		early += rows.deaths[i].end == 0;
	}
	cr_expect_eq(bytes, 10 * (BLOCKS - 4));
	cr_expect_eq(early, 0);
	page_rows_fini(&rows);
	end();
}

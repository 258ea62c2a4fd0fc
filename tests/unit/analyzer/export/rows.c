/* Tests of analyzer/export/rows.c and parts.c, on a synthetic experiment of two threads. */
#include "analyzer/command.h"
#include "analyzer/export/export.h"
#include "analyzer/export/rows.h"
#include "tests/unit/experiment/make_experiment.h"

#include "format/record.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t t = MAKER_START_TICKS;
static struct maker maker;
static struct analysis analysis;

static void load(void)
{
	analysis_init(&analysis);
	cr_assert_eq(
		dataset_open(&analysis.dataset, &analysis.choices, &analysis.output, maker.path),
		0);
	analysis_set_defaults(&analysis);
	dataset_load(&analysis.dataset, &analysis.output);
}

/* Thread 42: samples of two stacks alternately, half a second apart; it allocates blocks that
 * thread 43 frees. Thread 43: one sample, one allocation. The peak is 30 bytes, of both. */
static void set_up(void)
{
	static const uint64_t pcs[] = {0x1000, 0x2000};
	static const int parents[] = {-1, 0};
	struct maker_stream stream;
	uint32_t ids[2];

	maker_create(&maker);
	maker_nodes(&maker, 2, pcs, parents, ids);
	maker_stream_init(&stream);
	maker_extent(&stream, 42, t + 1, 4096);
	for (unsigned i = 0; i < 6; i++)
		maker_clock(&stream, t + 500000000ull * i, FMT_clock_state_USER, 10000000,
		            ids[i % 2]);
	maker_extent(&stream, 43, t + 2, 4096);
	maker_clock(&stream, t + 2200000000, FMT_clock_state_SYSTEM, 90000000, ids[1]);
	maker_stream_put(&maker, &stream, "profile");
	maker_stream_init(&stream);
	maker_extent(&stream, 42, t, 4096);
	maker_alloc(&stream, t + 100, 0x5000, 10, ids[0]);
	maker_extent(&stream, 43, t, 4096);
	maker_alloc(&stream, t + 200, 0x6000, 20, ids[1]);
	maker_free(&stream, t + 300, 0x5000);
	maker_stream_put(&maker, &stream, "heaptrace");
	load();
}

/* A sample from before the start, as clocks of CPUs may disagree, and one half a millisecond after
 * it. */
static void set_up_early(void)
{
	static const uint64_t pc = 0x1000;
	static const int parent = -1;
	struct maker_stream stream;
	uint32_t id;

	maker_create(&maker);
	maker_nodes(&maker, 1, &pc, &parent, &id);
	maker_stream_init(&stream);
	maker_extent(&stream, 42, t - 5000000, 4096);
	maker_clock(&stream, t - 5000000, FMT_clock_state_USER, 10000000, id);
	maker_clock(&stream, t + 500000, FMT_clock_state_USER, 10000000, id);
	maker_stream_put(&maker, &stream, "profile");
	load();
}

static void tear_down(void)
{
	analysis_fini(&analysis);
	maker_destroy(&maker);
}

TestSuite(export_rows, .init = set_up, .fini = tear_down);

static uint64_t value_of(const struct export_rows *rows, enum exp_metric metric, size_t row)
{
	return rows->set->nodes.value[metric][rows->values[row]];
}

static void check_row(const struct export_rows *rows, size_t row, uint32_t thread, uint32_t node,
                      uint64_t slice, uint64_t samples)
{
	cr_assert_eq(rows->rows[row].thread, thread, "row %zu: thread %u", row,
	             rows->rows[row].thread);
	cr_assert_eq(rows->rows[row].node, node, "row %zu: node %u", row, rows->rows[row].node);
	cr_assert_eq(rows->rows[row].slice, slice, "row %zu: slice %llu", row,
	             (unsigned long long)rows->rows[row].slice);
	cr_assert_eq(value_of(rows, EXP_SAMPLES, row), samples);
}

Test(export_rows, a_row_for_each_thread_and_stack)
{
	struct export_rows rows;

	cr_assert_eq(export_rows_read(&analysis.dataset, dataset_next(&analysis.dataset, NULL), 0,
	                              &rows),
	             0);
	cr_assert_eq(rows.count, 3);
	check_row(&rows, 0, 1, 0, 0, 3);
	check_row(&rows, 1, 1, 1, 0, 3);
	check_row(&rows, 2, 2, 1, 0, 1);
	cr_assert_eq(rows.nodes.count, 2);
	cr_assert_eq(rows.has_overflow, 0);
	export_rows_fini(&rows);
}

Test(export_rows, peaks_are_those_of_the_whole_process)
{
	struct export_rows rows;

	cr_assert_eq(export_rows_read(&analysis.dataset, dataset_next(&analysis.dataset, NULL), 0,
	                              &rows),
	             0);
	cr_assert_eq(value_of(&rows, EXP_PEAK_BYTES, 0), 10);
	cr_assert_eq(value_of(&rows, EXP_PEAK_BYTES, 1), 0);
	cr_assert_eq(value_of(&rows, EXP_PEAK_BYTES, 2), 20);
	cr_assert_eq(value_of(&rows, EXP_LEAK_BYTES, 0), 0);
	cr_assert_eq(value_of(&rows, EXP_LEAK_BYTES, 2), 20);
	export_rows_fini(&rows);
}

Test(export_rows, times_are_milliseconds_in_order)
{
	struct export_rows rows;

	cr_assert_eq(export_rows_read(&analysis.dataset, dataset_next(&analysis.dataset, NULL), 1,
	                              &rows),
	             0);
	cr_assert_eq(rows.width_ns, 1000000);
	/* Six samples of the first thread; its allocations are with the first of these. */
	cr_assert_eq(rows.count, 8);
	for (size_t i = 0; i < 6; i++)
		check_row(&rows, i, 1, i % 2, 500 * i, 1);
	cr_assert_eq(value_of(&rows, EXP_ALLOC_BYTES, 0), 10);
	check_row(&rows, 6, 2, 1, 0, 0);
	check_row(&rows, 7, 2, 1, 2200, 1);
	export_rows_fini(&rows);
}

Test(export_rows, what_came_before_the_start_is_in_the_first_millisecond, .init = set_up_early)
{
	struct export_rows rows;

	cr_assert_eq(export_rows_read(&analysis.dataset, dataset_next(&analysis.dataset, NULL), 1,
	                              &rows),
	             0);
	cr_assert_eq(rows.count, 1);
	check_row(&rows, 0, 1, 0, 0, 2);
	export_rows_fini(&rows);
}

Test(export_rows, filters_choose)
{
	char line[] = "thread_select 2";
	struct export_rows rows;

	command_run_line(&analysis, line);
	dataset_load(&analysis.dataset, &analysis.output);
	cr_assert_eq(export_rows_read(&analysis.dataset, dataset_next(&analysis.dataset, NULL), 0,
	                              &rows),
	             0);
	cr_assert_eq(rows.count, 1);
	check_row(&rows, 0, 2, 1, 0, 1);
	export_rows_fini(&rows);
}

struct seen {
	size_t parts;
	uint64_t cpu_ns[4];
};

static void visit(struct export_job *job, const struct export_part *part, void *context)
{
	struct seen *seen = context;

	(void)job;
	cr_assert_eq(part->thread, seen->parts + 1);
	cr_assert_eq(part->info->tid, 42 + seen->parts);
	cr_assert(strncmp(part->thread_name, "Thread ", 7) == 0);
	seen->cpu_ns[seen->parts] = part->tree->sum.of[METRIC_TOTALCPU];
	seen->parts++;
}

static void visit_whole(struct export_job *job, const struct export_part *part, void *context)
{
	struct seen *seen = context;

	(void)job;
	cr_assert_null(part->at);
	seen->cpu_ns[seen->parts++] = part->tree->sum.of[METRIC_TOTALCPU];
}

Test(export_rows, a_part_for_each_thread_or_one_for_all)
{
	struct export_job job = {.dataset = &analysis.dataset,
	                         .choices = &analysis.choices,
	                         .output = &analysis.output,
	                         .metrics = {METRIC_TOTALCPU},
	                         .metric_count = 1};
	struct seen threads = {.parts = 0}, all = {.parts = 0};

	export_each(&job, TREE_FRAMES, EXPORT_THREADS, visit, &threads);
	export_each(&job, TREE_FRAMES, EXPORT_ALL, visit_whole, &all);
	cr_assert_eq(threads.parts, 2);
	cr_assert_eq(threads.cpu_ns[0], 60000000);
	cr_assert_eq(threads.cpu_ns[1], 90000000);
	cr_assert_eq(all.parts, 1);
	cr_assert_eq(all.cpu_ns[0], 150000000);
}

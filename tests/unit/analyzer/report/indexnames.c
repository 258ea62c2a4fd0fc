/* Tests of analyzer/report/indexnames.c: what rows of index objects are called, by their keys. */
#include "analyzer/report/indexnames.h"

#include "analyzer/views/analysis.h"
#include "tests/unit/experiment/make_experiment.h"

#include "format/record.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>

static struct maker maker;
static struct analysis analysis;

/* A founder of two threads, of which the first events are in 42. */
static void set_up(void)
{
	static const uint64_t pc = 0x1000, t = MAKER_START_TICKS;
	static const int parent = -1;
	struct maker_stream stream;
	uint32_t id;

	maker_create(&maker);
	maker_nodes(&maker, 1, &pc, &parent, &id);
	maker_stream_init(&stream);
	maker_extent(&stream, 42, t + 1, 4096);
	maker_clock(&stream, t + 10, FMT_clock_state_USER, 1000000, id);
	maker_extent(&stream, 43, t + 2, 4096);
	maker_clock(&stream, t + 20, FMT_clock_state_USER, 1000000, id);
	maker_stream_put(&maker, &stream, "profile");
	analysis_init(&analysis);
	cr_assert_eq(
		dataset_open(&analysis.dataset, &analysis.choices, &analysis.output, maker.path),
		0);
	analysis_set_defaults(&analysis);
	dataset_load(&analysis.dataset, &analysis.output);
}

static void tear_down(void)
{
	analysis_fini(&analysis);
	maker_destroy(&maker);
}

TestSuite(indexnames, .init = set_up, .fini = tear_down);

typedef char *name_function(const struct dataset *dataset, const struct choices *choices,
                            const struct index_type *type, const struct index_rows *rows,
                            const struct index_row *row);

static void expect(name_function *name, const struct index_type *type, int64_t key,
                   const char *expected)
{
	const struct index_rows rows = {.count = 0};
	const struct index_row row = {.key = key};
	char *text = name(&analysis.dataset, &analysis.choices, type, &rows, &row);

	cr_expect_str_eq(text, expected, "%lld is called %s, not %s", (long long)key, text,
	                 expected);
	free(text);
}

static void expect_label(enum index_label label, int64_t key, const char *expected)
{
	const struct index_type type = {.label = label, .shift = 4};

	expect(index_row_name, &type, key, expected);
}

static void expect_compared(enum index_label label, int64_t key, const char *expected)
{
	const struct index_type type = {.label = label, .shift = 4};

	expect(index_row_compared_name, &type, key, expected);
}

static int64_t of(int64_t experiment, int64_t number)
{
	return experiment << 32 | number;
}

Test(indexnames, sizes_are_powers_of_two)
{
	expect_label(INDEX_DATASIZE, -1, "0 B");
	expect_label(INDEX_DATASIZE, 0, "0 B");
	expect_label(INDEX_DATASIZE, 1, "   1 B   to <    2 B");
	expect_label(INDEX_DATASIZE, 2, "   2 B   to <    4 B");
	expect_label(INDEX_DATASIZE, 10, " 512 B   to <    1 KiB");
	expect_label(INDEX_DATASIZE, 11, "   1 KiB to <    2 KiB");
	expect_label(INDEX_DATASIZE, 40, " 512 GiB to <    1 TiB");
	expect_label(INDEX_DATASIZE, 63, "   4 EiB to <    8 EiB");
	expect_label(INDEX_DATASIZE, 64, "0 B");
}

Test(indexnames, times_are_powers_of_ten)
{
	expect_label(INDEX_DURATION, -1, "0 ns");
	expect_label(INDEX_DURATION, 0, "0 ns");
	expect_label(INDEX_DURATION, 1, "  1 ns to <  10 ns");
	expect_label(INDEX_DURATION, 3, "100 ns to <   1 us");
	expect_label(INDEX_DURATION, 4, "  1 us to <  10 us");
	expect_label(INDEX_DURATION, 9, "100 ms to <   1 s");
	expect_label(INDEX_DURATION, 11, " 10 s to < 100 s");
	expect_label(INDEX_DURATION, 12, "100 s to < 1000 s");
	expect_label(INDEX_DURATION, 13, "1000 s and more");
}

Test(indexnames, pieces_have_as_many_digits_as_their_length)
{
	struct index_type type = {.label = INDEX_PIECE, .length_ns = 25000000};

	expect(index_row_name, &type, 0, "0.000 to 0.025 s");
	expect(index_row_name, &type, 3, "0.075 to 0.100 s");
	type.length_ns = 1500000000;
	expect(index_row_name, &type, 1, "1.5 to 3.0 s");
	type.length_ns = 10000000000;
	expect(index_row_name, &type, 2, "20 to 30 s");
	type.length_ns = 1;
	expect(index_row_name, &type, 7, "0.000000007 to 0.000000008 s");
	/* More than there can be. */
	type.length_ns = 10;
	expect(index_row_name, &type, INT64_MAX / 10 + 1, "<Unknown>");
	expect(index_row_name, &type, INT64_MAX / 10, "<Unknown>");
}

Test(indexnames, rows_are_told_by_what_they_are)
{
	expect_label(INDEX_CPU, 3, "CPU 3");
	expect_label(INDEX_SECOND, 5, "Second 5");
	expect_label(INDEX_SAMPLE, of(1, 2), "Process 1, Sample 2");
	expect_label(INDEX_HEX, 0x12, "0x120");
	expect_label(INDEX_THREAD, of(1, 0), "Process 1, thread unknown");
	expect_label(INDEX_THREAD, of(1, 2), "Process 1, Thread 2");
	expect_label(INDEX_THREAD, of(1, 3), "Process 1, Thread 3");
	expect_label(INDEX_THREAD, of(9, 1), "Process 9, Thread 1");
	expect_label(INDEX_PROCESS, 99999999, "PID 99999999");
	expect_label(INDEX_EXPERIMENT, 9, "Experiment 9, ");
	expect_label(INDEX_CONSTRUCT, of(1, 0), "outside of all");
	expect_label(INDEX_CONSTRUCT, of(9, 1), "outside of all");
}

Test(indexnames, a_process_and_an_experiment_have_their_own_names)
{
	const struct dataset_experiment *at = dataset_next(&analysis.dataset, NULL);
	char expected[256];

	snprintf(expected, sizeof(expected), "PID %lld, prog", (long long)at->info->pid);
	expect_label(INDEX_PROCESS, at->info->pid, expected);
	snprintf(expected, sizeof(expected), "Experiment 1, %s", at->info->name);
	expect_label(INDEX_EXPERIMENT, 1, expected);
}

Test(indexnames, a_row_without_a_key_is_unknown)
{
	const struct index_type type = {.label = INDEX_CPU};
	const struct index_rows rows = {.count = 0};
	const struct index_row row = {.key = 1, .is_missing = 1};
	char *text = index_row_name(&analysis.dataset, &analysis.choices, &type, &rows, &row);

	cr_expect_str_eq(text, "<Unknown>");
	free(text);
	text = index_row_compared_name(&analysis.dataset, &analysis.choices, &type, &rows, &row);
	cr_expect_str_eq(text, "<Unknown>");
	free(text);
}

Test(indexnames, a_comparison_tells_places_in_a_run)
{
	const struct dataset_experiment *at = dataset_next(&analysis.dataset, NULL);

	expect_compared(INDEX_THREAD, of(1, 0), "Founder, thread unknown");
	expect_compared(INDEX_THREAD, of(1, 1), "Founder, Thread 1");
	expect_compared(INDEX_THREAD, of(1, 2), "Founder, Thread 2");
	expect_compared(INDEX_THREAD, of(9, 1), "<Unknown>, Thread 1");
	expect_compared(INDEX_SAMPLE, of(1, 4), "Founder, Sample 4");
	expect_compared(INDEX_PROCESS, at->info->pid, "Founder");
	expect_compared(INDEX_PROCESS, 99999999, "<Unknown>");
	expect_compared(INDEX_EXPERIMENT, 1, "Founder");
	expect_compared(INDEX_CPU, 3, "CPU 3");
}

Test(indexnames, keys_may_be_numbers_of_names)
{
	char first[] = "Parse", second[] = "Print", name[] = "own";
	char *names[] = {first, second};
	const struct expression expression = {.count = 0};
	const struct index_type type = {.label = INDEX_NUMBER,
	                                .name = name,
	                                .expression = (struct expression *)&expression};
	const struct index_rows rows = {.names = names, .name_count = 2};
	const int64_t keys[] = {0, 1, 2, -1};
	static const char *const expected[] = {"Parse", "Print", "own 2", "own -1"};

	for (int i = 0; i < 4; i++) {
		const struct index_row row = {.key = keys[i]};
		char *text = index_row_name(&analysis.dataset, &analysis.choices, &type, &rows,
		                            &row);

		cr_expect_str_eq(text, expected[i]);
		free(text);
	}
}

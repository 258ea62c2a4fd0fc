/* Tests of analyzer/data/indexobj.c, indexrows.c and views/profile/index.c, on a synthetic
 * experiment. */
#include "analyzer/command.h"
#include "analyzer/data/indexobj.h"
#include "analyzer/views/view.h"
#include "tests/unit/experiment/make_experiment.h"

#include "format/record.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t t = MAKER_START_TICKS;
static struct maker maker;

static void put_profile(const uint32_t *ids)
{
	struct maker_stream stream;

	maker_stream_init(&stream);
	maker_extent(&stream, 42, t + 1, 4096);
	for (unsigned i = 0; i < 6; i++)
		maker_clock(&stream, t + 500000000ull * i, FMT_clock_state_USER, 10000000,
		            ids[i % 2]);
	maker_extent(&stream, 43, t + 2, 4096);
	maker_clock(&stream, t + 2200000000, FMT_clock_state_SYSTEM, 90000000, ids[1]);
	maker_stream_put(&maker, &stream, "profile");
}

static void set_up(void)
{
	static const uint64_t pcs[] = {0x1000, 0x2000};
	static const int parents[] = {-1, 0};
	struct maker_stream stream;
	uint32_t ids[2];

	maker_create(&maker);
	maker_nodes(&maker, 2, pcs, parents, ids);
	put_profile(ids);
	maker_stream_init(&stream);
	maker_extent(&stream, 42, t, 4096);
	maker_alloc(&stream, t + 100, 0x5000, 10, ids[0]);
	maker_alloc(&stream, t + 200, 0x5fc0, 12, ids[1]);
	maker_alloc(&stream, t + 300, 0x6000, 5000, ids[1]);
	maker_free(&stream, t + 400, 0x5000);
	maker_stream_put(&maker, &stream, "heaptrace");
	maker_stream_init(&stream);
	maker_extent(&stream, 42, t, 4096);
	maker_io_file(&stream, t, 16, FMT_file_type_UNKNOWN, "/tmp/a");
	maker_io_file(&stream, t, 32, FMT_file_type_PIPE, "pipe:[1]");
	maker_io_file(&stream, t, 48, FMT_file_type_UNKNOWN, "/tmp/a");
	for (uint32_t i = 1; i <= 3; i++) {
		const struct maker_call call = {.func = FMT_io_func_READ,
		                                .bytes = 100 * i,
		                                .wait = 2000,
		                                .file = 16 * i,
		                                .fd = i};

		maker_io(&stream, t + 5000, &call);
	}
	maker_stream_put(&maker, &stream, "iotrace");
}

static void tear_down(void)
{
	maker_destroy(&maker);
}

TestSuite(indexobj, .init = set_up, .fini = tear_down);

/* The output of commands, one a line; the caller frees it. */
static char *run(const char *lines, int *status)
{
	struct analysis analysis;
	char *text = NULL, *copy = strdup(lines), *rest = copy, *line;
	size_t size;

	analysis_init(&analysis);
	cr_assert_eq(
		dataset_open(&analysis.dataset, &analysis.choices, &analysis.output, maker.path),
		0);
	analysis_set_defaults(&analysis);
	analysis.output.out = open_memstream(&text, &size);
	while ((line = strsep(&rest, "\n")))
		command_run_line(&analysis, line);
	fclose(analysis.output.out);
	analysis.output.out = stdout;
	*status = analysis.output.status;
	analysis_fini(&analysis);
	free(copy);
	return text;
}

static void check(const char *lines, const char *const *expected, size_t count)
{
	int status;
	char *text = run(lines, &status);
	const char *at = text;

	cr_assert_eq(status, EXIT_OK, "%s", text);
	for (size_t i = 0; i < count; i++) {
		at = strstr(at, expected[i]);
		cr_assert(at != NULL, "%s: no '%s' (in this order) in:\n%s", lines, expected[i],
		          text);
	}
	free(text);
}
#define CHECK(line, ...) \
	do { \
		static const char *const expected[] = {__VA_ARGS__}; \
		check(line, expected, sizeof(expected) / sizeof(expected[0])); \
	} while (0)

Test(indexobj, threads_and_cpus_by_metric)
{
	CHECK("metrics e.totalcpu:e.samples\nthreads", "0.150       7               <Total>",
	      "0.090       1               Process 1, Thread 2",
	      "0.060       6               Process 1, Thread 1");
	CHECK("metrics e.totalcpu\ncpus", "0.150       <Total>", "0.150       CPU 1");
	CHECK("metrics e.totalcpu\nsort name\nthreads", "<Total>", "Thread 1", "Thread 2");
	CHECK("metrics e.totalcpu\nthreads 2", "0.090       <Total>",
	      "0.090       Process 1, Thread 2");
}

Test(indexobj, seconds_in_order_and_by_list)
{
	CHECK("metrics e.samples\nseconds", "7               <Total>", "2               Second 0",
	      "2               Second 1", "3               Second 2");
	CHECK("metrics e.samples\nseconds 1-9", "5               <Total>",
	      "2               Second 1", "3               Second 2");
	CHECK("metrics e.samples\nfilters MSTATE == 'user'\nseconds 1-9", "4               <Total>",
	      "Second 1", "2               Second 2");
}

Test(indexobj, processes_and_experiments)
{
	CHECK("metrics e.samples\nprocesses", "7               PID ");
	CHECK("metrics e.samples\nexperiment_ids", "7               Experiment 1, ");
}

Test(indexobj, sizes_and_durations)
{
	CHECK("metrics i.heapalloccnt:i.ioreadcnt\ndatasize", "3             3       <Total>",
	      "2             0          8 B   to <   16 B",
	      "0             1         64 B   to <  128 B",
	      "0             1        128 B   to <  256 B",
	      "0             1        256 B   to <  512 B",
	      "1             0          4 KiB to <    8 KiB");
	CHECK("metrics i.ioreadcnt:e.samples\nduration", "3       7               <Total>",
	      "3       0                 1 us to <  10 us",
	      "0       7                10 ms to < 100 ms");
}

Test(indexobj, memory_objects)
{
	CHECK("metrics i.heapallocbytes:i.heapleakcnt\nmemobj page",
	      "5000              1       0x6000", "22              1       0x5000");
	CHECK("metrics i.heapallocbytes\nmemobj cache_line", "5000              0x6000",
	      "12              0x5fc0", "10              0x5000");
	CHECK("mobj_define half \"VADDR >> 16\"\nmetrics i.heapalloccnt\nhalf",
	      "3             <Total>", "3             0x0");
}

Test(indexobj, own_ones_are_called_by_the_names_of_their_values)
{
	CHECK("indxobj_define file IOFNAME\nmetrics i.ioreadbytes\nfile", "600          <Total>",
	      "400          /tmp/a", "200          pipe:[1]");
	CHECK("indxobj_define kind 'IOFSTYPE'\nmetrics i.ioreadbytes\nindxobj kind",
	      "600          <Total>", "600          ext4");
	CHECK("indxobj_define func IOFUNC\nmetrics i.ioreadbytes\nfunc", "600          read");
	CHECK("indxobj_define odd HSIZE & 1\nmetrics i.heapalloccnt\nindxobj od",
	      "3             <Total>", "3             odd 0");
	CHECK("indxobj_define x PID\nindxobj_define x HTYPE\nmetrics i.heapalloccnt\nx\nindxobj_list",
	      "3             malloc", "x               by you   HTYPE");
}

Test(indexobj, a_number_sign_in_quotes_is_no_comment)
{
	CHECK("metrics e.samples # a comment\nindxobj_define q THRNAME == \"a # b\" # another\nq",
	      "7               <Total>", "7               q 0");
}

Test(indexobj, what_has_no_key_is_unknown)
{
	CHECK("indxobj_define s HSIZE\nmetrics e.samples:i.heapalloccnt\nsort heapalloccnt\ns",
	      "7               3             <Total>", "7               0             <Unknown>");
}

Test(indexobj, wrong_definitions_are_refused)
{
	struct index_types *types = index_types_create();
	struct expression_error error;
	char text[200];

	cr_assert_eq(index_define(types, 0, "functions", "PID", view_is_command, &error), -EINVAL);
	cr_assert(error.column == 0 && strstr(error.text, "there is a command"));
	cr_assert_eq(index_define(types, 1, "page", "VADDR", view_is_command, &error), -EINVAL);
	cr_assert_eq(index_define(types, 0, "a b", "PID", view_is_command, &error), -EINVAL);
	cr_assert_eq(index_define(types, 0, "1", "PID", view_is_command, &error), -EINVAL);
	cr_assert_eq(index_define(types, 0, "mine", "PIDD", view_is_command, &error), -EINVAL);
	cr_assert_eq(error.column, 1);
	cr_assert_eq(index_define(types, 0, "mine", "PID", view_is_command, &error), 0);
	cr_assert_null(index_find(types, 0, "page", text, sizeof(text)));
	cr_assert_null(index_find(types, 0, "s", text, sizeof(text)));
	cr_assert(strstr(text, "ambiguous"));
	cr_assert_null(index_find(types, 0, "thraeds", text, sizeof(text)));
	cr_assert(strstr(text, "did you mean 'threads'?"));
	cr_assert_not_null(index_find(types, 1, "cache", text, sizeof(text)));
	index_types_destroy(types);
}

Test(indexobj, wrong_arguments_are_refused)
{
	int status;

	free(run("threads x", &status));
	cr_assert_eq(status, EXIT_USAGE);
	free(run("indxobj nothing", &status));
	cr_assert_eq(status, EXIT_USAGE);
	free(run("indxobj_define", &status));
	cr_assert_eq(status, EXIT_USAGE);
}

/* Tests of the views of the heap, of waits and of input and output, on synthetic experiments. */
#include "analyzer/command.h"
#include "analyzer/views/events/plain.h"
#include "tests/unit/experiment/make_experiment.h"

#include "format/layout.h"
#include "format/record.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t pcs[] = {0x1000, 0x2000, 0x3000};
static const int parents[] = {-1, 0, 0};
static struct maker maker;
static struct maker_stream stream;
static uint32_t ids[3];
static const uint64_t t = MAKER_START_TICKS;

static void set_up(void)
{
	maker_create(&maker);
	maker_nodes(&maker, 3, pcs, parents, ids);
	maker_stream_init(&stream);
	maker_extent(&stream, 42, t, 4096);
}

static void tear_down(void)
{
	maker_destroy(&maker);
}

TestSuite(views, .init = set_up, .fini = tear_down);

/* The output of a command; the caller frees it. *status: the exit status. */
static char *run(const char *line, size_t limit, int *status)
{
	struct analysis analysis;
	char error[128], copy[64], *text = NULL;
	size_t size;

	analysis_init(&analysis);
	cr_assert_eq(
		dataset_open(&analysis.dataset, &analysis.choices, &analysis.output, maker.path),
		0);
	analysis_set_defaults(&analysis);
	analysis.choices.limit = limit;
	analysis.output.out = open_memstream(&text, &size);
	snprintf(copy, sizeof(copy), "%s", line);
	cr_assert(command_find(copy, error, sizeof(error)) != NULL, "%s", error);
	command_run_line(&analysis, copy);
	fclose(analysis.output.out);
	analysis.output.out = stdout;
	*status = analysis.output.status;
	analysis_fini(&analysis);
	return text;
}

static void check(const char *line, const char *const *expected, size_t count)
{
	int status;
	char *text = run(line, 0, &status);
	const char *at = text;

	cr_assert_eq(status, EXIT_OK);
	for (size_t i = 0; i < count; i++) {
		at = strstr(at, expected[i]);
		cr_assert(at != NULL, "%s: no '%s' (in this order) in:\n%s", line, expected[i],
		          text);
	}
	free(text);
}
#define CHECK(line, ...) \
	do { \
		static const char *const expected[] = {__VA_ARGS__}; \
		check(line, expected, sizeof(expected) / sizeof(expected[0])); \
	} while (0)

static void put_blocks(void)
{
	maker_alloc(&stream, t + 1000000, 0x5000, 100, ids[1]);
	maker_alloc(&stream, t + 2000000, 0x6000, 20, ids[2]);
	maker_alloc(&stream, t + 3000000, 0x7000, 30, ids[2]);
	maker_free(&stream, t + 4000000, 0x5000);
	maker_alloc(&stream, t + 5000000, 0x8000, 90, 0);
	maker_free(&stream, t + 6000000, 0x8000);
	maker_stream_put(&maker, &stream, "heaptrace");
}

Test(views, peak_lists_what_lived_when_most_did)
{
	put_blocks();
	CHECK("peak", "Distinct Peak Stacks = 2, Total Instances = 3, Total Bytes Live = 150\n",
	      "Time of Peak = 0.003 (secs.)\n", "Peak Stack #1, Instances = 1, Bytes Live = 100\n",
	      "Peak Stack #2, Instances = 2, Bytes Live = 50\n", "# next: heapstat");
}

Test(views, allocs_and_heapstat_tell_what_was_temporary)
{
	put_blocks();
	CHECK("allocs",
	      "Distinct Allocations = 3, Total Instances = 4, Total Bytes Allocated = 240\n",
	      "Allocation #1, Instances = 1, Bytes Allocated = 100\n",
	      "Allocation #2, Instances = 1, Bytes Allocated = 90, Temporary = 1 (100.00 %)\n");
	CHECK("heapstat", "Live in the course of time\n",
	      "    0.003146            150              3\n",
	      "    0.006000             50              2\n",
	      "Temporary allocations    1 (25.00 %)\n");
}

/* All stacks begin in a stub, and there are no methods. */
Test(views, a_stub_without_methods_is_the_machines_in_all_summaries)
{
	static const char map[] =
		"<map version=\"1.0\">\n <function name=\"stub\" kind=\"jvm\" address=\"0x1000\" size=\"8192\" generation=\"0\"/>\n</map>\n";

	maker_put(&maker, FMT_FILE_MAP, map, sizeof(map) - 1);
	put_blocks();
	CHECK("fsummary", "<JVM-System>\n", "Load Object: <JVM>\n", "Mangled Name: <JVM-System>\n");
	CHECK("lsummary", "<JVM-System>", "Load Object: <JVM>\n");
	CHECK("psummary", "<JVM-System>", "Load Object: <JVM>\n");
}

static void put_usage(uint64_t first_kib, uint64_t last_kib)
{
	const struct fmt_usage first = {
		.kind = FMT_KIND_usage, .number = 1, .maxrss_kib = first_kib};
	const struct fmt_usage last = {.kind = FMT_KIND_usage, .number = 2, .maxrss_kib = last_kib};
	struct maker_stream overview;

	maker_stream_init(&overview);
	maker_extent(&overview, 42, t, 4096);
	maker_event(&overview, t + 1, &first, sizeof(first));
	maker_event(&overview, t + 9000000, &last, sizeof(last));
	maker_stream_put(&maker, &overview, "overview");
}

Test(views, growth_that_heap_events_do_not_explain_is_warned_about)
{
	put_usage(10 << 10, 110 << 10);
	maker_alloc(&stream, t + 1000000, 0x5000, 25 << 20, ids[1]);
	maker_stream_put(&maker, &stream, "heaptrace");
	CHECK("heapstat",
	      "# warning: experiment 1: the process grew by 100 MiB, heap events account for 25 MiB: ",
	      "Peak\n");
	CHECK("header", "Warnings\n", "  the process grew by 100 MiB, ");
}

Test(views, growth_that_they_explain_is_not)
{
	int status;
	char *text;

	put_usage(10 << 10, 110 << 10);
	maker_alloc(&stream, t + 1000000, 0x5000, 26 << 20, ids[1]);
	maker_stream_put(&maker, &stream, "heaptrace");
	text = run("heapstat", 0, &status);
	cr_assert_null(strstr(text, "warning"), "%s", text);
	free(text);
}

/* Two samples 9 ms apart, the later one after `user` and `system` CPU time. */
static void put_interval(uint64_t user, uint64_t system)
{
	const struct fmt_usage first = {.kind = FMT_KIND_usage, .number = 1};
	const struct fmt_usage last = {
		.kind = FMT_KIND_usage, .number = 2, .user_ns = user, .system_ns = system};
	struct maker_stream overview;

	maker_stream_init(&overview);
	maker_extent(&overview, 42, t, 4096);
	maker_event(&overview, t + 1000000, &first, sizeof(first));
	maker_event(&overview, t + 10000000, &last, sizeof(last));
	maker_stream_put(&maker, &overview, "overview");
}

/* What the program used while it was loaded is in the first interval. */
Test(views, an_interval_has_no_share_that_is_impossible)
{
	put_interval(90000000, 4500000);
	CHECK("sample_detail", "      0.009     0.090      -     0.004   50.0 ");
}

Test(views, an_interval_has_the_shares_of_its_time)
{
	put_interval(9000000, 900000);
	CHECK("sample_detail", "      0.009     0.009  100.0     0.001   10.0 ");
}

static void put_waits(void)
{
	maker_sync(&stream, t + 100, FMT_sync_func_MUTEX_INIT, 0x5000, 0, 0, ids[2]);
	maker_sync(&stream, t + 3000000000, FMT_sync_func_MUTEX_LOCK, 0x5000, 2000000000, 0,
	           ids[1]);
	maker_sync(&stream, t + 3000000001, FMT_sync_func_MUTEX_TRYLOCK, 0x5000, 1000, EBUSY,
	           ids[1]);
	maker_sync(&stream, t + 4000000000, FMT_sync_func_SEMOP, 17, 500000000, 0, ids[2]);
	maker_sync(&stream, t + 5000000000, FMT_sync_func_JOIN, 0x7f00, 250000, 0, 0);
	maker_stream_put(&maker, &stream, "synctrace");
}

Test(views, sync_lists_stacks_by_wait_time)
{
	put_waits();
	CHECK("sync", "0 heap events, 4 waits, ",
	      "Distinct Stacks = 3, Total Waits = 4, Total Time = 2.500251",
	      "25.00 % of 10.000 wall time",
	      "Stack #1, Waits = 2, Total = 2.000001 (secs., 20.00 % of wall time), Longest = 2.000000\n  <Unknown>",
	      "Stack #2, Waits = 1, Total = 0.500000", "Stack #3, Waits = 1, Total = 0.000250",
	      "# next: locks");
}

Test(views, locks_lists_objects)
{
	put_waits();
	CHECK("locks", "Objects waited for: 3",
	      "2.000001   20.00    2.000000          2         1       1   mutex         0x5000; made in",
	      "System V set  set 17; longest wait in", "thread join   thread 0x7f00\n",
	      "# next: sync");
}

Test(views, syncwaits_says_when_who_and_for_what)
{
	put_waits();
	CHECK("syncwaits", "Wait #1, 2.000000 (secs.), from 1.000000 to 3.000000, thread 42\n",
	      "  pthread_mutex_lock(0x5000)\n", "Wait #2, 0.500000", "semop(set 17)\n", "Wait #3",
	      "pthread_mutex_trylock(0x5000), not granted: Device or resource busy\n", "Wait #4",
	      "pthread_join(thread 0x7f00)\n");
}

/* By total, then by how many waits, then by address; waits for the end of a thread stand behind. */
Test(views, locks_stand_in_one_order)
{
	maker_sync(&stream, t + 1000, FMT_sync_func_JOIN, 0x100, 900, 0, ids[1]);
	maker_sync(&stream, t + 2000, FMT_sync_func_MUTEX_LOCK, 0x7000, 500, 0, ids[1]);
	maker_sync(&stream, t + 3000, FMT_sync_func_MUTEX_LOCK, 0x6000, 500, 0, ids[1]);
	maker_sync(&stream, t + 4000, FMT_sync_func_MUTEX_LOCK, 0x9000, 200, 0, ids[1]);
	maker_sync(&stream, t + 5000, FMT_sync_func_MUTEX_LOCK, 0x9000, 300, 0, ids[1]);
	maker_sync(&stream, t + 6000, FMT_sync_func_MUTEX_LOCK, 0x5000, 600, 0, ids[1]);
	maker_sync(&stream, t + 7000, FMT_sync_func_JOIN, 0x200, 950, 0, ids[1]);
	maker_stream_put(&maker, &stream, "synctrace");
	CHECK("locks", "Objects waited for: 6", "0x5000", "0x9000", "0x6000", "0x7000",
	      "thread 0x200", "thread 0x100");
}

Test(views, functions_show_the_metrics_of_waits)
{
	put_waits();
	CHECK("metrics", "i.heapallocbytes:i.heapleakbytes:i.sync:name");
	CHECK("overview", "Synchronization\n", "Sync Wait Time", "2.500 seconds", "Sync Waits",
	      " 4\n");
}

Test(views, limits_hold)
{
	static const char *const commands[] = {"sync", "locks", "syncwaits"};
	int status;

	put_waits();
	for (size_t i = 0; i < 3; i++) {
		char *text = run(commands[i], 1, &status);

		cr_assert(strstr(text, "2.000000") != NULL);
		cr_assert(!strstr(text, "0.500000"), "%s", text);
		free(text);
	}
}

static void call(uint64_t after, unsigned func, uint32_t file, uint32_t fd, uint64_t bytes,
                 uint64_t wait, unsigned error)
{
	struct maker_call made = {
		.func = func,
		.error = error,
		.bytes = bytes,
		.wait = wait,
		.file = file,
		.fd = fd,
		.stack = ids[1],
	};

	maker_io(&stream, t + after, &made);
}

static void put_calls(void)
{
	maker_io_file(&stream, t, 16, FMT_file_type_PIPE, "pipe:[1]");
	maker_io_file(&stream, t, 32, FMT_file_type_UNKNOWN, "/tmp/odd\nname");
	maker_io_file(&stream, t, 48, FMT_file_type_UNKNOWN, "/none");
	maker_io_file(&stream, t, 64, FMT_file_type_DEVICE, "/tmp/odd\nname");
	call(2000000000, FMT_io_func_READ, 32, 3, 4096, 1000000000, 0);
	call(2100000000, FMT_io_func_FREAD, 64, 4, 1, 500000000, 0);
	call(2200000000, FMT_io_func_WRITE, 16, 1, 5, 40000, 0);
	call(2300000000, FMT_io_func_WRITE, 16, 2, 9, 60000, EAGAIN);
	call(2400000000, FMT_io_func_OPEN, 48, UINT32_MAX, 0, 70000, ENOENT);
	call(2500000000, FMT_io_func_CLOSE, 0, 77, 0, 80000, 0);
	maker_stream_put(&maker, &stream, "iotrace");
}

Test(views, ioactivity_joins_files_of_one_name)
{
	put_calls();
	CHECK("ioactivity", "6 I/O calls, ", "Files: 4, ",
	      "        2          4097   1.500000          1             5   0.000040          1   0.000080          2   0.000130  <Total>\n",
	      "        2          4097   1.500000          0             0   0.000000          0   0.000000          0   0.000000  "
	      "/tmp/odd\\x0aname (device)\n",
	      "0.000060  pipe:[1] (pipe)\n", "  <Unknown>\n", "  /none (ext4)\n");
}

Test(views, iodetail_lists_descriptors)
{
	put_calls();
	CHECK("iodetail", "it stood for: 6, ", "<Total>\n", "    3  /tmp/odd", "    4  /tmp/odd",
	      "   77  <Unknown>\n", "    -  /none", "    2  pipe:[1] (pipe)\n",
	      "    1  pipe:[1] (pipe)\n");
}

Test(views, iocallstack_lists_stacks)
{
	put_calls();
	CHECK("iocallstack",
	      "Distinct Stacks = 1, Total = 1.500250 (secs.), Read: Calls = 2 Bytes = 4097 Time = 1.500000, Write: Calls = 1",
	      "Stack #1, Total = 1.500250 (secs.), Longest = 1.000000, Read: ",
	      "Other: Calls = 1 Time = 0.000080, Error: Calls = 2");
}

/* By time, then by calls, then by name; files without a name stand behind, in their order. */
Test(views, files_stand_in_one_order)
{
	maker_io_file(&stream, t, 16, FMT_file_type_REGULAR, "/d/b");
	maker_io_file(&stream, t, 32, FMT_file_type_REGULAR, "/d/bb");
	maker_io_file(&stream, t, 48, FMT_file_type_REGULAR, "/d/a");
	maker_io_file(&stream, t, 64, FMT_file_type_REGULAR, "/d/many");
	maker_io_file(&stream, t, 80, FMT_file_type_REGULAR, "/d/longest");
	call(1000, FMT_io_func_READ, 16, 3, 1, 5000, 0);
	call(10000, FMT_io_func_READ, 32, 4, 1, 5000, 0);
	call(20000, FMT_io_func_READ, 48, 5, 1, 5000, 0);
	call(30000, FMT_io_func_READ, 64, 6, 1, 2000, 0);
	call(40000, FMT_io_func_READ, 64, 7, 1, 3000, 0);
	call(50000, FMT_io_func_WRITE, 80, 8, 1, 6000, 0);
	maker_stream_put(&maker, &stream, "iotrace");
	CHECK("ioactivity", "<Total>\n", "/d/longest", "/d/many", "/d/a (", "/d/b (", "/d/bb (");
	CHECK("iodetail", "<Total>\n", "    8  /d/longest", "    5  /d/a", "    3  /d/b",
	      "    4  /d/bb", "    7  /d/many", "    6  /d/many");
}

/* What plain_view prints of input and output; the caller frees. */
static char *run_plain(void)
{
	struct analysis analysis;
	char *text = NULL;
	size_t size;

	analysis_init(&analysis);
	cr_assert_eq(
		dataset_open(&analysis.dataset, &analysis.choices, &analysis.output, maker.path),
		0);
	analysis_set_defaults(&analysis);
	analysis.output.out = open_memstream(&text, &size);
	plain_view(&analysis.dataset, &analysis.choices, &analysis.output, EXP_DATA_IO, "plain");
	fclose(analysis.output.out);
	analysis.output.out = stdout;
	analysis_fini(&analysis);
	return text;
}

Test(views, a_kind_without_a_view_of_its_own_has_its_stacks)
{
	char *text;

	put_calls();
	text = run_plain();
	cr_assert(strstr(text, "Summary Results: Distinct Stacks = 1, Total Read Calls = 2, "
	                       "Total Bytes Read = 4097, Total Read Time = 1.500, "),
	          "%s", text);
	cr_assert(
		strstr(text, "\nStack #1, Read Calls = 2, Bytes Read = 4097, Read Time = 1.500, "),
		"%s", text);
	cr_assert(strstr(text, ", I/O Errors = 2, "), "%s", text);
	free(text);
}

Test(views, it_names_the_function_to_look_at)
{
	static const char code[] =
		"<map version=\"1.0\">\n <function name=\"work\" kind=\"jit\" address=\"0x1000\" size=\"8192\" generation=\"0\"/>\n</map>\n";
	char *text;

	maker_put(&maker, "map.xml", code, sizeof(code) - 1);
	put_calls();
	text = run_plain();
	cr_expect(strstr(text, "\n# next: csingle work  (who calls it and what it calls)\n\n"),
	          "%s", text);
	free(text);
}

Test(views, iostat_sums_up)
{
	put_calls();
	CHECK("iostat", "Read\n", "Total calls              2\n",
	      "Longest call             1.000000", "Smallest bytes           1\n",
	      "Average bytes            2048\n", "4 KiB to <     8 KiB  1\n", "Write\n", "Errors\n",
	      "Total calls              2\n", "Functions",
	      "        1          0            4096      1.000000  read\n",
	      "        2          1               5      0.000100  write\n", "Why calls failed",
	      "1  ENOENT (No such file or directory)\n",
	      "1  EAGAIN (Resource temporarily unavailable)\n");
}

Test(views, functions_show_the_metrics_of_calls)
{
	put_calls();
	CHECK("metrics", "i.heapallocbytes:i.heapleakbytes:i.ioreadtime:i.iowritetime:name");
	CHECK("overview", "Input and output\n", "Read Calls", " 2\n", "I/O Errors", " 2\n",
	      "Most read time");
}

Test(views, without_data_they_say_what_to_do)
{
	static const char *const commands[] = {"sync",     "locks",       "syncwaits", "ioactivity",
	                                       "iodetail", "iocallstack", "iostat"};
	int status;

	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		free(run(commands[i], 0, &status));
		cr_assert_eq(status, EXIT_TROUBLE);
	}
	free(stream.bytes);
}

/* Node 0 is the caller of node 1, and a sample also interrupted it directly. */
Test(views, a_sample_where_a_call_returns_belongs_to_that_instruction)
{
	static const char map[] =
		"<map><object id=\"1\" path=\"/x/nowhere.so\" build_id=\"\" bias=\"0\" start=\"0x500\" "
		"end=\"0x9000\"/></map>";

	maker_put(&maker, "map.xml", map, sizeof(map) - 1);
	maker_clock(&stream, t + 2000000000, FMT_clock_state_USER, 2000000000, ids[0]);
	maker_clock(&stream, t + 5000000000, FMT_clock_state_USER, 3000000000, ids[1]);
	maker_stream_put(&maker, &stream, "profile");
	CHECK("pcs", "\n 3.0  60     3.0  60  ", " nowhere.so+0x2000\n 2.0  40     2.0  40  ",
	      " nowhere.so+0x1000\n 0.0   0     3.0  60  ", " nowhere.so+0xfff\n");
}

/* A server that collects garbage every 100 ms has this many collections in four hours. */
Test(views, the_sum_is_of_all_garbage_collections)
{
	enum { COUNT = 120000, ROOM = 64, PAGE = 4096 };
	const struct fmt_java_gc gc = {.kind = FMT_KIND_java_gc, .number = 1, .duration = 1000};
	struct maker_stream overview;
	int status;
	char *text;

	maker_stream_init(&overview);
	maker_extent(&overview, 42, t, COUNT * ROOM / PAGE * PAGE + PAGE);
	for (unsigned i = 0; i < COUNT; i++)
		maker_event(&overview, t + 10000 + 2000 * i, &gc, sizeof(gc));
	maker_stream_put(&maker, &overview, "overview");
	text = run("gcevents", 1, &status);
	cr_assert_eq(status, EXIT_OK);
	cr_assert(strstr(text, "120000\n") != NULL, "%.300s", text);
	free(text);
}

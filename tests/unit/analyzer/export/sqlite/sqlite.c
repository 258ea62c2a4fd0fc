/* Tests of export sqlite on a synthetic experiment of two threads: what is in which table. */
#include "analyzer/command.h"
#include "tests/unit/experiment/make_experiment.h"

#include "format/record.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const uint64_t t = MAKER_START_TICKS;
static struct maker maker;
static struct analysis analysis;
static char path[160];
static sqlite3 *sqlite;

/* alpha calls beta and gamma; below beta is alpha once more. */
static uint32_t ids[4];

static void make_samples(void)
{
	struct maker_stream stream;

	maker_stream_init(&stream);
	maker_extent(&stream, 42, t + 1, 4096);
	maker_clock(&stream, t + 1000, FMT_clock_state_USER, 100, ids[0]);
	maker_clock(&stream, t + 2000, FMT_clock_state_SYSTEM, 200, ids[3]);
	maker_extent(&stream, 43, t + 2, 4096);
	maker_clock(&stream, t + 3000, FMT_clock_state_USER, 400, ids[2]);
	maker_clock(&stream, t + 4000, FMT_clock_state_USER, 800, ids[3]);
	maker_stream_put(&maker, &stream, "profile");
}

static void make_heap(void)
{
	struct maker_stream stream;

	maker_stream_init(&stream);
	maker_extent(&stream, 42, t, 4096);
	maker_alloc(&stream, t + 100, 0x5000, 10, ids[0]);
	maker_alloc(&stream, t + 150, 0x7fff80000000, 7, ids[0]);
	maker_extent(&stream, 43, t, 4096);
	maker_alloc(&stream, t + 200, 0x6000, 20, ids[1]);
	maker_free(&stream, t + 300, 0x5000);
	maker_stream_put(&maker, &stream, "heaptrace");
}

static void make_waits(void)
{
	const struct maker_call call = {.func = FMT_io_func_READ,
	                                .bytes = 70,
	                                .wait = 320,
	                                .file = 5,
	                                .fd = 3,
	                                .stack = ids[1]};
	const struct maker_call failed = {.func = FMT_io_func_READ,
	                                  .error = EBADF,
	                                  .wait = 160,
	                                  .file = 0,
	                                  .fd = UINT32_MAX,
	                                  .stack = ids[1]};
	struct maker_stream stream;

	maker_stream_init(&stream);
	maker_extent(&stream, 42, t, 4096);
	maker_sync(&stream, t + 5000, FMT_sync_func_MUTEX_LOCK, 0x7000, 1600, 0, ids[1]);
	maker_sync(&stream, t + 6000, FMT_sync_func_MUTEX_LOCK, 0x7000, 160, ETIMEDOUT, ids[1]);
	maker_stream_put(&maker, &stream, "synctrace");
	maker_stream_init(&stream);
	maker_extent(&stream, 43, t, 4096);
	maker_io_file(&stream, t + 10, 5, FMT_file_type_REGULAR, "a\xff'b");
	maker_io(&stream, t + 7000, &call);
	maker_io(&stream, t + 8000, &failed);
	maker_stream_put(&maker, &stream, "iotrace");
}

static void load(void)
{
	analysis_init(&analysis);
	cr_assert_eq(
		dataset_open(&analysis.dataset, &analysis.choices, &analysis.output, maker.path),
		0);
	analysis_set_defaults(&analysis);
}

static void set_up(void)
{
	static const char map[] =
		"<map>\n<function name=\"alpha\" address=\"0x1000\" size=\"0x100\" "
		"generation=\"0\"/>\n<function name=\"beta\" address=\"0x2000\" size=\"0x100\" "
		"generation=\"0\"/>\n<function name=\"gamma\" address=\"0x3000\" size=\"0x100\" "
		"generation=\"0\"/>\n</map>\n";
	static const uint64_t pcs[] = {0x1010, 0x2010, 0x3010, 0x1020};
	static const int parents[] = {-1, 0, 0, 1};

	maker_create(&maker);
	maker_put(&maker, "map.xml", map, sizeof(map) - 1);
	maker_nodes(&maker, 4, pcs, parents, ids);
	make_samples();
	make_heap();
	make_waits();
	load();
	snprintf(path, sizeof(path), "%s/database", maker.directory);
}

static void tear_down(void)
{
	sqlite3_close(sqlite);
	unlink(path);
	analysis_fini(&analysis);
	maker_destroy(&maker);
}

TestSuite(sqlite, .init = set_up, .fini = tear_down);

static void run(const char *command)
{
	char line[256];

	snprintf(line, sizeof(line), "%s", command);
	command_run_line(&analysis, line);
}

static void export_it(void)
{
	char line[256];

	snprintf(line, sizeof(line), "export sqlite %s", path);
	run(line);
	cr_assert_eq(analysis.output.status, EXIT_OK);
	cr_assert_eq(sqlite3_open_v2(path, &sqlite, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
}

/* The rows of an answer, "1,2 3,NULL": columns joined by commas, rows by blanks. */
static void is(const char *question, const char *expected)
{
	sqlite3_stmt *statement = NULL;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	cr_assert_eq(sqlite3_prepare_v2(sqlite, question, -1, &statement, NULL), SQLITE_OK,
	             "%s: %s", question, sqlite3_errmsg(sqlite));
	for (int row = 0; sqlite3_step(statement) == SQLITE_ROW; row++)
		for (int i = 0; i < sqlite3_column_count(statement); i++) {
			const char *value = (const char *)sqlite3_column_text(statement, i);

			fprintf(out, "%s%s",
			        i > 0     ? ","
			        : row > 0 ? " "
			                  : "",
			        value ? value : "NULL");
		}
	sqlite3_finalize(statement);
	fclose(out);
	cr_expect_str_eq(text, expected, "%s: %s", question, text);
	free(text);
}

Test(sqlite, stacks_have_ids_depth_first)
{
	export_it();
	/* A sample at the instruction to which a call returns is another stack than the call. */
	is("SELECT COUNT(*), MIN(id), MAX(id), SUM(parent IS NULL) FROM stack", "5,1,5,2");
	is("SELECT last - id, depth, is_outermost FROM stack WHERE parent IS NULL ORDER BY last - id",
	   "0,1,1 3,1,1");
	is("SELECT last - id, depth, is_outermost FROM stack WHERE depth = 2 ORDER BY last - id",
	   "0,2,1 1,2,1");
	is("SELECT stack.depth, stack.is_outermost, stack.id = up.id + 1, function.name FROM stack "
	   "JOIN stack AS up ON up.id = stack.parent JOIN function ON function.id = stack.function "
	   "WHERE stack.depth = 3",
	   "3,0,1,alpha");
	is("SELECT name FROM function ORDER BY name", "alpha beta gamma");
	is("SELECT COUNT(*) FROM stack JOIN stack AS up ON up.id = stack.parent WHERE stack.id NOT "
	   "BETWEEN up.id + 1 AND up.last",
	   "0");
}

Test(sqlite, stacks_by_functions_alone_are_fewer)
{
	export_it();
	is("SELECT COUNT(*) FROM call_path", "4");
	is("SELECT depth, name FROM call_path JOIN function ON function.id = function WHERE depth "
	   "IN (1, 3) ORDER BY depth",
	   "1,alpha 3,alpha");
	is("SELECT COUNT(*) FROM stack JOIN call_path ON call_path.id = call_path WHERE "
	   "stack.function <> call_path.function OR stack.depth <> call_path.depth",
	   "0");
	/* Both are what alpha does when nothing called it. */
	is("SELECT e_totalcpu, i_totalcpu FROM calltree WHERE depth = 1", "1.0e-07,1.5e-06");
}

Test(sqlite, values_of_stacks_are_exclusive_and_inclusive)
{
	export_it();
	is("SELECT depth, exclusive, inclusive FROM stack_metric JOIN stack ON stack.id = stack JOIN "
	   "metric ON metric.id = metric WHERE keyword = 'totalcpu' ORDER BY depth, exclusive",
	   "1,0,1400 1,100,100 2,0,1000 2,400,400 3,1000,1000");
	is("SELECT keyword FROM metric WHERE unit = 'bytes' AND keyword LIKE 'heapalloc%'",
	   "heapallocbytes");
	/* The function that calls itself through another one counts once. */
	is("SELECT e_totalcpu, i_totalcpu FROM functions ORDER BY i_totalcpu DESC",
	   "1.1e-06,1.5e-06 0.0,1.0e-06 4.0e-07,4.0e-07");
	is("SELECT value FROM totals WHERE keyword = 'totalcpu'", "1500");
}

Test(sqlite, events_are_of_their_threads)
{
	export_it();
	is("SELECT process, number, tid FROM thread", "1,0,NULL 1,1,42 1,2,43");
	is("SELECT tid, time_ns, cpu_ns, state, depth FROM sample JOIN thread ON thread.id = thread "
	   "JOIN stack ON stack.id = stack",
	   "42,1000,100,user,1 42,2000,200,system,3 43,3000,400,user,2 43,4000,800,user,3");
	is("SELECT tid, value FROM thread_metric JOIN thread ON thread.id = thread JOIN metric ON "
	   "metric.id = metric WHERE keyword = 'totalcpu'",
	   "42,300 43,1200");
}

Test(sqlite, a_block_has_the_time_of_its_free)
{
	export_it();
	is("SELECT tid, time_ns, freed_ns, address, size, stands_for_units FROM block JOIN thread ON "
	   "thread.id = thread",
	   "42,100,300,20480,10,NULL 42,150,NULL,140735340871680,7,NULL 43,200,NULL,24576,20,NULL");
	is("SELECT heapleakcnt, heapleakbytes, stack FROM leaks",
	   "1,20,beta + 0x0000000F\nalpha + 0x0000000F 1,7,alpha + 0x0000000F");
}

Test(sqlite, waits_have_their_objects_and_calls_their_files)
{
	export_it();
	is("SELECT begin_ns, end_ns, wait_ns, function, kind, address, error, is_open FROM sync_wait "
	   "JOIN sync_object ON sync_object.id = object",
	   "3400,5000,1600,pthread_mutex_lock,mutex,28672,NULL,0 "
	   "5840,6000,160,pthread_mutex_lock,mutex,28672,110,0");
	is("SELECT waits, failed FROM locks", "2,1");
	is("SELECT begin_ns, end_ns, class, fd, bytes, error, io_file.name FROM io LEFT JOIN io_file "
	   "ON io_file.id = file",
	   "6680,7000,read,3,70,NULL,a\\xff'b 7839,8000,error,NULL,0,9,NULL");
	is("SELECT COUNT(*) FROM sqlite_schema WHERE type = 'view' AND name IN ('waits', 'calls', "
	   "'hooks', 'mpifunctions')",
	   "0");
}

Test(sqlite, filters_choose_events_and_values)
{
	run("filters THRID == 2");
	export_it();
	is("SELECT COUNT(*), SUM(cpu_ns) FROM sample", "2,1200");
	is("SELECT value FROM totals WHERE keyword = 'totalcpu'", "1200");
	is("SELECT COUNT(*) FROM block", "1");
	is("SELECT COUNT(*) FROM sync_wait", "0");
	is("SELECT value LIKE '%THRID == 2%' FROM about WHERE name = 'filters'", "1");
	is("SELECT DISTINCT number FROM thread_metric JOIN thread ON thread.id = thread", "2");
}

Test(sqlite, events_keep_their_stacks_if_there_are_more_when_they_are_read_again)
{
	static const uint64_t pcs[] = {0x9000, 0x1010, 0x9010, 0x2010, 0x3010, 0x9020, 0x1020};
	static const int parents[] = {-1, -1, 1, 1, 1, 4, 3};
	uint32_t more[7];

	dataset_load(&analysis.dataset, &analysis.output);
	((struct exp_info *)analysis.dataset.experiments[0].info)->status = EXP_RUNNING;
	maker_nodes(&maker, 7, pcs, parents, more);
	/* The events name the first four of them now. */
	export_it();
	is("SELECT COUNT(*) FROM stack", "5");
	is("SELECT tid, time_ns, function.name, depth FROM sample JOIN thread ON thread.id = thread "
	   "LEFT JOIN stack ON stack.id = stack LEFT JOIN function ON function.id = stack.function",
	   "42,1000,NULL,NULL 42,2000,beta,2 43,3000,NULL,NULL 43,4000,beta,2");
	is("SELECT block.size, function.name FROM block LEFT JOIN stack ON stack.id = stack LEFT JOIN "
	   "function ON function.id = stack.function",
	   "10,NULL 7,NULL 20,alpha");
}

Test(sqlite, a_process_has_its_clock)
{
	export_it();
	is("SELECT id, founder, lineage, start_ns, duration_ns, exit_code, command FROM process",
	   "1,NULL,,0,10000000000,3,prog a");
	is("SELECT start_wall_ns > 0 FROM process", "1");
	is("SELECT path LIKE '/tmp/%' FROM experiment", "1");
	is("SELECT value FROM about WHERE name = 'schema'", "1");
	is("PRAGMA user_version", "1");
}

Test(sqlite, nothing_is_left_of_one_that_cannot_be_written)
{
	char line[256];

	snprintf(line, sizeof(line), "export sqlite %s/none/database", maker.directory);
	run(line);
	cr_expect_eq(analysis.output.status, EXIT_TROUBLE);
	run("export sqlite -");
	cr_expect_eq(analysis.output.status, EXIT_USAGE);
	run("export sqlit file");
	cr_expect_eq(analysis.output.status, EXIT_USAGE);
	cr_expect_neq(access(path, F_OK), 0);
}

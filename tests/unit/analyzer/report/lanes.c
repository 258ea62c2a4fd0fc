/* Tests of analyzer/report/lanes.c, on a synthetic experiment of one thread; a tick is a ns. */
#include "analyzer/report/lanes.h"

#include "analyzer/data/filters.h"
#include "analyzer/views/analysis.h"
#include "format/layout.h"
#include "tests/unit/experiment/make_experiment.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

enum { TID = 42, MS = 1000000 };

static const uint64_t t = MAKER_START_TICKS;
static struct maker maker;
static struct maker_stream stream, samples;
static struct analysis analysis;

static void set_up(void)
{
	maker_create(&maker);
	maker_stream_init(&stream);
	maker_extent(&stream, TID, t, 64 * 4096);
	maker_stream_init(&samples);
	maker_extent(&samples, TID, t, 64 * 4096);
}

static void tear_down(void)
{
	analysis_fini(&analysis);
	maker_destroy(&maker);
}

TestSuite(lanes, .init = set_up, .fini = tear_down);

static void wait_at(uint64_t from_ms, uint64_t to_ms, unsigned state)
{
	struct fmt_wait record = {.kind = FMT_KIND_wait,
	                          .state = (uint8_t)state,
	                          .func = FMT_wait_func_POLL,
	                          .span = (to_ms - from_ms) * MS,
	                          .wait = (to_ms - from_ms) * MS};

	maker_event(&stream, t + to_ms * MS, &record, sizeof(record));
}

static void account_at(uint64_t at_ms, uint64_t cpu_ms, uint64_t queue_ms, unsigned reason)
{
	struct fmt_account record = {.kind = FMT_KIND_account,
	                             .reason = (uint8_t)reason,
	                             .tid = TID,
	                             .begin = t,
	                             .cpu_ns = cpu_ms * MS,
	                             .queue_ns = queue_ms * MS};

	maker_event(&stream, t + at_ms * MS, &record, sizeof(record));
}

static void open_experiment(const char *wall)
{
	char text[400];

	snprintf(text, sizeof(text),
	         "<setting name=\"wall\" value=\"%s\"/><setting name=\"profile_us\" "
	         "value=\"10007\"/><event kind=\"run\" time=\"%d\"/>"
	         "<event kind=\"exit\" time=\"%llu\" code=\"0\"/>",
	         wall, MAKER_START_TICKS, (unsigned long long)(t + 200ull * MS));
	maker_log(&maker, text);
	maker_stream_put(&maker, &samples, "profile");
	analysis_init(&analysis);
	cr_assert_eq(
		dataset_open(&analysis.dataset, &analysis.choices, &analysis.output, maker.path),
		0);
	analysis_set_defaults(&analysis);
	dataset_load(&analysis.dataset, &analysis.output);
}

/* The main states of thread 1 in columns of a range, as letters: of the first letter of its name.
 */
static const char *letters(int64_t from_ms, int64_t to_ms, size_t columns)
{
	static char text[64];
	const struct lanes_axis axis = {from_ms * MS, to_ms * MS, columns};
	struct lane lane = {.at = dataset_next(&analysis.dataset, NULL), .thread = 1};
	struct lanes_cell *cells;
	double ns;

	cr_assert_lt(columns, sizeof(text));
	cr_assert_eq(lanes_read(&analysis.dataset, &axis, &lane, 1, &cells), 0);
	for (size_t i = 0; i < columns; i++) {
		unsigned state = lanes_main_state(&cells[i], lanes_alive_ns(&axis, &lane, i), &ns);

		text[i] = ns <= 0                 ? ' '
		          : state == LANES_STATES ? '.'
		                                  : *fmt_enum_name("wall_state", state);
	}
	text[columns] = '\0';
	free(cells);
	return text;
}

/* 0-20 ms of CPU time, 20-60 asleep, 60-100 for a lock, 100-140 ready without a CPU, the end. */
static void make_wall(void)
{
	wait_at(20, 60, FMT_wall_state_SLEEP);
	wait_at(60, 100, FMT_wall_state_LOCK);
	account_at(140, 20, 40, FMT_account_reason_END);
	/* While the thread is asleep, there is no room. */
	maker_clock(&samples, t + 50ull * MS, FMT_clock_state_USER, 20 * MS, EXP_NO_INDEX);
	maker_stream_put(&maker, &stream, "walltrace");
	open_experiment("on");
}

Test(lanes, states_fill_columns)
{
	make_wall();
	cr_expect_str_eq(letters(0, 160, 8), "ussllww ");
}

Test(lanes, a_range_is_divided_as_the_whole)
{
	make_wall();
	cr_expect_str_eq(letters(40, 80, 4), "ssll");
	cr_expect_str_eq(letters(58, 62, 4), "ssll");
}

Test(lanes, without_wall_clock_time_the_rest_is_unknown)
{
	maker_clock(&samples, t + 100ull * MS, FMT_clock_state_USER, 40 * MS, EXP_NO_INDEX);
	open_experiment("off");
	cr_expect_str_eq(letters(0, 200, 10), "...uu.....");
	/* Of a sample behind the range, what was in it. */
	cr_expect_str_eq(letters(0, 80, 4), "...u");
}

Test(lanes, waits_for_synchronization_are_known_without_it)
{
	struct maker_stream sync;

	maker_stream_init(&sync);
	maker_extent(&sync, TID, t, 4096);
	maker_sync(&sync, t + 60ull * MS, FMT_sync_func_MUTEX_LOCK, 0x5000, 40 * MS, 0,
	           EXP_NO_INDEX);
	maker_sync(&sync, t + 100ull * MS, FMT_sync_func_COND_WAIT, 0x6000, 20 * MS, 0,
	           EXP_NO_INDEX);
	maker_stream_put(&maker, &sync, "synctrace");
	open_experiment("off");
	cr_expect_str_eq(letters(0, 200, 10), ".ll.c.....");
}

/* Of a mutex and the like is waited for a lock, of all else for a condition. */
Test(lanes, what_is_waited_for_is_told_by_the_function)
{
	static const struct {
		unsigned func;
		char letter;
	} rows[] = {{FMT_sync_func_MUTEX_LOCK, 'l'},   {FMT_sync_func_MUTEX_CLOCKLOCK, 'l'},
	            {FMT_sync_func_RDLOCK, 'l'},       {FMT_sync_func_SPIN_LOCK, 'l'},
	            {FMT_sync_func_MTX_LOCK, 'l'},     {FMT_sync_func_MTX_TIMEDLOCK, 'l'},
	            {FMT_sync_func_ONCE, 'l'},         {FMT_sync_func_CALL_ONCE, 'l'},
	            {FMT_sync_func_COND_WAIT, 'c'},    {FMT_sync_func_SEM_WAIT, 'c'},
	            {FMT_sync_func_BARRIER_WAIT, 'c'}, {FMT_sync_func_JOIN, 'c'},
	            {FMT_sync_func_FUTEX_WAIT, 'c'},   {FMT_sync_func_SEMOP, 'c'}};
	enum { ROWS = sizeof(rows) / sizeof(rows[0]) };
	struct maker_stream sync;
	char expected[ROWS + 1] = "";

	maker_stream_init(&sync);
	maker_extent(&sync, TID, t, 4096);
	for (unsigned i = 0; i < ROWS; i++) {
		maker_sync(&sync, t + (10ull * i + 10) * MS, rows[i].func, 0x5000, 10 * MS, 0,
		           EXP_NO_INDEX);
		expected[i] = rows[i].letter;
	}
	maker_stream_put(&maker, &sync, "synctrace");
	open_experiment("off");
	cr_expect_str_eq(letters(0, 10 * ROWS, ROWS), expected);
}

Test(lanes, so_are_calls_of_pipes_sockets_and_files)
{
	struct maker_stream io;
	struct maker_call call = {.func = FMT_io_func_READ, .bytes = 1, .wait = 20 * MS};

	maker_stream_init(&io);
	maker_extent(&io, TID, t, 4096);
	maker_io_file(&io, t, 16, FMT_file_type_PIPE, "pipe:[1]");
	maker_io_file(&io, t, 32, FMT_file_type_SOCKET, "tcp 127.0.0.1:9");
	maker_io_file(&io, t, 48, FMT_file_type_REGULAR, "/a");
	for (unsigned i = 0; i < 4; i++) {
		call.file = i < 3 ? 16 * (i + 1) : 0;
		call.fd = 3 + i;
		maker_io(&io, t + (40ull * i + 20) * MS, &call);
	}
	maker_stream_put(&maker, &io, "iotrace");
	open_experiment("off");
	cr_expect_str_eq(letters(0, 160, 8), "p.s.f.f.");
}

Test(lanes, filters_choose)
{
	struct expression_error error;

	make_wall();
	cr_assert_eq(filters_set(&analysis.dataset, FILTERS_EXPRESSION, "x", "STATE == \"lock\"",
	                         &error),
	             0);
	dataset_load(&analysis.dataset, &analysis.output);
	cr_expect_str_eq(letters(60, 100, 2), "ll");
	cr_expect_str_eq(letters(20, 60, 2), "..");
}

Test(lanes_axis, columns_cover_the_range_without_gaps)
{
	const struct lanes_axis axis = {-7, 993, 7};

	cr_expect_eq(lanes_column_at(&axis, -8), SIZE_MAX);
	cr_expect_eq(lanes_column_at(&axis, 993), SIZE_MAX);
	cr_expect_eq(lanes_column_ns(&axis, 0), -7);
	cr_expect_eq(lanes_column_ns(&axis, 7), 993);
	for (int64_t ns = -7; ns < 993; ns++) {
		size_t column = lanes_column_at(&axis, ns);

		cr_assert_lt(column, 7);
		cr_assert(lanes_column_ns(&axis, column) <= ns &&
		          ns < lanes_column_ns(&axis, column + 1));
	}
}

/* Wall-clock time: states by stack, the CPU time in waits, waits that have not ended, threads
 * without an end, divided waits, damage. */
#include "experiment/streams/selection.h"
#include "format/record.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>

enum { NODES = 3 };
static const uint64_t pcs[NODES] = {0x1000, 0x2000, 0x3000};
static const int parents[NODES] = {-1, 0, 0};
#include "tests/unit/experiment/one_stream.h"

/* Ticks are ns; in records they are in steps of 16. */
enum { MS = 1000000, TID = 42 };

static void log_with(const char *elements)
{
	char text[1024];

	snprintf(
		text, sizeof(text),
		"<setting name=\"wall\" value=\"on\"/><setting name=\"profile_us\" value=\"10007\"/>"
		"<event kind=\"run\" time=\"%d\"/>%s",
		MAKER_START_TICKS, elements);
	maker_log(&maker, text);
}

static void set_up_wall(void)
{
	set_up();
	log_with("<event kind=\"exit\" time=\"2000000000\" code=\"0\"/>");
}

TestSuite(wall, .init = set_up_wall, .fini = tear_down);

static void wait_at(uint64_t end, unsigned state, uint64_t ticks, uint32_t stack)
{
	struct fmt_wait record = {.kind = FMT_KIND_wait,
	                          .state = (uint8_t)state,
	                          .func = FMT_wait_func_POLL,
	                          .stack = stack,
	                          .span = ticks,
	                          .wait = ticks};

	maker_event(&stream, end, &record, sizeof(record));
}

static void sum_at(uint64_t first_end, unsigned state, uint64_t ticks, uint32_t count,
                   uint64_t until, uint32_t stack)
{
	struct fmt_wait_sum record = {.kind = FMT_KIND_wait_sum,
	                              .state = (uint8_t)state,
	                              .func = FMT_wait_func_POLL,
	                              .stack = stack,
	                              .first = ticks / count / 16 * 16,
	                              .wait = ticks,
	                              .until = until,
	                              .count = count};

	maker_event(&stream, first_end, &record, sizeof(record));
}

static void open_at(uint64_t begin, unsigned state, uint32_t stack)
{
	struct fmt_wait_open record = {.kind = FMT_KIND_wait_open,
	                               .state = (uint8_t)state,
	                               .family = FMT_wait_family_SYNC,
	                               .func = FMT_sync_func_MUTEX_LOCK,
	                               .stack = stack};

	fmt_u48_put(&record.object, 0x5000);
	maker_event(&stream, begin, &record, sizeof(record));
}

static void account_at(uint64_t at, uint64_t begin, uint64_t cpu_ns, uint64_t queue_ns,
                       unsigned reason)
{
	struct fmt_account record = {.kind = FMT_KIND_account,
	                             .reason = (uint8_t)reason,
	                             .tid = TID,
	                             .begin = begin,
	                             .cpu_ns = cpu_ns,
	                             .queue_ns = queue_ns};

	maker_event(&stream, at, &record, sizeof(record));
}

/* By another thread than TID. */
static void earlier_at(uint64_t at, uint64_t since, unsigned state, uint32_t stack)
{
	struct fmt_wait_earlier record = {.kind = FMT_KIND_wait_earlier,
	                                  .state = (uint8_t)state,
	                                  .family = FMT_wait_family_SYNC,
	                                  .func = FMT_sync_func_MUTEX_LOCK,
	                                  .stack = stack,
	                                  .since = since,
	                                  .tid = TID,
	                                  .owner = TID + 2};

	fmt_u48_put(&record.object, 0x5000);
	maker_event(&stream, at, &record, sizeof(record));
}

static void begin(void)
{
	maker_extent(&stream, TID, t, 64 * 4096);
}

static uint64_t value(const struct exp_data_set *set, enum exp_metric metric, uint32_t node)
{
	return exp_node_value(&set->nodes, metric, node);
}

Test(wall, waits_count_by_state_and_stack)
{
	begin();
	wait_at(t + 100 * MS, FMT_wall_state_SLEEP, 80 * MS, ids[1]);
	wait_at(t + 200 * MS, FMT_wall_state_LOCK, 16 * MS, ids[2]);
	sum_at(t + 210 * MS, FMT_wall_state_LOCK, 4 * MS, 100, 8 * MS, ids[2]);
	account_at(t + 300 * MS, t, 50 * MS, 20 * MS, FMT_account_reason_END);

	const struct exp_data_set *set = load("walltrace");

	cr_assert_eq(set->have, EXP_DATA_WALL);
	cr_assert_eq(set->quality.wall_waits, 102);
	cr_assert_eq(value(set, EXP_WALL_SLEEP, 1), 80 * MS);
	cr_assert_eq(value(set, EXP_WALL_LOCK, 2), 20 * MS);
	cr_assert_eq(value(set, EXP_WALL_COUNT, 2), 101);
	cr_assert_eq(set->nodes.no_stack[EXP_WALL_QUEUE], 20 * MS, "as the kernel counted");
	cr_assert_eq(set->nodes.no_stack[EXP_WALL_OTHER], 130 * MS, "what is left of 300 ms");
	cr_assert_eq(set->quality.wall_ns, 300 * MS);
	cr_assert_eq(set->quality.wall_unknown_ns, 130 * MS);
	cr_assert_eq(set->wall.longest_count, 2, "short waits are not told one by one");
	cr_assert_eq(set->wall.longest[0].wait_ns, 80 * MS);
	cr_assert_eq(set->wall.longest[0].state, FMT_wall_state_SLEEP);
	cr_assert_eq(set->wall.longest[0].tid, TID);
	cr_assert_float_eq(set->wall.longest[0].time_s, 0.1, 1e-9);
	cr_assert_eq(maker.warnings, 0, "%s", maker.warning);
}

/* As of the thread that ends a recording, while it is in a wait itself. */
Test(wall, a_wait_that_has_not_ended_is_in_the_time_of_all_accounts_behind_its_beginning)
{
	maker_extent(&stream, TID, t, 4096);
	wait_at(t + 20 * MS, FMT_wall_state_SLEEP, 16 * MS, ids[2]);
	open_at(t + 20 * MS, FMT_wall_state_POLL, ids[1]);
	maker_extent(&stream, TID + 1, t, 4096);
	account_at(t + 100 * MS, t, 1 * MS, 0, FMT_account_reason_STOP);
	account_at(t + 110 * MS, t, 1 * MS, 0, FMT_account_reason_STOP);

	const struct exp_data_set *set = load("walltrace");

	cr_assert_eq(value(set, EXP_WALL_SLEEP, 2), 16 * MS);
	cr_assert_eq(value(set, EXP_WALL_POLL, 1), 90 * MS);
	cr_assert_eq(set->nodes.no_stack[EXP_WALL_OTHER] % MS, 0);
	cr_assert(set->nodes.no_stack[EXP_WALL_OTHER] >= 3 * MS);
	cr_assert_eq(set->wall.longest->error, EXP_SYNC_OPEN);
}

/* ---- waits that began before the recording */

Test(wall, one_that_still_lasts_has_not_ended)
{
	maker_extent(&stream, TID + 1, t, 4096);
	earlier_at(t + 10 * MS, t + 10 * MS, FMT_wall_state_LOCK, ids[1]);
	earlier_at(t + 90 * MS, t + 10 * MS, FMT_wall_state_LOCK, ids[1]);
	account_at(t + 90 * MS, t + 10 * MS, 0, 0, FMT_account_reason_STOP);

	const struct exp_data_set *set = load("walltrace");
	const struct exp_wait *wait = set->wall.longest;

	cr_assert_eq(value(set, EXP_WALL_LOCK, 1), 80 * MS);
	cr_assert_eq(set->wall.longest_count, 1);
	cr_assert_eq(set->wall.open, 1);
	cr_assert(wait->error == EXP_SYNC_OPEN && wait->is_earlier);
	cr_assert(wait->tid == TID && wait->owner == TID + 2 && wait->object == 0x5000);
	cr_assert_eq(maker.warnings, 0, "%s", maker.warning);
}

Test(wall, one_that_ends_lasts_until_the_next_wait_without_the_cpu_time_until_then)
{
	maker_extent(&stream, TID + 1, t, 4096);
	earlier_at(t + 10 * MS, t + 10 * MS, FMT_wall_state_LOCK, ids[1]);
	maker_extent(&stream, TID, t, 4096);
	wait_at(t + 100 * MS, FMT_wall_state_SLEEP, 16 * MS, ids[2]);
	account_at(t + 110 * MS, t + 10 * MS, 30 * MS, 8 * MS, FMT_account_reason_END);

	const struct exp_data_set *set = load("walltrace");

	cr_assert_eq(value(set, EXP_WALL_SLEEP, 2), 16 * MS);
	cr_assert_eq(value(set, EXP_WALL_LOCK, 1), 46 * MS,
	             "of 100 ms, 30 were CPU time, 8 without a CPU, and 16 another wait");
	cr_assert_eq(set->wall.open, 0);
	cr_assert_eq(set->wall.longest_count, 2);
	cr_assert_eq(set->wall.longest[0].error, 0);
	cr_assert(set->wall.longest[0].is_earlier && !set->wall.longest[1].is_earlier);
}

Test(wall, one_of_a_killed_process_lasts_to_its_end)
{
	maker_extent(&stream, TID + 1, t, 4096);
	earlier_at(t + 10 * MS, t + 10 * MS, FMT_wall_state_POLL, ids[1]);

	const struct exp_data_set *set = load("walltrace");

	cr_assert_eq(set->wall.longest_count, 1);
	cr_assert_eq(set->wall.longest->error, EXP_SYNC_OPEN);
	cr_assert_eq(value(set, EXP_WALL_POLL, 1), 2000000000 - (t + 10 * MS));
}

Test(wall, a_second_look_that_has_no_first_one_is_a_first_one)
{
	maker_extent(&stream, TID + 1, t, 4096);
	earlier_at(t + 20 * MS, t + 10 * MS, FMT_wall_state_LOCK, ids[1]);
	account_at(t + 30 * MS, t + 10 * MS, 0, 0, FMT_account_reason_STOP);

	const struct exp_data_set *set = load("walltrace");

	cr_assert_eq(value(set, EXP_WALL_LOCK, 1), 20 * MS);
	cr_assert_eq(set->wall.open, 0);
}

Test(wall, one_that_cannot_be_is_a_fault)
{
	maker_extent(&stream, TID + 1, t, 4096);
	earlier_at(t + 10 * MS, t + 20 * MS, FMT_wall_state_LOCK, ids[1]);
	earlier_at(t + 30 * MS, t - 2000 * MS, FMT_wall_state_LOCK, ids[1]);
	earlier_at(t + 40 * MS, t + 40 * MS, FMT_wall_state_USER, ids[1]);

	const struct exp_data_set *set = load("walltrace");

	cr_assert_eq(set->wall.longest_count, 0);
	cr_assert(maker.warnings > 0);
	cr_assert(strstr(maker.warning, "a wait that cannot be"), "%s", maker.warning);
}

/* Recorded as waits for conditions, they are counted apart. */
Test(wall, waits_for_the_end_of_a_thread_are_no_others)
{
	struct fmt_wait record = {.kind = FMT_KIND_wait,
	                          .state = FMT_wall_state_COND,
	                          .family = FMT_wait_family_SYNC,
	                          .func = FMT_sync_func_CLOCKJOIN,
	                          .stack = ids[1],
	                          .span = 80 * MS,
	                          .wait = 80 * MS};

	begin();
	maker_event(&stream, t + 100 * MS, &record, sizeof(record));
	record.func = FMT_sync_func_COND_WAIT;
	maker_event(&stream, t + 200 * MS, &record, sizeof(record));
	record.family = FMT_wait_family_CALL; /* where that number is another function */
	record.func = FMT_sync_func_JOIN;
	maker_event(&stream, t + 300 * MS, &record, sizeof(record));
	account_at(t + 300 * MS, t, 50 * MS, 0, FMT_account_reason_END);

	const struct exp_data_set *set = load("walltrace");

	cr_assert_eq(value(set, EXP_WALL_JOIN, 1), 80 * MS);
	cr_assert_eq(value(set, EXP_WALL_COND, 1), 160 * MS);
	cr_assert_eq(value(set, EXP_WALL_COUNT, 1), 3);
}

/* A read of 40 ms that computed all the time was no wait. */
Test(wall, cpu_time_in_waits_is_no_waiting)
{
	begin();
	wait_at(t + 50 * MS, FMT_wall_state_FILE, 40 * MS, ids[1]);
	account_at(t + 50 * MS, t, 50 * MS, UINT64_MAX, FMT_account_reason_SPAN);
	wait_at(t + 100 * MS, FMT_wall_state_FILE, 40 * MS, ids[1]);
	account_at(t + 100 * MS, t, 60 * MS, UINT64_MAX, FMT_account_reason_END);

	const struct exp_data_set *set = load("walltrace");

	cr_assert_eq(value(set, EXP_WALL_FILE, 1), 40 * MS);
	cr_assert_eq(set->nodes.no_stack[EXP_WALL_OTHER], 0);
	cr_assert_eq(set->quality.wall_ns, 100 * MS);
}

Test(wall, a_wait_that_has_not_ended_lasts_to_the_end)
{
	begin();
	wait_at(t + 100 * MS, FMT_wall_state_SLEEP, 96 * MS, ids[1]);
	open_at(t + 104 * MS, FMT_wall_state_LOCK, ids[2]);
	account_at(t + 300 * MS, t, 8 * MS, UINT64_MAX, FMT_account_reason_STOP);

	const struct exp_data_set *set = load("walltrace");

	cr_assert_eq(set->wall.open, 1);
	cr_assert_eq(value(set, EXP_WALL_LOCK, 2), 196 * MS, "until its thread's time ended");
	cr_assert_eq(set->nodes.no_stack[EXP_WALL_OTHER], 0);
	cr_assert_eq(set->wall.longest[0].error, EXP_SYNC_OPEN);
	cr_assert_eq(set->wall.longest[0].object, 0x5000);
	cr_assert_eq(set->quality.wall_ns, 300 * MS);
}

/* A connect that does not block ends at once, and says so with an error. */
Test(wall, no_error_of_a_call_says_that_it_has_not_ended)
{
	struct fmt_wait record = {.kind = FMT_KIND_wait,
	                          .state = FMT_wall_state_SOCKET,
	                          .family = FMT_wait_family_IO,
	                          .func = FMT_io_func_CONNECT,
	                          .error = EINPROGRESS,
	                          .span = 4 * MS,
	                          .wait = 4 * MS,
	                          .stack = ids[1]};

	begin();
	maker_event(&stream, t + 10 * MS, &record, sizeof(record));
	wait_at(t + 100 * MS, FMT_wall_state_SLEEP, 80 * MS, ids[2]);
	account_at(t + 200 * MS, t, 50 * MS, UINT64_MAX, FMT_account_reason_END);

	const struct exp_data_set *set = load("walltrace");

	cr_assert_eq(set->wall.open, 0);
	cr_assert_eq(set->wall.longest_count, 2);
	cr_assert_eq(set->wall.longest[0].state, FMT_wall_state_SLEEP, "the longer one is first");
	cr_assert_eq(set->wall.longest[1].error, EINPROGRESS);
	cr_assert_neq(set->wall.longest[1].error, EXP_SYNC_OPEN);
}

Test(wall, an_open_wait_with_a_record_behind_it_has_ended)
{
	begin();
	open_at(t + 10 * MS, FMT_wall_state_SLEEP, ids[2]);
	wait_at(t + 20 * MS, FMT_wall_state_LOCK, 5 * MS, ids[1]);
	wait_at(t + 50 * MS, FMT_wall_state_SLEEP, 40 * MS, ids[2]);
	account_at(t + 50 * MS, t, 5 * MS, UINT64_MAX, FMT_account_reason_END);

	const struct exp_data_set *set = load("walltrace");

	cr_assert_eq(set->wall.open, 0);
	cr_assert_eq(set->quality.wall_waits, 2);
}

/* A handler's wait ended with an account; the wait that it interrupted has a part of the time
 * before that. */
Test(wall, time_before_an_account_belongs_to_a_wait_that_ends_later)
{
	begin();
	account_at(t + 60 * MS, t, 10 * MS, UINT64_MAX, FMT_account_reason_SPAN);
	wait_at(t + 100 * MS, FMT_wall_state_POLL, 80 * MS, ids[1]);
	account_at(t + 100 * MS, t, 10 * MS, UINT64_MAX, FMT_account_reason_END);

	const struct exp_data_set *set = load("walltrace");

	cr_assert_eq(value(set, EXP_WALL_POLL, 1), 80 * MS);
	cr_assert_eq(set->nodes.no_stack[EXP_WALL_OTHER], 10 * MS);
	cr_assert_eq(set->quality.wall_waits, 1);
}

/* Of a process that was killed there are no accounts: its threads live until its end. */
Test(wall, without_an_account_a_thread_lives_to_the_end)
{
	struct maker_stream overview;
	struct fmt_thread thread = {.kind = FMT_KIND_thread, .tid = TID};

	maker_stream_init(&overview);
	maker_extent(&overview, TID, t, 4096);
	maker_event(&overview, t, &thread, sizeof(thread));
	maker_stream_put(&maker, &overview, "overview");
	begin();
	wait_at(t + 100 * MS, FMT_wall_state_SLEEP, 80 * MS, ids[1]);

	const struct exp_data_set *set = load("walltrace");

	cr_assert_eq(set->quality.wall_ns, 1000 * MS);
	cr_assert_eq(set->nodes.no_stack[EXP_WALL_OTHER], 920 * MS);
}

Test(wall, pauses_do_not_count)
{
	log_with("<event kind=\"pause\" time=\"1100000000\"/>"
	         "<event kind=\"resume\" time=\"1200000000\"/>"
	         "<event kind=\"exit\" time=\"2000000000\" code=\"0\"/>");
	begin();
	account_at(t + 100 * MS, t, 20 * MS, UINT64_MAX, FMT_account_reason_STOP);
	wait_at(t + 300 * MS, FMT_wall_state_SLEEP, 280 * MS, ids[1]);
	account_at(t + 300 * MS, t + 200 * MS, 0, UINT64_MAX, FMT_account_reason_END);

	const struct exp_data_set *set = load("walltrace");

	cr_assert_eq(value(set, EXP_WALL_SLEEP, 1), 180 * MS);
	cr_assert_eq(set->quality.wall_ns, 200 * MS);
	cr_assert_eq(set->nodes.no_stack[EXP_WALL_OTHER], 0);
}

/* Without clock samples, accounts alone tell the CPU time. */
Test(wall, cpu_time_without_samples_has_no_stack)
{
	maker_log(&maker, "<setting name=\"wall\" value=\"on\"/>"
	                  "<setting name=\"profile_us\" value=\"0\"/>"
	                  "<event kind=\"exit\" time=\"2000000000\" code=\"0\"/>");
	begin();
	account_at(t + 100 * MS, t, 30 * MS, UINT64_MAX, FMT_account_reason_SPAN);
	account_at(t + 200 * MS, t, 70 * MS, UINT64_MAX, FMT_account_reason_END);

	const struct exp_data_set *set = load("walltrace");

	cr_assert_eq(set->nodes.no_stack[EXP_CPU_RESIDUAL], 70 * MS);
	cr_assert_eq(set->nodes.no_stack[EXP_WALL_OTHER], 130 * MS);
}

/* ---- divided waits */

enum { ROW_NS = 100 * MS };

static uint64_t next_cut(void *context, uint64_t ticks)
{
	(void)context;
	return t + ((ticks - t) / ROW_NS + 1) * ROW_NS;
}

static uint32_t row(void *context, const struct exp_fact *fact)
{
	unsigned *parts = context;

	cr_assert_eq(fact->data, EXP_DATA_WALL);
	cr_assert(fact->begin_ticks <= fact->ticks);
	if (fact->state != FMT_wall_state_SLEEP)
		return EXP_ROW_NONE;
	cr_assert_eq(fact->wait_ticks, 256 * MS, "the whole wait");
	++*parts;
	return (uint32_t)((fact->ticks - t) / ROW_NS);
}

Test(wall, a_wait_is_divided_where_a_selection_asks)
{
	unsigned parts = 0;
	struct exp_selection selection = {
		.context = &parts, .row = row, .next_cut = next_cut, .is_grouped = 1};
	const struct exp_data_set *divided;

	begin();
	wait_at(t + 306 * MS, FMT_wall_state_SLEEP, 256 * MS, ids[1]);
	account_at(t + 400 * MS, t, 0, UINT64_MAX, FMT_account_reason_END);
	load("walltrace");
	cr_assert_eq(experiment_select(experiment, &selection, &divided), 0);
	cr_assert_eq(parts, 4);
	cr_assert_eq(divided->nodes.row_count, 4);
	cr_assert_eq(divided->nodes.value[EXP_WALL_SLEEP][0], 50 * MS);
	cr_assert_eq(divided->nodes.value[EXP_WALL_SLEEP][1], 100 * MS);
	cr_assert_eq(divided->nodes.value[EXP_WALL_SLEEP][2], 100 * MS);
	cr_assert_eq(divided->nodes.value[EXP_WALL_SLEEP][3], 6 * MS);
	cr_assert_eq(divided->quality.wall_waits, 1, "it is one wait");
	exp_data_set_destroy(divided);
}

/* ---- damage */

Test(wall, damage_is_told_and_counts_for_nothing)
{
	static const uint8_t brief[16] = {FMT_KIND_wait};
	struct fmt_wait longer = {.kind = FMT_KIND_wait,
	                          .state = FMT_wall_state_LOCK,
	                          .stack = ids[1],
	                          .span = 16,
	                          .wait = 32};

	begin();
	maker_event(&stream, t + 1 * MS, brief, sizeof(brief));
	maker_event(&stream, t + 2 * MS, &longer, sizeof(longer));
	wait_at(t + 3 * MS, 99, 16, ids[1]);
	wait_at(t + 4 * MS, FMT_wall_state_USER, 16, ids[1]);
	wait_at(t + 5 * MS, FMT_wall_state_LOCK, UINT64_C(1) << 50, ids[1]);
	sum_at(t + 6 * MS, FMT_wall_state_LOCK, 1 * MS, 10, 100, ids[1]);
	account_at(t + 7 * MS, 0, 0, 0, FMT_account_reason_END);
	account_at(t + 8 * MS, t + 9 * MS, 0, 0, FMT_account_reason_END);
	open_at(t + 9 * MS, 1, ids[1]);

	const struct exp_data_set *set = load("walltrace");

	cr_assert_eq(set->quality.wall_waits, 0);
	cr_assert_eq(set->wall.open, 0);
	cr_assert_gt(maker.warnings, 5, "%u: %s", maker.warnings, maker.warning);
}

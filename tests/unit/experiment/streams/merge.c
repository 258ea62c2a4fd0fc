/* Streams in order of time: every event once, earliest first, ties in the order of extents. */
#include "experiment/streams/stream.h"
#include "format/record.h"
#include "tests/unit/experiment/make_experiment.h"
#include "tests/unit/format/seed.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { EVENTS_MAX = 20000 };

static const uint64_t t = MAKER_START_TICKS;
static struct maker maker;
static struct maker_stream made[2];
static struct experiment *experiment;
static struct exp_stream streams[2];

static void set_up(void)
{
	maker_create(&maker);
	maker_stream_init(&made[0]);
	maker_stream_init(&made[1]);
}

static void tear_down(void)
{
	exp_stream_close(&streams[0]);
	exp_stream_close(&streams[1]);
	experiment_close(experiment);
	maker_destroy(&maker);
}

TestSuite(merge, .init = set_up, .fini = tear_down);

static void open_streams(void)
{
	struct exp_cause cause;

	maker_stream_put(&maker, &made[0], "profile");
	maker_stream_put(&maker, &made[1], "heaptrace");
	cr_assert_eq(maker_open(&maker, &experiment, &cause), 0, "%s", cause.text);
	cr_assert_eq(exp_stream_open(experiment, "profile", &streams[0]), 0);
	cr_assert_eq(exp_stream_open(experiment, "heaptrace", &streams[1]), 0);
}

struct walk {
	uint64_t tsc[EVENTS_MAX], value[EVENTS_MAX];
	size_t count, calls;
	uint64_t until; /* of the last call */
	int is_single;  /* one event a call */
	uint64_t leave; /* the value at which the walk leaves its extent */
};

static uint64_t value_of(const struct exp_cursor *cursor)
{
	struct fmt_clock record;

	memcpy(&record, cursor->payload, sizeof(record));
	return record.cpu_ns;
}

static int run(void *context, struct exp_cursor *cursor, uint64_t until)
{
	struct walk *walk = context;
	int more;

	walk->calls++;
	walk->until = until;
	cr_assert_leq(cursor->key, until, "the earliest comes first");
	do {
		walk->tsc[walk->count] = cursor->key;
		walk->value[walk->count++] = value_of(cursor);
		if (walk->leave != 0 && value_of(cursor) == walk->leave)
			return 0;
		more = exp_cursor_next(cursor);
	} while (more && cursor->key <= until && !walk->is_single);
	return more;
}

Test(merge, events_of_many_threads_come_in_order_of_time)
{
	enum { THREADS = 40, EACH = 60 };
	static struct walk walk;
	uint64_t seed = seed_start();
	uint64_t sum = 0, expected = 0;

	for (unsigned i = 0; i < THREADS; i++) {
		uint64_t at = t + seed_below(&seed, 5000);

		maker_extent(&made[i % 2], i + 1, at, 8192);
		for (unsigned k = 0; k < EACH; k++) {
			at += seed_below(&seed, 200);
			maker_clock(&made[i % 2], at, 0, i * EACH + k + 1, 0);
			expected += i * EACH + k + 1;
		}
	}
	open_streams();
	for (int single = 0; single < 2; single++) {
		walk = (struct walk){.is_single = single};
		sum = 0;
		cr_assert_eq(exp_streams_merge(streams, 2, run, &walk), 0);
		cr_assert_eq(walk.count, THREADS * EACH);
		for (size_t i = 0; i < walk.count; i++) {
			cr_assert(i == 0 || walk.tsc[i - 1] <= walk.tsc[i], "%zu", i);
			sum += walk.value[i];
		}
		cr_assert_eq(sum, expected);
		if (single)
			cr_assert_eq(walk.calls, walk.count);
	}
}

Test(merge, a_cursor_runs_until_another_one_is_due)
{
	static struct walk walk;

	maker_extent(&made[0], 1, t, 4096);
	maker_clock(&made[0], t + 10, 0, 1, 0);
	maker_clock(&made[0], t + 20, 0, 2, 0);
	maker_clock(&made[0], t + 40, 0, 4, 0);
	maker_extent(&made[1], 2, t + 30, 4096);
	maker_clock(&made[1], t + 30, 0, 3, 0);
	open_streams();
	cr_assert_eq(exp_streams_merge(streams, 2, run, &walk), 0);
	cr_assert_eq(walk.count, 4);
	for (size_t i = 0; i < 4; i++)
		cr_expect_eq(walk.value[i], i + 1);
	cr_expect_eq(walk.calls, 3, "%zu", walk.calls);
	cr_expect_eq(walk.until, UINT64_MAX, "the last is alone");
}

Test(merge, events_of_one_time_come_in_order_of_extents)
{
	static struct walk walk;

	for (unsigned i = 0; i < 5; i++) {
		maker_extent(&made[0], i + 1, t, 4096);
		maker_clock(&made[0], t + 5, 0, i + 1, 0);
	}
	open_streams();
	walk.is_single = 1;
	cr_assert_eq(exp_streams_merge(streams, 1, run, &walk), 0);
	cr_assert_eq(walk.count, 5);
	for (size_t i = 0; i < 5; i++)
		cr_expect_eq(walk.value[i], i + 1, "%zu: %lu", i, walk.value[i]);
}

Test(merge, extents_without_events_leave_no_trace_and_the_rest_of_one_can_be_left)
{
	static struct walk walk;

	maker_extent(&made[0], 1, t, 4096);
	maker_extent(&made[0], 2, t + 1, 4096);
	maker_clock(&made[0], t + 2, 0, 1, 0);
	maker_clock(&made[0], t + 3, 0, 2, 0);
	maker_extent(&made[0], 3, t + 1, 4096);
	maker_clock(&made[0], t + 4, 0, 3, 0);
	open_streams();
	walk.leave = 1;
	cr_assert_eq(exp_streams_merge(streams, 2, run, &walk), 0);
	cr_assert_eq(walk.count, 2);
	cr_expect_eq(walk.value[1], 3);
}

static void take(void *context, struct exp_cursor *cursor)
{
	struct walk *walk = context;

	walk->value[walk->count++] = value_of(cursor);
}

Test(merge, a_stream_alone_comes_in_order_of_the_file)
{
	static struct walk walk;

	maker_extent(&made[0], 1, t + 100, 4096);
	maker_clock(&made[0], t + 100, 0, 1, 0);
	maker_extent(&made[0], 2, t, 4096);
	maker_clock(&made[0], t, 0, 2, 0);
	maker_clock(&made[0], t + 1, 0, 3, 0);
	open_streams();
	cr_assert_eq(exp_stream_each(&streams[0], take, &walk), 0);
	cr_assert_eq(walk.count, 3);
	for (size_t i = 0; i < 3; i++)
		cr_expect_eq(walk.value[i], i + 1);
}

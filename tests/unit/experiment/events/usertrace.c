/* User events: words and bytes, 32-bit programs, several traces merged by time, damage. */
#include "tests/unit/experiment/make_experiment.h"

#include "experiment/events/usertrace.h"
#include "format/record.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { SEEN_MAX = 32 };

static struct maker maker;
static struct maker_stream stream;
static struct experiment *experiment;
static const uint64_t t = MAKER_START_TICKS;
static struct exp_user_event seen[SEEN_MAX];
static char seen_bytes[SEEN_MAX][FMT_USER_BYTES];
static size_t seen_count, stop_at;

static void set_up(void)
{
	maker_create(&maker);
	maker_stream_init(&stream);
	seen_count = 0;
	stop_at = SIZE_MAX;
}

static void tear_down(void)
{
	experiment_close(experiment);
	maker_destroy(&maker);
}

TestSuite(usertrace, .init = set_up, .fini = tear_down);

static void put_words(uint64_t after, unsigned hook, unsigned shape, const uint64_t words[5])
{
	struct fmt_user record = {.kind = FMT_KIND_user,
	                          .shape = (uint8_t)shape,
	                          .hook = (uint16_t)hook,
	                          .subhook = 7};
	uint8_t payload[48] = {0};

	for (unsigned i = 0; i < (shape & FMT_USER_COUNT) && i < 5; i++) {
		uint64_t word = words[i] & ~(uint64_t)FMT_USER_LOW;

		memcpy(payload + 8 + 8 * i, &word, 8);
		record.low |= (uint16_t)(fmt_user_low_of(words[i]) << 2 * i);
	}
	memcpy(payload, &record, 8);
	maker_event(&stream, t + after, payload, sizeof(payload));
}

static void put_bytes(uint64_t after, unsigned shape, uint16_t size, const char *bytes, size_t len)
{
	struct fmt_user_bytes record = {.kind = FMT_KIND_user_bytes,
	                                .shape = (uint8_t)shape,
	                                .size = size,
	                                .hook = 0x0200,
	                                .d1 = 9};
	uint8_t payload[64] = {0};

	memcpy(payload, &record, sizeof(record));
	memcpy(payload + sizeof(record), bytes, len);
	maker_event(&stream, t + after, payload, (sizeof(record) + len + 15) & ~(size_t)15);
}

static int see(void *context, const struct exp_user_event *event)
{
	(void)context;
	cr_assert_lt(seen_count, SEEN_MAX);
	memcpy(seen_bytes[seen_count], event->bytes ? (const char *)event->bytes : "",
	       event->byte_count);
	seen[seen_count++] = *event;
	return seen_count == stop_at;
}

static int walk(void)
{
	struct exp_cause cause;

	cr_assert_eq(maker_open(&maker, &experiment, &cause), 0, "%s", cause.text);
	return exp_user_events(&experiment, 1, see, NULL);
}

Test(usertrace, words_come_back_bit_by_bit)
{
	uint64_t words[5] = {UINT64_MAX, 9, 0x0123456789abcdef, 8, 1};

	maker_extent(&stream, 42, t, 4096);
	put_words(100, 0x0100, 5, words);
	put_words(200, 0x0100, 0, words);
	put_words(300, 0x0abc, 2 | FMT_USER_32, words);
	maker_stream_put(&maker, &stream, "usertrace");
	cr_assert_eq(walk(), 0);
	cr_assert_eq(seen_count, 3);
	cr_assert(memcmp(seen[0].words, words, sizeof(words)) == 0);
	cr_assert(seen[0].hook == 0x0100 && seen[0].subhook == 7 && seen[0].word_count == 5 &&
	          !seen[0].is_32 && !seen[0].is_generic);
	cr_assert(seen[0].time_ns == 100 && seen[0].tid == 42 && seen[0].cpu == 1 &&
	          seen[0].trace == 0);
	cr_assert(seen[1].word_count == 0 && seen[1].words[0] == 0);
	cr_assert(seen[2].is_32 && seen[2].hook == 0x0abc && seen[2].word_count == 2);
	cr_assert_eq(maker.warnings, 0, "%s", maker.warning);
}

Test(usertrace, bytes)
{
	maker_extent(&stream, 42, t, 4096);
	put_bytes(100, 3, 5, "abcde", 5);
	put_bytes(200, FMT_USER_CUT | FMT_USER_32, 0, "", 0);
	maker_stream_put(&maker, &stream, "usertrace");
	cr_assert_eq(walk(), 0);
	cr_assert_eq(seen_count, 2);
	cr_assert(seen[0].is_generic && seen[0].channel == 3 && seen[0].words[0] == 9 &&
	          seen[0].byte_count == 5 && !seen[0].is_cut);
	cr_assert_eq(memcmp(seen_bytes[0], "abcde", 5), 0);
	cr_assert(seen[1].is_cut && seen[1].is_32 && seen[1].byte_count == 0);
}

Test(usertrace, traces_and_threads_are_merged_by_time)
{
	struct maker_stream other;
	uint64_t words[5] = {0};

	/* As in a ring buffer: the newer extent comes first. */
	maker_extent(&stream, 42, t + 500, 4096);
	put_words(500, 0x0100, 0, words);
	put_words(700, 0x0100, 0, words);
	maker_extent(&stream, 43, t + 100, 4096);
	put_words(100, 0x0110, 0, words);
	put_words(600, 0x0110, 0, words);
	maker_stream_put(&maker, &stream, "usertrace");
	maker_stream_init(&other);
	stream = other;
	maker_extent(&stream, 44, t + 200, 4096);
	put_words(200, 0x0120, 0, words);
	put_words(650, 0x0120, 0, words);
	maker_stream_put(&maker, &stream, "usertrace3");
	cr_assert_eq(walk(), 0);
	cr_assert_eq(seen_count, 6);
	for (size_t i = 1; i < seen_count; i++)
		cr_assert_leq(seen[i - 1].time_ns, seen[i].time_ns);
	cr_assert(seen[1].trace == 3 && seen[1].tid == 44 && seen[5].tid == 42);
}

Test(usertrace, a_walk_can_be_ended)
{
	uint64_t words[5] = {0};

	maker_extent(&stream, 42, t, 4096);
	for (unsigned i = 0; i < 10; i++)
		put_words(100 + i, 0x0100, 0, words);
	maker_stream_put(&maker, &stream, "usertrace");
	stop_at = 3;
	cr_assert_eq(walk(), 1);
	cr_assert_eq(seen_count, 3);
}

Test(usertrace, damaged_events_are_left_out_and_told)
{
	uint64_t words[5] = {1, 2, 3, 4, 5};

	maker_extent(&stream, 42, t, 4096);
	put_words(100, 0x0100, 7, words);
	put_bytes(200, 0, 200, "abc", 3);
	put_words(300, 0x0100, 5, words);
	maker_stream_put(&maker, &stream, "usertrace");
	cr_assert_eq(walk(), 0);
	cr_assert_eq(seen_count, 1);
	cr_assert_eq(maker.warnings, 2);
	cr_assert(strstr(maker.warning, "a user event is too short") != NULL, "%s", maker.warning);
}

Test(usertrace, the_load_counts_them)
{
	const struct exp_data_set *set;
	struct exp_cause cause;
	uint64_t words[5] = {0};

	maker_extent(&stream, 42, t, 4096);
	put_words(100, 0x0100, 0, words);
	put_bytes(200, 0, 3, "abc", 3);
	maker_stream_put(&maker, &stream, "usertrace2");
	cr_assert_eq(maker_open(&maker, &experiment, &cause), 0, "%s", cause.text);
	cr_assert_eq(experiment_load(experiment, &set), 0);
	cr_assert(set->have & EXP_DATA_USER);
	cr_assert_eq(set->quality.user_events, 2);
	cr_assert_eq(set->nodes.no_stack[EXP_USER_COUNT], 2);
}

Test(usertrace, no_file_no_events)
{
	cr_assert_eq(walk(), 0);
	cr_assert_eq(seen_count, 0);
	maker_stream_put(&maker, &stream, "unused");
}

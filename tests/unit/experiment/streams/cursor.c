/* Reading the records of an extent: every event comes once, with its offset, thread and time,
 * however small the chunk is; and damage is reported with its place. */
#include "experiment/streams/stream.h"
#include "format/record.h"
#include "tests/unit/experiment/make_experiment.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SMALLEST = 1, EVENTS_MAX = 4096 };

static const uint64_t t = MAKER_START_TICKS;
static struct maker maker;
static struct maker_stream made;
static struct experiment *experiment;
static struct exp_stream stream;
static struct exp_cursor cursor;
static char warnings[2048];

struct seen {
	uint64_t tsc, key, buffer_tsc, offset, cpu_ns;
	uint32_t tid, size;
	unsigned buffers;
};
static struct seen seen[EVENTS_MAX];
static size_t count;

static void warn(void *context, const char *message)
{
	size_t len = strlen(warnings);

	(void)context;
	snprintf(warnings + len, sizeof(warnings) - len, "%s|", message + strlen(maker.path) + 2);
}

static void set_up(void)
{
	maker_create(&maker);
	maker_stream_init(&made);
}

static void tear_down(void)
{
	exp_cursor_fini(&cursor);
	exp_stream_close(&stream);
	experiment_close(experiment);
	maker_destroy(&maker);
}

TestSuite(cursor, .init = set_up, .fini = tear_down);

static void open_stream(void)
{
	struct exp_reporter reporter = {warn, NULL};
	struct exp_cause cause;

	maker_stream_put(&maker, &made, "profile");
	cr_assert_eq(experiment_open(maker.path, &reporter, &experiment, &cause), 0, "%s",
	             cause.text);
	cr_assert_eq(exp_stream_open(experiment, "profile", &stream), 0);
}

/* Read extent number `i` through a chunk. */
static void read_extent(size_t i, size_t chunk)
{
	count = 0;
	cr_assert_lt(i, stream.extent_count);
	cr_assert_eq(exp_cursor_open(&cursor, &stream, &stream.extents[i], chunk), 0);
	while (count < EVENTS_MAX && exp_cursor_next(&cursor)) {
		struct fmt_clock record = {.cpu_ns = 0};

		memcpy(&record, cursor.payload,
		       cursor.payload_size < sizeof(record) ? cursor.payload_size : sizeof(record));
		seen[count++] = (struct seen){.tsc = cursor.tsc,
		                              .key = cursor.key,
		                              .buffer_tsc = cursor.buffer_tsc,
		                              .offset = exp_cursor_payload_offset(&cursor),
		                              .cpu_ns = record.cpu_ns,
		                              .tid = cursor.tid,
		                              .size = cursor.payload_size,
		                              .buffers = cursor.buffers};
	}
	cr_assert_eq(cursor.failed, 0);
}

Test(cursor, every_event_comes_once_through_chunks_of_any_size)
{
	enum { EVENTS = 300 };
	static const size_t chunks[] = {SMALLEST, 65, 80, 100, 4095, 4096, 1 << 20};
	size_t offsets[EVENTS];

	maker_extent(&made, 7, t, 12288);
	for (size_t i = 0; i < EVENTS; i++)
		offsets[i] = maker_clock(&made, t + i, 0, i + 1, 0);
	open_stream();
	for (size_t w = 0; w < sizeof(chunks) / sizeof(chunks[0]); w++) {
		read_extent(0, chunks[w]);
		cr_assert_eq(count, EVENTS, "%zu: %zu", chunks[w], count);
		for (size_t i = 0; i < EVENTS; i++) {
			cr_assert_eq(seen[i].cpu_ns, i + 1);
			cr_assert_eq(seen[i].offset, offsets[i]);
			cr_assert_eq(seen[i].tsc, t + i);
			cr_assert_eq(seen[i].tid, 7);
			cr_assert_eq(seen[i].buffer_tsc, t);
		}
	}
	cr_assert_str_eq(warnings, "");
}

Test(cursor, a_record_longer_than_the_chunk_comes_whole)
{
	uint8_t payload[8 + FMT_USER_BYTES] = {FMT_KIND_user_bytes};

	for (size_t i = 8; i < sizeof(payload); i++)
		payload[i] = (uint8_t)i;
	maker_extent(&made, 7, t, 12288);
	maker_clock(&made, t, 0, 1, 0);
	maker_event(&made, t + 1, payload, sizeof(payload) / 8 * 8);
	maker_clock(&made, t + 2, 0, 3, 0);
	open_stream();
	cr_assert_eq(exp_cursor_open(&cursor, &stream, &stream.extents[0], 100), 0);
	cr_assert(exp_cursor_next(&cursor));
	cr_assert(exp_cursor_next(&cursor));
	cr_assert_eq(cursor.payload_size, sizeof(payload) / 8 * 8);
	cr_assert_eq(memcmp(cursor.payload, payload, sizeof(payload) / 8 * 8), 0);
	cr_assert(exp_cursor_next(&cursor));
	cr_assert_eq(cursor.tsc, t + 2);
	cr_assert_not(exp_cursor_next(&cursor));
	cr_assert_str_eq(warnings, "");
}

Test(cursor, the_key_never_falls_and_begins_again_with_an_extent)
{
	maker_extent(&made, 7, t, 4096);
	maker_clock(&made, t + 10, 0, 1, 0);
	maker_clock(&made, t + 5, 0, 1, 0);
	maker_clock(&made, t + 20, 0, 1, 0);
	maker_extent(&made, 8, t, 4096);
	maker_clock(&made, t + 3, 0, 1, 0);
	open_stream();
	read_extent(0, 4096);
	cr_assert_eq(count, 3);
	cr_expect_eq(seen[1].tsc, t + 5);
	cr_expect_eq(seen[1].key, t + 10);
	cr_expect_eq(seen[2].key, t + 20);
	read_extent(1, 4096);
	cr_assert_eq(count, 1);
	cr_expect_eq(seen[0].key, t + 3);
	cr_expect_eq(seen[0].tid, 8);
}

Test(cursor, each_buffer_of_an_extent_names_its_thread)
{
	maker_extent(&made, 7, t, 4096);
	maker_clock(&made, t, 0, 1, 0);
	maker_successor(&made, 8, t + 50);
	maker_clock(&made, t + 51, 0, 2, 0);
	maker_clock(&made, t + 52, 0, 3, 0);
	open_stream();
	read_extent(0, SMALLEST);
	cr_assert_eq(count, 3);
	cr_expect_eq(seen[0].tid, 7);
	cr_expect_eq(seen[1].tid, 8);
	cr_expect_eq(seen[1].buffer_tsc, t + 50);
	cr_expect_eq(seen[1].buffers, seen[0].buffers + 1);
	cr_expect_eq(seen[2].buffers, seen[1].buffers);
	cr_assert_str_eq(warnings, "");
}

Test(cursor, what_is_behind_the_end_of_a_buffer_is_unused_or_told)
{
	size_t end, next;
	char text[128];

	maker_extent(&made, 7, t, 4096);
	maker_clock(&made, t, 0, 1, 0);
	end = made.at + FDR_METADATA_SIZE;
	made.at = end + 24; /* not a buffer, then a sound record */
	memset(made.bytes + end, 0xee, 24);
	next = maker_clock(&made, t + 9, 0, 2, 0);
	open_stream();
	read_extent(0, 4096);
	cr_assert_eq(count, 2);
	cr_expect_eq(seen[1].offset, next);
	snprintf(text, sizeof(text), "profile: offset %zu: not a buffer, skipped to %zu|", end,
	         next - FDR_METADATA_SIZE);
	cr_expect_str_eq(warnings, text);
}

Test(cursor, the_payload_of_an_unpublished_record_behind_the_end_is_no_damage)
{
	maker_extent(&made, 7, t, 4096);
	maker_clock(&made, t, 0, 1, 0);
	memset(made.bytes + made.at + FDR_METADATA_SIZE, 0x77, 24);
	open_stream();
	read_extent(0, 4096);
	cr_assert_eq(count, 1);
	cr_expect_str_eq(warnings, "");
}

/* The size of an event: 0, odd, beyond the extent, enormous. */
Test(cursor, an_event_of_a_size_that_cannot_be_is_passed_over)
{
	static const uint32_t sizes[] = {0, 12, 4096, (64 << 20) + 8};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		size_t bad, next;
		char text[128];

		if (i > 0) {
			tear_down();
			set_up();
			cursor = (struct exp_cursor){0};
		}
		warnings[0] = '\0';
		maker_extent(&made, 7, t, 4096);
		maker_clock(&made, t, 0, 1, 0);
		bad = maker_clock(&made, t + 1, 0, 2, 0) - FDR_METADATA_SIZE;
		next = maker_clock(&made, t + 2, 0, 3, 0) - FDR_METADATA_SIZE;
		memcpy(made.bytes + bad + 1, &sizes[i], sizeof(sizes[i]));
		open_stream();
		read_extent(0, 4096);
		cr_assert_eq(count, 2, "%u: %zu", sizes[i], count);
		cr_expect_eq(seen[1].cpu_ns, 3);
		snprintf(text, sizeof(text),
		         "profile: offset %zu: an event is damaged or cut off, skipped to %zu|",
		         bad, next);
		cr_expect_str_eq(warnings, text);
	}
}

/* After damage, the reader looks for a record of a known kind, with a size that this kind can
 * have. */
Test(cursor, goes_on_at_records_that_can_be_alone)
{
	static const struct {
		uint8_t kind;
		uint32_t size;
		int is_found;
	} rows[] = {
		{FMT_KIND_clock, sizeof(struct fmt_clock), 1},
		{FMT_KIND_clock, sizeof(struct fmt_clock) - 8, 0},
		{FMT_KIND_clock, sizeof(struct fmt_clock) + 256, 1},
		{FMT_KIND_clock, sizeof(struct fmt_clock) + 264, 0},
		{FMT_KIND_nodes, sizeof(struct fmt_nodes) + 512, 1},
		{0xfe, 64, 0},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint8_t payload[1024] = {rows[i].kind};
		size_t bad;

		if (i > 0) {
			tear_down();
			set_up();
			cursor = (struct exp_cursor){0};
		}
		maker_extent(&made, 7, t, 4096);
		bad = maker_clock(&made, t, 0, 1, 0) - FDR_METADATA_SIZE;
		made.bytes[bad] = 0xff;
		maker_event(&made, t + 1, payload, rows[i].size);
		open_stream();
		read_extent(0, 4096);
		cr_expect_eq(count, (size_t)rows[i].is_found, "row %zu: %zu", i, count);
	}
}

Test(cursor, an_extent_in_the_length_of_another_is_found)
{
	char text[128];
	size_t from;

	maker_extent(&made, 7, t, 4096);
	maker_clock(&made, t, 0, 1, 0);
	from = made.at;
	maker_extent(&made, 8, t + 5, 4096);
	maker_clock(&made, t + 6, 0, 2, 0);
	made.bytes[FDR_HEADER_SIZE + 8] = (uint8_t)(8192 - FDR_HEADER_SIZE);
	made.bytes[FDR_HEADER_SIZE + 9] = (uint8_t)((8192 - FDR_HEADER_SIZE) >> 8);
	open_stream();
	cr_assert_eq(stream.extent_count, 1);
	read_extent(0, 4096);
	cr_assert_eq(count, 2);
	cr_expect_eq(seen[1].tid, 8);
	cr_expect_eq(seen[1].offset, 4096 + FDR_PROLOGUE_SIZE + FDR_METADATA_SIZE);
	snprintf(text, sizeof(text),
	         "profile: offset %zu: the length of an extent is damaged, skipped to 4096|",
	         from + FDR_METADATA_SIZE);
	cr_expect_str_eq(warnings, text);
}

Test(cursor, a_file_that_becomes_shorter_is_told_and_ends)
{
	char path[256];

	maker_extent(&made, 7, t, 8192);
	for (unsigned i = 0; i < 200; i++)
		maker_clock(&made, t + i, 0, 1, 0);
	open_stream();
	snprintf(path, sizeof(path), "%s/profile", maker.path);
	cr_assert_eq(truncate(path, 4096), 0);
	read_extent(0, 4096);
	cr_expect_eq(count, (4096 - FDR_HEADER_SIZE - FDR_PROLOGUE_SIZE) /
	                            (FDR_METADATA_SIZE + sizeof(struct fmt_clock)));
	cr_expect(strstr(warnings, "offset 4096: the file was cut while it was read|"), "%s",
	          warnings);
}

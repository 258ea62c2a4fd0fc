/* Data files: holes, damage, cut files, and additions of later versions. */
#include "tests/unit/experiment/make_experiment.h"

#include "format/record.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static uint64_t samples_of(struct maker *maker)
{
	struct experiment *experiment;
	struct exp_cause cause;
	const struct exp_data_set *set;
	uint64_t samples;

	cr_assert_eq(maker_open(maker, &experiment, &cause), 0, "%s", cause.text);
	cr_assert_eq(experiment_load(experiment, &set), 0);
	samples = set->quality.samples;
	cr_assert_eq(set->quality.sampled_ns, samples * 10);
	experiment_close(experiment);
	return samples;
}

static void add_samples(struct maker_stream *stream, int count)
{
	for (int i = 0; i < count; i++)
		maker_clock(stream, MAKER_START_TICKS + (uint64_t)i, i % 2, 10, 0);
}

Test(stream, passes_over_unpublished_extents_and_unknown_records)
{
	struct maker maker;
	struct maker_stream stream;
	uint64_t later[4] = {0xfe};
	struct fmt_clock longer[2] = {{.kind = FMT_KIND_clock, .cpu_ns = 10}};

	maker_create(&maker);
	maker_stream_init(&stream);
	maker_extent(&stream, 1, MAKER_START_TICKS, 4096);
	add_samples(&stream, 5);
	maker_event(&stream, MAKER_START_TICKS, later, sizeof(later));
	maker_event(&stream, MAKER_START_TICKS, longer, sizeof(longer));
	maker_successor(&stream, 2, MAKER_START_TICKS);
	add_samples(&stream, 5);
	maker_extent(&stream, 3, MAKER_START_TICKS, 8192);
	memset(stream.bytes + 4096, 0, 8192);
	maker_extent(&stream, 3, MAKER_START_TICKS, 8192);
	add_samples(&stream, 200);
	maker_stream_put(&maker, &stream, "profile");
	cr_assert_eq(samples_of(&maker), 211);
	cr_assert_eq(maker.warnings, 0, "%s", maker.warning);
	maker_destroy(&maker);
}

Test(stream, goes_on_behind_a_damaged_record)
{
	struct maker maker;
	struct maker_stream stream;

	maker_create(&maker);
	maker_stream_init(&stream);
	maker_extent(&stream, 1, MAKER_START_TICKS, 8192);
	add_samples(&stream, 100);
	size_t bad = maker_clock(&stream, MAKER_START_TICKS, 0, 10, 0) - 16;
	add_samples(&stream, 100);
	stream.bytes[bad] = 0xff;
	maker_stream_put(&maker, &stream, "profile");
	cr_assert_eq(samples_of(&maker), 200);
	cr_assert_eq(maker.warnings, 1, "%s", maker.warning);
	char expected[64];

	snprintf(expected, sizeof(expected), "profile: offset %zu: not a record, skipped to %zu",
	         bad, bad + 32);
	cr_assert(strstr(maker.warning, expected) != NULL, "%s", maker.warning);
	maker_destroy(&maker);
}

Test(stream, takes_other_extents_when_one_is_garbage)
{
	struct maker maker;
	struct maker_stream stream;

	maker_create(&maker);
	maker_stream_init(&stream);
	maker_extent(&stream, 1, MAKER_START_TICKS, 4096);
	add_samples(&stream, 10);
	maker_extent(&stream, 2, MAKER_START_TICKS, 8192);
	memset(stream.bytes + 4096, 0xee, 8192);
	maker_extent(&stream, 3, MAKER_START_TICKS, 4096);
	add_samples(&stream, 10);
	maker_stream_put(&maker, &stream, "profile");
	cr_assert_eq(samples_of(&maker), 20);
	cr_assert(strstr(maker.warning, "profile: offset 4096: not a buffer, skipped to 12288") !=
	                  NULL,
	          "%s", maker.warning);
	maker_destroy(&maker);
}

Test(stream, is_sound_when_cut_at_any_byte)
{
	struct maker maker;
	struct maker_stream stream;
	uint64_t last = 0;

	maker_create(&maker);
	maker_stream_init(&stream);
	maker_extent(&stream, 1, MAKER_START_TICKS, 4096);
	add_samples(&stream, 6);
	for (size_t len = 0; len < stream.at + 16; len++) {
		maker_put(&maker, "profile", stream.bytes, len);
		uint64_t samples = samples_of(&maker);

		cr_assert(samples >= last && samples <= last + 1, "%zu", len);
		last = samples;
	}
	cr_assert_eq(last, 6);
	free(stream.bytes);
	maker_destroy(&maker);
}

Test(stream, does_not_walk_the_holes_of_a_huge_file, .timeout = 20)
{
	struct maker maker;
	struct maker_stream stream;
	char path[256];

	maker_create(&maker);
	maker_stream_init(&stream);
	maker_extent(&stream, 1, MAKER_START_TICKS, 4096);
	add_samples(&stream, 10);
	maker_stream_put(&maker, &stream, "profile");
	snprintf(path, sizeof(path), "%s/profile", maker.path);
	if (truncate(path, (off_t)1 << 40) != 0)
		cr_skip_test("this file system has no sparse files of 1 TiB");
	cr_assert_eq(samples_of(&maker), 10);
	maker_destroy(&maker);
}

Test(stream, reports_a_fifo_and_another_version)
{
	struct maker maker;
	struct maker_stream stream;
	char path[256];

	maker_create(&maker);
	snprintf(path, sizeof(path), "%s/profile", maker.path);
	cr_assert_eq(mkfifo(path, 0600), 0);
	maker_stream_init(&stream);
	stream.bytes[0] = 3;
	maker_stream_put(&maker, &stream, "overview");
	cr_assert_eq(samples_of(&maker), 0);
	cr_assert_eq(maker.warnings, 2);
	cr_assert(strstr(maker.warning, "overview: offset 0: another version") != NULL, "%s",
	          maker.warning);
	maker_destroy(&maker);
}

Test(stream, tells_few_faults_and_counts_the_rest)
{
	struct maker maker;
	struct maker_stream stream;

	maker_create(&maker);
	maker_stream_init(&stream);
	maker_extent(&stream, 1, MAKER_START_TICKS, 16384);
	for (int i = 0; i < 50; i++) {
		size_t bad = maker_clock(&stream, MAKER_START_TICKS, 0, 10, 0) - 16;

		stream.bytes[bad] = 0xff;
		add_samples(&stream, 1);
	}
	maker_stream_put(&maker, &stream, "profile");
	cr_assert_eq(samples_of(&maker), 50);
	cr_assert_eq(maker.warnings, 6);
	maker_destroy(&maker);
}

Test(stream, takes_an_unpublished_record_behind_the_end_for_what_it_is)
{
	struct maker maker;
	struct maker_stream stream;

	maker_create(&maker);
	maker_stream_init(&stream);
	maker_extent(&stream, 1, MAKER_START_TICKS, 4096);
	add_samples(&stream, 10);
	/* A thread was killed when it had written all but the header. */
	size_t header = maker_clock(&stream, MAKER_START_TICKS, 0, 10, 0) - 16;

	memset(stream.bytes + header, 0, 8);
	stream.bytes[header] = 0x03;
	maker_stream_put(&maker, &stream, "profile");
	cr_assert_eq(samples_of(&maker), 10);
	cr_assert_eq(maker.warnings, 0, "%s", maker.warning);
	maker_destroy(&maker);
}

Test(stream, finds_extents_that_a_damaged_length_covers)
{
	struct maker maker;
	struct maker_stream stream;

	maker_create(&maker);
	maker_stream_init(&stream);
	maker_extent(&stream, 1, MAKER_START_TICKS, 4096);
	add_samples(&stream, 10);
	maker_extent(&stream, 2, MAKER_START_TICKS, 8192);
	add_samples(&stream, 10);
	maker_extent(&stream, 3, MAKER_START_TICKS, 4096);
	add_samples(&stream, 10);
	/* Bytes 8-11 of the first buffer: the length of its extent. */
	stream.bytes[32 + 9] ^= 0x20;
	maker_stream_put(&maker, &stream, "profile");
	cr_assert_eq(samples_of(&maker), 30);
	cr_assert(strstr(maker.warning, "skipped to 4096") != NULL, "%s", maker.warning);
	maker_destroy(&maker);
}

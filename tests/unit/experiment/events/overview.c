/* Usage samples, threads and the clock. */
#include "tests/unit/experiment/make_experiment.h"

#include "experiment/base/clock.h"
#include "format/record.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

static void put_usage(struct maker_stream *stream, uint32_t number, uint64_t tsc, uint64_t raw_ns,
                      uint64_t cpu_ns)
{
	struct fmt_usage usage = {
		.kind = FMT_KIND_usage, .number = number, .raw_ns = raw_ns, .cpu_ns = cpu_ns};

	maker_event(stream, tsc, &usage, sizeof(usage));
}

static void put_thread(struct maker_stream *stream, uint64_t tsc, uint32_t tid, unsigned origin,
                       const char *name)
{
	struct fmt_thread thread = {.kind = FMT_KIND_thread, .origin = (uint8_t)origin, .tid = tid};

	memcpy(thread.name.text, name, strlen(name));
	maker_event(stream, tsc, &thread, sizeof(thread));
}

Test(overview, sorts_usage_and_fits_the_clock)
{
	struct maker maker;
	struct maker_stream stream;
	struct experiment *experiment;
	struct exp_cause cause;
	const struct exp_data_set *set;

	maker_create(&maker);
	maker_log(&maker, NULL);
	maker_stream_init(&stream);
	maker_extent(&stream, 42, MAKER_START_TICKS, 4096);
	/* The recorded rate is wrong by 100 ppm. */
	put_usage(&stream, 2, MAKER_START_TICKS + 2000200000u, 5000000000 + 2000000000, 50);
	put_usage(&stream, 1, MAKER_START_TICKS + 1000100000u, 5000000000 + 1000000000, 40);
	maker_stream_put(&maker, &stream, "overview");
	cr_assert_eq(maker_open(&maker, &experiment, &cause), 0);
	cr_assert_eq(experiment_load(experiment, &set), 0);
	cr_assert_eq(set->usage_count, 2);
	cr_assert_eq(set->usage[0].number, 1);
	cr_assert_eq(set->usage[0].tid, 42);
	cr_assert_float_eq(set->usage[1].time_s, 2.0, 1e-9);
	cr_assert_eq(set->quality.cpu_ns, 50);
	cr_assert_float_eq(experiment_info(experiment)->clock_hz, 1000100000, 1);
	cr_assert_float_eq(experiment_info(experiment)->duration_s, 2.0, 1e-9);
	experiment_close(experiment);
	maker_destroy(&maker);
}

Test(overview, keeps_threads_apart_that_had_one_id)
{
	struct maker maker;
	struct maker_stream stream;
	struct experiment *experiment;
	struct exp_cause cause;
	const struct exp_data_set *set;
	uint64_t t = MAKER_START_TICKS;

	maker_create(&maker);
	maker_stream_init(&stream);
	maker_extent(&stream, 42, t, 4096);
	put_thread(&stream, t, 42, FMT_thread_origin_MAIN, "main");
	put_thread(&stream, t + 100, 50, FMT_thread_origin_CREATED, "worker");
	put_thread(&stream, t + 150, 50, FMT_thread_origin_RENAMED, "sixteen-bytes-xx");
	put_thread(&stream, t + 500, 50, FMT_thread_origin_CREATED, "second");
	maker_stream_put(&maker, &stream, "overview");
	maker_stream_init(&stream);
	maker_extent(&stream, 50, t + 120, 4096);
	maker_clock(&stream, t + 130, 0, 10, 0);
	maker_successor(&stream, 50, t + 600);
	maker_clock(&stream, t + 610, 0, 5, 0);
	maker_stream_put(&maker, &stream, "profile");
	cr_assert_eq(maker_open(&maker, &experiment, &cause), 0);
	cr_assert_eq(experiment_load(experiment, &set), 0);
	cr_assert_eq(set->thread_count, 3);
	cr_assert_str_eq(set->threads[0].name, "main");
	cr_assert_str_eq(set->threads[1].name, "sixteen-bytes-xx");
	cr_assert_eq(set->threads[1].cpu_ns, 10);
	cr_assert_str_eq(set->threads[2].name, "second");
	cr_assert_eq(set->threads[2].cpu_ns, 5);
	experiment_close(experiment);
	maker_destroy(&maker);
}

Test(clock, refuses_a_fit_that_disagrees)
{
	struct exp_clock clock = {.start = {100, 100}, .hz = 1e9, .is_tsc = 1};
	struct exp_clock_point jump = {100 + 2000000000, 100 + 1000000000};
	struct exp_clock_point near = {100 + 1000, 100 + 2000};
	/* The thread lost its processor for 0.4 s between the two readings. */
	struct exp_clock_point late = {100 + 1000000000, 100 + 600000000};

	cr_assert_eq(exp_clock_fit(&clock, &jump, 1), -ERANGE);
	cr_assert_eq(exp_clock_fit(&clock, &near, 1), 0);
	cr_assert_eq(exp_clock_fit(&clock, &late, 1), 0);
	cr_assert_float_eq(clock.hz, 1e9, 0.1);
	cr_assert_float_eq(exp_clock_seconds(&clock, 50), -50e-9, 1e-12);
}

static void put_java_name(struct maker_stream *stream, uint64_t tsc, uint32_t tid, const char *name,
                          uint16_t said)
{
	uint8_t bytes[sizeof(struct fmt_java_thread) + 64] = {0};
	struct fmt_java_thread record = {
		.kind = FMT_KIND_java_thread, .name_size = said, .tid = tid};

	memcpy(bytes, &record, sizeof(record));
	memcpy(bytes + sizeof(record), name, strlen(name));
	maker_event(stream, tsc, bytes, sizeof(record) + ((strlen(name) + 15) & ~(size_t)15));
}

Test(overview, java_names_its_threads)
{
	struct maker maker;
	struct maker_stream stream;
	struct experiment *experiment;
	struct exp_cause cause;
	const struct exp_data_set *set;

	maker_create(&maker);
	maker_log(&maker, NULL);
	maker_stream_init(&stream);
	maker_extent(&stream, 1, MAKER_START_TICKS, 4096);
	put_thread(&stream, MAKER_START_TICKS + 10, 1, FMT_thread_origin_CREATED, "java");
	put_java_name(&stream, MAKER_START_TICKS + 20, 1, "a name of more than 15 bytes", 28);
	put_thread(&stream, MAKER_START_TICKS + 30, 1, FMT_thread_origin_RENAMED,
	           "a name of more ");
	put_thread(&stream, MAKER_START_TICKS + 40, 1, FMT_thread_origin_RENAMED, "DestroyJavaVM");
	put_thread(&stream, MAKER_START_TICKS + 50, 2, FMT_thread_origin_CREATED, "java");
	put_java_name(&stream, MAKER_START_TICKS + 60, 2, "first", 5);
	put_thread(&stream, MAKER_START_TICKS + 70, 2, FMT_thread_origin_RENAMED, "second");
	put_java_name(&stream, MAKER_START_TICKS + 80, 3, "more is said than is there", 65535);
	maker_stream_put(&maker, &stream, "overview");
	cr_assert_eq(maker_open(&maker, &experiment, &cause), 0);
	cr_assert_eq(experiment_load(experiment, &set), 0);
	cr_assert_eq(set->thread_count, 3);
	cr_assert_str_eq(set->threads[0].name, "a name of more than 15 bytes");
	cr_assert_str_eq(set->threads[1].name, "second");
	cr_assert_str_eq(set->threads[2].name, "more is said than is there");
	cr_assert_eq(set->threads[2].origin, FMT_thread_origin_FOUND);
	experiment_close(experiment);
	maker_destroy(&maker);
}

Test(overview, garbage_collections_are_in_order)
{
	struct maker maker;
	struct maker_stream stream;
	struct experiment *experiment;
	struct exp_cause cause;
	const struct exp_data_set *set;
	struct fmt_java_gc gc = {.kind = FMT_KIND_java_gc, .number = 1, .duration = 1000};

	maker_create(&maker);
	maker_log(&maker, NULL);
	maker_stream_init(&stream);
	maker_extent(&stream, 1, MAKER_START_TICKS, 4096);
	maker_event(&stream, MAKER_START_TICKS + 1000000, &gc, sizeof(gc));
	gc.duration = 3000;
	maker_event(&stream, MAKER_START_TICKS + 500000, &gc, sizeof(gc));
	gc.duration = UINT64_MAX / 2; /* longer than the recording: damaged */
	maker_event(&stream, MAKER_START_TICKS + 600000, &gc, sizeof(gc));
	maker_stream_put(&maker, &stream, "overview");
	cr_assert_eq(maker_open(&maker, &experiment, &cause), 0);
	cr_assert_eq(experiment_load(experiment, &set), 0);
	cr_assert_eq(set->gc_count, 2);
	cr_assert_eq(set->gcs[0].ns, 3000);
	cr_assert_eq(set->gcs[1].ns, 1000);
	cr_assert_float_eq(set->gcs[1].time_s, 0.001, 1e-9);
	experiment_close(experiment);
	maker_destroy(&maker);
}

/* Sampled allocations of Java. */
#include "tests/unit/experiment/make_experiment.h"

#include "format/layout.h"
#include "format/record.h"

#include <criterion/criterion.h>
#include <string.h>

enum { INTERVAL = 524288 };

static void put_alloc(struct maker_stream *stream, uint64_t tsc, uint32_t class, uint64_t size,
                      uint32_t stack)
{
	struct fmt_java_alloc record = {.kind = FMT_KIND_java_alloc,
	                                .stack = stack,
	                                .class = class,
	                                .interval = INTERVAL,
	                                .size = size};

	maker_event(stream, tsc, &record, sizeof(record));
}

Test(javaheap, samples_stand_for_what_they_are_rare_for)
{
	static const char map[] =
		"<map version=\"1.0\">\n <class id=\"1\" name=\"a/B\"/>\n <class id=\"2\" name=\"[I\"/>\n</map>\n";
	const uint64_t pcs[] = {0x1000, 0x2000};
	const int parents[] = {-1, 0};
	struct maker maker;
	struct maker_stream stream;
	struct experiment *experiment;
	struct exp_cause cause;
	const struct exp_data_set *set;
	uint32_t ids[2];

	maker_create(&maker);
	maker_log(&maker, NULL);
	maker_put(&maker, FMT_FILE_MAP, map, strlen(map));
	maker_nodes(&maker, 2, pcs, parents, ids);
	maker_stream_init(&stream);
	maker_extent(&stream, 1, MAKER_START_TICKS, 4096);
	put_alloc(&stream, MAKER_START_TICKS + 1, 2, 16, ids[1]);
	put_alloc(&stream, MAKER_START_TICKS + 2, 1, 100 * INTERVAL, ids[0]);
	put_alloc(&stream, MAKER_START_TICKS + 3, 2, 16, ids[1]);
	put_alloc(&stream, MAKER_START_TICKS + 4, 2, 16, 0);
	put_alloc(&stream, MAKER_START_TICKS + 5, 2, 0, ids[1]);              /* damaged */
	put_alloc(&stream, MAKER_START_TICKS + 6, 2, UINT64_MAX - 1, ids[1]); /* damaged */
	maker_stream_put(&maker, &stream, "heaptrace");
	cr_assert_eq(maker_open(&maker, &experiment, &cause), 0);
	cr_assert_eq(experiment_load(experiment, &set), 0);
	cr_assert_eq(set->java_alloc_count, 3);
	/* A large one is always sampled. */
	cr_assert_eq(set->java_allocs[0].class_id, 1);
	cr_assert_float_eq(set->java_allocs[0].objects, 1.0, 1e-9);
	cr_assert_float_eq(set->java_allocs[0].bytes_variance, 0.0, 1e-9);
	/* Of small ones, one in interval / size is sampled; here two samples of one stack. */
	cr_assert_eq(set->java_allocs[1].class_id, 2);
	cr_assert_eq(set->java_allocs[1].samples, 2);
	cr_assert_float_eq(set->java_allocs[1].objects, 2.0 * INTERVAL / 16, 2);
	cr_assert_float_eq(set->java_allocs[1].bytes, 2.0 * INTERVAL, 32);
	/* Each stands for itself with a deviation that is nearly as much. */
	cr_assert_float_eq(set->java_allocs[1].bytes_variance / (2.0 * INTERVAL * INTERVAL), 1.0,
	                   1e-4);
	cr_assert_eq(set->java_allocs[2].node, EXP_NO_INDEX);
	cr_assert_str_eq(experiment_java_class(experiment, 2), "[I");
	cr_assert_null(experiment_java_class(experiment, 3));
	cr_assert_null(experiment_java_class(experiment, 0));
	experiment_close(experiment);
	maker_destroy(&maker);
}

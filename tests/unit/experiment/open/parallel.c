/* Tests of experiment/open/parallel.c: streams that are read at the same time have the same results
 * as one after the other. */
#include "experiment/streams/load_context.h"
#include "experiment/open/parallel.h"
#include "format/layout.h"
#include "format/record.h"
#include "tests/unit/experiment/make_experiment.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { EVENTS = 100000, EXTENT = 8 << 20 };

static const uint64_t t = MAKER_START_TICKS;
static struct maker maker;
static uint32_t ids[3];

static void put_heap(int is_damaged)
{
	struct maker_stream stream;
	size_t at = 0;

	maker_stream_init(&stream);
	maker_extent(&stream, 42, t, EXTENT);
	for (uint64_t i = 0; i < EVENTS; i++) {
		size_t made = maker_alloc(&stream, t + 20 * i, 0x10000 + 16 * (i % 1000),
		                          (uint32_t)(i % 77), ids[i % 3]);

		at = i == 3 * (EVENTS / 6) ? made : at; /* one that is not freed */
		if (i % 3 != 0)
			maker_free(&stream, t + 20 * i + 10, 0x10000 + 16 * (i % 1000));
	}
	if (is_damaged)
		memset(stream.bytes + at - 16, 0xff, 16); /* the header */
	maker_stream_put(&maker, &stream, "heaptrace");
}

static void put_sync_and_calls(void)
{
	struct maker_stream stream;

	maker_stream_init(&stream);
	maker_extent(&stream, 43, t, EXTENT);
	for (uint64_t i = 0; i < EVENTS; i++)
		maker_sync(&stream, t + 1000 + 30 * i, FMT_sync_func_MUTEX_LOCK, 0x5000 + i % 5,
		           i % 100, 0, ids[i % 3]);
	maker_stream_put(&maker, &stream, "synctrace");
	maker_stream_init(&stream);
	maker_extent(&stream, 44, t, EXTENT);
	maker_io_file(&stream, t, 16, FMT_file_type_UNKNOWN, "/tmp/a");
	for (uint64_t i = 0; i < EVENTS; i++) {
		const struct maker_call call = {.func = FMT_io_func_READ,
		                                .bytes = i % 512,
		                                .wait = 5,
		                                .file = 16,
		                                .fd = 3,
		                                .stack = ids[i % 2]};

		maker_io(&stream, t + 2000 + 40 * i, &call);
	}
	maker_stream_put(&maker, &stream, "iotrace");
}

/* 300 ms of a thread, of which a wait of 80 ms and 50 ms of CPU time are known. */
static void put_wall(void)
{
	const struct fmt_wait wait = {.kind = FMT_KIND_wait,
	                              .state = FMT_wall_state_SLEEP,
	                              .func = FMT_wait_func_POLL,
	                              .stack = ids[1],
	                              .span = 80000000,
	                              .wait = 80000000};
	const struct fmt_account account = {.kind = FMT_KIND_account,
	                                    .reason = FMT_account_reason_END,
	                                    .tid = 45,
	                                    .begin = t,
	                                    .cpu_ns = 50000000,
	                                    .queue_ns = 20000000};
	struct maker_stream stream;

	maker_stream_init(&stream);
	maker_extent(&stream, 45, t, 4096);
	maker_event(&stream, t + 100000000, &wait, sizeof(wait));
	maker_event(&stream, t + 300000000, &account, sizeof(account));
	maker_stream_put(&maker, &stream, "walltrace");
}

static void set_up(void)
{
	static const uint64_t pcs[] = {0x1000, 0x2000, 0x3000};
	static const int parents[] = {-1, 0, 0};
	struct maker_stream stream;

	maker_create(&maker);
	maker_nodes(&maker, 3, pcs, parents, ids);
	maker_stream_init(&stream);
	maker_extent(&stream, 42, t, 4096);
	maker_clock(&stream, t + 77, FMT_clock_state_USER, 1600, ids[1]);
	maker_stream_put(&maker, &stream, "profile");
	put_sync_and_calls();
	put_wall();
}

static void tear_down(void)
{
	maker_destroy(&maker);
}

TestSuite(parallel, .init = set_up, .fini = tear_down);

static uint32_t everything(void *context, const struct exp_fact *fact)
{
	(void)context;
	(void)fact;
	return 0;
}

/* A load with a selection reads one stream after the other. */
static void compare(struct experiment *experiment, const struct exp_data_set *whole)
{
	const struct exp_selection selection = {.row = everything};
	const struct exp_data_set *set;

	cr_assert_eq(experiment_select(experiment, &selection, &set), 0);
	cr_assert_eq(set->nodes.count, whole->nodes.count);
	for (size_t i = 0; i < EXP_METRICS; i++) {
		cr_assert_eq(set->nodes.no_stack[i], whole->nodes.no_stack[i]);
		cr_assert_eq(!set->nodes.value[i], !whole->nodes.value[i]);
		for (size_t node = 0; node < 3; node++)
			cr_assert_eq(exp_node_value(&set->nodes, (enum exp_metric)i, node),
			             exp_node_value(&whole->nodes, (enum exp_metric)i, node));
	}
	cr_assert_eq(set->have, whole->have);
	cr_assert_eq(set->thread_count, whole->thread_count);
	cr_assert_arr_eq(set->threads, whole->threads, set->thread_count * sizeof(*set->threads));
	cr_assert_arr_eq(&set->heap, &whole->heap, sizeof(set->heap));
	cr_assert_eq(set->sync.object_count, whole->sync.object_count);
	cr_assert_arr_eq(set->sync.objects, whole->sync.objects,
	                 set->sync.object_count * sizeof(*set->sync.objects));
	cr_assert_eq(set->io->file_count, whole->io->file_count);
	cr_assert_str_eq(set->io->files[0].name, whole->io->files[0].name);
	cr_assert_arr_eq(&set->io->totals, &whole->io->totals, sizeof(set->io->totals));
	cr_assert_arr_eq(&set->quality, &whole->quality, sizeof(set->quality));
	cr_assert_eq(set->quality.samples, 1);
	cr_assert_eq(set->quality.user_samples, 1);
	cr_assert_eq(set->quality.sampled_ns, 1600);
	cr_assert_float_eq(set->quality.sampled_squares, 1600.0 * 1600, 0);
	cr_assert_eq(set->quality.wall_ns, 300000000);
	cr_assert_eq(set->quality.wall_unknown_ns, 150000000);
	cr_assert_eq(set->quality.sync_events, EVENTS);
	cr_assert_eq(set->quality.io_events, EVENTS);
	cr_assert_float_eq(set->first_s, whole->first_s, 0);
	cr_assert_float_eq(set->last_s, whole->last_s, 0);
	exp_data_set_destroy(set);
}

static void load_and_compare(unsigned warnings)
{
	struct experiment *experiment;
	const struct exp_data_set *whole;
	struct exp_cause cause;

	cr_assert_eq(maker_open(&maker, &experiment, &cause), 0, "%s", cause.text);
	cr_assert_eq(experiment_load(experiment, &whole), 0);
	cr_assert_eq(maker.warnings, warnings, "%u: %s", maker.warnings, maker.warning);
	compare(experiment, whole);
	experiment_close(experiment);
}

Test(parallel, large_streams_give_the_same_totals)
{
	put_heap(0);
	load_and_compare(0);
}

Test(parallel, faults_are_reported_as_ever)
{
	put_heap(1);
	load_and_compare(1);
	cr_assert(strstr(maker.warning, "heaptrace: offset ") != NULL, "%s", maker.warning);
}

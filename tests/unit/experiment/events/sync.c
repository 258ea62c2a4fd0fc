/* Waits: totals by stack and by object, where objects were created, the longest waits, damage. */
#include "format/record.h"

#include <criterion/criterion.h>

enum { NODES = 3 };
static const uint64_t pcs[NODES] = {0x1000, 0x2000, 0x3000};
static const int parents[NODES] = {-1, 0, 0};
#include "tests/unit/experiment/one_stream.h"

TestSuite(sync, .init = set_up, .fini = tear_down);

Test(sync, adds_waits_by_stack_and_by_object)
{
	maker_extent(&stream, 42, t, 4096);
	maker_sync(&stream, t + 1000, FMT_sync_func_MUTEX_LOCK, 0x5000, 300, 0, ids[1]);
	maker_sync(&stream, t + 2000, FMT_sync_func_MUTEX_TRYLOCK, 0x5000, 5, 16, ids[2]);
	maker_sync(&stream, t + 3000, FMT_sync_func_COND_WAIT, 0x5000, 700, 0, ids[1]);
	maker_sync(&stream, t + 4000, FMT_sync_func_JOIN, 0x5000, 1, 0, 0);
	maker_extent(&stream, 43, t, 4096);
	maker_sync(&stream, t + 1500, FMT_sync_func_MUTEX_LOCK, 0x5000, 400, 0, ids[2]);

	const struct exp_data_set *set = load("synctrace");
	const struct exp_sync_object *mutex = &set->sync.objects[0];

	cr_assert_eq(set->have, EXP_DATA_SYNC);
	cr_assert_eq(set->quality.sync_events, 5);
	cr_assert_eq(exp_node_value(&set->nodes, EXP_SYNC_COUNT, 1), 2);
	cr_assert_eq(exp_node_value(&set->nodes, EXP_SYNC_WAIT, 1), 1000);
	cr_assert_eq(exp_node_value(&set->nodes, EXP_SYNC_WAIT, 2), 405);
	cr_assert_eq(set->nodes.no_stack[EXP_SYNC_COUNT], 1);
	cr_assert_eq(set->sync.object_count, 3, "one address, three kinds of objects");
	cr_assert_eq(mutex->object_class, EXP_SYNC_MUTEX);
	cr_assert_eq(mutex->address, 0x5000);
	cr_assert_eq(mutex->count, 3);
	cr_assert_eq(mutex->failed, 1);
	cr_assert_eq(mutex->wait_ns, 705);
	cr_assert_eq(mutex->longest_ns, 400);
	cr_assert_eq(mutex->node, 2);
	cr_assert_eq(mutex->creation, EXP_NO_INDEX);
	cr_assert_eq(mutex->threads, 3);
	cr_assert_eq(set->sync.longest_count, 5);
	cr_assert_eq(set->sync.longest[0].wait_ns, 700);
	cr_assert_eq(set->sync.longest[0].func, FMT_sync_func_COND_WAIT);
	cr_assert_eq(set->sync.longest[1].tid, 43);
	cr_assert_float_eq(set->sync.longest[1].time_s, 1500e-9, 1e-12);
	cr_assert_eq(set->sync.longest[1].object, 0);
	cr_assert_eq(set->quality.stack_events, 4);
	cr_assert_eq(set->thread_count, 2);
	cr_assert_eq(maker.warnings, 0, "%s", maker.warning);
}

Test(sync, an_object_made_by_another_stack_is_another)
{
	maker_extent(&stream, 42, t, 4096);
	maker_sync(&stream, t + 10, FMT_sync_func_MUTEX_INIT, 0x5000, 0, 0, ids[1]);
	maker_sync(&stream, t + 30, FMT_sync_func_MUTEX_INIT, 0x5000, 0, 0, ids[2]);
	maker_sync(&stream, t + 50, FMT_sync_func_MUTEX_INIT, 0x5000, 0, 0, ids[1]);
	maker_sync(&stream, t + 55, FMT_sync_func_SEM_INIT, 0x5000, 0, 0, ids[2]);
	maker_extent(&stream, 43, t, 4096);
	maker_sync(&stream, t + 5, FMT_sync_func_MUTEX_LOCK, 0x5000, 1, 0, ids[0]);
	maker_sync(&stream, t + 20, FMT_sync_func_MUTEX_LOCK, 0x5000, 2, 0, ids[0]);
	maker_sync(&stream, t + 40, FMT_sync_func_MUTEX_LOCK, 0x5000, 4, 0, ids[0]);
	maker_sync(&stream, t + 60, FMT_sync_func_MUTEX_LOCK, 0x5000, 8, 0, ids[0]);

	const struct exp_data_set *set = load("synctrace");

	cr_assert_eq(set->quality.sync_events, 4, "to make an object is no wait");
	cr_assert_eq(set->sync.object_count, 3);
	cr_assert_eq(set->sync.objects[0].creation, EXP_NO_INDEX);
	cr_assert_eq(set->sync.objects[0].wait_ns, 1);
	cr_assert_eq(set->sync.objects[1].creation, 1);
	cr_assert_eq(set->sync.objects[1].wait_ns, 10, "made again by the same stack");
	cr_assert_eq(set->sync.objects[2].creation, 2);
	cr_assert_eq(set->sync.objects[2].wait_ns, 4);
}

Test(sync, keeps_the_longest_hundred)
{
	maker_extent(&stream, 42, t, 16 * 4096);
	for (unsigned i = 0; i < 1000; i++)
		maker_sync(&stream, t + 10000 + i, FMT_sync_func_SEM_WAIT, 0x5000 + 16 * (i % 7),
		           i * 37 % 1000, 0, ids[1]);

	const struct exp_data_set *set = load("synctrace");

	cr_assert_eq(set->sync.object_count, 7);
	cr_assert_eq(set->sync.longest_count, 100);
	for (unsigned i = 0; i < 100; i++)
		cr_assert_eq(set->sync.longest[i].wait_ns, 999 - i);
}

Test(sync, counts_further_threads_together)
{
	for (uint32_t tid = 1; tid <= 80; tid++) {
		maker_extent(&stream, tid, t + tid, 4096);
		maker_sync(&stream, t + tid, FMT_sync_func_WRLOCK, 0x5000, 1, 0, ids[1]);
	}
	cr_assert_eq(load("synctrace")->sync.objects[0].threads, UINT64_MAX);
}

Test(sync, damage_is_told_and_counts_for_nothing)
{
	static const uint8_t brief[16] = {FMT_KIND_sync};

	maker_extent(&stream, 42, t, 4096);
	maker_event(&stream, t, brief, sizeof(brief));
	maker_sync(&stream, t + 20, FMT_sync_func_MUTEX_LOCK, 0x5000, UINT64_C(1) << 47, 0, ids[1]);
	maker_sync(&stream, t + 30, FMT_sync_func_MUTEX_LOCK, 0x5000, 6, 0, ids[1] + 8);
	maker_sync(&stream, t + 40, 60, 0x5000, 7, 0, ids[1]);

	const struct exp_data_set *set = load("synctrace");

	cr_assert_eq(maker.warnings, 3);
	cr_assert_eq(set->quality.sync_events, 2);
	cr_assert_eq(set->nodes.no_stack[EXP_SYNC_WAIT], 6);
	cr_assert_eq(set->sync.object_count, 2);
	cr_assert_eq(set->sync.objects[1].object_class, EXP_SYNC_OTHER);
}

/* The wait of thread 42 ended otherwise than by its wrapper; that of thread 43 did not end. */
Test(sync, a_wait_that_has_not_ended_lasts_until_the_end)
{
	struct fmt_sync_open open = {
		.kind = FMT_KIND_sync_open, .func = FMT_sync_func_SEM_WAIT, .stack = ids[1]};

	fmt_u48_put(&open.object, 0x6000);
	maker_extent(&stream, 42, t, 4096);
	maker_event(&stream, t, &open, sizeof(open));
	maker_sync(&stream, t + 20, FMT_sync_func_MUTEX_LOCK, 0x5000, 6, 0, ids[1]);
	maker_extent(&stream, 43, t, 4096);
	maker_event(&stream, t + 10, &open, sizeof(open));

	const struct exp_data_set *set = load("synctrace");

	cr_assert_eq(maker.warnings, 0);
	cr_assert_eq(set->quality.sync_events, 2);
	cr_assert_eq(set->sync.open, 1);
	cr_assert_eq(set->sync.longest[0].error, EXP_SYNC_OPEN);
	cr_assert_eq(set->sync.longest[0].tid, 43);
	cr_assert_eq(set->sync.longest[0].wait_ns, UINT64_C(10000000000) - 10,
	             "the process ends 10 s after its start");
	cr_assert_eq(set->sync.longest[1].error, 0);
	cr_assert_eq(set->sync.objects[1].failed, 0);
}

/* A process that is attached to twice may have been waiting since the first time. */
Test(sync, of_a_wait_since_an_earlier_recording_what_is_of_this_one_counts)
{
	maker_log(&maker, " <event kind=\"attach\" tid=\"1\" earlier_ns=\"5\"/>\n");
	maker_extent(&stream, 42, t, 4096);
	maker_sync(&stream, t + 20, FMT_sync_func_MUTEX_LOCK, 0x5000, UINT64_C(1) << 47, 0, ids[1]);
	maker_sync(&stream, t + 30, FMT_sync_func_MUTEX_LOCK, 0x5000, 6, 0, ids[1]);

	const struct exp_data_set *set = load("synctrace");

	cr_assert_eq(maker.warnings, 0, "%s", maker.warning);
	cr_assert_eq(set->quality.sync_events, 2);
	cr_assert_eq(exp_node_value(&set->nodes, EXP_SYNC_WAIT, 1), 26);
}

/* 100 hours of ns are more than 48 bits. */
Test(sync, waits_of_days)
{
	const uint64_t days = UINT64_C(360000) * 1000000000;

	maker_extent(&stream, 42, t, 4096);
	maker_sync(&stream, t + days + 10, FMT_sync_func_MUTEX_LOCK, 0x5000, days, 0, ids[1]);
	maker_sync(&stream, t + days + 30, FMT_sync_func_MUTEX_LOCK, 0x5000, 7, 0, ids[1]);
	maker_sync(&stream, t + days + 50, FMT_sync_func_MUTEX_LOCK, 0x5000, 3 * days, 0, ids[1]);

	const struct exp_data_set *set = load("synctrace");

	cr_assert_eq(set->sync.objects[0].wait_ns, days + 7);
	cr_assert_eq(set->sync.longest[0].wait_ns, days);
	cr_assert_eq(set->sync.longest[1].wait_ns, 7);
	cr_assert_eq(exp_node_value(&set->nodes, EXP_SYNC_WAIT, 1), days + 7);
	cr_assert_eq(maker.warnings, 1, "the third one began before the recording");
}

/* Tests of libcollector/events/sync_owner.c: who ended a wait. */
#include "libcollector/events/sync_wait.h"
#include "tests/unit/libcollector/scratch.h"

#include <criterion/criterion.h>

static uint32_t tid;

static void set_up(void)
{
	scratch_open();
	thread_current();
	tid = atomic_load(&col_self->tid);
}

TestSuite(sync_signal, .init = set_up, .fini = scratch_remove);

static __attribute__((noinline)) void put(uint64_t object)
{
	struct caller caller = CALLER;

	sync_signal_put(object, &caller);
}

Test(sync_signal, is_of_an_object_and_a_time)
{
	struct sync_signal signal = {0, 0};
	uint64_t before = col_ticks(), after;

	cr_expect_eq(sync_signal_find(0x1000, 0, UINT64_MAX, tid + 1, &signal), 0);
	put(0x1000);
	after = col_ticks();
	cr_expect_eq(sync_signal_find(0x1000, before, after, tid + 1, &signal), 1);
	cr_expect_eq(signal.tid, tid);
	cr_expect_neq(signal.stack, 0);
	cr_expect_eq(sync_signal_find(0x1040, before, after, tid + 1, &signal), 0, "another one");
	cr_expect_eq(sync_signal_find(0x1000, after + 1, UINT64_MAX, tid + 1, &signal), 0,
	             "it was before the wait");
	cr_expect_eq(sync_signal_find(0x1000, 0, before - 1, tid + 1, &signal), 0,
	             "it was behind the wait");
	cr_expect_eq(sync_signal_find(0x1000, before, after, tid, &signal), 0,
	             "a thread does not end its own wait");
}

Test(sync_signal, of_many_objects_some_are_missing_and_none_is_wrong)
{
	struct sync_signal signal;
	uint64_t before = col_ticks();
	size_t known = 0;

	for (uint64_t i = 1; i <= 4000; i++)
		put(i << 6);
	for (uint64_t i = 1; i <= 4000; i++)
		known += (size_t)sync_signal_find(i << 6, before, UINT64_MAX, tid + 1, &signal);
	cr_expect_gt(known, 500);
	cr_expect_leq(known, 1024);
}

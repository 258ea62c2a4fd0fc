/* Tests of libcollector/events/sync_site.c. */
#include "libcollector/events/sync_site.h"
#include "tests/unit/libcollector/scratch.h"

#include <criterion/criterion.h>
#include <errno.h>

static uint32_t tid;

static void set_up(void)
{
	scratch_open();
	thread_current();
	tid = atomic_load(&col_self->tid);
	atomic_store(&col.switches->on[SOURCE_WALL], 1);
}

static void tear_down(void)
{
	atomic_store(&col.switches->on[SOURCE_WALL], 0);
	scratch_remove();
}

TestSuite(sync_site, .init = set_up, .fini = tear_down);

Test(sync_site, is_of_a_lock_and_a_thread)
{
	cr_expect_eq(sync_site_of(0x1000, tid), 0);
	sync_site_put(0x1000, 0x7fffdeadbeef);
	cr_expect_eq(sync_site_of(0x1000, tid), 0x7fffdeadbeef);
	cr_expect_eq(sync_site_of(0x1000, tid + 1), 0, "another thread took it elsewhere");
	cr_expect_eq(sync_site_of(0x1028, tid), 0);
	sync_site_put(0x1000, 0x401000);
	cr_expect_eq(sync_site_of(0x1000, tid), 0x401000, "the last time counts");
	cr_expect_eq(sync_site_of(0x1000, 0), 0, "nobody has it");
}

Test(sync_site, of_many_locks_some_are_missing_and_hardly_any_is_wrong)
{
	size_t known = 0, wrong = 0;

	for (uint64_t i = 1; i <= 10000; i++)
		sync_site_put(i << 6, i);
	for (uint64_t i = 1; i <= 10000; i++) {
		uint64_t pc = sync_site_of(i << 6, tid);

		known += pc == i;
		wrong += pc != 0 && pc != i;
	}
	/* Of 6,000 that are gone, one of ten runs has one. */
	cr_expect_leq(wrong, 4);
	cr_expect_gt(known, (1 << SYNC_SITES_BITS) / 2);
}

Test(sync_site, of_calls_that_take_a_lock)
{
	sync_took(FMT_sync_func_MUTEX_LOCK, 0x2000, 0, EDEADLK, 0x401000);
	cr_expect_eq(sync_site_of(0x2000, tid), 0, "it was refused");
	sync_took(FMT_sync_func_RDLOCK, 0x2000, 0, 0, 0x401000);
	cr_expect_eq(sync_site_of(0x2000, tid), 0, "others may have it, too");
	sync_took(FMT_sync_func_WRLOCK, 0x2000, 0, 0, 0x401000);
	cr_expect_eq(sync_site_of(0x2000, tid), 0x401000);
	sync_took(FMT_sync_func_COND_TIMEDWAIT, 0x3000, 0x4000, ETIMEDOUT, 0x402000);
	cr_expect_eq(sync_site_of(0x3000, tid), 0);
	cr_expect_eq(sync_site_of(0x4000, tid), 0x402000, "the mutex is taken again");
}

Test(sync_site, nothing_without_wall_clock_time)
{
	atomic_store(&col.switches->on[SOURCE_WALL], 0);
	sync_took(FMT_sync_func_MUTEX_LOCK, 0x5000, 0, 0, 0x401000);
	cr_expect_eq(sync_site_of(0x5000, tid), 0);
}

/* Which operations of a futex are looked at: waits for those who want waits, wakes for those who
 * want to know who woke. */
#include "libcollector/events/sync.h"
#include "libcollector/events/sync_wait.h"
#include "tests/unit/libcollector/scratch.h"

#include <criterion/criterion.h>
#include <linux/futex.h>

static void tear_down(void)
{
	atomic_store(&col.switches->on[SOURCE_WALL], 0);
	atomic_store(&col.switches->on[SOURCE_SYNC], 0);
	scratch_remove();
}

TestSuite(sync_futex, .init = scratch_open, .fini = tear_down);

static void wants(int waits, int wakes)
{
	static const long wait[] = {FUTEX_WAIT, FUTEX_WAIT_BITSET, FUTEX_WAIT_PRIVATE,
	                            FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME},
			  wake[] = {FUTEX_WAKE, FUTEX_WAKE_BITSET, FUTEX_WAKE_PRIVATE},
			  other[] = {FUTEX_REQUEUE, FUTEX_CMP_REQUEUE, FUTEX_WAKE_OP,
	                             FUTEX_LOCK_PI};

	for (size_t i = 0; i < sizeof(wait) / sizeof(wait[0]); i++)
		cr_expect_eq(!!sync_wants_futex(wait[i]), waits, "wait %zu", i);
	for (size_t i = 0; i < sizeof(wake) / sizeof(wake[0]); i++)
		cr_expect_eq(!!sync_wants_futex(wake[i]), wakes, "wake %zu", i);
	for (size_t i = 0; i < sizeof(other) / sizeof(other[0]); i++)
		cr_expect_eq(sync_wants_futex(other[i]), 0, "other %zu", i);
}

Test(sync_futex, without_waits_nothing_is_looked_at)
{
	wants(0, 0);
}

Test(sync_futex, of_waits_alone_wakes_are_not)
{
	atomic_store(&col.switches->on[SOURCE_SYNC], SYNC_NATIVE);
	wants(1, 0);
}

Test(sync_futex, with_wall_clock_time_wakes_are_too)
{
	atomic_store(&col.switches->on[SOURCE_WALL], 1);
	wants(1, 1);
}

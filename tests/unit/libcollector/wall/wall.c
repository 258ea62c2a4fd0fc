/* Tests of the records of waits: short and long ones, those that have not ended, those that were
 * left, and accounts. */
#include "tests/unit/libcollector/scratch.h"

#include "libcollector/base/source.h"
#include "libcollector/events/blocking.h"
#include "libcollector/wall/account.h"
#include "libcollector/wall/wall.h"

#include "format/fdr.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 64, US = 1000, MS = 1000000 };

/* Event time is in ns here. */
static void open_wall(void)
{
	scratch_open();
	col.descriptor.clock_is_tsc = 0;
	col.descriptor.wall = 1;
	col.descriptor.clock_hz = 1000000000;
	wall_start();
	thread_current();
	wall_thread_prepare(col_self);
	wall_thread_begin(col_self);
}

static void close_wall(void)
{
	atomic_store(&col.switches->on[SOURCE_WALL], 0);
	scratch_remove();
}

TestSuite(wall, .init = open_wall, .fini = close_wall);

static struct fmt_wait waits[MOST];
static struct fmt_wait_sum sums[MOST];
static struct fmt_wait_open opens[MOST];
static struct fmt_account accounts[MOST];

/* The test runner waits, too: for locks, and in poll. */
static int is_of_test(const uint8_t *payload)
{
	struct fmt_wait wait;

	memcpy(&wait, payload, 8);
	return wait.kind == FMT_KIND_account ||
	       (wait.family == FMT_wait_family_CALL && wait.state == FMT_wall_state_SLEEP) ||
	       wait.func == FMT_wait_func_USLEEP;
}

/* The records of a kind in this thread's extent. Returns how many there are. */
static int find(unsigned kind, void *records, size_t size)
{
	const struct col_slot *slot = &col_self->slot[COL_NORMAL][FMT_STREAM_WALLTRACE];
	const uint8_t *at = col_slot_is_open(slot) ? slot->end - slot->size : NULL;
	struct fdr_prologue prologue;
	struct fdr_record record;
	int count = 0;

	if (at && fdr_prologue_get(at, &prologue) < 0)
		at += FDR_HEADER_SIZE;
	for (at += at ? FDR_PROLOGUE_SIZE : 0;
	     at && at < slot->at && fdr_record_get(at, (size_t)(slot->end - at), &record) > 0;
	     at += record.size)
		if (record.type == FDR_RECORD_EVENT && record.payload[0] == kind &&
		    is_of_test(record.payload) && count < MOST)
			memcpy((char *)records + size * (size_t)count++, record.payload, size);
	return count;
}

static int find_waits(void)
{
	return find(FMT_KIND_wait, waits, sizeof(*waits));
}

static int find_sums(void)
{
	return find(FMT_KIND_wait_sum, sums, sizeof(*sums));
}

static int find_opens(void)
{
	return find(FMT_KIND_wait_open, opens, sizeof(*opens));
}

static int find_accounts(void)
{
	return find(FMT_KIND_account, accounts, sizeof(*accounts));
}

static const struct wall_call sleeping = {
	.state = FMT_wall_state_SLEEP, .func = FMT_wait_func_USLEEP, .object = 0x1234};

/* A call that ended now and took so long. */
static __attribute__((noinline)) void ended(const struct wall_call *call, uint64_t ns)
{
	struct wall_start start = wall_now();

	start.before -= ns;
	wall_end(call, &start, CALLER);
}

Test(wall, a_long_wait_is_recorded_by_itself)
{
	struct wall_call failed = sleeping;

	failed.error = EINTR;
	failed.owner = 77;
	failed.site = 78;
	ended(&failed, 5 * MS);
	cr_assert_eq(find_waits(), 1);
	cr_assert_eq(waits[0].state, FMT_wall_state_SLEEP);
	cr_assert_eq(waits[0].family, FMT_wait_family_CALL);
	cr_assert_eq(waits[0].func, FMT_wait_func_USLEEP);
	cr_assert_eq(waits[0].error, EINTR);
	cr_assert_eq(waits[0].owner, 77);
	cr_assert_eq(waits[0].site, 78);
	cr_assert_eq(fmt_u48_get(&waits[0].object), 0x1234);
	cr_assert(waits[0].span >= 5 * MS - 16 && waits[0].span < 500 * MS);
	cr_assert_eq(waits[0].span % 16, 0);
	cr_assert_eq(waits[0].wait, waits[0].span);
	cr_assert_neq(waits[0].stack, 0);
	cr_assert_geq(col_self->events[SOURCE_WALL], 1);
}

Test(wall, a_call_that_hardly_takes_time_is_no_wait)
{
	wall_least = 3600000000000;
	ended(&sleeping, 500);
	cr_assert_eq(find_waits() + find_sums(), 0);
}

Test(wall, nothing_is_recorded_while_it_is_off)
{
	atomic_store(&col.switches->on[SOURCE_WALL], 0);
	ended(&sleeping, 5 * MS);
	cr_assert_eq(find_waits(), 0);
}

/* As short as the machine lets them be: the clock may stand still in between. */
static uint64_t short_waits(unsigned count, unsigned state)
{
	struct wall_call call = sleeping;
	struct wall_start start;
	uint64_t all = 0;

	call.state = (enum fmt_wall_state)state;
	start = wall_now();
	for (unsigned i = 0; i < count; i++) {
		wall_put(&call, &start, start.before + 20 * US, CALLER);
		all += 20 * US / 16 * 16;
		start = (struct wall_start){start.before + 21 * US, col_self->wall.waited, NULL};
	}
	return all;
}

Test(wall, short_waits_at_one_place_are_added_up)
{
	uint64_t all = short_waits(50, FMT_wall_state_LOCK), found = 0, count = 0;
	int sum_count = find_sums();

	cr_assert_eq(find_waits(), 0);
	for (int i = 0; i < sum_count; i++) {
		found += sums[i].wait;
		count += sums[i].count;
		cr_assert_eq(sums[i].state, FMT_wall_state_LOCK);
		cr_assert(sums[i].first <= sums[i].wait);
		cr_assert_eq(fmt_u48_get(&sums[i].object), 0x1234);
	}
	cr_assert_eq(found, all);
	cr_assert_eq(count, 50);
	cr_assert_lt(sum_count, 50, "%d", sum_count);
}

Test(wall, short_waits_for_several_objects_have_none)
{
	struct wall_start start = wall_now();
	struct wall_call call = sleeping;
	int sum_count;

	for (uint64_t i = 0; i < 50; i++) {
		call.object = i + 1;
		wall_put(&call, &start, start.before + 20 * US, CALLER);
		start = (struct wall_start){start.before + 21 * US, col_self->wall.waited, NULL};
	}
	sum_count = find_sums();
	for (int i = 0; i < sum_count; i++)
		cr_assert(sums[i].count == 1 || fmt_u48_get(&sums[i].object) == 0);
}

/* Contexts may take turns in a thread, so that one waits while another one does. */
Test(wall, waits_at_the_same_time_are_not_added_up)
{
	struct wall_start outer = wall_now(), inner = outer;

	inner.before += 10 * US;
	wall_put(&sleeping, &inner, outer.before + 20 * US, CALLER);
	wall_put(&sleeping, &outer, outer.before + 50 * US, CALLER);
	cr_assert_eq(find_sums(), 2);
	cr_assert_eq(sums[0].count, 1);
	cr_assert_eq(sums[1].count, 1);
}

/* A part of a file may be mapped where another one was. */
Test(wall, a_sum_ends_with_its_extent)
{
	short_waits(1, FMT_wall_state_LOCK);
	cr_assert_eq(find_sums(), 1);
	col_slot_abandon(&col_self->slot[COL_NORMAL][FMT_STREAM_WALLTRACE]);
	short_waits(1, FMT_wall_state_LOCK);
	cr_assert_eq(find_sums(), 1);
	cr_assert_eq(sums[0].count, 1);
}

/* ---- waits that have not ended */

static __attribute__((noinline)) struct wall_start begin_here(void)
{
	return wall_begin(&sleeping, CALLER);
}

Test(wall, a_wait_is_in_the_file_before_it_begins)
{
	struct wall_start start = begin_here();
	int begun = find_opens();

	wall_put(&sleeping, &start, start.before + 5 * MS, (struct caller){0});
	cr_assert_not_null(start.open);
	cr_assert_eq(begun, 1);
	cr_assert_eq(opens[0].state, FMT_wall_state_SLEEP);
	cr_assert_eq(opens[0].func, FMT_wait_func_USLEEP);
	cr_assert_neq(opens[0].stack, 0);
	cr_assert_eq(find_opens(), 0);
	cr_assert_eq(find_waits(), 1);
	cr_assert_eq(waits[0].stack, opens[0].stack, "walked once");
}

/* Without a wrapper. */
static void sys_sleep(long ns)
{
	struct timespec time = {.tv_nsec = ns};

	SYS2(SYS_nanosleep, &time, NULL);
}

static sigjmp_buf out;

static void jump_out(int number)
{
	(void)number;
	siglongjmp(out, 1);
}

static __attribute__((noinline)) void wait_and_jump(void)
{
	if (sigsetjmp(out, 1) != 0)
		return;
	begin_here();
	sys_sleep(2 * MS);
	raise(SIGUSR1);
}

Test(wall, one_that_was_left_by_a_jump_is_told_by_the_next)
{
	int open, left;

	signal(SIGUSR1, jump_out);
	wait_and_jump();
	wait_and_jump();
	open = find_opens();
	left = find_waits();
	cr_assert_eq(open, 1, "the second one");
	cr_assert_eq(left, 1);
	cr_assert_eq(waits[0].error, ECANCELED);
	cr_assert(waits[0].span >= 2 * MS - 16);
}

Test(wall, one_that_was_left_is_told_at_the_end_of_its_thread)
{
	begin_here();
	sys_sleep(2 * MS);
	wall_thread_gone(col_self);
	cr_assert_eq(find_opens(), 0);
	cr_assert_eq(find_waits(), 1);
	cr_assert_eq(waits[0].error, ECANCELED);
}

/* In a signal handler, say. */
static __attribute__((noinline)) void wait_inside(void)
{
	volatile char frame[2048];

	frame[0] = 1;
	ended(&sleeping, 3 * MS);
	(void)frame[0];
}

static __attribute__((noinline)) void wait_around(void)
{
	struct wall_start start = wall_begin(&sleeping, CALLER);

	start.before -= 10 * MS;
	wait_inside();
	wall_end(&sleeping, &start, CALLER);
}

Test(wall, a_wait_in_a_wait_counts_for_itself)
{
	wait_around();
	cr_assert_eq(find_opens(), 0);
	cr_assert_eq(find_waits(), 2);
	cr_assert_eq(waits[0].wait, waits[0].span);
	cr_assert_gt(waits[1].span, waits[0].span);
	cr_assert(waits[1].wait <= waits[1].span - waits[0].wait + 16);
}

/* ---- accounts */

Test(wall, the_end_of_a_thread_tells_its_cpu_time)
{
	uint64_t before = sys_clock_ns(CLOCK_THREAD_CPUTIME_ID), after;

	wall_thread_account(col_self, col_self, COL_NORMAL);
	after = sys_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	cr_assert_eq(find_accounts(), 1);
	cr_assert_eq(accounts[0].tid, sys_tid());
	cr_assert_eq(accounts[0].reason, FMT_account_reason_STOP, "the thread goes on");
	cr_assert(accounts[0].cpu_ns >= before && accounts[0].cpu_ns <= after);
	col_self->exit_rounds = 1000;
	wall_thread_account(col_self, col_self, COL_NORMAL);
	cr_assert_eq(find_accounts(), 2);
	cr_assert_eq(accounts[1].reason, FMT_account_reason_END);
	cr_assert_eq(accounts[1].begin, accounts[0].begin);
}

/* As long as it could have run since it was made. */
Test(wall, a_thread_began_when_its_cpu_time_did)
{
	uint64_t cpu_ns = sys_clock_ns(CLOCK_THREAD_CPUTIME_ID), now = col_ticks();

	account_begin(col_self);
	cr_assert_leq(col_self->wall.begin, now);
	cr_assert_geq(now - col_self->wall.begin + 50 * MS, cpu_ns);
	wall_thread_pass(col_self);
	cr_assert_geq(col_self->wall.begin, now, "from here on it counts again");
	cr_assert_geq(col_self->wall.earlier_ns, cpu_ns);
}

/* Reads of 30 ms may have computed, and so may many short waits; a long sleep does not. */
Test(wall, accounts_are_made_where_waits_may_hold_cpu_time)
{
	struct wall_call reading = {.state = FMT_wall_state_FILE, .family = FMT_wait_family_IO};

	col_self->wall.accounted = col_self->wall.last = col_ticks() - 50 * MS;
	ended(&sleeping, 40 * MS);
	cr_assert_eq(find_accounts(), 0);
	ended(&reading, 30 * MS);
	cr_assert_eq(find_accounts(), 1);
	cr_assert_eq(accounts[0].reason, FMT_account_reason_SPAN);
	col_self->wall.accounted = col_self->wall.last = col_ticks() - 20 * MS;
	col_self->wall.count = 1000;
	ended(&sleeping, 1 * MS);
	cr_assert_eq(find_accounts(), 2);
	cr_assert_eq(col_self->wall.count, 0);
	col_self->wall.accounted = col_self->wall.last = col_ticks() - 500 * MS;
	ended(&sleeping, 1 * MS);
	cr_assert_eq(find_accounts(), 3, "nobody knows what the thread did before");
}

/* A program may have closed its standard input: the next file that is opened is descriptor 0. */
Test(wall, the_time_without_a_cpu_is_told_where_the_kernel_has_it)
{
	struct wall_call reading = {.state = FMT_wall_state_FILE, .family = FMT_wait_family_IO};
	int is_told = access("/proc/self/schedstat", R_OK) == 0;

	for (int is_closed = 0; is_closed < 2; is_closed++) {
		if (is_closed)
			close(0);
		/* Much longer than what a busy machine takes to begin the test. */
		col_self->wall.accounted = col_self->wall.last = col_ticks() - 5000ull * MS;
		ended(&reading, 30 * MS);
		cr_assert_eq(find_accounts(), 1 + is_closed);
		cr_expect_eq(accounts[is_closed].queue_ns != UINT64_MAX, is_told);
	}
}

/* ---- wrappers */

Test(wall, wrappers_of_calls_that_block_record_them)
{
	const struct timespec moment = {.tv_nsec = 2 * MS};

	cr_assert_eq(usleep(2000), 0);
	cr_assert_eq(nanosleep(&moment, NULL), 0);
	cr_assert_eq(find_opens(), 0);
	cr_assert_eq(find_waits(), 2);
	cr_assert_eq(waits[0].func, FMT_wait_func_USLEEP);
	cr_assert(waits[0].wait >= 2 * MS - 16);
	cr_assert_eq(waits[1].state, FMT_wall_state_SLEEP);
	cr_assert_eq(waits[1].func, FMT_wait_func_NANOSLEEP);
}

Test(wall, commands_of_fcntl_that_wait)
{
	cr_assert(blocking_is_lock(F_SETLKW));
	cr_assert(blocking_is_lock(F_OFD_SETLKW));
	cr_assert(!blocking_is_lock(F_SETLK));
	cr_assert(!blocking_is_lock(F_GETFL));
}

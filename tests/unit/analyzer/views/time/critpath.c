/* Tests of analyzer/views/time/critpath.c, on waits that were put together by hand. */
#include "analyzer/views/time/critpath.h"

#include "analyzer/views/time/critfind.h"
#include "format/record.h"

#include <criterion/criterion.h>

enum { MAIN, OTHER, THIRD, CHILD, THREADS, PID = 100, CHILD_PID = 200, END = 1000000000 };

static const struct exp_thread own_threads[] = {{.tid = PID}, {.tid = 101}, {.tid = 102}};
static const struct exp_thread child_threads[] = {{.tid = CHILD_PID}};
static const struct exp_data_set own = {.threads = own_threads, .thread_count = 3},
				 of_child = {.threads = child_threads, .thread_count = 1};
static const struct exp_info info = {.pid = PID, .ppid = 1},
			     child_info = {.pid = CHILD_PID, .ppid = PID};
static struct dataset_experiment experiments[] = {
	{.info = &info, .whole = &own, .id = 1, .is_selected = 1},
	{.info = &child_info, .whole = &of_child, .id = 2, .founder = 1, .is_selected = 1}};
static const struct dataset dataset = {.experiments = experiments, .count = 2, .last_id = 2};

static struct crit_wait wait_of(uint32_t thread, int64_t begin, int64_t end, unsigned state,
                                uint32_t owner, uint64_t object)
{
	return (struct crit_wait){.thread = thread,
	                          .begin_ns = begin,
	                          .end_ns = end,
	                          .state = (uint8_t)state,
	                          .owner = owner,
	                          .writer = CRIT_NONE,
	                          .object = object};
}

/* The path of main, from to_ns back, through waits[count], by thread and time. */
static struct crit_path find_until(struct crit_wait *waits, size_t count, int64_t to_ns)
{
	struct crit_thread threads[THREADS] = {
		{.at = &experiments[0], .number = 0, .end_ns = END},
		{.at = &experiments[0], .number = 1, .begin_ns = 100, .end_ns = END},
		{.at = &experiments[0], .number = 2, .begin_ns = 200, .end_ns = END},
		{.at = &experiments[1], .number = 0, .begin_ns = 300, .end_ns = 900}};
	struct crit_waits all = {
		.threads = threads, .thread_count = THREADS, .waits = waits, .count = count};
	struct crit_path path;

	for (size_t i = 0; i < count; i++) {
		struct crit_thread *thread = &threads[waits[i].thread];

		if (thread->count++ == 0)
			thread->first = i;
	}
	crit_find_begin(&dataset, &all);
	crit_path_find(&all, MAIN, 0, to_ns, &path);
	crit_find_end(&all);
	return path;
}

static struct crit_path find(struct crit_wait *waits, size_t count)
{
	return find_until(waits, count, 1000);
}

static void step_is(const struct crit_path *path, size_t i, uint32_t thread, int64_t from,
                    int64_t to, int is_wait)
{
	cr_assert_lt(i, path->count);
	cr_expect_eq(path->steps[i].thread, thread, "step %zu", i);
	cr_expect_eq(path->steps[i].from_ns, from, "step %zu: %lld", i,
	             (long long)path->steps[i].from_ns);
	cr_expect_eq(path->steps[i].to_ns, to, "step %zu: %lld", i,
	             (long long)path->steps[i].to_ns);
	cr_expect_eq(path->steps[i].wait != NULL, is_wait, "step %zu", i);
}

Test(critpath, a_lock_leads_to_who_had_it)
{
	struct crit_wait waits[] = {wait_of(MAIN, 400, 600, FMT_wall_state_LOCK, 101, 7),
	                            wait_of(OTHER, 350, 550, FMT_wall_state_SLEEP, 0, 0)};
	struct crit_path path = find(waits, 2);

	cr_assert_eq(path.count, 4);
	step_is(&path, 0, MAIN, 600, 1000, 0);
	step_is(&path, 1, OTHER, 550, 600, 0);
	cr_expect_eq(path.steps[1].reason, CRIT_LOCK);
	cr_expect_eq(path.steps[1].of, &waits[0]);
	step_is(&path, 2, OTHER, 400, 550, 1);
	step_is(&path, 3, MAIN, 0, 400, 0);
	cr_expect_eq(path.steps[3].reason, CRIT_WAITER);
	cr_expect_eq(path.steps[3].of, &waits[0]);
	crit_path_fini(&path);
}

Test(critpath, a_holder_that_waits_for_the_lock_again_has_given_it_back)
{
	struct crit_wait waits[] = {wait_of(MAIN, 400, 600, FMT_wall_state_LOCK, 101, 7),
	                            wait_of(OTHER, 580, 700, FMT_wall_state_LOCK, PID, 7)};
	struct crit_path path = find(waits, 2);

	cr_assert_eq(path.count, 4);
	step_is(&path, 1, MAIN, 580, 600, 1);
	step_is(&path, 2, OTHER, 400, 580, 0);
	step_is(&path, 3, MAIN, 0, 400, 0);
	crit_path_fini(&path);
}

/* The holder waited for another lock: the path comes back to each where its wait began. */
Test(critpath, locks_that_are_held_in_turn_lead_back_to_each_that_waited)
{
	struct crit_wait waits[] = {wait_of(MAIN, 400, 900, FMT_wall_state_LOCK, 101, 7),
	                            wait_of(OTHER, 500, 800, FMT_wall_state_LOCK, 102, 8),
	                            wait_of(THIRD, 450, 700, FMT_wall_state_SLEEP, 0, 0)};
	struct crit_path path = find(waits, 3);

	cr_assert_eq(path.count, 6);
	step_is(&path, 1, OTHER, 800, 900, 0);
	step_is(&path, 2, THIRD, 700, 800, 0);
	step_is(&path, 3, THIRD, 500, 700, 1);
	step_is(&path, 4, OTHER, 400, 500, 0);
	cr_expect_eq(path.steps[4].of, &waits[1]);
	step_is(&path, 5, MAIN, 0, 400, 0);
	crit_path_fini(&path);

	/* It had begun to wait before. */
	waits[1].begin_ns = 300;
	path = find(waits, 3);
	cr_assert_eq(path.count, 6);
	step_is(&path, 3, THIRD, 450, 700, 1);
	step_is(&path, 4, THIRD, 400, 450, 0);
	step_is(&path, 5, MAIN, 0, 400, 0);
	cr_expect_eq(path.steps[5].of, &waits[0]);
	crit_path_fini(&path);
}

/* It began after the wait, so it did not have the lock all the time. */
Test(critpath, the_rest_of_a_wait_is_that_of_who_waited)
{
	struct crit_wait waits[] = {wait_of(MAIN, 50, 900, FMT_wall_state_LOCK, 101, 7)};
	struct crit_path path = find(waits, 1);

	cr_assert_eq(path.count, 4);
	step_is(&path, 1, OTHER, 100, 900, 0);
	step_is(&path, 2, MAIN, 50, 100, 1);
	step_is(&path, 3, MAIN, 0, 50, 0);
	crit_path_fini(&path);
}

Test(critpath, a_child_leads_to_its_end_and_back_from_its_beginning)
{
	struct crit_wait waits[] = {wait_of(MAIN, 400, 950, FMT_wall_state_CHILD, 0, CHILD_PID)};
	struct crit_path path = find(waits, 1);

	cr_assert_eq(path.count, 4);
	step_is(&path, 1, MAIN, 900, 950, 1);
	step_is(&path, 2, CHILD, 300, 900, 0);
	cr_expect_eq(path.steps[2].reason, CRIT_CHILD);
	step_is(&path, 3, MAIN, 0, 300, 0);
	crit_path_fini(&path);
}

Test(critpath, a_wait_that_ends_with_a_child_may_be_for_it)
{
	struct crit_wait waits[] = {wait_of(MAIN, 400, 950, FMT_wall_state_POLL, 0, 0)};
	struct crit_path path = find(waits, 1);

	cr_assert_eq(path.count, 4);
	step_is(&path, 2, CHILD, 300, 900, 0);
	cr_expect_eq(path.steps[2].reason, CRIT_ENDED);
	crit_path_fini(&path);
}

Test(critpath, a_wait_for_output_may_be_for_the_child_that_is_waited_for_next)
{
	struct crit_wait waits[] = {
		wait_of(MAIN, 400, 20000000, FMT_wall_state_PIPE, 0, 0),
		wait_of(MAIN, 20000100, 20000200, FMT_wall_state_CHILD, 0, CHILD_PID)};
	struct crit_path path = find_until(waits, 2, 30000000);

	cr_assert_eq(path.count, 6);
	step_is(&path, 3, MAIN, 900, 20000000, 1);
	step_is(&path, 4, CHILD, 300, 900, 0);
	cr_expect_eq(path.steps[4].reason, CRIT_ENDED);
	crit_path_fini(&path);

	/* Not for a child that had ended before, nor when another wait is next. */
	waits[0].begin_ns = 900;
	path = find_until(waits, 2, 30000000);
	cr_assert_eq(path.count, 5);
	step_is(&path, 3, MAIN, 900, 20000000, 1);
	crit_path_fini(&path);
	waits[0].begin_ns = 400;
	waits[1].state = FMT_wall_state_SLEEP;
	path = find_until(waits, 2, 30000000);
	cr_assert_eq(path.count, 5);
	step_is(&path, 3, MAIN, 400, 20000000, 1);
	crit_path_fini(&path);
}

Test(critpath, input_leads_to_who_wrote_it)
{
	struct crit_wait waits[] = {wait_of(MAIN, 400, 950, FMT_wall_state_PIPE, 0, 0)};
	struct crit_path path;

	waits[0].writer = OTHER;
	path = find(waits, 1);
	cr_assert_eq(path.count, 3);
	step_is(&path, 1, OTHER, 100, 950, 0);
	cr_expect_eq(path.steps[1].reason, CRIT_WRITER);
	cr_expect_eq(path.steps[1].of, &waits[0]);
	crit_path_fini(&path);
}

Test(critpath, a_barrier_leads_to_who_came_last)
{
	struct crit_wait waits[] = {wait_of(MAIN, 400, 950, FMT_wall_state_COND, 101, 7)};
	struct crit_path path;

	waits[0].family = FMT_wait_family_SYNC;
	waits[0].func = FMT_sync_func_BARRIER_WAIT;
	path = find(waits, 1);
	cr_assert_eq(path.count, 3);
	step_is(&path, 1, OTHER, 100, 950, 0);
	cr_expect_eq(path.steps[1].reason, CRIT_BARRIER);
	crit_path_fini(&path);
}

Test(critpath, what_processes_share_may_be_held_by_another_one)
{
	struct crit_wait waits[] = {wait_of(MAIN, 400, 600, FMT_wall_state_LOCK, CHILD_PID, 7)};
	struct crit_path path = find(waits, 1);

	cr_assert_eq(path.count, 3);
	step_is(&path, 1, CHILD, 400, 600, 0);
	cr_expect_eq(path.steps[1].reason, CRIT_LOCK);
	step_is(&path, 2, MAIN, 0, 400, 0);
	crit_path_fini(&path);
}

Test(critpath, what_nobody_is_known_to_have_ended_is_a_step)
{
	struct crit_wait waits[] = {wait_of(MAIN, 400, 600, FMT_wall_state_COND, 0, 7),
	                            wait_of(MAIN, 700, 1200, FMT_wall_state_LOCK, 101, 7)};
	struct crit_path path = find(waits, 2);

	cr_assert_eq(path.count, 4);
	step_is(&path, 0, MAIN, 700, 1000, 1);
	step_is(&path, 1, MAIN, 600, 700, 0);
	step_is(&path, 2, MAIN, 400, 600, 1);
	step_is(&path, 3, MAIN, 0, 400, 0);
	crit_path_fini(&path);
}

Test(critpath, locks_in_a_circle_end)
{
	struct crit_wait waits[] = {wait_of(MAIN, 400, 1000, FMT_wall_state_LOCK, 101, 7),
	                            wait_of(OTHER, 400, 1000, FMT_wall_state_LOCK, 102, 8),
	                            wait_of(THIRD, 400, 1000, FMT_wall_state_LOCK, PID, 9)};
	struct crit_path path = find(waits, 3);
	int64_t sum = 0;

	for (size_t i = 0; i < path.count; i++)
		sum += path.steps[i].to_ns - path.steps[i].from_ns;
	cr_expect_eq(sum, 1000);
	crit_path_fini(&path);
}

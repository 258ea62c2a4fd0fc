/* memo_pool.c: there are only so many memos, and who uses one keeps it. */
#include "libcollector/thread/memo_pool.h"
#include "tests/unit/libcollector/scratch.h"

#include "libcollector/thread/memo.h"
#include "libcollector/thread/scope.h"
#include "libcollector/thread/thread_state.h"

#include <criterion/criterion.h>
#include <unistd.h>

enum { THREADS = 3000, BUDGET = 24 << 20, REST_US = 200 };

static struct col_thread *threads[THREADS];

static void setup(void)
{
	scratch_open();
	for (int i = 0; i < THREADS; i++)
		threads[i] = thread_take();
}

TestSuite(memo_pool, .init = setup, .fini = scratch_remove, .timeout = 60);

static struct walk_memo *give_one(struct col_thread *thread, uint32_t capacity)
{
	struct walk_memo *memo = memo_pool_take(thread, COL_NORMAL, capacity);

	atomic_store(&thread->memo[COL_NORMAL], memo);
	return memo;
}

static int count_owners(void)
{
	int count = 0;

	for (int i = 0; i < THREADS; i++)
		count += memo_of(threads[i], COL_NORMAL) != NULL;
	return count;
}

/* Let each of [from, to) have one, if it has none, and use it. Now and then, some time passes. */
static void use_all(int from, int to)
{
	for (int i = from; i < to; i++) {
		struct walk_memo *memo = memo_of(threads[i], COL_NORMAL);

		if (!memo)
			memo = give_one(threads[i], WALK_FRAMES_MIN);
		cr_assert_not_null(memo);
		memo->is_used = 1;
		memo->count = (uint32_t)i;
		if (i % 100 == 0)
			usleep(REST_US);
	}
}

Test(memo_pool, however_many_threads_there_are)
{
	size_t few;

	use_all(0, 100);
	few = memo_pool_size();
	cr_assert_eq(few, 100 * walk_memo_size(WALK_FRAMES_MIN));
	use_all(100, THREADS);
	cr_assert_lt(memo_pool_size(), BUDGET + BUDGET / 4, "%zu", memo_pool_size());
	cr_assert_gt(count_owners(), 1000);
	/* All of them go on, each with what it remembers itself, or nothing. */
	for (int turn = 0; turn < 3; turn++)
		for (int i = 0; i < THREADS; i++) {
			struct walk_memo *memo = memo_of(threads[i], COL_NORMAL);

			if (!memo) {
				memo = give_one(threads[i], WALK_FRAMES_MIN);
				cr_assert_eq(memo->count, 0);
				memo->count = (uint32_t)i;
			}
			cr_assert_eq(memo->count, (uint32_t)i);
			if (i % 100 == 0)
				usleep(REST_US);
		}
	cr_assert_lt(memo_pool_size(), BUDGET + BUDGET / 4, "%zu", memo_pool_size());
}

/* Some are used again and again, and nobody takes those away. */
Test(memo_pool, who_uses_one_keeps_it)
{
	struct walk_memo *memo;

	use_all(0, 10);
	memo = memo_of(threads[3], COL_NORMAL);
	for (int i = 10; i < THREADS; i++) {
		use_all(0, 10);
		use_all(i, i + 1);
	}
	cr_assert_eq(memo_of(threads[3], COL_NORMAL), memo);
}

Test(memo_pool, nor_is_one_taken_away_in_the_recorder)
{
	struct walk_memo *memo[10];

	use_all(0, 10);
	for (int i = 0; i < 10; i++) {
		memo[i] = memo_of(threads[i], COL_NORMAL);
		threads[i]->scope = (uintptr_t)&memo | RECORDING;
	}
	use_all(10, THREADS);
	for (int i = 0; i < 10; i++) {
		cr_assert_eq(memo_of(threads[i], COL_NORMAL), memo[i]);
		cr_assert_eq(memo[i]->count, (uint32_t)i);
	}
}

/* A thread that has read where its memo is may go on with it after it was taken away. */
/* A search takes only so long: that many are asked whether they were used since the last one. */
Test(memo_pool, a_search_looks_at_256)
{
	int count = BUDGET / (int)walk_memo_size(WALK_FRAMES_MIN), left = 0;

	cr_assert_lt(count, THREADS);
	use_all(0, count);
	cr_assert_not_null(give_one(threads[count], WALK_FRAMES_MIN));
	for (int i = 0; i < count; i++)
		left += memo_of(threads[i], COL_NORMAL)->is_used;
	cr_assert_eq(count - left, 256);
}

Test(memo_pool, what_was_taken_away_rests)
{
	int first = -1;
	struct walk_memo *memo[THREADS];

	for (int i = 0; i < THREADS && first < 0; i++) {
		memo[i] = give_one(threads[i], WALK_FRAMES_MIN);
		memo[i]->is_used = 0;
		for (int k = 0; k < i && first < 0; k++)
			if (!memo_of(threads[k], COL_NORMAL))
				first = k;
	}
	cr_assert_geq(first, 0, "none was taken away");
	threads[first]->scope = (uintptr_t)&memo | RECORDING; /* it was seen too late */
	memo[first]->count = 7;
	usleep(REST_US);
	for (int i = 0; i < 2000; i++) {
		struct walk_memo *other = give_one(thread_take(), WALK_FRAMES_MIN);

		cr_assert_neq(other, memo[first]);
		if (i % 100 == 0)
			usleep(REST_US);
	}
	cr_assert_eq(memo[first]->count, 7);
}

Test(memo_pool, larger_ones_are_unmapped)
{
	size_t before;

	use_all(0, 1);
	before = memo_pool_size();
	for (int i = 1; i < 5000; i++) {
		struct walk_memo *memo = give_one(threads[i % THREADS], 1280);

		cr_assert_not_null(memo);
		cr_assert_eq(memo->capacity, 1280);
		memo_give(threads[i % THREADS]);
		cr_assert_null(memo_of(threads[i % THREADS], COL_NORMAL));
	}
	cr_assert_eq(memo_pool_size(), before);
	/* They are a part of the budget, too. */
	for (int i = 1; i < THREADS; i++)
		if (!give_one(threads[i], 20480))
			break;
	cr_assert_leq(memo_pool_size(), 2 * BUDGET);
	cr_assert_geq(memo_pool_size(), walk_memo_size(20480));
}

Test(memo_pool, a_forked_child_has_none)
{
	use_all(0, 20);
	memo_pool_restart();
	cr_assert_eq(memo_pool_size(), 0);
	for (int i = 0; i < 20; i++)
		atomic_store(&threads[i]->memo[COL_NORMAL], NULL);
	use_all(0, 20);
	cr_assert_eq(memo_pool_size(), 20 * walk_memo_size(WALK_FRAMES_MIN));
}

/* Whose memo is of an old part of the tree may be in it, while it is in the recorder. */
Test(memo_pool, tells_who_is_in_an_old_part_of_the_tree)
{
	struct walk_memo *memo;

	cr_assert_not(memo_pool_walks(7));
	use_all(0, 10);
	for (int i = 0; i < 10; i++)
		memo_of(threads[i], COL_NORMAL)->tree = 5;
	cr_assert_not(memo_pool_walks(7), "they are outside");
	threads[4]->scope = (uintptr_t)&memo | RECORDING;
	cr_assert(memo_pool_walks(7));
	cr_assert(memo_pool_walks(5));
	cr_assert_not(memo_pool_walks(4), "it came later");
	memo = memo_of(threads[4], COL_NORMAL);
	walk_memo_forget(memo);
	cr_assert(memo_pool_walks(4), "it may be of any");
	threads[4]->scope = OUTSIDE;
	cr_assert_not(memo_pool_walks(7));
	memo = memo_pool_take(threads[20], COL_HANDLER, WALK_FRAMES_MIN);
	atomic_store(&threads[20]->in_handler, 1);
	cr_assert(memo_pool_walks(1));
	atomic_store(&threads[20]->in_handler, 0);
	cr_assert_not(memo_pool_walks(1));
	cr_assert_not_null(memo);
}

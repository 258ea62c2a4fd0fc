/* Tests of the items with the greatest keys. */
#include "experiment/table/longest.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { MOST = 5 };

static void offer(struct exp_longest *longest, uint64_t key, int item)
{
	cr_assert_eq(exp_longest_offer(longest, key, &item), 0);
}

/* The items taken, and freed, are those. */
static void holds(struct exp_longest *longest, size_t count, const int *items)
{
	size_t kept = longest->count;
	int *taken = exp_longest_take(longest);

	cr_assert_eq(kept, count);
	for (size_t i = 0; i < count; i++)
		cr_expect_eq(taken[i], items[i], "%zu: %d", i, taken[i]);
	free(taken);
}

Test(longest, nothing_that_was_offered_is_nothing)
{
	struct exp_longest longest = {.most = MOST, .size = sizeof(int)};

	cr_assert(exp_longest_wants(&longest, 0));
	cr_assert_null(exp_longest_take(&longest));
}

Test(longest, few_items_are_all_kept_in_order)
{
	struct exp_longest longest = {.most = MOST, .size = sizeof(int)};

	offer(&longest, 3, 30);
	offer(&longest, 9, 90);
	offer(&longest, 0, 0);
	holds(&longest, 3, (const int[]){90, 30, 0});
}

Test(longest, of_many_the_greatest_are_kept)
{
	struct exp_longest longest = {.most = MOST, .size = sizeof(int)};

	for (int i = 0; i < 1000; i++)
		offer(&longest, (uint64_t)(i * 7919 % 1000), i * 7919 % 1000);
	cr_assert(!exp_longest_wants(&longest, 995));
	cr_assert(exp_longest_wants(&longest, 996));
	holds(&longest, MOST, (const int[]){999, 998, 997, 996, 995});
}

Test(longest, of_equal_ones_the_first_that_came_are_kept)
{
	struct exp_longest longest = {.most = MOST, .size = sizeof(int)};

	for (int i = 0; i < 20; i++)
		offer(&longest, 4, i);
	offer(&longest, 5, 100);
	holds(&longest, MOST, (const int[]){100, 0, 1, 2, 3});
}

Test(longest, it_can_be_given_up)
{
	struct exp_longest longest = {.most = MOST, .size = sizeof(int)};

	offer(&longest, 1, 1);
	exp_longest_fini(&longest);
	exp_longest_fini(&longest);
	cr_assert_eq(longest.count, 0);
}

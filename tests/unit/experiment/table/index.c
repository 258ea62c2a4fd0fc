/* Tables from keys to numbers: each key has its own number, however many there are. */
#include "experiment/table/index.h"

#include <criterion/criterion.h>

static struct exp_index table;

static void tear_down(void)
{
	exp_index_fini(&table);
}

TestSuite(index, .fini = tear_down);

Test(index, keys_have_their_numbers)
{
	cr_expect_eq(exp_index_find(&table, 0), EXP_INDEX_NONE);
	for (uint32_t i = 0; i < 5000; i++) {
		uint64_t key = (uint64_t)i * (i % 2 == 0 ? 1 : UINT64_C(1) << 40);

		cr_assert_eq(exp_index_add(&table, key, i), 0);
		cr_assert_eq(table.count, i + 1);
		cr_assert_geq(table.mask + 1, 2 * table.count - 1, "at most half full");
	}
	cr_expect_lt(table.mask, 4 * 5000);
	for (uint32_t i = 0; i < 5000; i++)
		cr_assert_eq(
			exp_index_find(&table, (uint64_t)i * (i % 2 == 0 ? 1 : UINT64_C(1) << 40)),
			i);
	cr_expect_eq(exp_index_find(&table, 5000), EXP_INDEX_NONE);
	cr_expect_eq(exp_index_find(&table, UINT64_MAX), EXP_INDEX_NONE);
}

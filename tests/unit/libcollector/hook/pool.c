/* Memory for allocations of the search for functions. */
#include "libcollector/hook/pool.h"

#include <criterion/criterion.h>
#include <stdint.h>

Test(pool, blocks_are_apart_and_aligned)
{
	char *one = hook_pool_allocate(5, 1), *two = hook_pool_allocate(100, 64),
	     *three = hook_pool_allocate(16, 16);

	cr_assert(one && two && three);
	cr_assert_eq((uintptr_t)one % 16, 0);
	cr_assert_eq((uintptr_t)two % 64, 0);
	cr_assert_geq(two, one + 5);
	cr_assert_geq(three, two + 100);
	cr_assert_lt(three, two + 100 + 16);
	cr_assert(hook_pool_owns(one) && hook_pool_owns(three));
	cr_assert(!hook_pool_owns(&one));
}

/* 64 KiB. */
/* Memory that the C library allocated at the start lies before the first block. */
Test(pool, it_ends)
{
	char *first = hook_pool_allocate(16, 16), *last, *begin;
	size_t rest = 65536 - 16;

	cr_assert_null(hook_pool_allocate(1 << 20, 16));
	cr_assert_null(hook_pool_allocate(65536 - 15, 16));
	while (!(last = hook_pool_allocate(rest, 16)) && rest > 16)
		rest -= 16;
	cr_assert(last == first + 16);
	begin = last + rest - 65536;
	cr_assert(begin <= first);
	cr_assert_null(hook_pool_allocate(1, 1));
	cr_assert(hook_pool_owns(begin + 65535) && !hook_pool_owns(begin + 65536));
	cr_assert(hook_pool_owns(begin) && !hook_pool_owns(begin - 1));
	cr_assert_eq(hook_pool_clip(begin + 65536 - 10, 100), 10);
	cr_assert_eq(hook_pool_clip(first, 100), 100);
}

Test(pool, a_thread_is_told_that_it_searches)
{
	cr_assert_eq(hook_is_resolving(), 0);
	hook_pool_begin();
	hook_pool_begin();
	hook_pool_end();
	cr_assert_neq(hook_is_resolving(), 0);
	hook_pool_end();
	cr_assert_eq(hook_is_resolving(), 0);
}

/* Arrays that grow: room for one more, room up to an index. What is not used yet is nobody's. */
#include "analyzer/base/memory.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

Test(memory, an_array_grows_by_one_thing)
{
	size_t capacity = 0;
	uint32_t *items = NULL;

	for (uint32_t count = 0; count < 100; count++) {
		items = memory_grow(items, count, &capacity, sizeof(*items));
		cr_assert_gt(capacity, count);
		cr_assert_leq(capacity, count < 16 ? 16 : 2 * count);
		items[count] = count;
	}
	for (uint32_t i = 0; i < 100; i++)
		cr_expect_eq(items[i], i);
	free(items);
}

Test(memory, an_array_reaches_to_an_index_and_new_things_are_zero)
{
	size_t capacity = 0;
	uint32_t *items = memory_reach(NULL, 0, &capacity, sizeof(*items));

	cr_assert_geq(capacity, 1);
	for (size_t i = 0; i < capacity; i++) {
		cr_expect_eq(items[i], 0);
		items[i] = 7;
	}
	for (size_t index = capacity - 1; index < 1000; index = 2 * index + 1) {
		size_t before = capacity;

		items = memory_reach(items, index, &capacity, sizeof(*items));
		cr_assert_gt(capacity, index);
		cr_expect_eq(capacity == before, index < before, "as large as before");
		for (size_t i = 0; i < capacity; i++)
			cr_expect_eq(items[i], i < before ? 7 : 0, "%zu of %zu", i, capacity);
		for (size_t i = before; i < capacity; i++)
			items[i] = 7;
	}
	free(items);
}

Test(memory, what_is_not_used_yet_cannot_be_read_with_the_sanitizer)
{
#ifdef __SANITIZE_ADDRESS__
	size_t capacity = 0;
	uint64_t *items = NULL;

	for (size_t count = 0; count < 40; count++) {
		items = memory_grow(items, count, &capacity, sizeof(*items));
		cr_expect_eq(__asan_region_is_poisoned(items, (count + 1) * sizeof(*items)), NULL);
		if (count + 1 < capacity)
			cr_expect(__asan_address_is_poisoned(&items[count + 1]), "%zu", count);
	}
	free(items);
#else
	cr_skip_test("there is no sanitizer");
#endif
}

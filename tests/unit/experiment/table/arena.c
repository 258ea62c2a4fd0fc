/* Arenas: memory is zeroed, aligned, does not overlap, and lives as long as the arena; arrays grow;
 * lack of memory is remembered. */
#include "experiment/table/arena.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static struct exp_arena arena;

static void tear_down(void)
{
	exp_arena_fini(&arena);
}

TestSuite(arena, .fini = tear_down);

Test(arena, pieces_are_zeroed_aligned_and_apart)
{
	enum { COUNT = 400 };
	static uint8_t *pieces[COUNT];

	for (size_t i = 0; i < COUNT; i++) {
		size_t size = i * 37 % 2999;

		pieces[i] = exp_arena_alloc(&arena, size);
		cr_assert_not_null(pieces[i]);
		cr_assert_eq((uintptr_t)pieces[i] % 16, 0);
		for (size_t k = 0; k < size; k++)
			cr_assert_eq(pieces[i][k], 0);
		memset(pieces[i], (int)(1 + i % 255), size);
	}
	for (size_t i = 0; i < COUNT; i++)
		for (size_t k = 0; k < i * 37 % 2999; k++)
			cr_assert_eq(pieces[i][k], 1 + i % 255, "piece %zu, byte %zu", i, k);
}

Test(arena, a_piece_may_be_larger_than_a_block)
{
	uint8_t *small = exp_arena_alloc(&arena, 1), *large = exp_arena_alloc(&arena, 1 << 20),
		*behind = exp_arena_alloc(&arena, 1);

	cr_assert(small && large && behind);
	memset(large, 1, 1 << 20);
	cr_expect_eq(*small, 0);
	cr_expect_eq(*behind, 0);
	cr_expect_null(exp_arena_alloc(&arena, SIZE_MAX));
	cr_expect_null(exp_arena_alloc(&arena, SIZE_MAX / 2 + 1));
}

Test(arena, texts_are_copied)
{
	char source[] = "abcdef";
	char *part = exp_arena_text(&arena, source, 3), *whole = exp_arena_string(&arena, source),
	     *none = exp_arena_text(&arena, source, 0);
	const char *made = exp_arena_printf(&arena, "%s-%d", source, 42);

	memset(source, 'x', 6);
	cr_expect_str_eq(part, "abc");
	cr_expect_str_eq(whole, "abcdef");
	cr_expect_str_eq(none, "");
	cr_expect_str_eq(made, "abcdef-42");
}

Test(arena, what_is_joined_lives_on)
{
	struct exp_arena other = {NULL};
	char *mine = exp_arena_string(&arena, "mine"), *theirs;

	exp_arena_alloc(&other, 5000);
	theirs = exp_arena_string(&other, "theirs");
	exp_arena_join(&arena, &other);
	cr_expect_null(other.block);
	exp_arena_fini(&other);
	cr_expect_str_eq(mine, "mine");
	cr_expect_str_eq(theirs, "theirs");
	exp_arena_join(&arena, &other);
	cr_expect_str_eq(exp_arena_string(&arena, "more"), "more");
	cr_expect_str_eq(mine, "mine");
}

Test(arena, an_array_has_room_for_one_more)
{
	size_t capacity = 0;
	uint32_t *items = NULL;

	for (uint32_t count = 0; count < 1000; count++) {
		cr_assert_eq(exp_array_reserve(&items, &capacity, count, sizeof(*items)), 0);
		cr_assert_gt(capacity, count);
		cr_assert_leq(capacity, count < 16 ? 16 : 2 * count);
		items[count] = count;
	}
	for (uint32_t i = 0; i < 1000; i++)
		cr_assert_eq(items[i], i);
	free(items);
}

Test(arena, want_of_memory_is_remembered_once)
{
	cr_expect_not(exp_memory_lacked());
	exp_memory_note(EIO);
	exp_memory_note(0);
	cr_expect_not(exp_memory_lacked());
	exp_memory_note(ENOMEM);
	exp_memory_note(0);
	cr_expect(exp_memory_lacked());
	cr_expect_not(exp_memory_lacked());
}

Test(arena, what_no_memory_holds_is_not_had)
{
	size_t capacity = 1;
	void *items = NULL;

#ifdef __SANITIZE_ADDRESS__
	cr_skip_test("the sanitizer takes such a size for a mistake");
#endif
	cr_expect_eq(exp_array_reserve(&items, &capacity, 1, SIZE_MAX / 2), -ENOMEM);
	cr_expect_null(items);
	cr_expect_eq(capacity, 1);
	cr_expect(exp_memory_lacked());
	cr_expect_null(exp_zeroed(SIZE_MAX / 2, 4));
	cr_expect(exp_memory_lacked());
}

/* Hash tables: what was added is found, and nothing else, however many keys there are and whatever
 * their hashes are. */
#include "experiment/table/hash.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { ITEMS = 3000 };

static struct exp_hash table;
static int items[ITEMS];
static unsigned seen[ITEMS];

static void tear_down(void)
{
	exp_hash_fini(&table);
}

TestSuite(hash, .fini = tear_down);

static int is_number(const void *item, const void *key)
{
	return *(const int *)item == *(const int *)key;
}

static void see(void *item)
{
	seen[*(const int *)item]++;
}

/* Add all keys, with `spread` as the hash function. */
static void add_all(uint64_t spread)
{
	for (int i = 0; i < ITEMS; i++) {
		items[i] = i;
		cr_assert_eq(exp_hash_add(&table, (uint64_t)i * spread, &items[i]), 0);
		cr_assert_eq(table.count, (size_t)i + 1);
		/* Probing ends at a free slot. */
		cr_assert_gt(table.mask + 1, table.count);
		cr_assert_eq(table.mask & (table.mask + 1), 0, "a power of two");
	}
	cr_assert_lt(table.mask, 8 * ITEMS, "room for what is there, not for much more");
}

static void expect_all(uint64_t spread)
{
	int other = ITEMS;

	for (int i = 0; i < ITEMS; i++)
		cr_assert_eq(exp_hash_find(&table, (uint64_t)i * spread, is_number, &i), &items[i]);
	cr_expect_null(exp_hash_find(&table, ITEMS * spread, is_number, &other));
	cr_expect_null(exp_hash_find(&table, 0, is_number, &other), "of the same hash");
	memset(seen, 0, sizeof(seen));
	exp_hash_each(&table, see);
	for (int i = 0; i < ITEMS; i++)
		cr_assert_eq(seen[i], 1, "item %d", i);
}

Test(hash, finds_what_was_added)
{
	add_all(1);
	expect_all(1);
}

/* Hashes that end alike, up to the last slot, from which probing continues at the first. */
Test(hash, finds_what_stands_elsewhere)
{
	for (int i = 0; i < 40; i++) {
		items[i] = i;
		cr_assert_eq(exp_hash_add(&table, ((uint64_t)i << 32) | 0xfffff, &items[i]), 0);
	}
	for (int i = 0; i < 40; i++)
		cr_assert_eq(exp_hash_find(&table, ((uint64_t)i << 32) | 0xfffff, is_number, &i),
		             &items[i]);
	cr_expect_null(exp_hash_find(&table, 0xffffe, is_number, &items[0]));
}

Test(hash, an_empty_table_has_nothing)
{
	int number = 0;

	cr_expect_null(exp_hash_find(&table, 0, is_number, &number));
	exp_hash_each(&table, see);
	cr_expect_eq(seen[0], 0);
}

Test(hash, texts_and_numbers_have_hashes_of_their_own)
{
	uint64_t hashes[300];
	size_t count = 0;

	for (uint64_t i = 0; i < 100; i++) {
		char text[8];

		snprintf(text, sizeof(text), "%u", (unsigned)i);
		hashes[count++] = exp_hash_text(EXP_HASH_START, text);
		hashes[count++] = exp_hash_number(EXP_HASH_START, i);
		hashes[count++] = exp_hash_number(exp_hash_number(EXP_HASH_START, i), 1);
	}
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < i; k++)
			cr_assert_neq(hashes[i], hashes[k]);
	cr_expect_neq(exp_hash_text(exp_hash_text(EXP_HASH_START, "ab"), "c"),
	              exp_hash_text(exp_hash_text(EXP_HASH_START, "a"), "bc"));
	cr_expect_eq(exp_hash_text(EXP_HASH_START, "same"), exp_hash_text(EXP_HASH_START, "same"));
}

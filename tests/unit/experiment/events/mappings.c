/* Mapped ranges: overlapping ones are cut, split and replaced, and each stack knows what it
 * holds. */
#include "experiment/events/mappings.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { NODES = 4 };

static struct exp_mappings mappings;

static void open_mappings(void)
{
	cr_assert_eq(exp_mappings_init(&mappings, NODES), 0);
}

static void close_mappings(void)
{
	exp_mappings_fini(&mappings);
}

TestSuite(mappings, .init = open_mappings, .fini = close_mappings);

static uint64_t drop(uint64_t start, uint64_t end)
{
	uint64_t bytes;

	cr_assert_eq(exp_mappings_remove(&mappings, start, end, &bytes), 0);
	return bytes;
}

static uint64_t held(uint32_t node)
{
	return exp_live_row(&mappings.live, node)->bytes;
}

Test(mappings, a_hole_leaves_both_ends)
{
	cr_assert_eq(exp_mappings_add(&mappings, 100, 200, 1), 1);
	cr_assert_eq(drop(130, 150), 20);
	cr_assert_eq(held(1), 80);
	cr_assert_eq(drop(130, 150), 0);
	cr_assert_eq(drop(0, 1000), 80);
	cr_assert_eq(mappings.live.bytes, 0);
	cr_assert_eq(mappings.live.count, 0);
}

Test(mappings, one_call_ends_parts_of_many)
{
	for (uint64_t i = 0; i < 10; i++)
		cr_assert_geq(exp_mappings_add(&mappings, 100 * i, 100 * i + 50, (uint32_t)(i % 2)),
		              0);
	cr_assert_eq(drop(25, 925), 25 + 8 * 50 + 25);
	cr_assert_eq(held(0), 25);
	cr_assert_eq(held(1), 25);
}

Test(mappings, a_new_range_replaces_what_it_covers)
{
	cr_assert_eq(exp_mappings_add(&mappings, 100, 200, 1), 1);
	cr_assert_eq(exp_mappings_add(&mappings, 150, 250, 2), 1);
	cr_assert_eq(held(1), 50);
	cr_assert_eq(held(2), 100);
	cr_assert_eq(exp_mappings_add(&mappings, 120, 130, 3), 0);
	cr_assert_eq(held(1), 40);
	cr_assert_eq(mappings.live.peak_bytes, 150);
	cr_assert_eq(exp_live_row(&mappings.live, 3)->alloc_bytes, 10);
}

/* Compared with a map of single bytes. */
Test(mappings, random_ranges_are_as_by_single_bytes)
{
	enum { BYTES = 300, TURNS = 4000 };
	uint8_t owner[BYTES] = {0}; /* node + 1, 0: not mapped */

	srand(7);
	for (int turn = 0; turn < TURNS; turn++) {
		unsigned start = (unsigned)rand() % BYTES,
			 end = start + 1 + (unsigned)rand() % (BYTES - start);
		unsigned node = (unsigned)rand() % NODES;
		int ends = rand() % 3 == 0;
		uint64_t bytes[NODES + 1] = {0};

		if (ends)
			drop(start, end);
		else
			cr_assert_geq(exp_mappings_add(&mappings, start, end, node), 0);
		for (unsigned i = start; i < end; i++)
			owner[i] = (uint8_t)(ends ? 0 : node + 1);
		for (unsigned i = 0; i < BYTES; i++)
			bytes[owner[i]]++;
		for (uint32_t i = 0; i < NODES; i++)
			cr_assert_eq(held(i), bytes[i + 1], "turn %d, node %u", turn, i);
	}
	drop(0, BYTES);
	cr_assert_eq(mappings.live.bytes, 0);
	cr_assert_eq(mappings.live.count, 0);
}

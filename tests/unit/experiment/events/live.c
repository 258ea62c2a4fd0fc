/* What each stack holds, compared with a copy of all rows made at every peak. */
#include "experiment/events/live.h"

#include "tests/unit/format/seed.h"

#include <criterion/criterion.h>
#include <string.h>

enum { NODES = 7, BLOCKS = 40, STEPS = 20000 };

struct amount {
	uint64_t count, bytes;
};

Test(live, keeps_what_each_stack_held_at_the_first_highest_peak)
{
	struct amount now[NODES + 1] = {{0, 0}}, then[NODES + 1] = {{0, 0}};
	struct {
		uint32_t node;
		uint64_t size;
		int is_live;
	} blocks[BLOCKS] = {{0, 0, 0}};
	uint64_t bytes = 0, highest = 0, seed = seed_start();
	struct exp_live live;

	cr_assert_eq(exp_live_init(&live, NODES), 0);
	for (int step = 0; step < STEPS; step++) {
		size_t i = seed_below(&seed, BLOCKS);
		uint32_t node = blocks[i].node;

		if (blocks[i].is_live) {
			exp_live_remove(&live, node == NODES ? UINT32_MAX : node, blocks[i].size);
			now[node].count--;
			now[node].bytes -= blocks[i].size;
			bytes -= blocks[i].size;
		} else {
			node = blocks[i].node = (uint32_t)seed_below(&seed, NODES + 1);
			blocks[i].size = seed_below(&seed, 5) * 16;
			now[node].count++;
			now[node].bytes += blocks[i].size;
			bytes += blocks[i].size;
			cr_assert_eq(exp_live_add(&live, node == NODES ? UINT32_MAX : node,
			                          blocks[i].size),
			             bytes > highest);
			if (bytes > highest) {
				highest = bytes;
				memcpy(then, now, sizeof(then));
			}
		}
		blocks[i].is_live = !blocks[i].is_live;
	}
	cr_assert_eq(live.bytes, bytes);
	cr_assert_eq(live.peak_bytes, highest);
	for (size_t i = 0; i <= NODES; i++) {
		exp_live_keep(&live, &live.rows[i]);
		cr_assert_eq(live.rows[i].count, now[i].count);
		cr_assert_eq(live.rows[i].bytes, now[i].bytes);
		cr_assert_eq(live.rows[i].peak_count, then[i].count, "row %zu", i);
		cr_assert_eq(live.rows[i].peak_bytes, then[i].bytes, "row %zu", i);
	}
	exp_live_fini(&live);
}

Test(live, without_bytes_there_is_no_peak)
{
	struct exp_live live;

	cr_assert_eq(exp_live_init(&live, 0), 0);
	cr_assert_eq(exp_live_add(&live, 0, 0), 0);
	exp_live_keep(&live, &live.rows[0]);
	cr_assert_eq(live.rows[0].peak_count, 0);
	cr_assert_eq(live.rows[0].count, 1);
	exp_live_fini(&live);
}

Test(live, a_row_is_one_cache_line_and_stays_as_it_is)
{
	struct exp_live live;

	cr_assert_eq(exp_live_init(&live, 3), 0);
	cr_assert_eq((uintptr_t)live.rows % sizeof(*live.rows), 0);
	exp_live_add(&live, 2, 20);
	exp_live_add(&live, 3, 30); /* there is no such row: without a stack */
	cr_assert_eq(exp_live_grow(&live, 100000), 0);
	cr_assert_eq((uintptr_t)live.rows % sizeof(*live.rows), 0);
	cr_assert_eq(live.rows[2].bytes, 20);
	cr_assert_eq(live.rows[3].bytes, 0);
	cr_assert_eq(live.rows[100000].bytes, 30);
	exp_live_fini(&live);
}

/* The table of live heap blocks, compared with a simple model. */
#include "experiment/events/blocks.h"

#include "tests/unit/format/seed.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { ADDRESSES = 5000, STEPS = 200000 };

Test(blocks, behave_like_a_map)
{
	static struct exp_block model[ADDRESSES];
	static unsigned char live[ADDRESSES];
	struct exp_blocks blocks;
	struct exp_block found;
	uint64_t seed = seed_start();
	size_t count = 0;

	cr_assert_eq(exp_blocks_init(&blocks), 0);
	for (int i = 0; i < STEPS; i++) {
		size_t at = seed_below(&seed, ADDRESSES);
		uint64_t address = (at + 1) * 16;

		if (seed_next(&seed) >> 63) {
			struct exp_block block = {(uint32_t)seed_next(&seed),
			                          seed_next(&seed) >> 30};

			cr_assert_eq(exp_blocks_put(&blocks, address, &block, &found), live[at]);
			if (live[at])
				cr_assert_eq(found.size, model[at].size);
			count += !live[at];
			live[at] = 1;
			model[at] = block;
		} else {
			cr_assert_eq(exp_blocks_take(&blocks, address, &found), live[at]);
			if (live[at])
				cr_assert(found.node == model[at].node &&
				          found.size == model[at].size);
			count -= live[at];
			live[at] = 0;
		}
		cr_assert_eq(blocks.count, count);
	}
	exp_blocks_fini(&blocks);
}

Test(blocks, keep_extreme_addresses_and_sizes)
{
	uint64_t address = ((uint64_t)1 << EXP_ADDRESS_BITS) - 1;
	struct exp_block block = {UINT32_MAX, (uint64_t)1 << 40}, found;
	struct exp_blocks blocks;

	cr_assert_eq(exp_blocks_init(&blocks), 0);
	cr_assert_eq(exp_blocks_put(&blocks, address, &block, &found), 0);
	cr_assert_eq(exp_blocks_take(&blocks, address, &found), 1);
	cr_assert_eq(found.node, UINT32_MAX);
	cr_assert_eq(found.size, (uint64_t)1 << 40);
	cr_assert_eq(exp_blocks_size(((uint64_t)1 << 40) + 1), ((uint64_t)1 << 40) + 4096);
	cr_assert(exp_blocks_size(UINT64_MAX) < (uint64_t)1 << 51);
	exp_blocks_fini(&blocks);
}

Test(blocks, a_block_alone_is_guessed)
{
	struct exp_block block = {7, 100}, old;
	struct exp_blocks blocks;

	cr_assert_eq(exp_blocks_init(&blocks), 0);
	cr_assert_eq(exp_blocks_put(&blocks, 0x1000, &block, &old), 0);
	cr_assert_eq(exp_blocks_guess(&blocks, 0x1000), 7);
	exp_blocks_fini(&blocks);
}

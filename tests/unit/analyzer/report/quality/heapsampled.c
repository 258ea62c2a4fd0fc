/* Tests of what is said of a heap that was sampled. */
#include "analyzer/report/quality/heapsampled.h"

#include <criterion/criterion.h>

static char text[320];

static void expect(const struct heapsampled *sum, const char *expected)
{
	cr_assert(heapsampled_text(sum, text, sizeof(text)));
	cr_expect_str_eq(text, expected, "%s", text);
}

Test(heapsampled, a_whole_heap_has_no_line)
{
	struct exp_data_set whole = {.heap = {.recorded = 5, .allocs = 5}};
	struct dataset_experiment at = {.whole = &whole};
	struct heapsampled sum = {0};

	heapsampled_add(&sum, &at);
	cr_expect_eq(sum.blocks, 0);
	cr_expect_not(heapsampled_text(&sum, text, sizeof(text)));
}

/* 1.96^2 / 0.1^2 = 384 times what a block stands for. */
Test(heapsampled, sums_are_known_to_their_root)
{
	expect(&(struct heapsampled){.every = 512 << 10,
	                             .blocks = 642,
	                             .allocs = 5284460,
	                             .bytes = 336615222},
	       "sampled every 512 KiB: 642 blocks stand for 5284460 allocations of 321 MiB; a sum of 192 MiB is "
	       "known to +-10 % (95 of 100 times), of a hundredth of that to +-100 %");
	expect(&(struct heapsampled){.every = 1, .blocks = 2, .allocs = 3, .bytes = 1023},
	       "sampled every 1 B: 2 blocks stand for 3 allocations of 1023 B; a sum of 384 B is known to +-10 % "
	       "(95 of 100 times), of a hundredth of that to +-100 %");
	expect(&(struct heapsampled){.every = UINT64_C(1) << 40, .bytes = UINT64_MAX},
	       "sampled every 1 TiB: 0 blocks stand for 0 allocations of 16 EiB; a sum of 384 TiB is known to "
	       "+-10 % (95 of 100 times), of a hundredth of that to +-100 %");
}

Test(heapsampled, of_several_experiments_the_coarsest_counts)
{
	struct exp_data_set sets[] = {
		{.heap = {.sampled_every = 1000, .recorded = 5, .allocs = 50, .alloc_bytes = 500}},
		{.heap = {.sampled_every = 4000, .recorded = 6, .allocs = 60, .alloc_bytes = 600}},
		{.heap = {.recorded = 7, .allocs = 70, .alloc_bytes = 700}}};
	struct heapsampled sum = {0};

	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++)
		heapsampled_add(&sum, &(struct dataset_experiment){.whole = &sets[i]});
	cr_expect_eq(sum.every, 4000);
	cr_expect_eq(sum.blocks, 11);
	cr_expect_eq(sum.allocs, 110);
	cr_expect_eq(sum.bytes, 1100);
}

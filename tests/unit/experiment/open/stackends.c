/* Where stacks that are not whole end: at which frame, how many events, and whether their length is
 * the reason. */
#include "format/record.h"

enum {
	SHALLOW = 10,
	KERNEL = 63, /* frames of a sample that the kernel cut */
	LONG = 2047, /* the same of a walk in the program */
	NODES = SHALLOW + KERNEL + LONG
};
static uint64_t pcs[NODES];
static int parents[NODES];

#include "tests/unit/experiment/one_stream.h"

static void set_up_stacks(void)
{
	/* Node 0 and 1: complete; 2, 3, 4: cut behind 0x3000; 5, 6: without a frame beyond 0x4000;
	 * 7: a mark alone; 8, 9: behind a guess. */
	static const uint64_t shallow[SHALLOW] = {
		0x1000,        0x2000, FMT_PC_TRUNCATED, 0x3000,         0x3100,
		FMT_PC_FAILED, 0x4000, FMT_PC_TRUNCATED, FMT_PC_GUESSED, 0x5000};
	static const int callers[SHALLOW] = {-1, 0, -1, 2, 3, -1, 5, -1, 7, 8};

	for (int i = 0; i < SHALLOW; i++) {
		pcs[i] = shallow[i];
		parents[i] = callers[i];
	}
	for (int i = SHALLOW; i < NODES; i++) {
		int is_first = i == SHALLOW || i == SHALLOW + KERNEL;

		pcs[i] = (uint64_t)0x10000 + (uint64_t)i;
		parents[i] = is_first ? 2 : i - 1;
	}
	set_up();
}

TestSuite(stack_ends, .init = set_up_stacks, .fini = tear_down);

static void call(uint64_t time, uint32_t node)
{
	maker_alloc(&stream, t + time, 0x5000 + 64 * time, 8, node);
}

static void expect(const struct exp_data_set *set, size_t at, uint64_t pc, uint64_t events,
                   unsigned is_deep)
{
	cr_assert_lt(at, set->stack_end_count);
	cr_expect_eq(set->nodes.pc[set->stack_ends[at].node], pc, "cut %zu", at);
	cr_expect_eq(set->stack_ends[at].events, events, "cut %zu", at);
	cr_expect_eq(set->stack_ends[at].is_deep, is_deep, "cut %zu", at);
}

Test(stack_ends, end_at_the_outermost_frame_that_was_found)
{
	const struct exp_data_set *set;

	maker_extent(&stream, 42, t, 4096);
	call(1, ids[1]);
	call(2, ids[3]);
	call(3, ids[4]);
	call(4, ids[4]);
	call(5, ids[6]);
	call(6, ids[7]);
	call(7, ids[9]);
	set = load("heaptrace");
	cr_assert_eq(set->stack_end_count, 4);
	expect(set, 0, 0x3000, 3, 0);
	expect(set, 1, 0x4000, 1, 0);
	expect(set, 2, FMT_PC_TRUNCATED, 1, 0);
	expect(set, 3, 0x5000, 1, 0);
	cr_expect_eq(set->quality.truncated_events, 6);
}

Test(stack_ends, may_be_the_first_node)
{
	static const uint64_t mark[] = {FMT_PC_FAILED};
	static const int none[] = {-1};
	const struct exp_data_set *set;

	maker_nodes(&maker, 1, mark, none, ids);
	maker_extent(&stream, 42, t, 4096);
	call(1, ids[0]);
	set = load("heaptrace");
	cr_assert_eq(set->stack_end_count, 1);
	expect(set, 0, FMT_PC_FAILED, 1, 0);
}

Test(stack_ends, of_whole_stacks_are_none)
{
	const struct exp_data_set *set;

	maker_extent(&stream, 42, t, 4096);
	call(1, ids[1]);
	set = load("heaptrace");
	cr_expect_eq(set->stack_end_count, 0);
}

Test(stack_ends, for_their_length_are_told_apart)
{
	const struct exp_data_set *set;

	maker_extent(&stream, 42, t, 4096);
	call(1, ids[SHALLOW]);
	call(2, ids[SHALLOW + KERNEL - 1]);
	call(3, ids[SHALLOW + KERNEL + 7]);
	call(4, ids[SHALLOW + KERNEL + LONG - 1]);
	set = load("heaptrace");
	cr_assert_eq(set->stack_end_count, 2);
	expect(set, 0, 0x10000 + SHALLOW, 2, 1);
	expect(set, 1, 0x10000 + SHALLOW + KERNEL, 2, 1);
}

Test(stack_ends, one_frame_less_than_the_limits_is_not_for_the_length)
{
	const struct exp_data_set *set;

	maker_extent(&stream, 42, t, 4096);
	call(1, ids[SHALLOW + KERNEL - 2]);
	call(2, ids[SHALLOW + KERNEL + LONG - 2]);
	set = load("heaptrace");
	cr_assert_eq(set->stack_end_count, 2);
	expect(set, 0, 0x10000 + SHALLOW, 1, 0);
	expect(set, 1, 0x10000 + SHALLOW + KERNEL, 1, 0);
}

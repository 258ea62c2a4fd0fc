/* Tests of memos that meet another part of the tree. */
#include "libcollector/unwind/walk.h"
#include "tests/unit/libcollector/scratch.h"

#include "libcollector/base/collector.h"
#include "libcollector/unwind/tree.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { FRAMES = 2048, BITS = 12 /* of a small table */ };

static struct walk_memo *memo;
static struct fmt_node *nodes;

static void setup(void)
{
	scratch_open();
	tree_close();
	cr_assert_eq(tree_open_with(BITS), 0);
	memo = walk_memo_create(FRAMES);
}

TestSuite(walk_memo, .init = setup, .fini = scratch_remove);

/* The frameinfo file as it is now. */
static void load_nodes(void)
{
	size_t len;

	free(nodes);
	nodes = (struct fmt_node *)scratch_read("frameinfo", &len);
	cr_assert(nodes != NULL);
}

static __attribute__((noinline)) uint32_t walk_caller(void)
{
	uint64_t *frame = __builtin_frame_address(0);

	return walk_stack(memo, frame[1], (uint64_t)frame + 16, frame[0], NULL);
}

/* A new part of the tree (tree_part.h): what the memo knows of the old one is not continued. */
Test(walk_memo, a_memo_of_an_older_part_is_forgotten)
{
	uint32_t node, again;

	walk_memo_enter(memo);
	node = walk_caller();
	cr_assert_gt(memo->count, 0);
	walk_memo_enter(memo);
	cr_assert_gt(memo->count, 0, "nothing has changed");
	for (uint64_t i = 0; atomic_load(&tree_number) == 1; i++)
		tree_node(0, 0x10000 + 16 * i);
	walk_memo_enter(memo);
	cr_assert_eq(memo->count, 0);
	again = walk_caller();
	cr_assert_gt(again, node);
	load_nodes();
	for (uint32_t at = again; at; at = nodes[fmt_node_place(at)].parent)
		cr_assert_gt(at, node, "all of its callers are new");
}

/* A stack may not fill a small part. */
static int walk_cut(void)
{
	uint32_t depth = 0;

	walk_memo_enter(memo);
	for (uint32_t at = walk_caller(), parent; at; at = parent, depth++) {
		load_nodes();
		parent = nodes[fmt_node_place(at)].parent;
		if (!parent)
			cr_assert_eq(nodes[fmt_node_place(at)].pc, FMT_PC_TRUNCATED);
	}
	cr_assert_leq(depth, tree_depth() + 1);
	cr_assert_geq(depth, tree_depth() - 1);
	return 0;
}

static __attribute__((noinline)) int go_deep(int depth)
{
	int result = depth > 0 ? go_deep(depth - 1) : walk_cut();

	__asm__ volatile("" : "+r"(result)); /* otherwise it becomes a loop */
	return result;
}

Test(walk_memo, a_stack_too_deep_for_the_tree_is_cut)
{
	cr_assert_lt(tree_depth(), FRAMES / 2);
	go_deep((int)tree_depth() * 2);
}

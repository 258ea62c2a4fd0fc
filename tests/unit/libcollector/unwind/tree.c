/* Tests of the frame tree. */
#include "tests/unit/libcollector/scratch.h"

#include "libcollector/base/collector.h"
#include "libcollector/unwind/tree.h"
#include "format/fdr.h"

#include <criterion/criterion.h>
#include <pthread.h>

enum {
	THREADS = 4,
	STACKS = 240000,
	FRAMES = 6
}; /* 80000 nodes: they outgrow the near part of the table, and the first mapping */

static uint32_t ids[THREADS][STACKS];

/* Frame pcs of stack i: the outer ones are shared by many stacks. */
static uint64_t pc_of(int stack, int frame)
{
	return 0x400000u + (uint64_t)(stack >> (2 * (FRAMES - frame))) * 16 + (uint64_t)frame;
}

static void *insert_all(void *result)
{
	uint32_t *to = result;

	for (int i = 0; i < STACKS; i++) {
		uint32_t node = 0;

		for (int frame = 0; frame < FRAMES; frame++)
			node = tree_node(node, pc_of(i, frame));
		to[i] = node;
	}
	return NULL;
}

Test(tree, threads_agree_on_every_node_and_the_file_holds_them, .init = scratch_open,
     .fini = scratch_remove)
{
	pthread_t threads[THREADS];
	struct fmt_node *nodes;
	size_t len;

	for (int i = 0; i < THREADS; i++)
		cr_assert(pthread_create(&threads[i], NULL, insert_all, ids[i]) == 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	nodes = (struct fmt_node *)scratch_read("frameinfo", &len);
	cr_assert(nodes != NULL);
	for (int i = 0; i < STACKS; i++) {
		uint32_t node = ids[0][i];

		for (int t = 1; t < THREADS; t++)
			cr_assert_eq(ids[t][i], node);
		for (int frame = FRAMES - 1; frame >= 0; frame--) {
			cr_assert_lt(node, len);
			cr_assert_eq(nodes[node / sizeof(struct fmt_node)].pc, pc_of(i, frame));
			cr_assert_lt(nodes[node / sizeof(struct fmt_node)].parent, node);
			node = nodes[node / sizeof(struct fmt_node)].parent;
		}
		cr_assert_eq(node, 0);
	}
	cr_assert_eq(atomic_load(&col.count.lost[FMT_STREAM_FRAMEINFO]), 0);
	free(nodes);
}

Test(tree, a_new_generation_makes_new_nodes, .init = scratch_open, .fini = scratch_remove)
{
	uint32_t before = tree_node(0, 0x401000);

	cr_assert_neq(before, 0);
	cr_assert_eq(tree_node(0, 0x401000), before);
	atomic_store(&col.generation, 1);
	cr_assert_neq(tree_node(0, 0x401000), before);
}

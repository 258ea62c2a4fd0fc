/* Tests of the frame tree. */
#include "tests/unit/libcollector/scratch.h"

#include "libcollector/base/collector.h"
#include "libcollector/unwind/tree.h"
#include "libcollector/object/generation.h"
#include "libcollector/write/stream.h"
#include "format/fdr.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
	generation_renew(0x500000, 0x600000);
	cr_assert_eq(tree_node(0, 0x401000), before, "something else was unloaded");
	generation_renew(0x400000, 0x402000);
	cr_assert_neq(tree_node(0, 0x401000), before);
}

/* ---- its file ---- */

TestSuite(tree_file, .init = scratch_open, .fini = scratch_remove);

static struct fmt_nodes blocks[64];

static int count_blocks(void)
{
	return scratch_records("frameinfo", FMT_KIND_nodes, blocks, sizeof(blocks[0]), 64);
}

/* Node i of a chain. */
static uint32_t chain(uint32_t parent, int i)
{
	return tree_node(parent, 0x10000 + (uint64_t)i * 16);
}

Test(tree_file, blocks_of_nodes_say_where_they_begin)
{
	/* After the header of the file, of the buffer and of the event comes the record. */
	uint32_t first = FDR_HEADER_SIZE + FDR_PROLOGUE_SIZE + FDR_METADATA_SIZE +
	                 sizeof(struct fmt_nodes);
	uint32_t node = chain(0, 0);

	cr_assert_eq(node, first);
	cr_assert_eq(count_blocks(), 1);
	cr_assert_eq(blocks[0].node_size, sizeof(struct fmt_node));
	cr_assert_eq(blocks[0].first, first);
	cr_assert_eq(chain(node, 1), first + sizeof(struct fmt_node));
}

/* 4096 bytes, 8192, ... up to a megabyte; the next one exists before one is full. */
Test(tree_file, blocks_double)
{
	uint32_t node = 0, last = 0;
	int count;

	for (int i = 0; i < 200000; i++) {
		node = chain(node, i);
		cr_assert_gt(node, last);
		last = node;
	}
	count = count_blocks();
	cr_assert_gt(count, 9);
	cr_assert_leq(blocks[1].first, 4096 + 4096);
	for (int i = 2; i < count; i++) {
		uint32_t size = 4096u << i;

		cr_assert_eq(blocks[i].first - blocks[i - 1].first,
		             i == 1 ? 0 : (size / 2 > 1 << 20 ? 1u << 20 : size / 2), "block %d",
		             i);
	}
	cr_assert_eq(atomic_load(&col.count.lost[FMT_STREAM_FRAMEINFO]), 0);
}

Test(tree_file, nodes_have_their_parent_their_address_and_their_generation)
{
	uint32_t outer, inner;
	const struct fmt_node *nodes;
	size_t len;

	for (int i = 0; i < 7; i++)
		generation_renew(0x400000, 0x402008);
	outer = tree_node(0, 0x401000);
	inner = tree_node(outer, 0x402000);
	nodes = (const struct fmt_node *)scratch_read("frameinfo", &len);
	cr_assert_eq(nodes[inner / sizeof(*nodes)].pc, 0x402000);
	cr_assert_eq(nodes[inner / sizeof(*nodes)].parent, outer);
	cr_assert_eq(nodes[inner / sizeof(*nodes)].generation, 7);
	cr_assert_eq(nodes[outer / sizeof(*nodes)].parent, 0);
	cr_assert_neq(tree_node(inner, 0x402000), inner, "with another parent");
	free((void *)(uintptr_t)nodes);
}

Test(tree_file, frames_on_top_are_left_out)
{
	uint32_t outer = tree_node(0, 0x1000), middle = tree_node(outer, 0x2000),
		 inner = tree_node(middle, 0x2800), top = tree_node(inner, 0x3000);

	cr_assert_eq(tree_outside(top, 0x3000, 0x4000), inner);
	cr_assert_eq(tree_outside(inner, 0x2000, 0x3000), outer);
	cr_assert_eq(tree_outside(inner, 0x2000, 0x2800), inner, "its end is outside");
	cr_assert_eq(tree_outside(inner, 0x2801, 0x9000), inner);
	cr_assert_eq(tree_outside(top, 0, 0x9000), top, "all of them are inside: none is");
	cr_assert_eq(tree_outward(top, 0x2000), middle);
	cr_assert_eq(tree_outward(top, 0x3000), top);
	cr_assert_eq(tree_outward(top, 0x5000), top, "there is none");
	cr_assert_eq(tree_outward(0, 0x5000), 0);
}

/* Where all of frameinfo is mapped; the last place, if it is mapped more than once. */
static uintptr_t address_of_file(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long address = 0, from;
	char line[5000];

	while (fgets(line, sizeof(line), maps))
		if (strstr(line, "/frameinfo") && sscanf(line, "%lx-", &from) == 1)
			address = from;
	fclose(maps);
	cr_assert_neq(address, 0);
	return address;
}

Test(tree_file, its_mappings_are_known)
{
	size_t size = 0;
	uint8_t *map;
	uint32_t node = 0;

	cr_assert_null(tree_find_map((uintptr_t)&size, &size));
	node = chain(0, 0);
	cr_assert_neq(node, 0);
	cr_assert_null(tree_find_map((uintptr_t)&size, &size));
	map = tree_find_map(address_of_file(), &size);
	cr_assert_eq((uintptr_t)map, address_of_file());
	cr_assert_eq(size, 256 << 10);
	cr_assert_eq(tree_find_map((uintptr_t)map + size - 1, &size), map);
	cr_assert_null(tree_find_map((uintptr_t)map + size, &size));
	cr_assert_null(tree_find_map((uintptr_t)map - 1, &size));
	tree_close();
	cr_assert_null(tree_find_map((uintptr_t)map + 100, &size));
}

Test(tree_file, nodes_that_cannot_be_written_are_lost)
{
	uint32_t node = chain(0, 0);
	int i = 1;

	col_stream_stop(FMT_STREAM_FRAMEINFO, -ENOSPC);
	while (i < 100000 && node) {
		uint32_t next = chain(node, i);

		if (!next)
			break;
		node = next;
		i++;
	}
	cr_assert_gt(i, 100, "those that have room still");
	cr_assert_lt(i, 1000);
	cr_assert_eq(atomic_load(&col.count.lost[FMT_STREAM_FRAMEINFO]), 1);
	cr_assert_eq(chain(0, 0), tree_node(0, 0x10000), "what is there is found");
}

/* ompnodes.c: the OpenMP constructs of call stacks, from the marks in them. See ompnodes.h. */
#include "analyzer/filter/ompnodes.h"

#include "analyzer/base/memory.h"
#include "experiment/table/index.h"

#include <stdlib.h>

/* The first node with the address of this one. */
static uint32_t place_of(struct exp_index *places, const struct exp_nodes *nodes, uint32_t node)
{
	uint64_t key = nodes->pc[node] ^ (uint64_t)nodes->generation[node] << 48;
	uint32_t found = exp_index_find(places, key);

	/* Without memory for the index, each stack is a place of its own. */
	if (found == EXP_INDEX_NONE) {
		found = node;
		exp_index_add(places, key, node);
	}
	return found;
}

uint32_t *omp_find_constructs(const struct exp_nodes *nodes, enum fmt_pc_mark mark)
{
	uint32_t *constructs = memory_take(nodes->count, sizeof(*constructs));
	struct exp_index places = {.slots = NULL};

	for (size_t i = 0; i < nodes->count; i++) {
		uint32_t parent = nodes->parent[i];

		if (parent >= i)
			continue;
		constructs[i] = nodes->pc[i] == mark ? place_of(&places, nodes, parent) + 1
		                                     : constructs[parent];
	}
	exp_index_fini(&places);
	return constructs;
}

/* nodetable.c: appends nodes of call stacks to their table. */
#include "experiment/streams/nodes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int grow(void *items, size_t capacity, size_t size)
{
	void *old, *grown;

	memcpy(&old, items, sizeof(old));
	grown = reallocarray(old, capacity, size);
	if (!grown)
		return -ENOMEM;
	memcpy(items, &grown, sizeof(grown));
	return 0;
}

static int reserve_node(struct exp_node_table *table)
{
	size_t capacity = table->capacity == 0 ? 4096 : table->capacity * 2;

	if (table->count < table->capacity)
		return 0;
	if (table->count >= EXP_NODE_NONE / 2 ||
	    grow(&table->pc, capacity, sizeof(*table->pc)) != 0 ||
	    grow(&table->parent, capacity, sizeof(*table->parent)) != 0 ||
	    grow(&table->generation, capacity, sizeof(*table->generation)) != 0 ||
	    grow(&table->marks, capacity, sizeof(*table->marks)) != 0)
		return -ENOMEM;
	table->capacity = capacity;
	return 0;
}

static uint8_t mark_of(uint64_t pc)
{
	switch (pc) {
	case FMT_PC_TRUNCATED:
		return EXP_STACK_TRUNCATED;
	case FMT_PC_GUESSED:
		return EXP_STACK_GUESSED;
	case FMT_PC_FAILED:
		return EXP_STACK_FAILED;
	default:
		return 0;
	}
}

int exp_nodes_add(struct exp_node_table *table, uint64_t pc, uint32_t parent, uint32_t generation)
{
	if (reserve_node(table) != 0)
		return -ENOMEM;
	table->pc[table->count] = pc;
	table->parent[table->count] = parent;
	table->generation[table->count] = generation;
	table->marks[table->count] = mark_of(pc) |
	                             (parent == EXP_NODE_NONE ? 0 : table->marks[parent]);
	table->count++;
	return 0;
}

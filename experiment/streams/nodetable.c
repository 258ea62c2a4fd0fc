/* nodetable.c: appends nodes of call stacks to their table. */
#include "experiment/streams/nodes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_NODES = 64 /* thousands of processes have few */ };

static int resize(void *items, size_t capacity, size_t size)
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
	size_t capacity = table->capacity == 0 ? FIRST_NODES : table->capacity * 2;

	if (table->count < table->capacity)
		return 0;
	if (table->count >= EXP_NODE_NONE / 2 ||
	    resize(&table->pc, capacity, sizeof(*table->pc)) != 0 ||
	    resize(&table->parent, capacity, sizeof(*table->parent)) != 0 ||
	    resize(&table->generation, capacity, sizeof(*table->generation)) != 0 ||
	    resize(&table->marks, capacity, sizeof(*table->marks)) != 0)
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

int exp_nodes_settle(struct exp_node_table *table)
{
	if (table->page_count > 0 &&
	    resize(&table->pages, table->page_count, EXP_NODE_PAGE * sizeof(*table->pages)) != 0)
		return -ENOMEM;
	table->page_capacity = table->page_count;
	if (table->count == 0 || table->count == table->capacity)
		return 0;
	if (resize(&table->pc, table->count, sizeof(*table->pc)) != 0 ||
	    resize(&table->parent, table->count, sizeof(*table->parent)) != 0 ||
	    resize(&table->generation, table->count, sizeof(*table->generation)) != 0 ||
	    resize(&table->marks, table->count, sizeof(*table->marks)) != 0)
		return -ENOMEM;
	table->capacity = table->count;
	return 0;
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

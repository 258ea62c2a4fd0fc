/* nodes.h: the call-stack tree of `frameinfo`, from node ids to dense indices. */
#ifndef XER_EXPERIMENT_STREAMS_NODES_H
#define XER_EXPERIMENT_STREAMS_NODES_H

#include "experiment/base/internal.h"
#include "format/record.h"

#include <stddef.h>
#include <stdint.h>

enum { EXP_NODE_PAGE = 256, EXP_NODE_PAGE_SHIFT = 8 };
#define EXP_NODE_NONE UINT32_MAX

/* Marks that the stack of a node has somewhere. */
enum exp_node_mark { EXP_STACK_TRUNCATED = 1, EXP_STACK_GUESSED = 2, EXP_STACK_FAILED = 4 };

struct exp_node_table {
	uint64_t *pc;
	uint32_t *parent;
	uint32_t *generation;
	uint8_t *marks; /* enum exp_node_mark, those of its callers included */
	size_t count, capacity;
	uint32_t damaged_root; /* a made-up <Truncated> node, EXP_NODE_NONE before it is needed */
	/* Nodes come in runs, one run to a page of the file: directory[place / 256] is a page
	 * number + 1 or 0, pages[number * 256 + place % 256] an index or EXP_NODE_NONE. */
	uint32_t *directory;
	size_t directory_size;
	uint32_t *pages;
	size_t page_count, page_capacity;
	struct exp_reuse *reuse; /* NULL: all nodes mean the same at all times (reuse.h) */
};

struct exp_reuse;

/* Read frameinfo; without one the table stays empty. Returns 0 or -ENOMEM. */
int exp_nodes_read(struct experiment *experiment, struct exp_node_table *out);
void exp_nodes_fini(struct exp_node_table *table);

/* Give back the room for nodes that might have come; they may still be added. Returns 0 or -ENOMEM.
 */
int exp_nodes_settle(struct exp_node_table *table);

/* Append a node that no id names. parent: an index, or EXP_NODE_NONE. Returns 0 or -ENOMEM. */
int exp_nodes_add(struct exp_node_table *table, uint64_t pc, uint32_t parent, uint32_t generation);

/* Index of the node with this name, or EXP_NODE_NONE. */
static inline uint32_t exp_nodes_find(const struct exp_node_table *table, uint32_t id)
{
	uint32_t place = fmt_node_place(id);
	uint32_t page;

	if (place >> EXP_NODE_PAGE_SHIFT >= table->directory_size)
		return EXP_NODE_NONE;
	page = table->directory[place >> EXP_NODE_PAGE_SHIFT];
	if (page == 0)
		return EXP_NODE_NONE;
	return table->pages[(size_t)(page - 1) * EXP_NODE_PAGE + place % EXP_NODE_PAGE];
}

#endif

/* tree.c: nodes, items and the two hash tables that find them again. Their values are in
 * treevalues.c. */
#include "analyzer/model/tree.h"

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"

#include <stdlib.h>
#include <string.h>

static uint64_t mix(uint64_t value)
{
	value ^= value >> 33;
	value *= 0xff51afd7ed558ccdu; /* the finalizer of MurmurHash3: every bit reaches every bit
	                               */
	value ^= value >> 33;
	value *= 0xc4ceb9fe1a85ec53u;
	return value ^ value >> 33;
}

static uint64_t node_hash(uint32_t parent, uint32_t item)
{
	return mix((uint64_t)parent << 32 | item);
}

static uint64_t item_hash(const struct sym_frame *item)
{
	return mix(mix((uintptr_t)item->function + item->address) + item->line);
}

static int same_file(const struct tree *tree, const char *left, const char *right)
{
	if (left == right)
		return 1;
	if (!left || !right)
		return 0;
	if (tree->compare != TREE_COMPARE_OFF)
		return strcmp(text_base(left), text_base(right)) == 0;
	return strcmp(left, right) == 0;
}

static int same_item(const struct tree *tree, const struct sym_frame *left,
                     const struct sym_frame *right)
{
	return left->function == right->function && left->address == right->address &&
	       left->line == right->line && left->inlined == right->inlined &&
	       same_file(tree, left->file, right->file);
}

/* The slot of a node, or the free one where it would go. */
static struct tree_slot *node_slot(const struct tree *tree, uint32_t parent, uint32_t item)
{
	size_t at = node_hash(parent, item) & (tree->node_slots - 1);
	struct tree_slot *slot = &tree->node_table[at];

	while (slot->node != 0 && (slot->parent != parent || slot->item != item)) {
		at = (at + 1) & (tree->node_slots - 1);
		slot = &tree->node_table[at];
	}
	return slot;
}

enum { FIRST_SLOTS = 64 };

/* At most three quarters of the slots of nodes are used, and half of those of items. */
static void rehash_nodes(struct tree *tree)
{
	free(tree->node_table);
	if (tree->node_slots == 0)
		tree->node_slots = FIRST_SLOTS;
	while ((tree->count + 1) * 4 > tree->node_slots * 3)
		tree->node_slots *= 2;
	tree->node_table = memory_take(tree->node_slots, sizeof(*tree->node_table));
	for (size_t i = 0; i < tree->count; i++) {
		const struct tree_node *node = &tree->nodes[i];

		*node_slot(tree, node->parent, node->item) = (struct tree_slot){
			node->parent, node->item, (uint32_t)i + 1};
	}
}

static void rehash_items(struct tree *tree)
{
	free(tree->item_table);
	if (tree->item_slots == 0)
		tree->item_slots = FIRST_SLOTS;
	while ((tree->item_count + 1) * 2 > tree->item_slots)
		tree->item_slots *= 2;
	tree->item_table = memory_take(tree->item_slots, sizeof(*tree->item_table));
	for (size_t i = 0; i < tree->item_count; i++) {
		size_t slot = item_hash(&tree->items[i]) & (tree->item_slots - 1);

		while (tree->item_table[slot] != 0)
			slot = (slot + 1) & (tree->item_slots - 1);
		tree->item_table[slot] = (uint32_t)i + 1;
	}
}

/* Keep of a frame what the mode compares. */
static struct sym_frame reduce(const struct tree *tree, const struct sym_frame *frame)
{
	struct sym_frame item = {.function = frame->function};

	switch (tree->mode) {
	case TREE_FUNCTIONS:
		break;
	case TREE_LINES:
		item.file = frame->line ? frame->file : NULL;
		item.line = frame->file ? frame->line : 0;
		break;
	case TREE_PCS:
		item.address = frame->address;
		item.file = frame->file;
		item.line = frame->line;
		break;
	case TREE_FRAMES:
	case TREE_MODES:
		item = *frame;
		if (tree->compare != TREE_COMPARE_OFF)
			item.address = 0;
		break;
	}
	return item;
}

uint32_t tree_item(struct tree *tree, const struct sym_frame *frame)
{
	struct sym_frame item = reduce(tree, frame);
	size_t slot;

	if ((tree->item_count + 1) * 2 > tree->item_slots)
		rehash_items(tree);
	slot = item_hash(&item) & (tree->item_slots - 1);
	for (; tree->item_table[slot] != 0; slot = (slot + 1) & (tree->item_slots - 1))
		if (same_item(tree, &tree->items[tree->item_table[slot] - 1], &item))
			return tree->item_table[slot] - 1;
	tree->items = memory_grow(tree->items, tree->item_count, &tree->item_capacity,
	                          sizeof(*tree->items));
	tree->items[tree->item_count] = item;
	tree->item_table[slot] = (uint32_t)tree->item_count + 1;
	return (uint32_t)tree->item_count++;
}

static uint32_t add_node(struct tree *tree, uint32_t parent, uint32_t item)
{
	uint32_t node = (uint32_t)tree->count;

	tree->nodes = memory_grow(tree->nodes, tree->count, &tree->node_capacity,
	                          sizeof(*tree->nodes));
	tree->nodes[node] = (struct tree_node){item, parent, TREE_NONE, TREE_NONE};
	if (parent != TREE_NONE) {
		tree->nodes[node].next_sibling = tree->nodes[parent].first_child;
		tree->nodes[parent].first_child = node;
	}
	tree->count++;
	return node;
}

struct tree *tree_create(enum tree_mode mode, const struct sym_function *total)
{
	struct tree *tree = memory_take(1, sizeof(*tree));
	struct sym_frame frame = {.function = total};

	tree->mode = mode;
	add_node(tree, TREE_NONE, tree_item(tree, &frame));
	return tree;
}

void tree_tables_fini(struct tree *tree)
{
	free(tree->node_table);
	free(tree->item_table);
	tree->node_table = NULL;
	tree->item_table = NULL;
	tree->node_slots = tree->item_slots = 0;
}

uint32_t tree_child(struct tree *tree, uint32_t parent, const struct sym_frame *frame)
{
	return tree_child_item(tree, parent, tree_item(tree, frame));
}

uint32_t tree_child_item(struct tree *tree, uint32_t parent, uint32_t item)
{
	struct tree_slot *slot;

	if ((tree->count + 1) * 4 > tree->node_slots * 3)
		rehash_nodes(tree);
	slot = node_slot(tree, parent, item);
	if (slot->node == 0)
		*slot = (struct tree_slot){parent, item, add_node(tree, parent, item) + 1};
	return slot->node - 1;
}

uint32_t tree_next(const struct tree *tree, uint32_t node, size_t *depth)
{
	if (tree->nodes[node].first_child != TREE_NONE) {
		++*depth;
		return tree->nodes[node].first_child;
	}
	while (node != TREE_NONE && tree->nodes[node].next_sibling == TREE_NONE) {
		node = tree->nodes[node].parent;
		--*depth;
	}
	return node == TREE_NONE ? TREE_NONE : tree->nodes[node].next_sibling;
}

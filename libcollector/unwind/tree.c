/* tree.c: the table of call-stack nodes.
 *
 * The nodes of a part (tree_part.h) are found again through a hash table of their places. A node is
 * written before it is published there (release), so whoever finds a place (acquire) finds the
 * node. When two threads make the same node at once, one of the two stays unused.
 *
 * A node's first place is in a small part of the table, the others anywhere: else each of the first
 * thousands of nodes would touch a page of its own.
 *
 * A stack that is continued from a node of an older part is made again in the current one, so parts
 * do not need each other.
 * See doc/decisions/08-object-lookup.md, doc/decisions/60-stack-table-growth.md and
 * doc/decisions/99-stacks-age.md. */
#include "libcollector/unwind/tree.h"

#include "libcollector/base/collector.h"
#include "libcollector/base/lock.h"
#include "libcollector/object/generation.h"
#include "libcollector/unwind/tree_part.h"
#include "libcollector/write/stream.h"

enum {
	TABLE_BITS = 22,
	PROBES = 64,
	DEPTHS = 16,        /* in each table at least, of which half is used */
	RENEWED_MAX = 4096, /* frames; deeper stacks lose their outer ones */
	TRIES = 8           /* parts that other threads may fill meanwhile */
};
enum { NEAR_BITS = 13, NEAR_PROBES = 1 };

static uint32_t hash(uint32_t parent, uint64_t pc, uint32_t generation)
{
	/* Each by a factor of its own: all bits of a generation must spread, or those of a long run
	 * share a few places. */
	uint64_t value = pc * 0x9e3779b97f4a7c15u ^ (uint64_t)parent * 0xd6e8feb86659fd93u ^
	                 generation * 0xff51afd7ed558ccdu;

	return (uint32_t)(value >> 32 ^ value);
}

static int is_node(const struct fmt_node *node, const struct fmt_node *wanted)
{
	return node->pc == wanted->pc && node->parent == wanted->parent &&
	       node->generation == wanted->generation;
}

/* Where the node that hashes to `at` may be, place by place. When the near part is full, further
 * nodes stay out of it: those that it would have are spread over the others. */
static uint32_t *entry(uint32_t *table, uint32_t at, int probe)
{
	const uint32_t near = 1u << NEAR_BITS;
	uint32_t place = (at + (uint32_t)probe) & tree_mask;

	if (tree_mask < 4 * near)
		return &table[place];
	if (probe < NEAR_PROBES)
		return &table[place & (near - 1)];
	return &table[place < near ? near + place * ((tree_mask + 1) / near - 1) : place];
}

/* The name of the node in a part, made if it does not exist; 0: the part is full. The parent is
 * none, or in the same part. */
static uint32_t find_or_make(struct tree_part *part, const struct fmt_node *wanted)
{
	uint32_t at = hash(wanted->parent, wanted->pc, wanted->generation);
	uint32_t mine = 0;

	for (int i = 0; i < PROBES; i++) {
		uint32_t *slot = entry(part->table, at, i);
		uint32_t found = __atomic_load_n(slot, __ATOMIC_ACQUIRE);

		if (found == 0) {
			if (mine == 0)
				mine = tree_part_allocate(part);
			if (mine == 0)
				return 0;
			*tree_node_at(part, mine) = *wanted;
			if (__atomic_compare_exchange_n(slot, &found, mine, 0, __ATOMIC_RELEASE,
			                                __ATOMIC_ACQUIRE))
				return fmt_node_id(mine);
		}
		if (is_node(tree_node_at(part, found), wanted))
			return fmt_node_id(found);
	}
	return 0;
}

/* ---- stacks of older parts */

static int is_older(const struct tree_part *part, uint32_t node)
{
	return node && fmt_node_place(node) < part->begin;
}

/* Nodes from the innermost outwards, under the lock. */
static struct {
	struct col_lock lock;
	uint32_t count;
	struct fmt_node node[RENEWED_MAX];
} chain;

static int read_node(uint32_t node, struct fmt_node *out)
{
	uint32_t place = fmt_node_place(node);
	const struct tree_part *part = tree_part_of(place);

	if (!part)
		return col_stream_read(FMT_STREAM_FRAMEINFO, (uint64_t)place * sizeof(*out), out,
		                       sizeof(*out));
	*out = *tree_node_at(part, place);
	return 0;
}

/* Read the stack of a node. What is further out than a part has room for becomes a mark. */
static void read_chain(uint32_t node)
{
	const uint32_t most = tree_depth() < RENEWED_MAX ? tree_depth() : RENEWED_MAX;

	for (chain.count = 0; node; chain.count++) {
		struct fmt_node *at = &chain.node[chain.count];

		if (chain.count + 1 == most || read_node(node, at) < 0 || at->pc == 0) {
			*at = (struct fmt_node){.pc = FMT_PC_TRUNCATED};
			node = 0;
		} else {
			node = at->parent;
		}
	}
}

/* Have the stack of an older node in the part. 0: the part is full. */
static uint32_t renew_in(struct tree_part *part, uint32_t node)
{
	uint32_t renewed = 0;
	sys_sigset old;

	sys_block_signals(&old);
	if (col_lock_take(&chain.lock) == 0) {
		chain.count = 0;
		/* We are no user of the part that is read. */
		if (tree_parts_hold() == 0) {
			read_chain(node);
			tree_parts_release();
		}
		for (uint32_t i = chain.count; i > 0; i--) {
			chain.node[i - 1].parent = renewed;
			renewed = find_or_make(part, &chain.node[i - 1]);
			if (!renewed)
				break;
		}
		col_lock_give(&chain.lock);
	}
	sys_sigmask(SIG_SETMASK, &old, NULL);
	return renewed;
}

uint32_t tree_renew(uint32_t node)
{
	for (int i = 0; i < TRIES; i++) {
		struct tree_part *part = tree_part();
		uint32_t renewed = is_older(part, node) ? renew_in(part, node) : node;

		if (renewed || !node)
			return renewed;
		if (tree_part_follow(part) < 0)
			return 0;
	}
	return 0;
}

/* ---- for everybody */

int tree_open_with(int bits)
{
	col_lock_give(&chain.lock);
	return tree_parts_open(bits);
}

int tree_open(void)
{
	return tree_open_with(TABLE_BITS);
}

uint32_t tree_depth(void)
{
	return (tree_mask + 1) / DEPTHS;
}

uint32_t tree_node(uint32_t parent, uint64_t pc)
{
	struct fmt_node wanted = {.pc = pc, .generation = generation_at(pc)};

	for (int i = 0; i < TRIES; i++) {
		struct tree_part *part = tree_part();
		uint32_t found = 0;

		wanted.parent = parent;
		if (unlikely(is_older(part, parent)))
			wanted.parent = renew_in(part, parent);
		if (likely(wanted.parent || !parent))
			found = find_or_make(part, &wanted);
		if (likely(found))
			return found;
		if (tree_part_follow(part) < 0)
			break;
	}
	col_count(&col.count.lost[FMT_STREAM_FRAMEINFO], 1);
	return 0;
}

uint32_t tree_outside(uint32_t node, uint64_t start, uint64_t end)
{
	struct fmt_node at;
	uint32_t outer = node;

	while (outer && read_node(outer, &at) == 0 && at.pc >= start && at.pc < end)
		outer = at.parent;
	return outer ? outer : node;
}

uint32_t tree_outward(uint32_t node, uint64_t pc)
{
	struct fmt_node at;

	for (uint32_t outer = node; outer && read_node(outer, &at) == 0; outer = at.parent)
		if (at.pc == pc)
			return outer;
	return node;
}

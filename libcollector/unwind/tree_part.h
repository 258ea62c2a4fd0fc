/* tree_part.h: the parts of the table of call stacks.
 *
 * The table and the memory of its nodes are bounded. When they are full, a new *part* begins: an
 * empty table, and nodes in a new range of frameinfo that refer to no node before it. Numbers of
 * nodes go on, so what was written keeps its meaning. See doc/decisions/99-stacks-age.md. */
#ifndef XER_LIBCOLLECTOR_UNWIND_TREE_PART_H
#define XER_LIBCOLLECTOR_UNWIND_TREE_PART_H

#include "format/record.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum { TREE_MAPS = 5 }; /* of a part, one longer than the other */

struct tree_part {
	uint32_t *table; /* of places of nodes: table[tree_mask + 1]; NULL: none yet */
	uint32_t number; /* of parts until this one; 0: the description is not in use */
	uint32_t begin;  /* place of the first node that it may have: set before it is current */
	_Atomic(uint8_t *) at; /* where `begin` is in memory; set before any place that needs it is
	                          known */
	struct {
		uint8_t *at;
		size_t size;
	} maps[TREE_MAPS];
	int map_count;
	size_t used;                  /* bytes of frameinfo */
	atomic_uint_fast64_t space;   /* of the block in use: next place | end << 32 */
	atomic_uint_fast64_t ahead;   /* the same for the block after; 0: not prepared */
	atomic_uint_fast64_t full_at; /* event time at which the next one began */
};

/* Of the table of each part: its number of places, minus 1. */
extern uint32_t tree_mask __attribute__((visibility("hidden")));

extern _Atomic(struct tree_part *) tree_current __attribute__((visibility("hidden")));

/* The part in which new nodes are made. It stays as it is while the caller counts as a user of it
 * (tree_watch), also when it is no longer current. */
static inline struct tree_part *tree_part(void)
{
	return atomic_load_explicit(&tree_current, memory_order_acquire);
}

/* The node at a place of the part. */
static inline struct fmt_node *tree_node_at(const struct tree_part *part, uint32_t place)
{
	return (struct fmt_node *)atomic_load_explicit(&part->at, memory_order_relaxed) +
	       (place - part->begin);
}

/* Have places for tables of at most 2^bits nodes; less if the address space is limited. Returns 0
 * or -ENOMEM. */
int tree_parts_open(int bits);

/* The place of a fresh node of the part; 0: it is full, or nothing can be written. Signal-safe. */
uint32_t tree_part_allocate(struct tree_part *part);

/* The part is full: begin the next one, unless another thread has. Returns 0 or -errno.
 * Signal-safe. */
int tree_part_follow(struct tree_part *full);

/* Between these two, no part begins, and so none gives its memory to another; all signals are
 * blocked. Returns 0, or -errno: they are not held. */
int tree_parts_hold(void);
void tree_parts_release(void);

/* The part that a place is in, if its memory is still there, NULL: it is not. While parts are held,
 * or for users of parts that are at least as old. Signal-safe. */
struct tree_part *tree_part_of(uint32_t place);

#endif

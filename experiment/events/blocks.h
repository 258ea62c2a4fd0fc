/* blocks.h: the heap blocks that are live at one moment, 16 bytes each, in a table that is 3/16 to
 * 3/8 full while it is small (up to 16 MiB), else 3/8 to 3/4. */
#ifndef XER_EXPERIMENT_EVENTS_BLOCKS_H
#define XER_EXPERIMENT_EVENTS_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

/* Addresses have at most 57 bits: that is all of user space with five-level page tables. */
enum { EXP_ADDRESS_BITS = 57 };

/* Open addressing with linear probing. word[0] = address << 7 | high bits of the packed size (0:
 * a free slot), word[1] = low bits of the packed size << 32 | node. */
struct exp_block_slot {
	uint64_t word[2];
};

struct exp_blocks {
	struct exp_block_slot *slot;
	size_t mask; /* slots - 1, a power of two */
	size_t count;
	unsigned shift; /* 64 - log2(slots) */
};

struct exp_block {
	uint32_t node;
	uint64_t size;
};

int exp_blocks_init(struct exp_blocks *blocks);
void exp_blocks_fini(struct exp_blocks *blocks);

/* Enter a block; an old one of the same address is replaced and handed out in *old. address: 1 to
 * 2^57 - 1. Sizes of 256 GiB and more are kept as the next multiple of 4096, at most 2^50.
 * Returns 1 (replaced), 0 (new) or -ENOMEM. */
int exp_blocks_put(struct exp_blocks *blocks, uint64_t address, const struct exp_block *block,
                   struct exp_block *old);

/* Remove a block. Returns 1 and *out, or 0 if there is none. */
int exp_blocks_take(struct exp_blocks *blocks, uint64_t address, struct exp_block *out);

/* The block at an address. Returns 1 and *out, or 0 if there is none. */
int exp_blocks_find(const struct exp_blocks *blocks, uint64_t address, struct exp_block *out);

/* The slot where the search for an address begins, to be prefetched. address: any. */
static inline const struct exp_block_slot *exp_blocks_home(const struct exp_blocks *blocks,
                                                           uint64_t address)
{
	/* Fibonacci hashing: the golden ratio spreads the stride of an allocator over the table. */
	return &blocks->slot[address * 0x9e3779b97f4a7c15u >> blocks->shift];
}

/* The node of the block at an address if it stands where its search begins; else of another block,
 * or some number. */
static inline uint32_t exp_blocks_guess(const struct exp_blocks *blocks, uint64_t address)
{
	return (uint32_t)exp_blocks_home(blocks, address)->word[1];
}

/* What exp_blocks_put makes of a size. */
uint64_t exp_blocks_size(uint64_t size);

/* Decode a used slot. */
struct exp_block exp_blocks_get(const struct exp_block_slot *slot);

#endif

/* blocks.c: the hash table of live heap blocks. Removal moves later entries back, so there are no
 * tombstones and the table's speed does not depend on how many blocks have come and gone.
 * See doc/decisions/34-parallel-readers.md. */
#include "experiment/events/blocks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { FIRST_BITS = 12, SIZE_BITS = 39, NODE_BITS = 32, HIGH_BITS = SIZE_BITS - (64 - NODE_BITS) };

#define LARGE_FLAG ((uint64_t)1 << (SIZE_BITS - 1))
#define LARGE_UNIT 4096

/* Tables with more than LARGE_SLOTS slots have more than 16 MiB. */
enum { HUGE_PAGE = 2 << 20, LARGE_SLOTS = 1 << 20 };

static uint64_t pack_size(uint64_t size)
{
	uint64_t units;

	if (size < LARGE_FLAG)
		return size;
	units = size / LARGE_UNIT + (size % LARGE_UNIT != 0);
	return LARGE_FLAG | (units < LARGE_FLAG ? units : LARGE_FLAG - 1);
}

static uint64_t unpack_size(uint64_t packed)
{
	return packed & LARGE_FLAG ? (packed & (LARGE_FLAG - 1)) * LARGE_UNIT : packed;
}

uint64_t exp_blocks_size(uint64_t size)
{
	return unpack_size(pack_size(size));
}

static uint64_t address_of(const struct exp_block_slot *slot)
{
	return slot->word[0] >> HIGH_BITS;
}

struct exp_block exp_blocks_get(const struct exp_block_slot *slot)
{
	uint64_t high = slot->word[0] & (((uint64_t)1 << HIGH_BITS) - 1);

	return (struct exp_block){
		.node = (uint32_t)slot->word[1],
		.size = unpack_size(high << (64 - NODE_BITS) | slot->word[1] >> NODE_BITS),
	};
}

static struct exp_block_slot make_slot(uint64_t address, const struct exp_block *block)
{
	uint64_t packed = pack_size(block->size);

	return (struct exp_block_slot){.word = {address << HIGH_BITS | packed >> (64 - NODE_BITS),
	                                        packed << NODE_BITS | block->node}};
}

static size_t home_of(const struct exp_blocks *blocks, uint64_t address)
{
	return (size_t)(exp_blocks_home(blocks, address) - blocks->slot);
}

/* Zeroed slots. Those of a large table are asked for in huge pages: each event comes to another
 * page of them. */
static struct exp_block_slot *allocate_slots(unsigned bits)
{
	size_t size = sizeof(struct exp_block_slot) << bits;
	void *slots;

	if (size < HUGE_PAGE)
		return calloc(1, size);
	slots = aligned_alloc(HUGE_PAGE, size);
	if (!slots)
		return NULL;
	madvise(slots, size, MADV_HUGEPAGE); /* where there are none, all works as well */
	memset(slots, 0, size);
	return slots;
}

static int allocate(struct exp_blocks *blocks, unsigned bits)
{
	struct exp_block_slot *slot = allocate_slots(bits);

	if (!slot)
		return -ENOMEM;
	blocks->slot = slot;
	blocks->mask = ((size_t)1 << bits) - 1;
	blocks->shift = 64 - bits;
	return 0;
}

int exp_blocks_init(struct exp_blocks *blocks)
{
	blocks->count = 0;
	return allocate(blocks, FIRST_BITS);
}

void exp_blocks_fini(struct exp_blocks *blocks)
{
	free(blocks->slot);
	*blocks = (struct exp_blocks){0};
}

/* The slot of this address, or the free one where it would go. */
static size_t probe(const struct exp_blocks *blocks, uint64_t address)
{
	size_t at = home_of(blocks, address);

	while (blocks->slot[at].word[0] != 0 && address_of(&blocks->slot[at]) != address)
		at = (at + 1) & blocks->mask;
	return at;
}

static int grow(struct exp_blocks *blocks)
{
	struct exp_blocks old = *blocks;

	if (allocate(blocks, 64 - old.shift + 1) != 0)
		return -ENOMEM;
	for (size_t i = 0; i <= old.mask; i++)
		if (old.slot[i].word[0] != 0)
			blocks->slot[probe(blocks, address_of(&old.slot[i]))] = old.slot[i];
	free(old.slot);
	return 0;
}

/* The costs are less those of memory than those of unpredictable probe lengths: an emptier table is
 * a third faster. A large one is as full as it can be without harm, since there memory counts. */
static int is_full(const struct exp_blocks *blocks)
{
	size_t eighth = blocks->mask / 8;

	return blocks->count >= (blocks->mask < LARGE_SLOTS ? 3 * eighth : 6 * eighth);
}

int exp_blocks_put(struct exp_blocks *blocks, uint64_t address, const struct exp_block *block,
                   struct exp_block *old)
{
	size_t at;

	if (is_full(blocks) && grow(blocks) != 0)
		return -ENOMEM;
	at = probe(blocks, address);
	if (blocks->slot[at].word[0] != 0) {
		*old = exp_blocks_get(&blocks->slot[at]);
		blocks->slot[at] = make_slot(address, block);
		return 1;
	}
	blocks->slot[at] = make_slot(address, block);
	blocks->count++;
	return 0;
}

/* Close the gap at `hole` with entries whose probe path leads over it. */
static void close_gap(struct exp_blocks *blocks, size_t hole)
{
	size_t at = hole;

	for (;;) {
		at = (at + 1) & blocks->mask;
		if (blocks->slot[at].word[0] == 0)
			break;
		size_t home = home_of(blocks, address_of(&blocks->slot[at]));

		if (((at - home) & blocks->mask) >= ((at - hole) & blocks->mask)) {
			blocks->slot[hole] = blocks->slot[at];
			hole = at;
		}
	}
	blocks->slot[hole] = (struct exp_block_slot){{0, 0}};
}

int exp_blocks_find(const struct exp_blocks *blocks, uint64_t address, struct exp_block *out)
{
	size_t at = probe(blocks, address);

	if (blocks->slot[at].word[0] == 0)
		return 0;
	*out = exp_blocks_get(&blocks->slot[at]);
	return 1;
}

int exp_blocks_take(struct exp_blocks *blocks, uint64_t address, struct exp_block *out)
{
	size_t at = probe(blocks, address);

	if (blocks->slot[at].word[0] == 0)
		return 0;
	*out = exp_blocks_get(&blocks->slot[at]);
	close_gap(blocks, at);
	blocks->count--;
	return 1;
}

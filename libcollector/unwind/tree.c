/* tree.c: the table of call-stack nodes.
 *
 * Nodes are allocated in the mapped frameinfo file by a compare-and-swap on `space`, {next, end} of
 * the block in use as file offsets, and found again through a hash table of offsets. A node is
 * written before it is published there (release), so whoever finds an offset (acquire) finds the
 * node. When two threads make the same node at once, one of the two stays unused. When a block runs
 * low, one thread prepares the next in `ahead`; so even a handler that interrupts just that thread
 * finds space.
 *
 * A node's first place is in a small part of the table, the others anywhere: else each of the first
 * thousands of nodes would touch a page of its own.
 *
 * The file is mapped from its start, also beyond its end. When it outgrows that, a longer mapping
 * takes the place of the one before, which stays, because others may be reading there.
 * See doc/decisions/08-object-lookup.md and doc/decisions/59-address-space.md and
 * doc/decisions/60-stack-table-growth.md. */
#include "libcollector/unwind/tree.h"

#include "libcollector/base/collector.h"
#include "libcollector/base/lock.h"
#include "libcollector/object/map.h"
#include "libcollector/base/budget.h"
#include "libcollector/write/stream.h"

#include <errno.h>

enum {
	TABLE_BITS = 22,
	TABLE_MIN_BITS = 12,
	PROBES = 64,
	BLOCK_MIN = 4096,
	BLOCK_MAX = 1 << 20,
	LOW = 64 * sizeof(struct fmt_node)
};
enum { NEAR_BITS = 13, NEAR_PROBES = 1 };
enum { FILE_MAPS = 5, FILE_MIN = 1 << 20, FILE_FACTOR = 4 }; /* 1, 4, 16, 64 MB */

static uint32_t *table;
static uint32_t table_mask;
static _Atomic(uint8_t *) file; /* frameinfo; nodes are named by offset. Set before any offset that
                                   needs it is known */
static size_t file_limit;       /* of all nodes of a full table */
static struct {
	uint8_t *at;
	size_t size;
} maps[FILE_MAPS];
static int map_count;
static atomic_uint_fast64_t space; /* next | end << 32 */
static atomic_uint_fast64_t ahead; /* the same for the block after; 0: not prepared */
static struct col_lock growing;    /* held by the thread that prepares it */
static uint32_t block_size = BLOCK_MIN;

void tree_close(void)
{
	for (int i = 0; i < map_count; i++)
		sys_munmap(maps[i].at, maps[i].size);
	map_count = 0;
	if (table)
		sys_munmap(table, ((size_t)table_mask + 1) * sizeof(uint32_t));
	file = NULL;
	table = NULL;
}

int tree_open(void)
{
	table = NULL;
	file = NULL;
	map_count = 0;
	block_size = BLOCK_MIN;
	atomic_store(&space, 0);
	atomic_store(&ahead, 0);
	col_lock_give(&growing);
	for (int bits = TABLE_BITS; bits >= TABLE_MIN_BITS; bits -= 2) {
		size_t size = sizeof(uint32_t) << bits;

		table = bits == TABLE_MIN_BITS || budget_allows(size, 32) ? sys_mmap_apart(size)
		                                                          : NULL;
		if (!table)
			continue;
		table_mask = (1u << bits) - 1;
		file_limit = sizeof(struct fmt_node) << bits;
		return 0;
	}
	return -ENOMEM;
}

void tree_advise(int advice)
{
	if (table)
		sys_madvise(table, (table_mask + 1) * sizeof(*table), advice);
	for (int i = 0; i < map_count; i++)
		sys_madvise(maps[i].at, maps[i].size, advice);
}

uint8_t *tree_find_map(uintptr_t address, size_t *size)
{
	for (int i = 0; i < map_count; i++)
		if (address - (uintptr_t)maps[i].at < maps[i].size) {
			*size = maps[i].size;
			return maps[i].at;
		}
	return NULL;
}

/* Write the headers of a new block at file offset `at`, which is mapped, and return its {next,
 * end}.
 */
static uint64_t begin_block(uint64_t at, uint32_t size)
{
	uint32_t header = at == 0 ? FDR_HEADER_SIZE : 0;
	uint8_t *start = file + at + header;
	uint8_t *event = start + FDR_PROLOGUE_SIZE;
	uint32_t payload = size - header - FDR_PROLOGUE_SIZE - 2 * FDR_METADATA_SIZE;
	uint32_t first = (uint32_t)at + header + FDR_PROLOGUE_SIZE + FDR_METADATA_SIZE +
	                 sizeof(struct fmt_nodes);
	struct fmt_nodes block = {
		.kind = FMT_KIND_nodes, .node_size = sizeof(struct fmt_node), .first = first};

	if (at != 0)
		col_stream_prologue(FMT_STREAM_FRAMEINFO, start, size, (uint32_t)col.pid);
	fdr_event_put(event, payload, col_ticks(), col_cpu());
	fdr_payload_put(event + FDR_METADATA_SIZE, &block, sizeof(block));
	return first | (uint64_t)(first + payload - sizeof(struct fmt_nodes)) << 32;
}

/* Have the file mapped up to `end`. Returns 0 or -ENOMEM. */
static int map_up_to(uint64_t end)
{
	size_t size = map_count ? maps[map_count - 1].size : 0,
	       longer = size ? size : FILE_MIN / FILE_FACTOR;
	uint8_t *at;

	if (end <= size)
		return 0;
	while (longer < end || longer == size)
		longer *= FILE_FACTOR;
	longer = longer < file_limit ? longer : file_limit;
	if (end > longer || map_count == FILE_MAPS)
		return -ENOMEM;
	at = col_stream_map(FMT_STREAM_FRAMEINFO, 0, longer);
	if (!at)
		return -ENOMEM;
	maps[map_count].at = at;
	maps[map_count++].size = longer;
	atomic_store_explicit(&file, at, memory_order_release);
	return 0;
}

/* Prepare the next block. Returns 0, or -1 if there is none. Only one thread at a time gets
 * here. */
static int grow(void)
{
	uint64_t at;

	if (col_stream_claim(FMT_STREAM_FRAMEINFO, block_size, &at) < 0)
		return -1;
	if (map_up_to(at + block_size) < 0) {
		col_stream_stop(FMT_STREAM_FRAMEINFO, -ENOMEM);
		return -1;
	}
	atomic_store_explicit(&ahead, begin_block(at, block_size), memory_order_release);
	block_size = block_size < BLOCK_MAX ? block_size * 2 : BLOCK_MAX;
	return 0;
}

/* If the block is needed now, wait for the thread that prepares it. Returns 0 if `ahead` is ready
 * or may be (other threads may have taken the block by now), -1 if it will not be. */
static int prepare_ahead(int is_needed)
{
	sys_sigset old;
	int status = 0;

	if (!file)
		map_begin();
	sys_block_signals(&old);
	if (is_needed ? col_lock_take(&growing) == 0 : col_lock_try(&growing)) {
		if (atomic_load(&ahead) == 0)
			status = grow();
		col_lock_give(&growing);
	} else if (is_needed) {
		status = -1;
	}
	sys_sigmask(SIG_SETMASK, &old, NULL);
	return status;
}

/* The block of `seen` is full: go on to the next one. Returns 0, or -1 when there is none. */
static int next_block(uint64_t seen)
{
	uint64_t block = atomic_load_explicit(&ahead, memory_order_acquire);

	if (block == 0)
		return atomic_load(&space) == seen ? prepare_ahead(1) : 0;
	/* Cleared by the thread that installs it, before any thread can need the one after. */
	if (atomic_compare_exchange_strong(&space, &seen, block))
		atomic_compare_exchange_strong(&ahead, &block, 0);
	return 0;
}

/* The offset of a fresh node; 0 if there is none to be had. */
static uint32_t allocate(void)
{
	for (;;) {
		uint64_t seen = atomic_load_explicit(&space, memory_order_acquire);
		uint32_t next = (uint32_t)seen;
		uint32_t end = (uint32_t)(seen >> 32);

		if (unlikely(next >= end)) {
			if (next_block(seen) < 0)
				return 0;
			continue;
		}
		if (!atomic_compare_exchange_weak(&space, &seen, seen + sizeof(struct fmt_node)))
			continue;
		if (unlikely(end - next == LOW))
			prepare_ahead(0);
		return next;
	}
}

static uint32_t hash(uint32_t parent, uint64_t pc, uint32_t generation)
{
	/* Each by a factor of its own: all bits of a generation must spread, or those of a long run
	 * share a few places. */
	uint64_t value = pc * 0x9e3779b97f4a7c15u ^ (uint64_t)parent * 0xd6e8feb86659fd93u ^
	                 generation * 0xff51afd7ed558ccdu;

	return (uint32_t)(value >> 32 ^ value);
}

static struct fmt_node *node_at(uint32_t offset)
{
	return (struct fmt_node *)(atomic_load_explicit(&file, memory_order_relaxed) + offset);
}

static int is_node(uint32_t offset, uint32_t parent, uint64_t pc, uint32_t generation)
{
	const struct fmt_node *node = node_at(offset);

	return node->pc == pc && node->parent == parent && node->generation == generation;
}

/* Where the node that hashes to `at` may be, place by place. When the near part is full, further
 * nodes stay out of it. */
static uint32_t *place(uint32_t at, int probe)
{
	const uint32_t near = 1u << NEAR_BITS;
	uint32_t place = (at + (uint32_t)probe) & table_mask;

	if (table_mask < 4 * near)
		return &table[place];
	if (probe < NEAR_PROBES)
		return &table[place & (near - 1)];
	return &table[place < near ? place + near : place];
}

uint32_t tree_node(uint32_t parent, uint64_t pc)
{
	uint32_t generation = atomic_load_explicit(&col.generation, memory_order_relaxed);
	uint32_t at = hash(parent, pc, generation);
	uint32_t mine = 0;

	for (int i = 0; i < PROBES; i++) {
		uint32_t *slot = place(at, i);
		uint32_t id = __atomic_load_n(slot, __ATOMIC_ACQUIRE);

		if (id == 0) {
			if (mine == 0)
				mine = allocate();
			if (mine == 0)
				break;
			*node_at(mine) = (struct fmt_node){
				.pc = pc, .parent = parent, .generation = generation};
			if (__atomic_compare_exchange_n(slot, &id, mine, 0, __ATOMIC_RELEASE,
			                                __ATOMIC_ACQUIRE))
				return mine;
		}
		if (is_node(id, parent, pc, generation))
			return id;
	}
	col_count(&col.count.lost[FMT_STREAM_FRAMEINFO], 1);
	return 0;
}

uint32_t tree_outside(uint32_t node, uint64_t start, uint64_t end)
{
	uint32_t at = node;

	while (at && node_at(at)->pc >= start && node_at(at)->pc < end)
		at = node_at(at)->parent;
	return at ? at : node;
}

uint32_t tree_outward(uint32_t node, uint64_t pc)
{
	uint32_t at = node;

	while (at && node_at(at)->pc != pc)
		at = node_at(at)->parent;
	return at ? at : node;
}

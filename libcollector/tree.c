/* tree.c: the table of call-stack nodes.
 *
 * Nodes are allocated in the mapped frameinfo file by a compare-and-swap on `space`, {next, end} of the
 * block in use as node ids, and found again through a hash table of ids. A node is written before its id
 * is published there (release), so whoever finds an id (acquire) finds the node. When two threads make the
 * same node at once, one of the two stays unused. When a block is full, one thread adds the next, which
 * others do not wait for longer than a moment: what they cannot get is counted as lost. */
#include "tree.h"

#include "collector.h"
#include "stream.h"

#include <errno.h>

enum { TABLE_BITS = 22, TABLE_MIN_BITS = 12, PROBES = 64, BLOCK_MIN = 4096, BLOCK_MAX = 1 << 20, GROW_SPINS = 20000 };

static uint32_t *table;
static uint32_t table_mask;
static struct fmt_node *nodes; /* by id: the file, mapped from its start, also beyond its end */
static uint32_t node_limit;
static atomic_uint_fast64_t space; /* next | end << 32 */
static atomic_uint growing;
static uint32_t block_size = BLOCK_MIN;

int tree_open(void)
{
	for (int bits = TABLE_BITS; bits >= TABLE_MIN_BITS; bits -= 2) {
		size_t size = sizeof(uint32_t) << bits;

		table = sys_mmap_anonymous(size);
		if (!table)
			continue;
		sys_madvise(table, size, MADV_DONTFORK);
		table_mask = (1u << bits) - 1;
		node_limit = 1u << bits;
		return 0;
	}
	return -ENOMEM;
}

/* Write the heads of a new block at file offset `at`, which is mapped, and return its {next, end}. */
static uint64_t begin_block(uint64_t at, uint32_t size)
{
	uint32_t head = at == 0 ? FDR_HEADER_SIZE : 0;
	uint8_t *start = (uint8_t *)nodes + at + head;
	uint8_t *event = start + FDR_PROLOGUE_SIZE;
	uint32_t payload = size - head - FDR_PROLOGUE_SIZE - 2 * FDR_METADATA_SIZE;
	uint32_t first = (uint32_t)((at + head) / FMT_NODE_UNIT) + 5;
	struct fmt_nodes block = {.kind = FMT_KIND_nodes, .node_size = sizeof(struct fmt_node), .first = first};

	if (at != 0)
		col_stream_prologue(FMT_STREAM_FRAMEINFO, start, size, (uint32_t)col.pid);
	memcpy(event + FDR_METADATA_SIZE, &block, sizeof(block));
	fdr_event_put(event, payload, col_ticks(), col_cpu());
	return first | (uint64_t)(first + payload / FMT_NODE_UNIT - 1) << 32;
}

/* Add a block. Only one thread at a time gets here. */
static void grow(void)
{
	uint64_t at;

	if (col_stream_claim(FMT_STREAM_FRAMEINFO, block_size, &at) < 0)
		return;
	if (!nodes)
		nodes = (struct fmt_node *)col_stream_map(FMT_STREAM_FRAMEINFO, 0, (size_t)node_limit * sizeof(struct fmt_node));
	if (!nodes || at + block_size > (uint64_t)node_limit * sizeof(struct fmt_node)) {
		col_stream_stop(FMT_STREAM_FRAMEINFO, -ENOMEM);
		return;
	}
	atomic_store_explicit(&space, begin_block(at, block_size), memory_order_release);
	block_size = block_size < BLOCK_MAX ? block_size * 2 : BLOCK_MAX;
}

/* Returns 0 when there may be space now, -1 when there will be none. */
static int wait_for_space(uint64_t seen)
{
	unsigned idle = 0;

	if (atomic_compare_exchange_strong(&growing, &idle, 1)) {
		if (atomic_load(&space) == seen)
			grow();
		atomic_store(&growing, 0);
		return atomic_load(&space) == seen ? -1 : 0;
	}
	for (int i = 0; i < GROW_SPINS; i++) {
		if (atomic_load(&space) != seen)
			return 0;
		if (!atomic_load(&growing))
			return -1;
		SYS0(SYS_sched_yield);
	}
	return -1;
}

/* A fresh node id; 0 if there is none to be had. */
static uint32_t allocate(void)
{
	for (;;) {
		uint64_t seen = atomic_load_explicit(&space, memory_order_acquire);
		uint32_t next = (uint32_t)seen;

		if (unlikely(next >= seen >> 32)) {
			if (wait_for_space(seen) < 0)
				return 0;
			continue;
		}
		if (atomic_compare_exchange_weak(&space, &seen, seen + 1))
			return next;
	}
}

static uint32_t hash(uint32_t parent, uint64_t pc, uint32_t generation)
{
	uint64_t value = (pc ^ (uint64_t)generation << 48) * 0x9e3779b97f4a7c15u ^ (uint64_t)parent * 0xd6e8feb86659fd93u;

	return (uint32_t)(value >> 32 ^ value);
}

static int is_node(uint32_t id, uint32_t parent, uint64_t pc, uint32_t generation)
{
	return nodes[id].pc == pc && nodes[id].parent == parent && nodes[id].generation == generation;
}

uint32_t tree_node(uint32_t parent, uint64_t pc)
{
	uint32_t generation = atomic_load_explicit(&col.generation, memory_order_relaxed);
	uint32_t at = hash(parent, pc, generation);
	uint32_t mine = 0;

	for (int i = 0; i < PROBES; i++, at++) {
		uint32_t *slot = &table[at & table_mask];
		uint32_t id = __atomic_load_n(slot, __ATOMIC_ACQUIRE);

		if (id == 0) {
			if (mine == 0)
				mine = allocate();
			if (mine == 0)
				break;
			nodes[mine] = (struct fmt_node){.pc = pc, .parent = parent, .generation = generation};
			if (__atomic_compare_exchange_n(slot, &id, mine, 0, __ATOMIC_RELEASE, __ATOMIC_ACQUIRE))
				return mine;
		}
		if (is_node(id, parent, pc, generation))
			return id;
	}
	col_count(&col.count.lost_frameinfo, 1);
	return 0;
}

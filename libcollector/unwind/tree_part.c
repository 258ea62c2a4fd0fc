/* tree_part.c: see tree_part.h.
 *
 * Nodes are allocated in the mapped file by a compare-and-swap on `space`, {next, end} of the block
 * in use. When a block runs low, one thread prepares the next in `ahead`; so even a handler that
 * interrupts just that thread finds space.
 *
 * The first part is mapped from its beginning, also beyond the end of the file. When it outgrows
 * that, a longer mapping takes the place of the one before. No mapping is taken away, because
 * others may be reading there: the pages are dropped from memory, and the addresses serve a later
 * part. That one begins when no user of the old part is left.
 * See doc/decisions/59-address-space.md and doc/decisions/99-stacks-age.md. */
#include "libcollector/unwind/tree_part.h"

#include "libcollector/unwind/tree.h"

#include "libcollector/base/budget.h"
#include "libcollector/base/collector.h"
#include "libcollector/base/lock.h"
#include "libcollector/object/map.h"
#include "libcollector/write/extent.h"
#include "libcollector/write/keep.h"
#include "libcollector/write/stream.h"

#include <errno.h>
#include <string.h>

enum {
	TABLE_MIN_BITS = 12,
	PARTS = 16,       /* two, and more while users of old ones have to wait for a processor */
	TABLE_SHARE = 64, /* of the address space that the program may have */
	ALL_SHARE = 8,
	BLOCK_MIN = 4096,
	BLOCK_MAX = 1 << 20,
	BLOCKS = 8, /* of a part, at least */
	LOW = 64
};
enum { FILE_MIN = 1 << 20, FILE_FACTOR = 4 };                     /* 256 KB, 1, 4, 16, 32 MB */
enum { RESTS_A_SECOND = 10000 };                                  /* as in memo_pool.h */
enum { WAITS = 20, WAIT_STEP_NS = 1000000, TRIES_A_SECOND = 10 }; /* while all parts have users */

uint32_t tree_mask;
_Atomic(struct tree_part *) tree_current;
atomic_uint tree_number;
int (*_Atomic tree_watch)(uint32_t number);

static struct tree_part parts[PARTS];
static struct col_lock growing; /* held by the thread that prepares a block, or a part */
/* under the lock */
static size_t part_limit; /* bytes of frameinfo: a table is at most half full */
static uint32_t block_size;

/* ---- memory */

static size_t table_size(void)
{
	return ((size_t)tree_mask + 1) * sizeof(uint32_t);
}

void tree_close(void)
{
	for (struct tree_part *part = parts; part < parts + PARTS; part++) {
		for (int i = 0; i < part->map_count; i++)
			sys_munmap(part->maps[i].at, part->maps[i].size);
		if (part->table)
			sys_munmap(part->table, table_size());
		*part = (struct tree_part){.table = NULL};
	}
	atomic_store(&tree_current, NULL);
}

/* What is kept has a size: a part is a small share of it. */
static int suited(int bits_max)
{
	uint64_t most = keep_most_stacks(UINT64_MAX);
	int bits = bits_max;

	while (bits > TABLE_MIN_BITS && sizeof(struct fmt_node) << (bits - 1) > most)
		bits -= 2;
	return bits;
}

int tree_parts_open(int bits_max)
{
	for (int i = 0; i < PARTS; i++)
		parts[i] = (struct tree_part){.table = NULL};
	block_size = BLOCK_MIN;
	col_lock_give(&growing);
	for (int bits = suited(bits_max); bits >= TABLE_MIN_BITS; bits -= 2) {
		size_t size = sizeof(uint32_t) << bits;

		if (bits - 2 >= TABLE_MIN_BITS && !budget_allows(size, TABLE_SHARE))
			continue;
		parts[0].table = sys_mmap_apart(size);
		if (!parts[0].table)
			continue;
		tree_mask = (1u << bits) - 1;
		part_limit = sizeof(struct fmt_node) << (bits - 1);
		parts[0].number = 1;
		atomic_store(&tree_current, &parts[0]);
		atomic_store(&tree_number, 1);
		return 0;
	}
	return -ENOMEM;
}

void tree_advise(int advice)
{
	for (struct tree_part *part = parts; part < parts + PARTS; part++) {
		if (part->table)
			sys_madvise(part->table, table_size(), advice);
		for (int i = 0; i < part->map_count; i++)
			sys_madvise(part->maps[i].at, part->maps[i].size, advice);
	}
}

uint8_t *tree_find_map(uintptr_t address, size_t *size)
{
	for (struct tree_part *part = parts; part < parts + PARTS; part++)
		for (int i = 0; i < part->map_count; i++)
			if (address - (uintptr_t)part->maps[i].at < part->maps[i].size) {
				*size = part->maps[i].size;
				return part->maps[i].at;
			}
	return NULL;
}

static uint64_t offset_of(uint32_t place)
{
	return (uint64_t)place * sizeof(struct fmt_node);
}

/* Map a part where another one was. Returns 0 or -ENOMEM. */
static int map_again(struct tree_part *part)
{
	uint8_t *at = part->maps[part->map_count - 1].at;
	size_t size = part->maps[part->map_count - 1].size;

	if (!col_stream_map(FMT_STREAM_FRAMEINFO, at, offset_of(part->begin), size))
		return -ENOMEM;
	atomic_store_explicit(&part->at, at, memory_order_release);
	return 0;
}

/* Have the part mapped for `used` bytes. Returns 0 or -ENOMEM. */
static int map_up_to(struct tree_part *part, size_t used)
{
	int count = part->map_count;
	size_t size = count ? part->maps[count - 1].size : 0,
	       longer = size ? size : FILE_MIN / FILE_FACTOR;
	uint8_t *at;

	if (part->used == 0 && count && used <= size)
		return map_again(part);
	if (used <= size)
		return 0;
	while (longer < used || longer == size)
		longer *= FILE_FACTOR;
	if (longer > part_limit || part->number > 1)
		longer = part_limit;
	at = count < TREE_MAPS
	             ? col_stream_map(FMT_STREAM_FRAMEINFO, NULL, offset_of(part->begin), longer)
	             : NULL;
	if (!at)
		return -ENOMEM;
	part->maps[count].at = at;
	part->maps[count].size = longer;
	part->map_count = count + 1;
	atomic_store_explicit(&part->at, at, memory_order_release);
	if (count)
		sys_madvise(part->maps[count - 1].at, size, MADV_DONTNEED);
	return 0;
}

/* ---- blocks */

/* Write the headers of a new block of the part at file offset `at`, and return its {next, end}. */
static uint64_t begin_block(const struct tree_part *part, uint64_t at, uint32_t size)
{
	uint32_t header = at == 0 ? FDR_HEADER_SIZE : 0;
	uint8_t *start = atomic_load(&part->at) + (at - offset_of(part->begin)) + header;
	uint8_t *event = start + FDR_PROLOGUE_SIZE;
	uint32_t payload = size - header - FDR_PROLOGUE_SIZE - 2 * FDR_METADATA_SIZE;
	uint32_t nodes = payload - sizeof(struct fmt_nodes);
	uint64_t first_at = at + header + FDR_PROLOGUE_SIZE + FDR_METADATA_SIZE +
	                    sizeof(struct fmt_nodes);
	uint32_t first = (uint32_t)(first_at / sizeof(struct fmt_node));
	struct fmt_nodes block = {.kind = FMT_KIND_nodes,
	                          .node_size = sizeof(struct fmt_node),
	                          .first = fmt_node_id(first)};

	if (at != 0)
		col_stream_prologue(FMT_STREAM_FRAMEINFO, start, size, (uint32_t)col.pid);
	fdr_event_put(event, payload, col_ticks(), col_cpu());
	fdr_payload_put(event + FDR_METADATA_SIZE, &block, sizeof(block));
	return first | (uint64_t)(first + nodes / sizeof(struct fmt_node)) << 32;
}

static uint32_t next_block_size(const struct tree_part *part)
{
	size_t left = part_limit - part->used;

	return block_size < left ? block_size : (uint32_t)left;
}

static void begin_at(struct tree_part *part, uint64_t at)
{
	part->begin = (uint32_t)(at / sizeof(struct fmt_node));
	keep_begin_stacks(at);
}

/* Claim the next block of the part, map it, and have it in `ahead`. Returns 0 or -errno. Only one
 * thread at a time gets here. */
static int grow(struct tree_part *part)
{
	uint32_t size = next_block_size(part);
	uint64_t at;
	int error;

	if (size < BLOCK_MIN)
		return -ENOSPC;
	error = col_stream_claim(FMT_STREAM_FRAMEINFO, size, &at);
	if (error < 0)
		return error;
	if ((at + size) / sizeof(struct fmt_node) > UINT32_MAX) {
		col_stream_stop(FMT_STREAM_FRAMEINFO, -EFBIG);
		return -EFBIG;
	}
	if (part->used == 0)
		begin_at(part, at);
	if (map_up_to(part, part->used + size) < 0) {
		col_stream_stop(FMT_STREAM_FRAMEINFO, -ENOMEM);
		return -ENOMEM;
	}
	part->used += size;
	atomic_store_explicit(&part->ahead, begin_block(part, at, size), memory_order_release);
	if (block_size < BLOCK_MAX && block_size * 2 <= part_limit / BLOCKS)
		block_size *= 2;
	return 0;
}

/* The same unless it is there already. A part that is no longer current does not grow: the file
 * goes on behind other parts. */
static int grow_once(struct tree_part *part)
{
	if (part != tree_part())
		return -ENOSPC;
	return atomic_load(&part->ahead) ? 0 : grow(part);
}

/* If the block is needed now, wait for the thread that prepares it. Returns 0 if `ahead` is ready
 * or may be (other threads may have taken the block by now), or -errno if it will not be. */
static int prepare_ahead(struct tree_part *part, int is_needed)
{
	sys_sigset old;
	int status = 0;

	if (!atomic_load(&part->at))
		map_begin();
	sys_block_signals(&old);
	if (is_needed ? col_lock_take(&growing) == 0 : col_lock_try(&growing)) {
		status = grow_once(part);
		col_lock_give(&growing);
	} else if (is_needed) {
		status = -EBUSY;
	}
	sys_sigmask(SIG_SETMASK, &old, NULL);
	return status;
}

/* The block of `seen` is full: go on to the next one. Returns 0, or -1 when there is none. */
static int next_block(struct tree_part *part, uint64_t seen)
{
	uint64_t block = atomic_load_explicit(&part->ahead, memory_order_acquire);

	if (block == 0)
		return atomic_load(&part->space) == seen ? prepare_ahead(part, 1) : 0;
	/* Who has installed it may not have come to clear it yet. */
	if ((uint32_t)block < (uint32_t)(seen >> 32)) {
		atomic_compare_exchange_strong(&part->ahead, &block, 0);
		return 0;
	}
	if (atomic_compare_exchange_strong(&part->space, &seen, block))
		atomic_compare_exchange_strong(&part->ahead, &block, 0);
	return 0;
}

int tree_parts_hold(void)
{
	return col_lock_take(&growing);
}

void tree_parts_release(void)
{
	col_lock_give(&growing);
}

uint32_t tree_part_allocate(struct tree_part *part)
{
	for (;;) {
		uint64_t seen = atomic_load_explicit(&part->space, memory_order_acquire);
		uint32_t next = (uint32_t)seen;
		uint32_t end = (uint32_t)(seen >> 32);

		if (unlikely(next >= end)) {
			if (next_block(part, seen) < 0)
				return 0;
			continue;
		}
		if (!atomic_compare_exchange_weak(&part->space, &seen, seen + 1))
			continue;
		if (unlikely(end - next == LOW))
			prepare_ahead(part, 0);
		return next;
	}
}

void tree_make(void)
{
	struct tree_part *part = tree_part();

	if (part && atomic_load(&part->space) == 0)
		prepare_ahead(part, 0);
}

/* ---- the next part */

/* Let a moment pass in which whoever was about to use the part shows it. */
static void rest(const struct tree_part *part)
{
	uint64_t until = atomic_load(&part->full_at) + col.descriptor.clock_hz / RESTS_A_SECOND;

	while (col_ticks() < until)
		SYS0(SYS_sched_yield);
}

static int has_users(const struct tree_part *part)
{
	int (*watch)(uint32_t) = atomic_load(&tree_watch);

	rest(part);
	return watch && watch(part->number);
}

/* The description of a part that has no users any more, or else one that was never used. */
static struct tree_part *find_unused(const struct tree_part *current)
{
	uint64_t one = part_limit + table_size(), total = 0;
	struct tree_part *fresh = NULL;

	for (struct tree_part *part = parts; part < parts + PARTS; part++) {
		total += part->number ? one : 0;
		if (part->number == 0)
			fresh = part;
		else if (part != current && !has_users(part))
			return part;
	}
	return budget_allows(total, ALL_SHARE) ? fresh : NULL;
}

static void empty(const struct tree_part *part)
{
	if (sys_madvise(part->table, table_size(), MADV_DONTNEED) < 0)
		memset(part->table, 0, table_size());
}

/* Its memory is dropped. Users that are left get nodes back from the file, and an empty table, in
 * which they change nothing that others see. */
static void retire(struct tree_part *part)
{
	const int last = part->map_count - 1;

	atomic_store(&part->full_at, col_ticks());
	empty(part);
	sys_madvise(part->maps[last].at, part->maps[last].size, MADV_DONTNEED);
}

/* Begin the part that follows `full` in a description without users. Returns 0 or -errno; then the
 * description is not in use. */
static int begin_part(struct tree_part *part, uint32_t number)
{
	int error;

	if (!part->table)
		part->table = sys_mmap_apart(table_size());
	if (!part->table)
		return -ENOMEM;
	if (part->number)
		empty(part);
	part->number = number;
	part->used = 0;
	atomic_store(&part->space, 0);
	atomic_store(&part->ahead, 0);
	error = grow(part);
	if (error < 0)
		part->number = 0;
	return error;
}

static int follow(struct tree_part *full)
{
	struct tree_part *next;
	int error;

	if (tree_part() != full)
		return 0;
	if (col_stream_is_stopped(FMT_STREAM_FRAMEINFO) || !atomic_load(&full->at))
		return -EIO;
	next = find_unused(full);
	error = next ? begin_part(next, full->number + 1) : -EBUSY;
	if (error < 0)
		return error;
	atomic_store_explicit(&tree_current, next, memory_order_release);
	atomic_store_explicit(&tree_number, next->number, memory_order_release);
	retire(full);
	return 0;
}

static int try_to_follow(struct tree_part *full)
{
	sys_sigset old;
	int error;

	sys_block_signals(&old);
	error = col_lock_take(&growing);
	if (error == 0) {
		error = follow(full);
		col_lock_give(&growing);
	}
	sys_sigmask(SIG_SETMASK, &old, NULL);
	return error;
}

int tree_part_follow(struct tree_part *full)
{
	static atomic_uint_fast64_t next_try;
	const struct timespec step = {.tv_nsec = WAIT_STEP_NS};
	const unsigned nobody = 0;
	int error = col_ticks() < atomic_load(&next_try) ? -EAGAIN : -EBUSY;

	for (int waits = 0; error == -EBUSY && waits < WAITS; waits++) {
		error = try_to_follow(full);
		if (error == -EBUSY)
			SYS4(SYS_futex, &nobody, FUTEX_WAIT_PRIVATE, nobody, &step);
	}
	if (error == -EBUSY)
		atomic_store(&next_try, col_ticks() + col.descriptor.clock_hz / TRIES_A_SECOND);
	return error;
}

struct tree_part *tree_part_of(uint32_t place)
{
	for (struct tree_part *part = parts; part < parts + PARTS; part++)
		if (part->number && atomic_load(&part->at) &&
		    place - part->begin < part->used / sizeof(struct fmt_node))
			return part;
	return NULL;
}

/* slot.c: the extents that threads fill. See stream.h. */
#include "libcollector/write/extent.h"

#include "libcollector/base/host.h"
#include "libcollector/write/keep.h"

#include <errno.h>

enum {
	SMALL = FDR_EXTENT_UNIT, /* the first extent, where many threads have one */
	FIRST = FDR_PAGE,
	LARGEST = 256 * 1024,
	LARGEST_OF_TRACE = 1024 * 1024,
	HELD_MAX = 16
	           << 20, /* bytes of all extents in use; when there are more, new ones are short */
	SHARE = 8         /* the part of what is left that one may have */
};

void col_slot_abandon(struct col_slot *slot)
{
	struct col_slot old = *slot;

	*slot = (struct col_slot){.size = old.size};
	atomic_signal_fence(memory_order_seq_cst);
	if (old.part)
		ring_give(old.part);
	else if (old.window)
		col_extent_give(old.window, old.size, old.kept);
}

void col_slot_advise(const struct col_slot *slot, int advice)
{
	if (slot->window)
		window_advise(slot->window, advice);
}

/* Let the slot, which has no extent, continue in a part of a ring. */
static int new_part(struct col_slot *slot, enum fmt_stream which, uint32_t tid)
{
	struct ring *ring;
	uint32_t overwritten;
	uint8_t *memory;
	int error;

	col_check_time();
	error = col_stream_open_ring(which, &ring);
	if (error < 0)
		return error;
	slot->part = ring_take(ring, &overwritten);
	if (!slot->part)
		return -EAGAIN;
	memory = ring_memory(ring, slot->part);
	col_count(&col.count.user_overwritten, overwritten);
	sys_madvise(memory, ring->part_size, MADV_POPULATE_WRITE);
	if (*(uint64_t *)memory)
		ring_clear(memory, ring->part_size);
	col_stream_prologue(which, memory, ring->part_size, tid);
	slot->size = ring->part_size;
	slot->at = memory + FDR_PROLOGUE_SIZE;
	slot->end = memory + ring->part_size;
	slot->tid = tid;
	return 0;
}

/* The longest extent that a slot may have now. */
static uint64_t longest(enum fmt_stream which)
{
	uint64_t most = which == FMT_STREAM_FUNCTRACE ? LARGEST_OF_TRACE : LARGEST;
	uint64_t limit = col_stream_limit_of(which);
	uint64_t used = col_extents_held();
	uint64_t left = used < HELD_MAX ? (HELD_MAX - used) / SHARE : 0;

	most = keep_longest(most);
	if (limit && limit / 16 < most) /* several of them to a limited stream */
		most = limit / 16;
	return left < most ? left : most;
}

/* Extents double, and each is large enough for an event of `need` bytes. */
static uint32_t next_size(const struct col_slot *slot, enum fmt_stream which, uint32_t need)
{
	int is_small = which != FMT_STREAM_FUNCTRACE && col_stream_has_many(which) && !keep_is_on();
	uint32_t first = is_small ? SMALL : FIRST;
	uint32_t size = slot->size == 0 ? first : slot->size * 2;
	uint64_t most = longest(which);

	while (size > FIRST && size > most)
		size /= 2;
	while (size < FDR_HEADER_SIZE + FDR_PROLOGUE_SIZE + 2 * FDR_METADATA_SIZE + need)
		size *= 2;
	return size;
}

/* Begin the next extent of the slot, which has none. */
static int new_extent(struct col_slot *slot, enum fmt_stream which, uint32_t tid, uint32_t need)
{
	struct col_extent extent;
	uint32_t header;
	uint8_t *memory;
	int error = col_extent_take(which, next_size(slot, which, need), &extent);

	if (error < 0)
		return error;
	slot->size = extent.size;
	slot->window = extent.window;
	slot->kept = extent.kept;
	memory = window_memory(extent.window, extent.at);
	if (extent.size >= FDR_PAGE)
		sys_madvise(memory, extent.size, MADV_POPULATE_WRITE);
	if (extent.kept && extent.at != 0 && *(uint64_t *)memory)
		ring_clear(memory, extent.size);
	header = extent.at == 0 ? FDR_HEADER_SIZE : 0;
	if (extent.at != 0)
		col_stream_prologue(which, memory, extent.size, tid);
	slot->at = memory + header + FDR_PROLOGUE_SIZE;
	slot->end = memory + extent.size;
	slot->tid = tid;
	return 0;
}

/* The last thread of the slot is gone: the next one begins a buffer after the EndOfBuffer. */
static int new_buffer(struct col_slot *slot, enum fmt_stream which, uint32_t tid, uint32_t size)
{
	uint8_t *at = slot->at + FDR_METADATA_SIZE;
	size_t need = FDR_PROLOGUE_SIZE + 2 * FDR_METADATA_SIZE + size;

	if (!col_slot_is_open(slot) || (size_t)(slot->end - slot->at) < FDR_METADATA_SIZE + need)
		return 0;
	col_stream_prologue(which, at, (uint32_t)(slot->end - at), tid);
	slot->at = at + FDR_PROLOGUE_SIZE;
	slot->tid = tid;
	return 1;
}

int col_slot_refill(struct col_slot *slot, enum fmt_stream which, uint32_t tid, uint32_t size)
{
	int error = -EIO;

	if (unlikely(atomic_load(&col.is_quiet)))
		col_host->greet(slot);
	if (!col_stream_is_stopped(which)) {
		if (slot->tid != tid && new_buffer(slot, which, tid, size))
			return 0;
		col_slot_abandon(slot);
		error = col_stream_is_ring(which) ? new_part(slot, which, tid)
		                                  : new_extent(slot, which, tid, size);
	}
	if (error < 0)
		col_stream_count_lost(which);
	return error;
}

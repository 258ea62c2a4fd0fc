/* stream.h: the event data files, written by all threads at the same time.
 *
 * A stream is one FDR file. A thread owns a *slot* of each stream that it writes: an extent, filled
 * from `at` to `end`, in a window of the file (window.h) that many extents share. Extents grow from
 * 4 KiB to 256 KiB (functrace: 1 MiB) for each slot; the first ones are of 512 bytes when there are
 * many, and all are smaller when much memory is in use already. So thousands of threads or small
 * processes cost little. A slot outlives its thread: the next thread continues in it with a buffer
 * of its own.
 *
 * Invariants of an open slot: *at is an EndOfBuffer record; all bytes after it, to `end`, are
 * zero. */
#ifndef XER_COLLECTOR_STREAM_H
#define XER_COLLECTOR_STREAM_H

#include "libcollector/base/collector.h"
#include "libcollector/write/ring.h"
#include "libcollector/write/window.h"

#include "format/fdr.h"

struct col_slot {
	uint8_t *at;
	uint8_t *end;
	uint32_t size;          /* of the extent, or of the last one; 0: there was none */
	uint32_t tid;           /* of the buffer under `at` */
	struct window *window;  /* that the extent is in; NULL if there is none, or in a ring */
	struct ring_part *part; /* of a ring that the extent is; NULL if there is none */
	uint32_t kept;          /* its number among what is kept (keep.h); 0: it has none */
};

/* Has the slot an extent? */
static inline int col_slot_is_open(const struct col_slot *slot)
{
	return slot->window || slot->part;
}

/* Make space for one event with `size` bytes of payload (a multiple of 8) in `slot` of `stream`,
 * for thread tid. Returns 0, or -errno when the stream has stopped; the event is then counted as
 * lost. Signal-safe, if the slot belongs to the caller's context. */
int col_slot_refill(struct col_slot *slot, enum fmt_stream stream, uint32_t tid, uint32_t size);

/* Begin an event with `size` bytes of payload, a multiple of 8. Returns the payload, zero, to be
 * completed as fdr_payload_put does: the first word last. NULL: the stream has stopped. */
static inline uint8_t *col_slot_event(struct col_slot *slot, enum fmt_stream stream, uint32_t tid,
                                      uint32_t size, uint64_t ticks)
{
	size_t need = 2 * FDR_METADATA_SIZE + size;
	uint8_t *at;

	if (unlikely(slot->tid != tid || (size_t)(slot->end - slot->at) < need) &&
	    col_slot_refill(slot, stream, tid, size) < 0)
		return NULL;
	at = slot->at;
	fdr_event_put(at, size, ticks, col_cpu());
	slot->at = at + FDR_METADATA_SIZE + size;
	return at + FDR_METADATA_SIZE;
}

/* Write a whole event. Returns 0, or -1 when the stream has stopped. */
static inline int col_slot_write(struct col_slot *slot, enum fmt_stream stream, uint32_t tid,
                                 const void *record, uint32_t size, uint64_t ticks)
{
	uint8_t *payload = col_slot_event(slot, stream, tid, size, ticks);

	if (!payload)
		return -1;
	fdr_payload_put(payload, record, size);
	return 0;
}

/* Is the event with this payload, of `size` bytes, the last one of the slot? The payload is not
 * read. */
static inline int col_slot_ends_with(const struct col_slot *slot, const uint8_t *payload,
                                     uint32_t size)
{
	return col_slot_is_open(slot) && payload > slot->end - slot->size && payload < slot->end &&
	       payload + size == slot->at;
}

/* Take back the last event of the slot, of `size` bytes. */
static inline void col_slot_take_back(struct col_slot *slot, uint32_t size)
{
	slot->at = fdr_event_take_back(slot->at, size);
}

/* Give up the extent of a slot whose writer was interrupted for good; the next event begins another
 * one. Signal-safe. */
void col_slot_abandon(struct col_slot *slot);

/* madvise(2) for the memory that it is in. Signal-safe. */
void col_slot_advise(const struct col_slot *slot, int advice);

/* The frameinfo stream is mapped as a whole: these give its parts. */

/* Reserve `size` bytes (a multiple of 4096) at the end of a stream; the file is created if it does
 * not exist. Returns 0 with the offset of the extent in *at, or -errno with the stream stopped.
 * Signal-safe. */
int col_stream_claim(enum fmt_stream stream, uint32_t size, uint64_t *at);

/* Create its file, if it has none. Signal-safe. */
void col_stream_make(enum fmt_stream stream);

/* Map [at, at + size) of a stream for writing; `there`, in the place of a mapping of that size, if
 * it is not NULL. NULL if that fails. Signal-safe. */
uint8_t *col_stream_map(enum fmt_stream stream, uint8_t *there, uint64_t at, size_t size);

/* Read [at, at + size) of its file. Returns 0 or -errno. Signal-safe. */
int col_stream_read(enum fmt_stream stream, uint64_t at, void *to, size_t size);

/* Put a prologue at `at`, `left` bytes before the end of its extent. Signal-safe. */
void col_stream_prologue(enum fmt_stream stream, uint8_t *at, uint32_t left, uint32_t tid);

/* Stop a stream for good: further events are lost, and log.xml says why. Signal-safe. */
void col_stream_stop(enum fmt_stream stream, int error);

/* The same because pages of the file are lost (lostpages.h). Signal-safe. */
void col_stream_lose(enum fmt_stream stream);

/* Before anything is written to a stream: limit it to about `bytes`, either as a ring, in which the
 * newest events replace the oldest, or by an end when it is full. Returns 0, -EINVAL (too small) or
 * -ENOMEM (a ring). */
int col_stream_limit(enum fmt_stream stream, uint64_t bytes, int is_ring);

/* Take all limits back, and unmap rings: no thread records, and all slots are abandoned. */
void col_streams_unlimit(void);

/* In a forked child, which has not inherited the memory of slots and windows: there are none.
 * Signal-safe. */
void col_extents_lose(void);

/* Close all descriptors, and be as at the start: in such a child, or when no thread records, and
 * all slots are abandoned. */
void col_streams_forget(void);

/* Stop all of them without a note: there is no place for it. Signal-safe. */
void col_streams_stop(void);

#endif

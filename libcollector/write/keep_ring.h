/* keep_ring.h: the ring of extents and the table of processes of xcollect --keep, without the files
 * that they tell of. All processes change them at the same time, without locks: one that is killed
 * in the middle leaves at most one extent behind. Signal-safe. */
#ifndef XER_COLLECTOR_KEEP_RING_H
#define XER_COLLECTOR_KEEP_RING_H

#include "libcollector/base/collector.h"

#include "format/keep.h"

/* The ring, and the number that the calling process has in its table. */
struct keep_ring {
	struct fmt_keep *keep;
	uint64_t bytes; /* of descriptor.keep_bytes */
	unsigned me;
};

/* An extent that its finder may drop or use again: nobody else will. */
struct keep_victim {
	struct fmt_keep_extent *extent;
	enum fmt_stream stream;
	unsigned process;
	uint32_t size;
	uint64_t at;    /* 0: it has got no place in its file */
	uint64_t ticks; /* no event in it is newer */
};

/* Put an extent of the calling process at the end of the ring, where somebody writes. at 0: it will
 * be told later. Returns its number, or 0: the ring is full. */
uint32_t keep_ring_enter(const struct keep_ring *ring, enum fmt_stream stream, uint32_t size,
                         uint64_t at);

struct fmt_keep_extent *keep_ring_at(const struct keep_ring *ring, uint32_t number);

/* Does the calling process write there? */
int keep_ring_is_held(const struct keep_ring *ring, uint32_t number);

/* It is full: nobody writes there any more. Nothing if it is not the caller's, or was given
 * already. */
void keep_ring_give(const struct keep_ring *ring, uint32_t number);

/* Take it out. */
void keep_ring_leave(const struct keep_ring *ring, struct fmt_keep_extent *extent);

/* What was found could not be dropped: it goes to the end of the ring, so that the next one has its
 * turn, and this one that of another process. */
void keep_ring_return(const struct keep_ring *ring, const struct keep_victim *victim);

/* Find the oldest extent that nobody writes to and nothing that is kept needs. before: only one
 * that was full by then. Returns 1, or 0: there is none before the end of the ring. */
int keep_ring_oldest(const struct keep_ring *ring, uint64_t before, struct keep_victim *out);

/* The same of what lies behind the hand: extents of processes that have ended since, and what found
 * no place elsewhere. It looks at the whole ring. */
int keep_ring_sweep(const struct keep_ring *ring, struct keep_victim *out);

/* The same of an extent of the calling process, of that file and size: the oldest of them, if it is
 * one of the oldest of all. */
int keep_ring_oldest_like(const struct keep_ring *ring, enum fmt_stream stream, uint32_t size,
                          uint64_t before, struct keep_victim *out);

/* Find the number of the calling process, whose directory has that name. Returns 1, or 0: the table
 * is full. Of the same pid there was another program before: that has ended. */
int keep_ring_register(struct keep_ring *ring, const char *name);

#endif

/* extent.h: what slots (slot.c) need of the streams that they belong to (stream.c). All of it is
 * signal-safe. */
#ifndef XER_COLLECTOR_EXTENT_H
#define XER_COLLECTOR_EXTENT_H

#include "libcollector/write/stream.h"

/* A part of a file, and the window that it is in, of which its holder is a user. */
struct col_extent {
	struct window *window;
	uint64_t at; /* in the file */
	uint32_t size;
	uint32_t kept; /* its number among what is kept (keep.h), or 0 */
};

/* Take an extent of `size` bytes: a multiple of 4096, or a power of two below that. The file is
 * created if there is none; then the extent is a page at least. Returns 0, or -errno: the stream
 * has stopped, or there is none for the moment. */
int col_extent_take(enum fmt_stream stream, uint32_t size, struct col_extent *out);

/* Nobody writes into it any more. */
void col_extent_give(struct window *window, uint32_t size, uint32_t kept);

/* Bytes of all extents in use, of all streams. */
uint64_t col_extents_held(void);

/* Has the stream had so many buffers that many threads write to it? */
int col_stream_has_many(enum fmt_stream stream);

int col_stream_is_stopped(enum fmt_stream stream);

/* Of claimed bytes, 0: none. */
uint64_t col_stream_limit_of(enum fmt_stream stream);

/* Is it a ring? If so, its file and its window can be created. Returns 0 or -errno. */
int col_stream_is_ring(enum fmt_stream stream);
int col_stream_open_ring(enum fmt_stream stream, struct ring **ring);

/* Count an event that could not be written. */
void col_stream_count_lost(enum fmt_stream stream);

#endif

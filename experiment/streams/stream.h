/* stream.h: walk the events of one data file.
 *
 * A stream knows its extents (see format/fdr.h). A cursor reads the events of one extent in chunks,
 * by pread: a mapping of a file that its writer still grows or truncates could raise SIGBUS. The
 * file may be compressed (datafile.h): offsets are those of the plain file. Damage is reported with
 * the file's name and offset, and the cursor goes on at the next sound record. */
#ifndef XER_EXPERIMENT_STREAMS_STREAM_H
#define XER_EXPERIMENT_STREAMS_STREAM_H

#include "experiment/base/internal.h"
#include "experiment/streams/datafile.h"
#include "format/fdr.h"

#include <string.h>
#include <sys/types.h>

/* Names of the streams, as format/layout.h lists them. */
extern const char *const exp_stream_names[];

struct exp_extent {
	uint64_t at;  /* file offset of its first buffer */
	uint64_t end; /* file offset, at most the file's size */
	uint64_t tsc; /* of its first record */
};

struct exp_stream {
	struct experiment *experiment;
	const char *name;
	struct exp_data_file file;
	uint64_t size; /* as found when it was opened */
	unsigned faults;
	uint64_t from;              /* ticks: events before are passed over */
	uint64_t until;             /* ticks: what comes later in an extent is not read */
	struct exp_extent *extents; /* extents[extent_count] in order of the file */
	size_t extent_count, extent_capacity;
};

/* Open a data file and find its extents. Returns 0; -ENOENT if there is none; -EBADMSG (reported)
 * if it is unusable; -ENOMEM. After success the caller calls exp_stream_close. */
int exp_stream_open(struct experiment *experiment, const char *name, struct exp_stream *out);
void exp_stream_close(struct exp_stream *stream);

/* Report a fault at a file offset; only the first few of a stream are reported one by one. */
void exp_stream_fault(struct exp_stream *stream, uint64_t offset, const char *what);

/* Report that nothing could be read at an offset inside of the file as it was when it was opened:
 * `got` is what pread returned, 0 or -1 (errno). */
void exp_stream_unreadable(struct exp_stream *stream, uint64_t offset, ssize_t got);

/* The first unit (FDR_EXTENT_UNIT) at or behind `at`, itself the start of one, that begins with a
 * sound buffer. Returns its file offset, or the file's size. */
uint64_t exp_stream_find_buffer(const struct exp_stream *stream, uint64_t at);

struct exp_cursor {
	/* The current event, valid until the next call. */
	const uint8_t *payload;
	uint32_t payload_size;
	uint32_t tid;
	uint64_t tsc;
	uint64_t key;        /* highest tsc so far: never falls */
	uint64_t buffer_tsc; /* of the buffer's prologue */
	unsigned buffers;    /* grows with every buffer */
	unsigned noted;      /* free for the caller, 0 at first */
	size_t owner;        /* likewise */
	/* What follows is the cursor's own. */
	const uint8_t *at, *end; /* unread part of the chunk */
	uint64_t end_offset;     /* file offset of `end` */
	uint64_t limit;          /* file offset where the extent ends */
	struct exp_stream *stream;
	uint8_t *chunk;
	size_t capacity;
	int failed; /* -ENOMEM */
};

/* The CPU of the current event. */
static inline uint16_t exp_cursor_cpu(const struct exp_cursor *cursor)
{
	const uint8_t *header = cursor->payload - FDR_METADATA_SIZE;

	return (uint16_t)(header[13] | header[14] << 8);
}

/* Begin to read an extent with a chunk of about `chunk_size` bytes (it grows for longer
 * records). Returns 0 or -ENOMEM; exp_cursor_fini frees the chunk. A cursor may be opened again
 * for another extent. */
int exp_cursor_open(struct exp_cursor *cursor, struct exp_stream *stream,
                    const struct exp_extent *extent, size_t chunk_size);
void exp_cursor_fini(struct exp_cursor *cursor);

/* File offset of the current event's payload. */
uint64_t exp_cursor_payload_offset(const struct exp_cursor *cursor);

/* Report damage at the cursor's event. */
void exp_cursor_fault(const struct exp_cursor *cursor, const char *what);

/* exp_cursor_next where the next record is not an event that lies whole in the chunk. */
int exp_cursor_next_slow(struct exp_cursor *cursor);

/* Go to the next event. Returns 1, or 0 at the end of the extent, or of what is read of it. */
static inline int exp_cursor_next(struct exp_cursor *cursor)
{
	const uint8_t *at = cursor->at;
	size_t left = (size_t)(cursor->end - at);
	uint64_t word0, word1;
	uint32_t size;

	if (left < FDR_METADATA_SIZE)
		return exp_cursor_next_slow(cursor);
	memcpy(&word0, at, sizeof(word0));
	memcpy(&word1, at + sizeof(word0), sizeof(word1));
	size = (uint32_t)(word0 >> 8);
	if ((uint8_t)word0 != FDR_CUSTOM_EVENT || size > left - FDR_METADATA_SIZE || size == 0 ||
	    size % 8 != 0)
		return exp_cursor_next_slow(cursor);
	cursor->payload = at + FDR_METADATA_SIZE;
	cursor->payload_size = size;
	cursor->tsc = word0 >> 40 | word1 << 24;
	if (cursor->tsc > cursor->key)
		cursor->key = cursor->tsc;
	cursor->at = cursor->payload + size;
	return cursor->tsc <= cursor->stream->until;
}

/* Go to the first event that is not before stream->from. Returns as exp_cursor_next. */
static inline int exp_cursor_first(struct exp_cursor *cursor)
{
	int more = exp_cursor_next(cursor);

	while (more && cursor->tsc < cursor->stream->from)
		more = exp_cursor_next(cursor);
	return more;
}

/* Walk the events of streams[count] merged by time. `run` is called with a cursor whose current
 * event is the earliest of all; it handles events and calls exp_cursor_next until that returns 0 or
 * the key exceeds `until`, and returns what exp_cursor_next returned last, or 0 to leave the rest
 * of the cursor's extent. Returns 0 or -ENOMEM. */
int exp_streams_merge(struct exp_stream *streams, size_t count,
                      int (*run)(void *context, struct exp_cursor *cursor, uint64_t until),
                      void *context);

static inline int exp_stream_merge(struct exp_stream *stream,
                                   int (*run)(void *context, struct exp_cursor *cursor,
                                              uint64_t until),
                                   void *context)
{
	return exp_streams_merge(stream, 1, run, context);
}

/* Walk a stream's events in order of the file. Returns 0 or -ENOMEM. */
int exp_stream_each(struct exp_stream *stream,
                    void (*event)(void *context, struct exp_cursor *cursor), void *context);

#endif

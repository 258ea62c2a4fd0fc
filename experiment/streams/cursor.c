/* cursor.c: reads the records of one extent: refills the chunk, passes over what is no event,
 * and finds the next sound record behind a damaged one. */
#include "experiment/streams/stream.h"
#include "format/record.h"
#include "format/retry.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	RECORD_MAX = 64 << 20, /* bytes; longer ones are damage */
	SLACK_MAX = 256,       /* bytes that later versions may append to a record */
	CHUNK_PACKED = 32 << 10
};

static uint64_t offset_of(const struct exp_cursor *cursor, const uint8_t *at)
{
	return cursor->end_offset - (uint64_t)(cursor->end - at);
}

uint64_t exp_cursor_payload_offset(const struct exp_cursor *cursor)
{
	return offset_of(cursor, cursor->payload);
}

void exp_cursor_fault(const struct exp_cursor *cursor, const char *what)
{
	exp_stream_fault(cursor->stream, exp_cursor_payload_offset(cursor), what);
}

static int grow_chunk(struct exp_cursor *cursor, size_t capacity)
{
	size_t left = (size_t)(cursor->end - cursor->at);
	uint8_t *chunk = malloc(capacity);

	if (!chunk) {
		cursor->failed = -ENOMEM;
		return -ENOMEM;
	}
	memcpy(chunk, cursor->at, left);
	free(cursor->chunk);
	cursor->chunk = chunk;
	cursor->capacity = capacity;
	cursor->at = chunk;
	cursor->end = chunk + left;
	return 0;
}

/* Have `need` bytes at cursor->at, as far as the extent has them. Returns how many there are. */
static size_t refill(struct exp_cursor *cursor, size_t need)
{
	size_t left = (size_t)(cursor->end - cursor->at);
	unsigned tries = 0;

	if (left >= need || cursor->end_offset >= cursor->limit)
		return left;
	if (need > cursor->capacity) {
		if (grow_chunk(cursor, need) != 0)
			return left;
	} else {
		memmove(cursor->chunk, cursor->at, left);
		cursor->at = cursor->chunk;
		cursor->end = cursor->chunk + left;
	}
	while (left < need && cursor->end_offset < cursor->limit) {
		uint64_t rest = cursor->limit - cursor->end_offset;
		size_t room = cursor->capacity - left;
		ssize_t got = exp_data_file_read(&cursor->stream->file, cursor->chunk + left,
		                                 rest < room ? (size_t)rest : room,
		                                 cursor->end_offset);

		if (retry_call(got, &tries))
			continue;
		if (got <= 0) {
			exp_stream_unreadable(cursor->stream, cursor->end_offset, got);
			cursor->limit = cursor->end_offset;
			break;
		}
		left += (size_t)got;
		cursor->end_offset += (uint64_t)got;
		cursor->end = cursor->chunk + left;
	}
	return left;
}

int exp_cursor_open(struct exp_cursor *cursor, struct exp_stream *stream,
                    const struct exp_extent *extent, size_t chunk_size)
{
	uint64_t length = extent->end - extent->at;
	size_t capacity;

	/* A frame that was dropped meanwhile is decompressed whole for each chunk. */
	if (stream->file.packed && chunk_size < CHUNK_PACKED)
		chunk_size = CHUNK_PACKED;
	capacity = length < chunk_size ? (size_t)length : chunk_size;
	if (capacity < FDR_PROLOGUE_SIZE + FDR_METADATA_SIZE)
		capacity = FDR_PROLOGUE_SIZE + FDR_METADATA_SIZE;
	if (capacity > cursor->capacity) {
		free(cursor->chunk);
		cursor->capacity = 0;
		cursor->chunk = malloc(capacity);
		if (!cursor->chunk)
			return -ENOMEM;
		cursor->capacity = capacity;
	}
	cursor->stream = stream;
	cursor->at = cursor->chunk;
	cursor->end = cursor->chunk;
	cursor->end_offset = extent->at;
	cursor->limit = extent->end;
	cursor->key = 0;
	cursor->failed = 0;
	return 0;
}

void exp_cursor_fini(struct exp_cursor *cursor)
{
	free(cursor->chunk);
	*cursor = (struct exp_cursor){0};
}

/* Take the prologue at the cursor. Returns 1, or 0 if it is none. */
static int take_prologue(struct exp_cursor *cursor)
{
	struct fdr_prologue prologue;

	if (refill(cursor, FDR_PROLOGUE_SIZE) < FDR_PROLOGUE_SIZE ||
	    fdr_prologue_get(cursor->at, &prologue) != 0)
		return 0;
	cursor->tid = prologue.tid;
	cursor->buffer_tsc = prologue.tsc;
	cursor->buffers++;
	cursor->at += FDR_PROLOGUE_SIZE;
	return 1;
}

/* True if at[left] looks like a record of ours. Stricter than decoding, since the bytes may be
 * anything. */
static int is_plausible(const struct exp_cursor *cursor, const uint8_t *at, size_t left)
{
	const struct fmt_record *record;
	struct fdr_prologue prologue;
	uint32_t size;

	if (left >= FDR_PROLOGUE_SIZE && at[0] == FDR_NEW_BUFFER)
		return fdr_prologue_get(at, &prologue) == 0;
	if (left < FDR_METADATA_SIZE + 8 || at[0] != FDR_CUSTOM_EVENT || at[15] != 0)
		return 0;
	memcpy(&size, at + 1, sizeof(size));
	record = fmt_record_find(at[FDR_METADATA_SIZE]);
	if (!record || size % 8 != 0 || size < record->size ||
	    offset_of(cursor, at) + FDR_METADATA_SIZE + size > cursor->limit)
		return 0;
	if (record->kind == FMT_KIND_user_bytes)
		return size <= (uint32_t)record->size + FMT_USER_BYTES + SLACK_MAX;
	return record->kind == FMT_KIND_nodes || size <= (uint32_t)record->size + SLACK_MAX;
}

/* Go to the next sound record behind the cursor. Returns 1, or 0 if there is none. */
static int find_record(struct exp_cursor *cursor)
{
	size_t left = (size_t)(cursor->end - cursor->at);

	cursor->at += left < 8 ? left : 8;
	while ((left = refill(cursor, FDR_PROLOGUE_SIZE + FDR_METADATA_SIZE)) >= 8) {
		if (is_plausible(cursor, cursor->at, left))
			return 1;
		cursor->at += 8;
	}
	return 0;
}

static void report_skip(struct exp_cursor *cursor, uint64_t from, uint64_t to, const char *what)
{
	char text[128];

	snprintf(text, sizeof(text), "%s, skipped to %llu", what, (unsigned long long)to);
	exp_stream_fault(cursor->stream, from, text);
}

/* Report the damage at the cursor and go to the next record behind it. Returns 1, or 0 if there
 * is none. */
static int resync(struct exp_cursor *cursor, const char *what)
{
	uint64_t from = offset_of(cursor, cursor->at);
	int found = find_record(cursor);

	report_skip(cursor, from, found ? offset_of(cursor, cursor->at) : cursor->limit, what);
	return found;
}

static int is_unused(const uint8_t *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof(word));
	return word == 0;
}

/* Pass the EndOfBuffer at the cursor. Returns 1 if another buffer follows, else 0. What follows may
 * also be the payload of a record whose thread was killed before it was published: that is not
 * damage, unless sound records follow it. */
static int pass_end(struct exp_cursor *cursor)
{
	uint64_t from;

	cursor->at += FDR_METADATA_SIZE;
	from = offset_of(cursor, cursor->at);
	if (refill(cursor, FDR_PROLOGUE_SIZE) < 8 || is_unused(cursor->at))
		return 0;
	if (take_prologue(cursor))
		return 1;
	if (!find_record(cursor))
		return 0;
	report_skip(cursor, from, offset_of(cursor, cursor->at), "not a buffer");
	return 1;
}

/* Have the whole event at the cursor in the chunk. Returns 1 if it is there, else 0. */
static int load_event(struct exp_cursor *cursor)
{
	uint32_t size;

	memcpy(&size, cursor->at + 1, sizeof(size));
	if (size == 0 || size % 8 != 0 || size > RECORD_MAX)
		return 0;
	return refill(cursor, FDR_METADATA_SIZE + size) >= FDR_METADATA_SIZE + size;
}

/* Pass over one record that is no event. Returns 1 to go on, 0 at the end of the extent. */
static int pass_record(struct exp_cursor *cursor, size_t left)
{
	struct fdr_record record;
	int size = fdr_record_get(cursor->at, left, &record);

	if (size < 0)
		return resync(cursor, size == -ENODATA ? "a record is cut off" : "not a record");
	switch (record.type) {
	case FDR_RECORD_END:
		return pass_end(cursor);
	case FDR_RECORD_NEW_BUFFER:
		return take_prologue(cursor) || resync(cursor, "a buffer's prologue is damaged");
	case FDR_RECORD_FUNCTION:
	case FDR_RECORD_ARGUMENT:
	case FDR_RECORD_CPU:
	case FDR_RECORD_WRAP:
	case FDR_RECORD_WALL:
	case FDR_RECORD_EVENT:
		break;
	}
	cursor->at += size;
	return 1;
}

/* The records of an extent have ended. If the rest of it holds a buffer at the start of a unit,
 * that is another extent, and the length of this one is damaged: go there. Returns 1, or 0 if there
 * is none. */
static int find_swallowed(struct exp_cursor *cursor)
{
	uint64_t from = offset_of(cursor, cursor->at);
	uint64_t unit = from / FDR_EXTENT_UNIT * FDR_EXTENT_UNIT + FDR_EXTENT_UNIT;
	uint64_t next;

	/* A live writer may have gone on here since. */
	if (unit >= cursor->limit || exp_is_live(cursor->stream->experiment))
		return 0;
	next = exp_stream_find_buffer(cursor->stream, unit);
	if (next >= cursor->limit)
		return 0;
	report_skip(cursor, from, next, "the length of an extent is damaged");
	cursor->at = cursor->chunk;
	cursor->end = cursor->chunk;
	cursor->end_offset = next;
	return 1;
}

/* Go to the next event. Returns 1, or 0 where the records end. */
static int next_event(struct exp_cursor *cursor)
{
	for (;;) {
		size_t left = refill(cursor, FDR_METADATA_SIZE);

		if (left < 8 || is_unused(cursor->at))
			return 0;
		if (left >= FDR_METADATA_SIZE && cursor->at[0] == FDR_CUSTOM_EVENT) {
			if (load_event(cursor))
				return exp_cursor_next(cursor);
			if (cursor->failed != 0 ||
			    !resync(cursor, "an event is damaged or cut off"))
				return 0;
		} else if (!pass_record(cursor, left)) {
			return 0;
		}
	}
}

int exp_cursor_next_slow(struct exp_cursor *cursor)
{
	int more = next_event(cursor);

	while (!more && cursor->failed == 0 && find_swallowed(cursor))
		more = next_event(cursor);
	return more;
}

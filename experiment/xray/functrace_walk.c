/* functrace_walk.c: the records of a function trace, buffer by buffer. See functrace.h.
 *
 * A thread's buffers may lie in extents that it fills by turns, so extents wait in a heap by the
 * time of their next buffer. An extent is read through a chunk.
 * See doc/decisions/28-call-pairing.md. */
#include "experiment/xray/functrace.h"
#include "format/record.h"
#include "format/retry.h"

#include <errno.h>
#include <stdlib.h>

enum {
	CHUNK = 256 * 1024,
	SLACK = 64,            /* bytes behind the chunk that are zero */
	EVENT_MAX = CHUNK / 2, /* size of an event, longer ones are damage */
	HOLES = 4              /* words that may lie between a buffer and the next one */
};

/* An event of the program, as a sink is given it. */
struct own_event {
	struct fmt_traced_event header;
	uint8_t bytes[EVENT_MAX];
};

struct part {
	uint64_t tsc, at, end;
};

struct walk {
	struct exp_stream *stream;
	const struct functrace_sink *sink;
	struct part *heap; /* heap[count], the earliest first */
	size_t count;
	uint8_t *chunk;
	const uint8_t *at, *end; /* unread part of the chunk */
	uint64_t end_offset, limit;
	uint64_t tsc;
	struct own_event *own;
	int has_head; /* own->header is that of the next event with bytes of the program */
	int rc;
};

static int is_before(const struct part *a, const struct part *b)
{
	return a->tsc != b->tsc ? a->tsc < b->tsc : a->at < b->at;
}

static void push(struct walk *walk, struct part part)
{
	size_t at = walk->count++;

	for (; at > 0 && is_before(&part, &walk->heap[(at - 1) / 2]); at = (at - 1) / 2)
		walk->heap[at] = walk->heap[(at - 1) / 2];
	walk->heap[at] = part;
}

static struct part pop(struct walk *walk)
{
	struct part first = walk->heap[0], last = walk->heap[--walk->count];
	size_t at = 0, child;

	while ((child = 2 * at + 1) < walk->count) {
		if (child + 1 < walk->count &&
		    is_before(&walk->heap[child + 1], &walk->heap[child]))
			child++;
		if (is_before(&last, &walk->heap[child]))
			break;
		walk->heap[at] = walk->heap[child];
		at = child;
	}
	walk->heap[at] = last;
	return first;
}

static uint64_t offset_of(const struct walk *walk)
{
	return walk->end_offset - (uint64_t)(walk->end - walk->at);
}

/* Have `need` bytes in the chunk, as far as the extent has them. Returns how many there are. */
static size_t refill(struct walk *walk, size_t need)
{
	size_t left = (size_t)(walk->end - walk->at);
	unsigned tries = 0;

	if (left >= need || walk->end_offset >= walk->limit)
		return left;
	memmove(walk->chunk, walk->at, left);
	while (left < CHUNK && walk->end_offset < walk->limit) {
		uint64_t rest = walk->limit - walk->end_offset;
		size_t room = CHUNK - left;
		ssize_t got = exp_data_file_read(&walk->stream->file, walk->chunk + left,
		                                 rest < room ? (size_t)rest : room,
		                                 walk->end_offset);

		if (retry_call(got, &tries))
			continue;
		if (got <= 0) {
			exp_stream_unreadable(walk->stream, walk->end_offset, got);
			walk->limit = walk->end_offset;
			break;
		}
		left += (size_t)got;
		walk->end_offset += (uint64_t)got;
	}
	memset(walk->chunk + left, 0, SLACK);
	walk->at = walk->chunk;
	walk->end = walk->chunk + left;
	return left;
}

static uint64_t word_at(const uint8_t *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof(word));
	return word;
}

/* Begin the buffer at the cursor. Returns 1, or 0 if there is none. */
static int take_prologue(struct walk *walk)
{
	struct fdr_prologue prologue;

	if (refill(walk, FDR_PROLOGUE_SIZE) < FDR_PROLOGUE_SIZE ||
	    fdr_prologue_get(walk->at, &prologue) != 0)
		return 0;
	walk->at += FDR_PROLOGUE_SIZE;
	walk->tsc = prologue.tsc;
	walk->rc = walk->sink->buffer(walk->sink->context, prologue.tid, prologue.tsc);
	return walk->rc == 0;
}

/* Behind an EndOfBuffer: put the next buffer of the extent on the heap, if there is one. */
static void pass_end(struct walk *walk)
{
	struct fdr_prologue prologue;

	walk->at += FDR_METADATA_SIZE;
	refill(walk, FDR_PROLOGUE_SIZE + HOLES * sizeof(uint64_t));
	for (int i = 0; i < HOLES && (size_t)(walk->end - walk->at) >= FDR_PROLOGUE_SIZE; i++) {
		if (fdr_prologue_get(walk->at, &prologue) == 0) {
			push(walk, (struct part){prologue.tsc, offset_of(walk), walk->limit});
			return;
		}
		if (word_at(walk->at) != 0)
			return;
		walk->at += sizeof(uint64_t);
	}
}

static int fault(struct walk *walk, const char *what)
{
	exp_stream_fault(walk->stream, offset_of(walk), what);
	return 0;
}

/* What is said of the program's event behind it? */
static int is_head(const struct fdr_record *record)
{
	struct fmt_traced_event header;

	if (record->payload_size != sizeof(header))
		return 0;
	memcpy(&header, record->payload, sizeof(header));
	return header.kind == FMT_KIND_traced_event && header.size != 0;
}

/* Put the program's bytes behind what is said of them. Returns the size, or 0 if the recorder was
 * killed before it had written them. */
static uint32_t join_event(struct walk *walk, const struct fdr_record *record)
{
	struct fmt_traced_event *header = &walk->own->header;
	uint32_t padding = record->own & FDR_OWN_PADDING, size = record->payload_size - padding;
	int has_head = walk->has_head;

	walk->has_head = 0;
	if (record->own == FDR_OWN_UNFINISHED || padding >= record->payload_size ||
	    size > EVENT_MAX || (has_head && header->size != size))
		return 0;
	if (!has_head)
		*header = (struct fmt_traced_event){.kind = FMT_KIND_traced_event,
		                                    .form = FMT_traced_form_CUSTOM,
		                                    .size = size,
		                                    .whole = size};
	memcpy(walk->own->bytes, record->payload, size);
	return (uint32_t)sizeof(*header) + size;
}

/* An event at the cursor. Returns 1 to go on with the buffer. */
static int take_event(struct walk *walk, const struct fdr_record *record)
{
	const struct functrace_sink *sink = walk->sink;
	const uint8_t *payload = record->payload;
	uint32_t size = record->payload_size;

	if (record->own) {
		size = join_event(walk, record);
		payload = (const uint8_t *)walk->own;
	} else if (is_head(record)) {
		memcpy(&walk->own->header, payload, sizeof(walk->own->header));
		walk->has_head = 1;
		size = 0;
	}
	if (size != 0)
		walk->rc = sink->event(sink->context, payload, size, record->tsc);
	walk->at += record->size;
	return walk->rc == 0;
}

/* A record that is no function's. Returns 1 to go on with the buffer. */
static int take_other(struct walk *walk)
{
	struct fdr_record record;
	int size = fdr_record_get(walk->at, (size_t)(walk->end - walk->at), &record);

	if (size == -ENODATA && refill(walk, FDR_METADATA_SIZE + EVENT_MAX) > 0)
		size = fdr_record_get(walk->at, (size_t)(walk->end - walk->at), &record);
	if (size < 0)
		return fault(walk, size == -ENODATA ? "a record is cut off" : "not a record");
	switch (record.type) {
	case FDR_RECORD_END:
		pass_end(walk);
		return 0;
	case FDR_RECORD_EVENT:
		return take_event(walk, &record);
	case FDR_RECORD_NEW_BUFFER:
		return take_prologue(walk) ||
		       (walk->rc == 0 && fault(walk, "a buffer's prologue is damaged"));
	case FDR_RECORD_CPU:
	case FDR_RECORD_WRAP:
		walk->tsc = record.tsc;
		break;
	case FDR_RECORD_ARGUMENT:
		walk->rc = walk->sink->argument(walk->sink->context, record.argument);
		break;
	case FDR_RECORD_FUNCTION:
		return fault(walk, "not a record");
	case FDR_RECORD_WALL:
		break;
	}
	walk->at += size;
	return walk->rc == 0;
}

/* Walk one buffer. */
static void walk_buffer(struct walk *walk, const struct part *part)
{
	const struct functrace_sink *sink = walk->sink;

	walk->at = walk->end = walk->chunk;
	walk->end_offset = part->at;
	walk->limit = part->end;
	walk->has_head = 0;
	if (!take_prologue(walk)) {
		if (walk->rc == 0)
			fault(walk, "a buffer's prologue is damaged");
		return;
	}
	for (;;) {
		size_t left = refill(walk, FDR_METADATA_SIZE);
		const uint8_t *behind;

		if (left < FDR_FUNCTION_SIZE || word_at(walk->at) == 0)
			return;
		behind = sink->functions(sink->context, walk->at, walk->at + left / 8 * 8,
		                         &walk->tsc);
		if (!behind) {
			walk->rc = -ECANCELED;
			return;
		}
		if (behind != walk->at)
			walk->at = behind;
		else if (!take_other(walk))
			return;
	}
}

int functrace_walk(struct exp_stream *stream, const struct functrace_sink *sink)
{
	struct walk walk = {.stream = stream, .sink = sink};

	/* A buffer that is walked puts at most one other in its place. */
	walk.heap = malloc((stream->extent_count + 1) * sizeof(*walk.heap));
	walk.chunk = malloc(CHUNK + SLACK);
	walk.own = malloc(sizeof(*walk.own));
	if (!walk.heap || !walk.chunk || !walk.own)
		walk.rc = -ENOMEM;
	for (size_t i = 0; i < stream->extent_count && walk.rc == 0; i++)
		push(&walk, (struct part){stream->extents[i].tsc, stream->extents[i].at,
		                          stream->extents[i].end});
	while (walk.count > 0 && walk.rc == 0) {
		struct part part = pop(&walk);

		walk_buffer(&walk, &part);
	}
	free(walk.heap);
	free(walk.chunk);
	free(walk.own);
	return walk.rc;
}

/* xraylog_buffers.c: reads the records of foreign XRay logs, buffer by buffer. See xraylog.h.
 *
 * A buffer is: [Extents] NewBuffer Wall [Pid] NewCPUId, then records. How it ends depends on the version: 1: EndOfBuffer, and
 * another header after buffer_size bytes, or what follows at once is one; 2: the next buffer; 3 to 5: as many bytes as
 * Extents says. A thread's buffers are put in order by the times of their NewCPUId records, since those of wall clocks
 * may go backwards. */
#include "experiment/xraylog_reader.h"

#include "experiment/arena.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	METADATA = 16,
	FUNCTION = 8,
	NAIVE = 32,
	EVENT_DELTA = 5,   /* from this version on, an event's time is relative */
	EXTENTS_SINCE = 3, /* a buffer's length stands in its Extents */
	END_UNTIL = 1      /* a buffer ends with EndOfBuffer */
};

enum metadata { NEW_BUFFER, END_OF_BUFFER, NEW_CPU, TSC_WRAP, WALL, CUSTOM, ARGUMENT, EXTENTS, TYPED, PID };

static void fault(struct xraylog_reader *reader, size_t at, const char *what)
{
	if (reader->log->faults++ == 0) {
		reader->log->fault = what;
		reader->log->fault_offset = at;
	}
}

/* ---- records ---- */

/* On big-endian machines bits count from the most significant one. Returns the kind, or -1 for a function record. */
static int metadata_kind(const struct xraylog *log, size_t at)
{
	uint8_t byte = log->bytes[at];

	if (log->is_big_endian)
		return byte & 0x80 ? byte & 0x7f : -1;
	return byte & 1 ? byte >> 1 : -1;
}

static struct xraylog_record *add(struct xraylog_reader *reader, enum xraylog_kind kind)
{
	struct xraylog *log = reader->log;

	if (exp_array_reserve(&log->records, &log->record_capacity, log->record_count, sizeof(*log->records)) != 0) {
		reader->rc = -ENOMEM;
		return NULL;
	}
	log->records[log->record_count] = (struct xraylog_record){.kind = kind,
								   .cpu = reader->cpu,
								   .tid = reader->tid,
								   .pid = reader->pid,
								   .tsc = reader->tsc,
								   .first_argument = log->argument_count};
	return &log->records[log->record_count++];
}

/* Returns the record's size, or 0 if it is none. */
static size_t take_function(struct xraylog_reader *reader)
{
	struct xraylog *log = reader->log;
	uint32_t word = (uint32_t)xraylog_get(log, reader->at, 4);
	unsigned action = log->is_big_endian ? word >> 28 & 7 : word >> 1 & 7;
	struct xraylog_record *record;

	if (action > XRAYLOG_ENTER_ARGUMENT)
		return 0;
	reader->tsc += xraylog_get(log, reader->at + 4, 4);
	record = add(reader, (enum xraylog_kind)action);
	if (record == NULL)
		return 0;
	record->function = log->is_big_endian ? word & 0xfffffff : word >> 4;
	reader->last = log->record_count - 1;
	return FUNCTION;
}

/* Runtimes of old wrote an entry, not one with arguments, in front of them. */
static size_t take_argument(struct xraylog_reader *reader)
{
	struct xraylog *log = reader->log;

	if (reader->last == SIZE_MAX || exp_array_reserve(&log->arguments, &log->argument_capacity, log->argument_count,
							  sizeof(*log->arguments)) != 0) {
		reader->rc = reader->last == SIZE_MAX ? 0 : -ENOMEM;
		return 0;
	}
	log->arguments[log->argument_count++] = xraylog_get(log, reader->at + 1, 8);
	log->records[reader->last].argument_count++;
	log->records[reader->last].kind = XRAYLOG_ENTER_ARGUMENT;
	return METADATA;
}

static size_t take_event(struct xraylog_reader *reader, size_t end, int is_typed)
{
	struct xraylog *log = reader->log;
	size_t at = reader->at;
	int32_t size = (int32_t)xraylog_get(log, at + 1, 4);
	int is_relative = is_typed || log->version >= EVENT_DELTA;
	uint64_t tsc = is_relative ? reader->tsc + xraylog_get(log, at + 5, 4) : xraylog_get(log, at + 5, 8);
	struct xraylog_record *record;

	if (size <= 0 || (size_t)size > end - at - METADATA)
		return 0;
	record = add(reader, is_typed ? XRAYLOG_TYPED : XRAYLOG_CUSTOM);
	if (record == NULL)
		return 0;
	record->tsc = tsc;
	if (!is_relative)
		record->cpu = (uint16_t)xraylog_get(log, at + 13, 2);
	else
		reader->tsc = tsc;
	record->event_type = is_typed ? (uint16_t)xraylog_get(log, at + 9, 2) : 0;
	record->data = log->bytes + at + METADATA;
	record->data_size = (uint32_t)size;
	return METADATA + (size_t)size;
}

/* One record of a buffer that ends at `end` at the latest. Returns its size; 0 if there is none. */
static size_t take_record(struct xraylog_reader *reader, size_t end)
{
	struct xraylog *log = reader->log;
	int kind = metadata_kind(log, reader->at);

	if (kind < 0)
		return take_function(reader);
	if (end - reader->at < METADATA)
		return 0;
	if (kind == ARGUMENT)
		return take_argument(reader);
	reader->last = SIZE_MAX;
	switch ((enum metadata)kind) {
	case NEW_CPU:
		reader->cpu = (uint16_t)xraylog_get(log, reader->at + 1, 2);
		reader->tsc = xraylog_get(log, reader->at + 3, 8);
		return METADATA;
	case TSC_WRAP:
		reader->tsc = xraylog_get(log, reader->at + 1, 8);
		return METADATA;
	case CUSTOM:
		return take_event(reader, end, 0);
	case TYPED:
		return take_event(reader, end, 1);
	case NEW_BUFFER:
	case END_OF_BUFFER:
	case WALL:
	case ARGUMENT:
	case EXTENTS:
	case PID:
		break;
	}
	return 0;
}

/* ---- buffers ---- */

static int is_kind(const struct xraylog_reader *reader, size_t at, enum metadata kind)
{
	return at + METADATA <= reader->log->size && metadata_kind(reader->log, at) == (int)kind;
}

/* The prologue at the cursor. Returns 1, or 0 if it is not whole. *end: where the buffer ends at the latest. */
static int take_prologue(struct xraylog_reader *reader, size_t *end)
{
	struct xraylog *log = reader->log;
	size_t at = reader->at;
	uint64_t length = 0;
	int has_extents = is_kind(reader, at, EXTENTS);

	*end = log->size;
	if (has_extents) {
		length = xraylog_get(log, at + 1, 8);
		at += METADATA;
	}
	if (!is_kind(reader, at, NEW_BUFFER) || !is_kind(reader, at + METADATA, WALL))
		return 0;
	if (has_extents && log->version >= EXTENTS_SINCE && length <= log->size - at)
		*end = at + length;
	reader->tid = (uint32_t)xraylog_get(log, at + 1, 4);
	reader->pid = log->version < EXTENTS_SINCE ? (log->version == 1 ? 0 : reader->tid) : 0;
	at += (size_t)2 * METADATA;
	if (is_kind(reader, at, PID)) {
		reader->pid = (uint32_t)xraylog_get(log, at + 1, 4);
		at += METADATA;
	}
	if (!is_kind(reader, at, NEW_CPU))
		return 0;
	reader->at = at;
	return 1;
}

static int add_span(struct xraylog_reader *reader, size_t first, uint64_t tsc)
{
	if (exp_array_reserve(&reader->spans, &reader->span_capacity, reader->span_count, sizeof(*reader->spans)) != 0)
		return -ENOMEM;
	reader->spans[reader->span_count] = (struct xraylog_span){
	    .tid = reader->tid, .tsc = tsc, .first = first, .end = reader->log->record_count, .order = reader->span_count};
	reader->span_count++;
	return 0;
}

static int is_start(const struct xraylog_reader *reader)
{
	return is_kind(reader, reader->at, NEW_BUFFER) || is_kind(reader, reader->at, EXTENTS);
}

/* Where the buffer that began at `start` and has come to its EndOfBuffer is followed by another one. */
static size_t behind_end(const struct xraylog_reader *reader, size_t start)
{
	const struct xraylog *log = reader->log;
	size_t next = reader->at + METADATA;

	if (log->buffer_size >= next - start && log->buffer_size <= log->size - start &&
	    (is_kind(reader, start + log->buffer_size, NEW_BUFFER) || start + log->buffer_size == log->size))
		return start + log->buffer_size;
	while (next + FUNCTION <= log->size && !is_kind(reader, next, NEW_BUFFER))
		next += FUNCTION;
	return next;
}

/* The records of the buffer at the cursor; the cursor goes behind it. */
static void take_buffer(struct xraylog_reader *reader)
{
	struct xraylog *log = reader->log;
	size_t start = reader->at, first = log->record_count, end, size = 0;
	uint64_t tsc;

	if (!take_prologue(reader, &end)) {
		fault(reader, start, "a buffer's prologue is damaged");
		for (reader->at = start + FUNCTION; reader->at + METADATA <= log->size && !is_start(reader);)
			reader->at += FUNCTION;
		return;
	}
	tsc = xraylog_get(log, reader->at + 3, 8);
	reader->last = SIZE_MAX;
	while (reader->rc == 0 && reader->at + FUNCTION <= end) {
		if (is_start(reader) && reader->at > start + METADATA)
			break;
		if (log->version <= END_UNTIL && is_kind(reader, reader->at, END_OF_BUFFER)) {
			reader->at = behind_end(reader, start);
			break;
		}
		size = take_record(reader, end);
		if (size == 0)
			break;
		reader->at += size;
	}
	if (size == 0 && reader->rc == 0 && reader->at < end && !is_start(reader)) {
		fault(reader, reader->at, "not a record");
		for (reader->at += FUNCTION; reader->at + METADATA <= log->size && !is_start(reader);)
			reader->at += FUNCTION;
	}
	if (reader->rc == 0)
		reader->rc = add_span(reader, first, tsc);
}

/* Between buffers there may be unused bytes. */
static void take_buffers(struct xraylog_reader *reader)
{
	while (reader->rc == 0 && reader->at + METADATA <= reader->log->size) {
		if (is_start(reader))
			take_buffer(reader);
		else
			reader->at += reader->log->version >= EXTENTS_SINCE ? 1 : FUNCTION;
	}
}

static int compare_spans(const void *left, const void *right)
{
	const struct xraylog_span *a = left, *b = right;

	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	if (a->tsc != b->tsc)
		return a->tsc < b->tsc ? -1 : 1;
	return a->order < b->order ? -1 : 1;
}

/* Put the records in order of their spans. */
static int arrange(struct xraylog_reader *reader)
{
	struct xraylog *log = reader->log;
	struct xraylog_record *sorted;
	size_t count = 0;

	if (reader->span_count < 2)
		return 0;
	sorted = calloc(log->record_count + 1, sizeof(*sorted));
	if (sorted == NULL)
		return -ENOMEM;
	qsort(reader->spans, reader->span_count, sizeof(*reader->spans), compare_spans);
	for (size_t i = 0; i < reader->span_count; i++) {
		const struct xraylog_span *span = &reader->spans[i];

		memcpy(sorted + count, log->records + span->first, (span->end - span->first) * sizeof(*sorted));
		count += span->end - span->first;
	}
	free(log->records);
	log->records = sorted;
	log->record_capacity = log->record_count + 1;
	return 0;
}

void xraylog_read_buffers(struct xraylog_reader *reader)
{
	take_buffers(reader);
	if (reader->rc == 0)
		reader->rc = arrange(reader);
}

/* ---- naive mode: records of 32 bytes ---- */

void xraylog_read_naive(struct xraylog_reader *reader)
{
	struct xraylog *log = reader->log;

	for (; reader->rc == 0 && reader->at + NAIVE <= log->size; reader->at += NAIVE) {
		unsigned type = (unsigned)xraylog_get(log, reader->at, 2), kind = log->bytes[reader->at + 3];
		struct xraylog_record *record;

		if (type == 1 && log->record_count > 0) { /* the argument of the record before */
			reader->last = log->record_count - 1;
			if (exp_array_reserve(&log->arguments, &log->argument_capacity, log->argument_count,
					      sizeof(*log->arguments)) != 0)
				reader->rc = -ENOMEM;
			else
				log->arguments[log->argument_count++] = xraylog_get(log, reader->at + 16, 8);
			log->records[reader->last].argument_count += reader->rc == 0;
			log->records[reader->last].kind = XRAYLOG_ENTER_ARGUMENT;
			continue;
		}
		if (type != 0 || kind > XRAYLOG_ENTER_ARGUMENT) {
			fault(reader, reader->at, "not a record");
			continue;
		}
		reader->cpu = log->bytes[reader->at + 2];
		reader->tsc = xraylog_get(log, reader->at + 8, 8);
		reader->tid = (uint32_t)xraylog_get(log, reader->at + 16, 4);
		reader->pid = (uint32_t)xraylog_get(log, reader->at + 20, 4);
		record = add(reader, (enum xraylog_kind)kind);
		if (record != NULL)
			record->function = (uint32_t)xraylog_get(log, reader->at + 4, 4);
	}
	if (reader->at < log->size)
		fault(reader, reader->at, "a record is cut off");
}

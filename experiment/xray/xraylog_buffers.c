/* xraylog_buffers.c: the buffers of foreign XRay logs and their records. See xraylog.h.
 *
 * A buffer is: [Extents] NewBuffer Wall [Pid] NewCPUId, then records. How it ends depends on the
 * version: 1: EndOfBuffer, and another header after buffer_size bytes, or what follows at once is
 * one; 2: the next buffer; 3 to 5: as many bytes as Extents says, which may be none. What a buffer
 * should have and has not, since the log was cut off, is a fault. A thread's buffers are put in
 * order by the times of their NewCPUId records, since those of wall clocks may go backwards.
 * See doc/decisions/29-xray-logs.md. */
#include "experiment/table/arena.h"
#include "experiment/xray/xraylog_reader.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum {
	METADATA = 16,
	FUNCTION = 8,
	NAIVE = 32,
	EVENT_DELTA = 5,   /* from this version on, an event's time is relative */
	EXTENTS_SINCE = 3, /* a buffer's length stands in its Extents */
	END_UNTIL = 1      /* a buffer ends with EndOfBuffer */
};

enum metadata {
	NEW_BUFFER,
	END_OF_BUFFER,
	NEW_CPU,
	TSC_WRAP,
	WALL,
	CUSTOM,
	ARGUMENT,
	EXTENTS,
	TYPED,
	PID
};

static void fault(struct xraylog *log, uint64_t at, const char *what)
{
	if (log->faults++ == 0) {
		log->fault = what;
		log->fault_offset = at;
	}
}

/* ---- records ---- */

/* What metadata_kind says of other bytes. */
enum { IS_FUNCTION = -1, IS_NOTHING = -2 };

/* On big-endian machines bits count from the most significant one. */
static int kind_of(const struct xraylog_reader *reader, uint8_t byte)
{
	if (reader->log->is_big_endian)
		return byte & 0x80 ? byte & 0x7f : IS_FUNCTION;
	return byte & 1 ? byte >> 1 : IS_FUNCTION;
}

static int metadata_kind(struct xraylog_reader *reader, uint64_t at)
{
	const uint8_t *bytes = xraylog_look(reader, at, FUNCTION);

	return !bytes ? IS_NOTHING : kind_of(reader, *bytes);
}

/* The record that waits has all its arguments. */
static void give_waiting(struct xraylog_reader *reader)
{
	if (!reader->is_waiting)
		return;
	reader->is_waiting = 0;
	reader->waiting.arguments = reader->arguments;
	if (reader->rc == 0)
		reader->rc = reader->record(reader->context, &reader->waiting);
}

static struct xraylog_record new_record(const struct xraylog_reader *reader, enum xraylog_kind kind)
{
	return (struct xraylog_record){.kind = kind,
	                               .cpu = reader->cpu,
	                               .tid = reader->tid,
	                               .pid = reader->pid,
	                               .tsc = reader->tsc};
}

static void wait_for_arguments(struct xraylog_reader *reader, struct xraylog_record record)
{
	give_waiting(reader);
	reader->waiting = record;
	reader->is_waiting = 1;
}

/* Returns the record's size, or 0 if it is none. */
static size_t take_function(struct xraylog_reader *reader)
{
	int is_big = reader->log->is_big_endian;
	uint32_t word = (uint32_t)xraylog_get(reader, reader->at, 4);
	unsigned action = is_big ? word >> 28 & 7 : word >> 1 & 7;
	struct xraylog_record record;

	if (action > XRAYLOG_ENTER_ARGUMENT)
		return 0;
	reader->tsc += xraylog_get(reader, reader->at + 4, 4);
	record = new_record(reader, (enum xraylog_kind)action);
	record.function = is_big ? word & 0xfffffff : word >> 4;
	wait_for_arguments(reader, record);
	return FUNCTION;
}

static int add_argument(struct xraylog_reader *reader, uint64_t value)
{
	if (exp_array_reserve(&reader->arguments, &reader->argument_capacity,
	                      reader->waiting.argument_count, sizeof(*reader->arguments)) != 0) {
		reader->rc = -ENOMEM;
		return -ENOMEM;
	}
	reader->arguments[reader->waiting.argument_count++] = value;
	reader->waiting.kind = XRAYLOG_ENTER_ARGUMENT;
	return 0;
}

/* Runtimes of old wrote an entry, not one with arguments, in front of them. */
static size_t take_argument(struct xraylog_reader *reader)
{
	if (!reader->is_waiting ||
	    add_argument(reader, xraylog_get(reader, reader->at + 1, 8)) != 0)
		return 0;
	return METADATA;
}

static size_t take_event(struct xraylog_reader *reader, uint64_t end, int is_typed)
{
	uint64_t at = reader->at;
	int32_t size = (int32_t)xraylog_get(reader, at + 1, 4);
	int is_relative = is_typed || reader->log->version >= EVENT_DELTA;
	uint64_t tsc = is_relative ? reader->tsc + xraylog_get(reader, at + 5, 4)
	                           : xraylog_get(reader, at + 5, 8);
	struct xraylog_record record;

	if (size <= 0 || (uint64_t)size > end - at - METADATA)
		return 0;
	record = new_record(reader, is_typed ? XRAYLOG_TYPED : XRAYLOG_CUSTOM);
	record.tsc = tsc;
	if (!is_relative)
		record.cpu = (uint16_t)xraylog_get(reader, at + 13, 2);
	else
		reader->tsc = tsc;
	record.event_type = is_typed ? (uint16_t)xraylog_get(reader, at + 9, 2) : 0;
	record.data_size = (uint32_t)size;
	record.data = xraylog_look(reader, at + METADATA, record.data_size);
	if (!record.data)
		return 0;
	if (reader->rc == 0)
		reader->rc = reader->record(reader->context, &record);
	return METADATA + (size_t)size;
}

/* One record of a buffer that ends at `end` at the latest. Returns its size; 0 if there is none. */
static size_t take_record(struct xraylog_reader *reader, uint64_t end)
{
	int kind = metadata_kind(reader, reader->at);

	if (kind == IS_FUNCTION)
		return take_function(reader);
	if (kind == IS_NOTHING || end - reader->at < METADATA)
		return 0;
	if (kind == ARGUMENT)
		return take_argument(reader);
	give_waiting(reader);
	switch ((enum metadata)kind) {
	case NEW_CPU:
		reader->cpu = (uint16_t)xraylog_get(reader, reader->at + 1, 2);
		reader->tsc = xraylog_get(reader, reader->at + 3, 8);
		return METADATA;
	case TSC_WRAP:
		reader->tsc = xraylog_get(reader, reader->at + 1, 8);
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

/* ---- naive mode: records of 32 bytes ---- */

/* Returns 0 if the record at the cursor is none. */
static int take_naive(struct xraylog_reader *reader)
{
	const uint8_t *bytes = xraylog_look(reader, reader->at, NAIVE);
	unsigned type, kind;
	struct xraylog_record record;

	if (!bytes)
		return 0;
	kind = bytes[3];
	reader->cpu = bytes[2];
	type = (unsigned)xraylog_get(reader, reader->at, 2);
	if (type == 1 && reader->is_waiting) /* the argument of the record before */
		return add_argument(reader, xraylog_get(reader, reader->at + 16, 8)) == 0;
	if (type != 0 || kind > XRAYLOG_ENTER_ARGUMENT)
		return 0;
	reader->tsc = xraylog_get(reader, reader->at + 8, 8);
	reader->tid = (uint32_t)xraylog_get(reader, reader->at + 16, 4);
	reader->pid = (uint32_t)xraylog_get(reader, reader->at + 20, 4);
	record = new_record(reader, (enum xraylog_kind)kind);
	record.function = (uint32_t)xraylog_get(reader, reader->at + 4, 4);
	wait_for_arguments(reader, record);
	return 1;
}

void xraylog_read_span(struct xraylog_reader *reader, const struct xraylog_span *span)
{
	size_t size = NAIVE;

	reader->at = span->at;
	reader->tid = span->tid;
	reader->pid = span->pid;
	for (; reader->at < span->end && reader->rc == 0 && size != 0; reader->at += size)
		if (reader->log->type == 0)
			take_naive(reader);
		else
			size = take_record(reader, span->end);
	give_waiting(reader);
}

/* ---- buffers ---- */

static int is_kind(struct xraylog_reader *reader, uint64_t at, enum metadata kind)
{
	return at + METADATA <= reader->log->size && metadata_kind(reader, at) == (int)kind;
}

/* What the Extents at the cursor, if there are any, say of where the buffer ends at the latest. */
static uint64_t take_extents(struct xraylog_reader *reader, struct xraylog *log)
{
	uint64_t length, room;

	if (!is_kind(reader, reader->at, EXTENTS))
		return log->size;
	length = xraylog_get(reader, reader->at + 1, 8);
	reader->at += METADATA;
	room = log->size - reader->at;
	if (length > room)
		fault(log, reader->at - METADATA, "a buffer is cut off");
	return log->version >= EXTENTS_SINCE && length <= room ? reader->at + length : log->size;
}

/* The prologue at the cursor. Returns 1, or 0 if it is not whole before `end`. */
static int take_prologue(struct xraylog_reader *reader, uint64_t end)
{
	const struct xraylog *log = reader->log;
	uint64_t at = reader->at;

	if (!is_kind(reader, at, NEW_BUFFER) || !is_kind(reader, at + METADATA, WALL))
		return 0;
	reader->tid = (uint32_t)xraylog_get(reader, at + 1, 4);
	reader->pid = log->version < EXTENTS_SINCE ? (log->version == 1 ? 0 : reader->tid) : 0;
	at += (uint64_t)2 * METADATA;
	if (is_kind(reader, at, PID)) {
		reader->pid = (uint32_t)xraylog_get(reader, at + 1, 4);
		at += METADATA;
	}
	if (!is_kind(reader, at, NEW_CPU) || at + METADATA > end)
		return 0;
	reader->at = at;
	return 1;
}

static int add_span(struct xraylog *log, struct xraylog_span span)
{
	if (span.at == span.end)
		return 0;
	if (exp_array_reserve(&log->spans, &log->span_capacity, log->span_count,
	                      sizeof(*log->spans)) != 0)
		return -ENOMEM;
	log->spans[log->span_count++] = span;
	return 0;
}

/* Since Extents tell lengths, each buffer has them. */
static int is_start(struct xraylog_reader *reader)
{
	return is_kind(reader, reader->at, EXTENTS) ||
	       (reader->log->version < EXTENTS_SINCE && is_kind(reader, reader->at, NEW_BUFFER));
}

/* Does a buffer begin there? Without moving the chunk, since it may be far. */
static int is_far_start(const struct xraylog_reader *reader, uint64_t at)
{
	uint8_t byte;

	return at + METADATA <= reader->log->size &&
	       pread(reader->log->fd, &byte, 1, (off_t)at) == 1 &&
	       kind_of(reader, byte) == NEW_BUFFER;
}

/* Where the buffer that began at `start` and has come to its EndOfBuffer is followed by another
 * one. */
static uint64_t behind_end(struct xraylog_reader *reader, uint64_t start)
{
	const struct xraylog *log = reader->log;
	uint64_t next = reader->at + METADATA;

	if (log->buffer_size >= next - start && log->buffer_size <= log->size - start &&
	    (is_far_start(reader, start + log->buffer_size) ||
	     start + log->buffer_size == log->size))
		return start + log->buffer_size;
	while (next + METADATA <= log->size && !is_kind(reader, next, NEW_BUFFER))
		next += FUNCTION;
	return next;
}

static void pass_damage(struct xraylog_reader *reader)
{
	for (reader->at += FUNCTION;
	     reader->at + METADATA <= reader->log->size && !is_start(reader);)
		reader->at += FUNCTION;
	if (reader->at + METADATA > reader->log->size)
		reader->at = reader->log->size;
}

/* The cursor is where the records of a buffer end, which is before its `end`. */
static void tell_rest(struct xraylog_reader *reader, struct xraylog *log, uint64_t end)
{
	uint64_t rest = end - reader->at;
	int is_record = rest >= METADATA ||
	                (rest >= FUNCTION && metadata_kind(reader, reader->at) == IS_FUNCTION);

	fault(log, reader->at, is_record ? "not a record" : "a record is cut off");
	if (end < log->size && !is_record)
		reader->at = end;
	else
		pass_damage(reader);
}

/* Find where the records of the buffer at the cursor are; the cursor goes behind it. */
static void find_buffer(struct xraylog_reader *reader, struct xraylog *log)
{
	struct xraylog_span span;
	uint64_t start = reader->at, end = take_extents(reader, log);
	size_t size = 0;

	if (end == reader->at && end != start) /* it is empty */
		return;
	if (!take_prologue(reader, end)) {
		fault(log, start, "a buffer's prologue is damaged");
		reader->at = start;
		pass_damage(reader);
		return;
	}
	span = (struct xraylog_span){reader->tid, reader->pid,
	                             xraylog_get(reader, reader->at + 3, 8), reader->at, 0};
	while (reader->rc == 0 && reader->at + FUNCTION <= end) {
		if (is_start(reader) && reader->at > start + METADATA)
			break;
		if (log->version <= END_UNTIL && is_kind(reader, reader->at, END_OF_BUFFER)) {
			span.end = reader->at;
			reader->at = behind_end(reader, start);
			break;
		}
		size = take_record(reader, end);
		if (size == 0)
			break;
		reader->at += size;
	}
	give_waiting(reader);
	if (span.end == 0)
		span.end = reader->at;
	if (reader->rc == 0 && span.end == reader->at && reader->at < end && !is_start(reader))
		tell_rest(reader, log, end);
	else if (log->version <= END_UNTIL && span.end == log->size)
		fault(log, span.end, "a buffer is cut off");
	if (reader->rc == 0)
		reader->rc = add_span(log, span);
}

/* Is there more behind the last buffer, which may be unused bytes, than these? Of version 1, only
 * the beginning of another buffer. */
static int has_leftover(struct xraylog_reader *reader, uint64_t behind)
{
	const struct xraylog *log = reader->log;
	uint64_t at = reader->at;

	if (log->version > END_UNTIL)
		return behind < log->size;
	for (; at < log->size; at += FUNCTION) {
		const uint8_t *byte = xraylog_look(reader, at, 1);

		if (byte && kind_of(reader, *byte) == NEW_BUFFER)
			return 1;
	}
	return 0;
}

/* Between buffers there may be unused bytes. */
static void find_in_file(struct xraylog_reader *reader, struct xraylog *log)
{
	uint64_t behind = reader->at;

	while (reader->rc == 0 && reader->at + METADATA <= log->size) {
		if (is_start(reader)) {
			find_buffer(reader, log);
			behind = reader->at;
		} else {
			reader->at += log->version >= EXTENTS_SINCE ? 1 : FUNCTION;
		}
	}
	if (reader->rc != 0)
		return;
	if (has_leftover(reader, behind))
		fault(log, behind, "what follows the last buffer is none");
	else if (log->size == XRAYLOG_HEADER)
		fault(log, log->size, "it has no buffers");
}

/* All of the file is one buffer of them, whose records tell their threads. */
static void check_naive(struct xraylog_reader *reader, struct xraylog *log)
{
	for (; reader->rc == 0 && reader->at + NAIVE <= log->size; reader->at += NAIVE)
		if (!take_naive(reader) && reader->rc == 0)
			fault(log, reader->at, "not a record");
	give_waiting(reader);
	if (reader->at < log->size)
		fault(log, reader->at, "a record is cut off");
	if (reader->rc == 0)
		reader->rc = add_span(
			log, (struct xraylog_span){.at = XRAYLOG_HEADER, .end = reader->at});
}

static int compare_spans(const void *left, const void *right)
{
	const struct xraylog_span *a = left, *b = right;

	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	if (a->tsc != b->tsc)
		return a->tsc < b->tsc ? -1 : 1;
	return a->at < b->at ? -1 : 1;
}

static int count_record(void *context, const struct xraylog_record *record)
{
	struct xraylog *log = context;

	log->pid = log->record_count == 0 ? record->pid : log->pid;
	log->first_tsc = record->tsc < log->first_tsc ? record->tsc : log->first_tsc;
	log->last_tsc = record->tsc > log->last_tsc ? record->tsc : log->last_tsc;
	log->record_count++;
	return 0;
}

void xraylog_find_buffers(struct xraylog_reader *reader, struct xraylog *log)
{
	reader->record = count_record;
	reader->context = log;
	if (log->type == 0)
		check_naive(reader, log);
	else
		find_in_file(reader, log);
	if (reader->rc != 0 || log->span_count == 0)
		return;
	qsort(log->spans, log->span_count, sizeof(*log->spans), compare_spans);
	if (log->type != 0)
		log->pid = log->spans[0].pid;
}

/* sink.h: text for files with millions of lines: numbers without printf. */
#ifndef XER_ANALYZER_BASE_SINK_H
#define XER_ANALYZER_BASE_SINK_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { SINK_SIZE = 1 << 16, SINK_ROOM = 128 };

/* What is not in the file yet: buffer[used). */
struct sink {
	FILE *out;
	size_t used;
	char buffer[SINK_SIZE];
};

static inline void sink_flush(struct sink *sink)
{
	fwrite(sink->buffer, 1, sink->used, sink->out);
	sink->used = 0;
}

/* SINK_ROOM bytes of space: the caller writes there, and increases sink->used. */
static inline char *sink_room(struct sink *sink)
{
	if (sink->used + SINK_ROOM > SINK_SIZE)
		sink_flush(sink);
	return sink->buffer + sink->used;
}

/* Any bytes. */
static inline void sink_put(struct sink *sink, const void *bytes, size_t size)
{
	if (sink->used + size > SINK_SIZE)
		sink_flush(sink);
	if (size > SINK_SIZE) {
		fwrite(bytes, 1, size, sink->out);
		return;
	}
	memcpy(sink->buffer + sink->used, bytes, size);
	sink->used += size;
}

static inline void sink_text(struct sink *sink, const char *text)
{
	sink_put(sink, text, strlen(text));
}

static inline void sink_byte(struct sink *sink, char byte)
{
	*sink_room(sink) = byte;
	sink->used++;
}

/* A number, in decimal; with a sign; in hexadecimal with at least `digits` digits. */
void sink_decimal(struct sink *sink, uint64_t value);
void sink_signed(struct sink *sink, int64_t value);
void sink_hex(struct sink *sink, uint64_t value, unsigned digits);

/* Nanoseconds as microseconds with three digits after the point. */
void sink_us(struct sink *sink, uint64_t ns);

/* Any bytes in double quotes: quotes and backslashes have a backslash before them, what cannot be
 * printed is \xNN. */
void sink_quoted(struct sink *sink, const char *text, size_t size);

#endif

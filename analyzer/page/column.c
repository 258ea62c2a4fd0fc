/* column.c: columns of numbers and text, by LEB128, deflate (zlib) and base64.
 * See doc/decisions/90-report-page.md. */
#include "analyzer/page/column.h"

#include "analyzer/base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* Negative window bits: a raw stream, as DecompressionStream("deflate-raw") reads it. */
enum { NUMBERS_LEVEL = 5, WINDOW_BITS = -15, MEMORY_LEVEL = 8, PENDING = 4096, NUMBER_MAX = 10 };

struct column {
	z_stream stream;
	unsigned char *compressed; /* compressed[size], of `capacity` */
	size_t size, capacity;
	size_t count;
	int64_t last;
	size_t pending_size;
	unsigned char pending[PENDING];
};

struct column *column_create(int is_text)
{
	struct column *column = memory_take(1, sizeof(*column));

	if (deflateInit2(&column->stream, is_text ? Z_BEST_COMPRESSION : NUMBERS_LEVEL, Z_DEFLATED,
	                 WINDOW_BITS, MEMORY_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
		memory_fail();
	return column;
}

void column_destroy(struct column *column)
{
	if (!column)
		return;
	deflateEnd(&column->stream);
	free(column->compressed);
	free(column);
}

static void compress_bytes(struct column *column, const void *bytes, size_t size, int flush)
{
	int status = Z_OK;

	column->stream.next_in = (unsigned char *)bytes;
	column->stream.avail_in = (unsigned)size;
	do {
		if (column->capacity - column->size < PENDING) {
			column->capacity = 2 * column->capacity + PENDING;
			column->compressed = memory_resize(column->compressed, column->capacity, 1);
		}
		column->stream.next_out = column->compressed + column->size;
		column->stream.avail_out = PENDING;
		status = deflate(&column->stream, flush);
		column->size += PENDING - column->stream.avail_out;
	} while (column->stream.avail_out == 0 && status != Z_STREAM_END);
}

static void flush_pending(struct column *column)
{
	compress_bytes(column, column->pending, column->pending_size, Z_NO_FLUSH);
	column->pending_size = 0;
}

void column_put(struct column *column, const void *bytes, size_t size)
{
	const unsigned char *at = bytes;

	while (size > 0) {
		size_t room = PENDING - column->pending_size, part = size < room ? size : room;

		memcpy(column->pending + column->pending_size, at, part);
		column->pending_size += part;
		at += part;
		size -= part;
		if (column->pending_size == PENDING)
			flush_pending(column);
	}
}

void column_number(struct column *column, uint64_t number)
{
	if (column->pending_size + NUMBER_MAX > PENDING)
		flush_pending(column);
	while (number > 127) {
		column->pending[column->pending_size++] = (unsigned char)(number | 128);
		number >>= 7;
	}
	column->pending[column->pending_size++] = (unsigned char)number;
	column->count++;
}

void column_step(struct column *column, int64_t number)
{
	uint64_t step = (uint64_t)number - (uint64_t)column->last;

	column->last = number;
	column_number(column, step << 1 ^ (0 - (step >> 63)));
}

size_t column_count(const struct column *column)
{
	return column->count;
}

size_t column_size(const struct column *column)
{
	return column->size;
}

static void put_base64(FILE *out, const unsigned char *bytes, size_t size)
{
	static const char
		digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char text[4];

	for (size_t i = 0; i < size; i += 3) {
		size_t left = size - i;
		unsigned value = (unsigned)bytes[i] << 16 |
		                 (left > 1 ? (unsigned)bytes[i + 1] << 8 : 0) |
		                 (left > 2 ? bytes[i + 2] : 0);

		for (unsigned digit = 0; digit < 4; digit++)
			text[digit] = digit > left ? '=' : digits[value >> (18 - 6 * digit) & 63];
		fwrite(text, 1, sizeof(text), out);
	}
}

void column_write(struct column *column, FILE *out)
{
	compress_bytes(column, column->pending, column->pending_size, Z_FINISH);
	put_base64(out, column->compressed, column->size);
}

/* Tests of analyzer/page/column.c: what is written is read back by zlib and an own decoder. */
#include "analyzer/page/column.h"

#include "analyzer/base/memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* The bytes of a column: base64 and deflate taken away. The caller frees. */
static unsigned char *bytes_of(struct column *column, size_t *size)
{
	static const char
		digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char *text;
	size_t length, packed_size = 0;
	FILE *out = memory_stream(&text, &length);
	unsigned char *packed, *bytes = memory_take(1 << 20, 1);
	z_stream stream = {.avail_out = 1 << 20, .next_out = bytes};

	column_write(column, out);
	memory_stream_end(out, &text);
	cr_assert_eq(length % 4, 0);
	packed = memory_take(length, 1);
	for (size_t i = 0; i < length; i += 4) {
		unsigned value = 0;

		for (size_t digit = 0; digit < 4; digit++) {
			const char *at = strchr(digits, text[i + digit]);

			value = value << 6 | (text[i + digit] == '=' ? 0 : (unsigned)(at - digits));
		}
		packed[packed_size++] = (unsigned char)(value >> 16);
		packed[packed_size++] = (unsigned char)(value >> 8);
		packed[packed_size++] = (unsigned char)value;
	}
	stream.next_in = packed;
	stream.avail_in = (unsigned)packed_size;
	cr_assert_eq(inflateInit2(&stream, -15), Z_OK);
	cr_assert_eq(inflate(&stream, Z_FINISH), Z_STREAM_END);
	*size = stream.total_out;
	inflateEnd(&stream);
	free(packed);
	free(text);
	return bytes;
}

static uint64_t number_at(const unsigned char *bytes, size_t *at)
{
	uint64_t number = 0;
	unsigned shift = 0;

	do
		number |= (uint64_t)(bytes[*at] & 127) << shift;
	while (shift += 7, bytes[(*at)++] > 127);
	return number;
}

Test(page_column, numbers_of_any_size)
{
	static const uint64_t numbers[] = {0, 1, 127, 128, 16383, 16384, UINT32_MAX, UINT64_MAX};
	struct column *column = column_create(0);
	unsigned char *bytes;
	size_t size, at = 0;

	for (size_t i = 0; i < 8; i++)
		column_number(column, numbers[i]);
	cr_expect_eq(column_count(column), 8);
	bytes = bytes_of(column, &size);
	for (size_t i = 0; i < 8; i++)
		cr_expect_eq(number_at(bytes, &at), numbers[i]);
	cr_expect_eq(at, size);
	free(bytes);
	column_destroy(column);
}

Test(page_column, steps_are_differences_with_a_sign)
{
	static const int64_t numbers[] = {5, 5, 3, -7, INT64_MAX, INT64_MIN};
	static const uint64_t zigzag[] = {10, 0, 3, 19};
	struct column *column = column_create(0);
	unsigned char *bytes;
	size_t size, at = 0;
	int64_t last = 0;

	for (size_t i = 0; i < 6; i++)
		column_step(column, numbers[i]);
	bytes = bytes_of(column, &size);
	for (size_t i = 0; i < 6; i++) {
		uint64_t number = number_at(bytes, &at);

		if (i < 4)
			cr_expect_eq(number, zigzag[i]);
		last = (int64_t)((uint64_t)last + (number >> 1 ^ (0 - (number & 1))));
		cr_expect_eq(last, numbers[i]);
	}
	free(bytes);
	column_destroy(column);
}

Test(page_column, many_bytes_and_none)
{
	struct column *column = column_create(0), *empty = column_create(1);
	unsigned char *bytes;
	size_t size;

	for (unsigned i = 0; i < 100000; i++)
		column_put(column, &(unsigned char){(unsigned char)(i * i >> 3)}, 1);
	bytes = bytes_of(column, &size);
	cr_assert_eq(size, 100000);
	for (unsigned i = 0; i < 100000; i++)
		cr_assert_eq(bytes[i], (unsigned char)(i * i >> 3));
	free(bytes);
	bytes = bytes_of(empty, &size);
	cr_expect_eq(size, 0);
	free(bytes);
	column_destroy(column);
	column_destroy(empty);
	column_destroy(NULL);
}

/* Tests of analyzer/page/column.c: what is written is read back by zlib and an own decoder. */
#include "analyzer/page/column.h"

#include "analyzer/base/memory.h"
#include "tests/unit/analyzer/readpage.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static unsigned char *bytes_of(struct column *column, size_t *size)
{
	unsigned char *bytes;
	char *text;
	size_t length;
	FILE *out = memory_stream(&text, &length);

	column_write(column, out);
	memory_stream_end(out, &text);
	bytes = unpack(text, length, size);
	free(text);
	return bytes;
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
		cr_expect_eq(unpack_number(bytes, &at), numbers[i]);
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
		uint64_t number = unpack_number(bytes, &at);

		if (i < 4)
			cr_expect_eq(number, zigzag[i]);
		last = (int64_t)((uint64_t)last + (uint64_t)unpack_zigzag(number));
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

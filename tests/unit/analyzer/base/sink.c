/* Tests of numbers and texts that are written without printf. */
#include "analyzer/base/sink.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static struct sink sink;
static char *text;
static size_t size;

static void set_up(void)
{
	sink.used = 0;
	sink.out = open_memstream(&text, &size);
}

static void tear_down(void)
{
	free(text);
}

TestSuite(sink, .init = set_up, .fini = tear_down);

static void expect(const char *expected)
{
	sink_flush(&sink);
	fclose(sink.out);
	cr_expect_str_eq(text, expected, "%s", text);
}

Test(sink, numbers_are_those_of_printf)
{
	sink_decimal(&sink, 0);
	sink_byte(&sink, ' ');
	sink_decimal(&sink, 9);
	sink_byte(&sink, ' ');
	sink_decimal(&sink, 10);
	sink_byte(&sink, ' ');
	sink_decimal(&sink, UINT64_MAX);
	sink_byte(&sink, ' ');
	sink_signed(&sink, -1);
	sink_byte(&sink, ' ');
	sink_signed(&sink, 0);
	sink_byte(&sink, ' ');
	sink_signed(&sink, INT64_MIN);
	sink_byte(&sink, ' ');
	sink_signed(&sink, INT64_MAX);
	expect("0 9 10 18446744073709551615 -1 0 -9223372036854775808 9223372036854775807");
}

Test(sink, hexadecimal_numbers_have_as_many_digits_as_they_need)
{
	sink_hex(&sink, 0, 1);
	sink_byte(&sink, ' ');
	sink_hex(&sink, 0xf, 2);
	sink_byte(&sink, ' ');
	sink_hex(&sink, 0x10, 1);
	sink_byte(&sink, ' ');
	sink_hex(&sink, 0x123456789abcdef, 4);
	sink_byte(&sink, ' ');
	sink_hex(&sink, UINT64_MAX, 1);
	sink_byte(&sink, ' ');
	sink_hex(&sink, 1, 16);
	expect("0 0f 10 123456789abcdef ffffffffffffffff 0000000000000001");
}

Test(sink, times_are_microseconds_with_three_places)
{
	sink_us(&sink, 0);
	sink_byte(&sink, ' ');
	sink_us(&sink, 1);
	sink_byte(&sink, ' ');
	sink_us(&sink, 999);
	sink_byte(&sink, ' ');
	sink_us(&sink, 1020);
	sink_byte(&sink, ' ');
	sink_us(&sink, 1234567);
	expect("0.000 0.001 0.999 1.020 1234.567");
}

Test(sink, quoted_text_is_escaped)
{
	sink_quoted(&sink, "a\"b\\c\n\x7f\xff", 8);
	sink_quoted(&sink, "caf\xc3\xa9", 5);
	sink_quoted(&sink, "", 0);
	sink_quoted(&sink, "ab", 1);
	expect("\"a\\\"b\\\\c\\x0a\\x7f\\xff\"\"caf\xc3\xa9\"\"\"\"a\"");
}

Test(sink, more_than_it_holds_is_written_in_order)
{
	enum { LINES = 50000 };
	char *large = malloc(2 * SINK_SIZE);
	size_t at = 0;

	memset(large, 'x', 2 * SINK_SIZE);
	for (unsigned i = 0; i < LINES; i++) {
		sink_decimal(&sink, i);
		sink_byte(&sink, '\n');
	}
	sink_put(&sink, large, 2 * SINK_SIZE);
	sink_text(&sink, "end");
	sink_flush(&sink);
	fclose(sink.out);
	for (unsigned i = 0; i < LINES; i++) {
		char *end;

		cr_assert_eq(strtoul(text + at, &end, 10), i);
		at = (size_t)(end - text) + 1;
	}
	cr_expect_eq(memcmp(text + at, large, 2 * SINK_SIZE), 0);
	cr_expect_str_eq(text + at + 2 * SINK_SIZE, "end");
	free(large);
}

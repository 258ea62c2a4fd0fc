/* The text of an event: only printable characters, whatever the event contains; tabs and ends of
 * lines. */
#include "tests/unit/template/harness.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* The character in UTF-8, by RFC 3629, in the given number of bytes. */
static void encode(uint32_t character, size_t size, char *out)
{
	static const unsigned char first[] = {0, 0, 0xc0, 0xe0, 0xf0};

	for (size_t i = size - 1; i > 0; i--) {
		out[i] = (char)(0x80 | (character & 0x3f));
		character >>= 6;
	}
	out[0] = (char)(first[size] | character);
}

/* What is printed for bytes of an event whose other bytes are letters. */
static const char *shown(const char *bytes, size_t len)
{
	char all[9] = "abcdefgh";

	memcpy(all, bytes, len);
	return items("G16 A8", event_bytes(0x01000000, 0, all, 8));
}

static void is_shown(uint32_t character, size_t size)
{
	char bytes[4], expected[9] = "abcdefgh";

	encode(character, size, bytes);
	memcpy(expected, bytes, size);
	cr_assert_str_eq(shown(bytes, size), expected, "U+%04X", character);
}

static void is_hidden(uint32_t character, size_t size)
{
	char bytes[4], expected[9] = "abcdefgh";

	encode(character, size, bytes);
	memset(expected, '.', size);
	cr_assert_str_eq(shown(bytes, size), expected, "U+%04X in %zu bytes", character, size);
}

Test(run_text, characters_are_shown)
{
	static const struct {
		uint32_t character;
		size_t size;
	} edges[] = {{0xa0, 2},    {0x7ff, 2},    {0x800, 3},  {0xfff, 3},   {0x1000, 3},
	             {0xd7ff, 3},  {0xe000, 3},   {0xffff, 3}, {0x10000, 4}, {0x3ffff, 4},
	             {0x40000, 4}, {0x10ffff, 4}, {0xe9, 2},   {0x20ac, 3},  {0x1f600, 4}};

	for (size_t i = 0; i < sizeof(edges) / sizeof(edges[0]); i++)
		is_shown(edges[i].character, edges[i].size);
}

/* Control characters, overlong forms, surrogates, and numbers beyond Unicode. */
Test(run_text, what_is_no_character_is_hidden)
{
	static const struct {
		uint32_t character;
		size_t size;
	} edges[] = {{0x80, 2},  {0x9f, 2},     {0x9b, 2},    {0x41, 2},   {0x7f, 2},
	             {0x7ff, 3}, {0x41, 3},     {0xd800, 3},  {0xdfff, 3}, {0xffff, 4},
	             {0x41, 4},  {0x110000, 4}, {0x13ffff, 4}};

	for (size_t i = 0; i < sizeof(edges) / sizeof(edges[0]); i++)
		is_hidden(edges[i].character, edges[i].size);
}

Test(run_text, pieces_of_characters_are_hidden)
{
	cr_expect_str_eq(shown("\xe2\x82", 2), "..cdefgh");
	cr_expect_str_eq(shown("\xc3", 1), ".bcdefgh");
	cr_expect_str_eq(shown("\x82\xac\xf0\x9f\x98", 5), ".....fgh");
	cr_expect_str_eq(shown("\xe2\x82\xe2\x82\xac", 5), "..\xe2\x82\xac"
	                                                   "fgh");
	cr_expect_str_eq(shown("\xf5\x80\x80\x80\xff", 5), ".....fgh");
	cr_expect_str_eq(shown("abcdefg\xc3", 8), "abcdefg.");
	cr_expect_str_eq(shown("abcdef\xc3\xa9", 8), "abcdef\xc3\xa9");
}

Test(run_text, controls_are_hidden)
{
	cr_expect_str_eq(shown("\x1f\x20\x7e\x7f\x01\x1b[", 7), ". ~...[h");
}

Test(run_text, text_ends_with_a_zero)
{
	cr_expect_str_eq(items("G16 A8 \"|\"", event_bytes(0x01000000, 0, "ab\0cdefg", 8)), "ab |");
}

/* Columns count characters, and begin again with each line. */
Test(run_text, tabs_go_to_the_next_eighth_column)
{
	static const struct {
		const char *text;
		size_t blanks;
	} cases[] = {{"", 8}, {"1", 7}, {"1234567", 1}, {"12345678", 8}, {"123456789", 7}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char template[128], expected[128];

		snprintf(template, sizeof(template), "\"%s\" \\t \"x\"", cases[i].text);
		snprintf(expected, sizeof(expected), "%s%*s", cases[i].text,
		         (int)cases[i].blanks + 1, "x");
		cr_expect_str_eq(items(template, WORDS(1)), expected);
		snprintf(template, sizeof(template), "\"abc\" \\t \"d\" \\n \"%s\" \\t \"x\"",
		         cases[i].text);
		snprintf(expected, sizeof(expected), "abc     d\n%s%*s", cases[i].text,
		         (int)cases[i].blanks + 1, "x");
		cr_expect_str_eq(items(template, WORDS(1)), expected);
	}
}

Test(run_text, blanks_at_the_end_of_a_line_go)
{
	cr_expect_str_eq(items("\"a  \" \\n \"b\" \\t \\n \\t \\n \"c  \"", WORDS(1)), "a\nb\n\nc");
	cr_expect_str_eq(items("\"12345678  \" \\n \"1\" \\t \"x\"", WORDS(1)),
	                 "12345678\n1       x");
}

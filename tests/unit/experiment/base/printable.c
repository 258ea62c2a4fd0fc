/* Which of any bytes may be printed: every character of Unicode, and bytes that are none. */
#include "experiment/base/printable.h"

#include <criterion/criterion.h>
#include <stdint.h>
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

static size_t size_of(uint32_t character)
{
	return character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
}

static int is_shown(uint32_t character)
{
	int is_control = character < 0x20 || (character >= 0x7f && character < 0xa0);
	int is_surrogate = character >= 0xd800 && character < 0xe000;

	return !is_control && !is_surrogate && character <= 0x10ffff;
}

Test(printable, all_characters_but_controls_and_surrogates_are)
{
	for (uint32_t character = 0; character < 0x140000; character++) {
		size_t size = size_of(character);
		char bytes[4];

		encode(character, size, bytes);
		cr_assert_eq(exp_printable(bytes, size), is_shown(character) ? size : 0, "U+%04X",
		             character);
	}
}

Test(printable, what_is_behind_a_character_does_not_matter)
{
	cr_expect_eq(exp_printable("a\n", 2), 1);
	cr_expect_eq(exp_printable("\xc3\xa4\n", 3), 2);
	cr_expect_eq(exp_printable("\xe2\x82\xac\xff", 4), 3);
	cr_expect_eq(exp_printable("\xf0\x9f\x98\x80\x80", 5), 4);
}

Test(printable, a_character_that_is_cut_is_none)
{
	for (uint32_t character = 0xa0; character < 0x110000; character += 0x3f) {
		char bytes[4];

		encode(character, size_of(character), bytes);
		for (size_t len = 1; len < size_of(character); len++)
			cr_assert_eq(exp_printable(bytes, len), 0, "%zu bytes of U+%04X", len,
			             character);
	}
}

/* Each character has one form, the shortest. */
Test(printable, longer_forms_are_none)
{
	for (uint32_t character = 0x20; character < 0x10000; character++)
		for (size_t size = size_of(character) + 1; size <= 4; size++) {
			char bytes[4];

			encode(character, size, bytes);
			cr_assert_eq(exp_printable(bytes, size), 0, "U+%04X in %zu bytes",
			             character, size);
		}
}

Test(printable, bytes_behind_the_first_continue_it)
{
	static const char *const characters[] = {"\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x98\x80"};

	for (size_t i = 0; i < 3; i++)
		for (size_t at = 1; at < i + 2; at++)
			for (unsigned byte = 0; byte < 256; byte++) {
				char bytes[5];

				strcpy(bytes, characters[i]);
				if ((byte & 0xc0) == 0x80)
					continue;
				bytes[at] = (char)byte;
				cr_assert_eq(exp_printable(bytes, i + 2), 0, "%02x at %zu", byte,
				             at);
			}
}

Test(printable, bytes_that_begin_nothing_are_not)
{
	for (unsigned byte = 0x80; byte < 256; byte++) {
		char bytes[4] = {(char)byte, (char)0x80, (char)0x80, (char)0x80};

		if (byte < 0xc0 || byte >= 0xf8)
			cr_assert_eq(exp_printable(bytes, 4), 0, "%02x", byte);
	}
}

/* Format codes and numbers as they are written: which sizes each letter has, what may follow %,
 * hook ids, and numbers of every base. */
#include "template/internal.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static int parse(const char *word, struct code *out)
{
	return template_code_parse(word, strlen(word), out);
}

/* The sizes of a letter by xer_trcrpt(1), as text. */
static void has_sizes(char letter, const char *sizes)
{
	for (int size = 0; size <= 40; size++) {
		char word[16], listed[16];
		struct code code;
		int is_listed;

		snprintf(word, sizeof(word), "%c%d", letter, size);
		snprintf(listed, sizeof(listed), " %d ", size);
		is_listed = strstr(sizes, listed) != NULL;
		cr_assert_eq(parse(word, &code), is_listed ? 1 : -EINVAL, "%s", word);
		if (is_listed)
			cr_assert(code.letter == letter && code.size == size &&
			                  !code.has_fraction && code.fraction == 0,
			          "%s", word);
	}
}

Test(code, each_letter_has_its_sizes)
{
	has_sizes('X', " 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 ");
	has_sizes('D', " 1 2 4 8 ");
	has_sizes('U', " 1 2 4 8 ");
	has_sizes('o', " 1 2 4 8 ");
	has_sizes('B', " 1 2 3 4 5 6 7 8 ");
	has_sizes('F', " 4 8 ");
	has_sizes('E', " 1 2 4 ");
	has_sizes('T', " 4 8 ");
	has_sizes('P', " 4 ");
	has_sizes('S', " 1 2 4 ");
}

Test(code, bits_stand_behind_a_point)
{
	static const struct {
		const char *word;
		int status;
		unsigned size, fraction;
	} cases[] = {
		{"B0.1", 1, 0, 1},        {"B0.7", 1, 0, 7},
		{"B7.7", 1, 7, 7},        {"B8.0", 1, 8, 0},
		{"B8.1", -EINVAL, 0, 0},  {"B0.0", -EINVAL, 0, 0},
		{"B1.8", 1, 1, 8},        {"B0.64", 1, 0, 64},
		{"B0.65", -EINVAL, 0, 0}, {"B7.9", -EINVAL, 0, 0},
		{"G4.7", 1, 4, 7},        {"G4.8", -EINVAL, 0, 0},
		{"O0.4", 1, 0, 4},        {"X1.0", -EINVAL, 0, 0},
		{"R1.1", -EINVAL, 0, 0},  {"A0.20", 1, 0, 20},
		{"G1234.5", 1, 1234, 5},  {"W3.1", -EINVAL, 0, 0},
		{"D4.1", -EINVAL, 0, 0},  {"X99999999999", -EINVAL, 0, 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct code code;

		cr_assert_eq(parse(cases[i].word, &code), cases[i].status, "%s", cases[i].word);
		if (cases[i].status != 1)
			continue;
		cr_expect_eq(code.size, cases[i].size, "%s", cases[i].word);
		cr_expect_eq(code.fraction, cases[i].fraction, "%s", cases[i].word);
		cr_expect_eq(code.has_fraction, strchr(cases[i].word, '.') != NULL);
	}
}

Test(code, other_words_are_none)
{
	static const char *const words[] = {"X",  "4",   "Q4", "X4x",  "X4.",    "B.1",
	                                    "XX", "X-1", "x4", "B1.x", "B1.2.3", "4X"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		cr_expect_eq(parse(words[i], &(struct code){0}), 0, "%s", words[i]);
}

/* After %, characters that format nothing are two bytes in hexadecimal, with a message (2). */
Test(code, formats_of_macros)
{
	static const struct {
		const char *word;
		int status;
		char letter;
		unsigned size, fraction;
	} cases[] = {
		{"X4", 1, 'X', 4, 0},   {"D8", 1, 'D', 8, 0},   {"U1", 1, 'U', 1, 0},
		{"o4", 1, 'o', 4, 0},   {"O4", 1, 'o', 4, 0},   {"W8", 1, 'X', 8, 0},
		{"B1.4", 1, 'B', 1, 4}, {"B0.1", 1, 'B', 0, 1}, {"N", 1, 'N', 8, 0},
		{"N4", 1, 'N', 8, 0},   {"F4", 1, 'F', 4, 0},   {"A9", 1, 'A', 9, 0},
		{"A4.9", 1, 'A', 4, 9}, {"S1", 1, 'S', 1, 0},   {"E4", 1, 'E', 4, 0},
		{"F2", 2, 'X', 2, 0},   {"G4", 2, 'X', 2, 0},   {"B0.12", 1, 'B', 0, 12},
		{"D3", 2, 'X', 2, 0},   {"Z9", 2, 'X', 2, 0},   {"X16", 1, 'X', 16, 0},
		{"Nx", 0, 'X', 2, 0},   {"X", 0, 'X', 2, 0},    {"4", 0, 'X', 2, 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct code code;

		cr_assert_eq(template_format_parse(cases[i].word, strlen(cases[i].word), &code),
		             cases[i].status, "%s", cases[i].word);
		cr_expect_eq(code.letter, cases[i].letter, "%s", cases[i].word);
		cr_expect_eq(code.size, cases[i].size, "%s", cases[i].word);
		cr_expect_eq(code.fraction, cases[i].fraction, "%s", cases[i].word);
	}
}

Test(code, bytes_of_a_number)
{
	static const struct {
		const char *word;
		unsigned bytes;
	} cases[] = {{"X0", 1},   {"X1", 1},   {"X8", 8},    {"X9", 8},   {"X16", 8},
	             {"D4", 4},   {"B0.1", 1}, {"B0.12", 2}, {"B1.4", 2}, {"B8", 8},
	             {"B7.7", 8}, {"B2.0", 2}, {"G4.3", 4}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct code code;

		cr_assert_eq(parse(cases[i].word, &code), 1);
		cr_expect_eq(template_code_bytes(&code), cases[i].bytes, "%s", cases[i].word);
	}
}

Test(code, numbers_of_every_base)
{
	static const struct {
		const char *text;
		unsigned base;
		int status;
		uint64_t value;
	} cases[] = {
		{"0", 2, 0, 0},
		{"101", 2, 0, 5},
		{"2", 2, -EINVAL, 0},
		{"777", 8, 0, 511},
		{"8", 8, -EINVAL, 0},
		{"1234567890", 10, 0, 1234567890},
		{"a", 10, -EINVAL, 0},
		{"18446744073709551615", 10, 0, UINT64_MAX},
		{"18446744073709551616", 10, -EINVAL, 0},
		{"ffffffffffffffff", 16, 0, UINT64_MAX},
		{"10000000000000000", 16, -EINVAL, 0},
		{"aBcDeF", 16, 0, 0xabcdef},
		{"g", 16, -EINVAL, 0},
		{"0x1F", 2, 0, 31},
		{"0X1f", 10, 0, 31},
		{"0x", 16, -EINVAL, 0},
		{"x1", 16, -EINVAL, 0},
		{"", 10, -EINVAL, 0},
		{"-1", 10, -EINVAL, 0},
		{"1 ", 10, -EINVAL, 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t value = 0;

		cr_expect_eq(template_number_parse(cases[i].text, strlen(cases[i].text),
		                                   cases[i].base, &value),
		             cases[i].status, "%s", cases[i].text);
		cr_expect_eq(value, cases[i].value, "%s", cases[i].text);
	}
}

Test(code, hook_ids_have_three_digits_or_four)
{
	static const struct {
		const char *text, *told;
		int hook;
	} cases[] = {{"010", "010", 0x0100},  {"fFf", "FFF", 0xfff0},  {"1234", "1234", 0x1234},
	             {"0100", "010", 0x0100}, {"abc0", "ABC", 0xabc0}, {"01", "", -1},
	             {"12345", "", -1},       {"0x1", "", -1},         {"0X12", "", -1},
	             {"01g", "", -1}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint16_t hook = 0;
		char text[5] = "";

		cr_assert_eq(template_hook_parse(cases[i].text, strlen(cases[i].text), &hook),
		             cases[i].hook < 0 ? -EINVAL : 0, "%s", cases[i].text);
		if (cases[i].hook < 0)
			continue;
		cr_expect_eq(hook, cases[i].hook, "%s", cases[i].text);
		template_hook_text(hook, text);
		cr_expect_str_eq(text, cases[i].told);
	}
}

Test(code, predefined_macros_are_found_by_their_whole_names)
{
	cr_expect_eq(template_macro_find("D1", 2), MACRO_D1);
	cr_expect_eq(template_macro_find("DEFAULT", 7), MACRO_DEFAULT);
	cr_expect_eq(template_macro_find("DEFAULTS", 8), MACROS);
	cr_expect_eq(template_macro_find("DEFAUL", 6), MACROS);
	cr_expect_eq(template_macro_find("", 0), MACROS);
	cr_expect_eq(template_macro_kind(MACRO_D1), MACRO_KIND_NUMBER);
	cr_expect_eq(template_macro_kind(MACRO_DATAPOINTER), MACRO_KIND_SETTABLE);
	cr_expect_eq(template_macro_kind(MACRO_EXECPATH), MACRO_KIND_TEXT);
	cr_expect_eq(template_macro_kind(MACRO_STOP), MACRO_KIND_ACTION);
}

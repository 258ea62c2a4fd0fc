/* Tests of analyzer/base/text.c and analyzer/model/name.c: escaping, distances, short names. */
#include "analyzer/base/text.h"

#include "analyzer/model/name.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

static void check(const char *input, size_t len, const char *expected)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	text_put_bytes(out, input, len);
	fclose(out);
	cr_assert_str_eq(text, expected);
	free(text);
}

Test(text, control_bytes_are_escaped)
{
	check("a\033[31mb\n\t\x7f", 10, "a\\x1b[31mb\\x0a\\x09\\x7f");
	check("a\0b", 3, "a\\x00b");
}

Test(text, utf8_stays_and_other_bytes_do_not)
{
	check("caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", 14,
	      "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
	check("\xc3", 1, "\\xc3");
	check("\xc2\x9b", 2, "\\xc2\\x9b");
	check("\xed\xa0\x80", 3, "\\xed\\xa0\\x80");
	check("\xff", 1, "\\xff");
}

static void check_short(const char *name, const char *expected)
{
	char *brief = name_shorten(name);

	cr_assert_str_eq(brief, expected);
	free(brief);
}

Test(name, short_names_have_no_arguments)
{
	check_short("main", "main");
	check_short("f(int, char const*)", "f");
	check_short("ns::C::m(void (*)(int)) const", "ns::C::m");
	check_short("C::operator()(int)", "C::operator()");
	check_short("operator()", "operator()");
	check_short("(anonymous namespace)::f()", "(anonymous namespace)::f");
	check_short("unbalanced)", "unbalanced)");
	check_short("", "");
}

Test(text, blanks_are_cut_off_both_ends)
{
	static const char *const texts[][2] = {{"", ""},
	                                       {" \t\r\n", ""},
	                                       {"a", "a"},
	                                       {" a b ", "a b"},
	                                       {"\ta\n", "a"},
	                                       {"a\r\n", "a"},
	                                       {"\xc3\xa4 ", "\xc3\xa4"},
	                                       {" a", "a"}};
	char copy[16];

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		snprintf(copy, sizeof(copy), "%s", texts[i][0]);
		cr_expect_str_eq(text_trim(copy), texts[i][1]);
	}
}

Test(text, thousands_are_apart_from_five_digits_on)
{
	static const struct {
		const char *plain, *expected;
	} cases[] = {{"0", "0"},
	             {"9999", "9999"},
	             {"10000", "10,000"},
	             {"-123456", "-123,456"},
	             {"18446744073709551615", "18,446,744,073,709,551,615"},
	             {"+12345.678901", "+12,345.678901"},
	             {"", ""},
	             {"new", "new"}};
	char text[64];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(text, sizeof(text), "%s", cases[i].plain);
		cr_expect_str_eq(text_group(text), cases[i].expected);
	}
}

Test(text, times_are_rounded_to_digits)
{
	char text[TEXT_TIME_MAX];

	cr_expect_str_eq(text_time_digits(1499999999, 1000000000, 0, text), "1");
	cr_expect_str_eq(text_time_digits(1500000000, 1000000000, 0, text), "2");
	cr_expect_str_eq(text_time_digits(1234567890, 1000000000, 3, text), "1.235");
	cr_expect_str_eq(text_time_digits(1250, 1000, 1, text), "1.3");
	cr_expect_str_eq(text_time_digits(1, 1000000000, 9, text), "0.000000001");
}

/* Values in XML files as they were before they were escaped. */
#include "experiment/base/xmlread.h"

#include "tests/unit/experiment/make_experiment.h"

#include <criterion/criterion.h>
#include <errno.h>

Test(xmlread, restores_ampersands_in_values)
{
	struct maker maker;
	struct exp_cause cause;
	struct experiment *experiment;

	maker_create(&maker);
	maker_log(&maker, "<setting name=\"a\" value=\"&amp;&lt;&amp;\"/>\n"
	                  "<setting name=\"b\" value=\"&amp;#38; &amp;amp; &#38;\"/>\n"
	                  "<setting name=\"c\" value=\"x\\x26y\"/>\n");
	cr_assert_eq(maker_open(&maker, &experiment, &cause), 0);
	cr_assert_str_eq(experiment_setting(experiment, "a", ""), "&<&");
	cr_assert_str_eq(experiment_setting(experiment, "b", ""), "&#38; &amp; &");
	cr_assert_str_eq(experiment_setting(experiment, "c", ""), "x&y");
	cr_assert_eq(maker.warnings, 0, "%s", maker.warning);
	experiment_close(experiment);
	maker_destroy(&maker);
}

Test(xmlread, numbers_are_decimal_or_hexadecimal_and_nothing_else)
{
	static const struct {
		const char *text;
		int status;
		uint64_t number;
	} cases[] = {
		{"0", 0, 0},
		{"12", 0, 12},
		{"012", 0, 12},
		{"0x1f", 0, 31},
		{"0X1F", 0, 31},
		{"1f", -EINVAL, 0},
		{"-1", 0, UINT64_MAX},
		{"18446744073709551615", 0, UINT64_MAX},
		{"18446744073709551616", -EINVAL, 0},
		{"", -EINVAL, 0},
		{" 1", -EINVAL, 0},
		{"1 ", -EINVAL, 0},
		{"+1", -EINVAL, 0},
		{"x1", -EINVAL, 0},
		{"0y1", -EINVAL, 0},
		{"-", -EINVAL, 0},
		{":", -EINVAL, 0},
		{"/", -EINVAL, 0},
		{"9", 0, 9},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct exp_pair pair = {.name = "number", .value = cases[i].text};
		const struct exp_element element = {.attributes = &pair, .attribute_count = 1};
		uint64_t number = 0;

		cr_expect_eq(exp_number_parse(cases[i].text, &number), cases[i].status, "\"%s\"",
		             cases[i].text);
		cr_expect_eq(number, cases[i].number, "\"%s\"", cases[i].text);
		cr_expect_eq(exp_element_number(&element, "number", 77),
		             cases[i].status == 0 ? cases[i].number : 77);
		cr_expect_eq(exp_element_number(&element, "other", 77), 77);
	}
}

/* Values in XML files as they were before they were escaped. */
#include "experiment/base/xmlread.h"

#include "tests/unit/experiment/make_experiment.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

/* ---- names of elements and attributes */

enum { DIFFERENT = 70 /* more than are remembered */ };

struct met {
	const char *element, *attribute;
};

struct walked {
	struct met met[2 * DIFFERENT + 1];
	size_t count;
};

static int take(void *context, const struct exp_element *element)
{
	struct walked *walked = context;

	cr_assert_lt(walked->count, sizeof(walked->met) / sizeof(walked->met[0]));
	walked->met[walked->count++] = (struct met){
		element->name, element->attribute_count ? element->attributes[0].name : NULL};
	return 0;
}

Test(xmlread, names_that_come_again_are_kept_once_and_many_names_are_not_mixed_up)
{
	char path[] = "/tmp/xer-xmlread-XXXXXX", name[16];
	int fd = mkstemp(path);
	struct exp_arena arena = {0};
	struct walked walked = {.count = 0};
	struct exp_xml_walk walk = {
		.root = "r", .element = take, .context = &walked, .arena = &arena};

	unlink(path);
	dprintf(fd, "<r>");
	for (int again = 0; again < 2; again++)
		for (int i = 0; i < DIFFERENT; i++)
			dprintf(fd, "<e a%d=\"1\"/>", i);
	dprintf(fd, "</r>");
	lseek(fd, 0, SEEK_SET);
	cr_assert_eq(exp_xml_read(fd, &walk), 0, "%s", walk.fault);
	close(fd);
	cr_assert_eq(walked.count, 2 * DIFFERENT + 1);
	for (size_t i = 1; i < walked.count; i++) {
		snprintf(name, sizeof(name), "a%zu", (i - 1) % DIFFERENT);
		cr_expect_str_eq(walked.met[i].element, "e");
		cr_expect_eq(walked.met[i].element, walked.met[1].element, "kept once");
		cr_expect_str_eq(walked.met[i].attribute, name);
	}
	cr_expect_eq(walked.met[1].attribute, walked.met[1 + DIFFERENT].attribute, "kept once");
	exp_arena_fini(&arena);
}

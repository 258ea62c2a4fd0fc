/* Sets of templates: which of several for one hook is used, how they are found, messages about
 * them. */
#include "template/template.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static struct template_set *set;
static const struct template_message *messages;

static void set_up(void)
{
	set = template_set_create();
	cr_assert_not_null(set);
}

static void tear_down(void)
{
	template_set_destroy(set);
}

TestSuite(set, .init = set_up, .fini = tear_down);

static void add(const char *file, const char *text)
{
	cr_assert_eq(template_set_add(set, file, text, strlen(text)), 0);
}

static const char *label_of(uint16_t hook)
{
	const struct template *template = template_find(set, hook);
	static char text[64];

	if (!template)
		return "";
	snprintf(text, sizeof(text), "%.*s", (int)template_header(template)->label_len,
	         template_header(template)->label);
	return text;
}

/* As editors elsewhere write them: with a byte order mark, and lines that end in CR LF. */
Test(set, lines_may_end_in_two_bytes_behind_a_byte_order_mark)
{
	add("a",
	    "\xef\xbb\xbf"
	    "# first\r\n010 1.0 L=APPL \"ten\" \\\r\n\tD4 \\\r\n\tD4\r\n\r\n* second\r\n011 1.0 "
	    "\"eleven\"\r\n");
	cr_assert_eq(template_set_finish(set), 0);
	cr_expect_eq(template_set_count(set), 2);
	cr_expect_str_eq(label_of(0x0100), "ten");
	cr_expect_str_eq(label_of(0x0110), "eleven");
}

Test(set, the_highest_version_of_a_hook_counts_of_equal_ones_the_latest)
{
	add("a", "010 1.2 \"low\"\n010 2.1 \"high\"\n010 1.9 \"middle\"\n");
	add("b", "020 1.10 \"ten\"\n020 1.9 \"nine\"\n030 1.0 \"first\"\n030 1.0 \"second\"\n");
	cr_assert_eq(template_set_finish(set), 0);
	cr_expect_eq(template_set_count(set), 3);
	cr_expect_str_eq(label_of(0x0100), "high");
	cr_expect_str_eq(label_of(0x0200), "ten");
	cr_expect_str_eq(label_of(0x0300), "second");
	cr_assert_eq(template_set_messages(set, &messages), 4);
	cr_expect_str_eq(
		messages[0].text,
		"a:3: warning: another template of this hook counts, of version 2.1 in line 2 (near '1.9')");
	cr_expect_str_eq(
		messages[1].text,
		"a:1: warning: another template of this hook counts, of version 2.1 in line 2 (near '1.2')");
	cr_expect_str_eq(
		messages[3].text,
		"b:3: warning: another template of this hook counts, of version 1.0 in line 4 (near '1.0')");
	cr_expect(messages[0].is_warning);
}

Test(set, templates_are_found_by_their_hooks)
{
	for (unsigned hook = 0x300; hook > 0x010; hook -= 3) {
		char text[64];

		snprintf(text, sizeof(text), "%03x 1.0 \"%x\"\n", hook, hook);
		add("many", text);
	}
	cr_assert_eq(template_set_finish(set), 0);
	cr_expect_eq(template_set_count(set), (0x300 - 0x010 + 2) / 3);
	for (unsigned hook = 0x010; hook < 0x310; hook++) {
		char label[8] = "";

		if (hook > 0x010 && hook <= 0x300 && (0x300 - hook) % 3 == 0)
			snprintf(label, sizeof(label), "%x", hook);
		cr_assert_str_eq(label_of((uint16_t)(hook << 4)), label);
	}
	for (size_t i = 1; i < template_set_count(set); i++)
		cr_assert_lt(template_header(template_at(set, i - 1))->hook,
		             template_header(template_at(set, i))->hook);
}

Test(set, what_is_called_must_be_there)
{
	add("file", "010 1.0 \"a\" $020 $030 $040\n020 1.0 \"b\"\n040 1.0 \"c\"\n");
	cr_assert_eq(template_set_finish(set), 0);
	cr_assert_eq(template_set_messages(set, &messages), 1);
	cr_expect_str_eq(messages[0].text,
	                 "file:1: warning: there is no template to call (near '030')");
}

Test(set, comments_and_blank_lines_stand_between_templates)
{
	add("file", "# 010 1.0 \"no\"\n* 010 1.0 \"no\"\n \t\r\n\n010 1.0 \"yes\"\n#");
	cr_assert_eq(template_set_finish(set), 0);
	cr_expect_eq(template_set_count(set), 1);
	cr_expect_eq(template_header(template_at(set, 0))->line, 5);
	cr_expect_str_eq(label_of(0x0100), "yes");
}

/* A long token is cut after 32 characters, and control characters are shown as ?. */
Test(set, messages_show_what_they_are_about)
{
	char text[128], expected[256];
	int errors;

	add("file", "01\t 1.0 \"x\"\n");
	snprintf(text, sizeof(text), "%.*s 1.0 \"x\"\n", 32,
	         "xyzxyzxyzxyzxyzxyzxyzxyzxyzxyzxyzxyz");
	add("file", text);
	snprintf(text, sizeof(text), "%.*s 1.0 \"x\"\n", 33,
	         "xyzxyzxyzxyzxyzxyzxyzxyzxyzxyzxyzxyz");
	add("file", text);
	errors = template_set_finish(set);
	cr_expect_eq(errors, 3);
	cr_assert_eq(template_set_messages(set, &messages), 3);
	cr_expect_not(messages[0].is_warning);
	snprintf(expected, sizeof(expected),
	         "file:1: a hook id is expected: three or four hexadecimal digits (near '%.32s')",
	         "xyzxyzxyzxyzxyzxyzxyzxyzxyzxyzxyzxyz");
	cr_expect_str_eq(messages[1].text, expected);
	snprintf(
		expected, sizeof(expected),
		"file:1: a hook id is expected: three or four hexadecimal digits (near '%.32s...')",
		"xyzxyzxyzxyzxyzxyzxyzxyzxyzxyzxyzxyz");
	cr_expect_str_eq(messages[2].text, expected);
}

Test(set, only_a_thousand_messages_are_kept_and_all_errors_counted)
{
	for (int i = 0; i < 1003; i++)
		add("file", "01 1.0 \"x\"\n");
	cr_expect_eq(template_set_finish(set), 1003);
	cr_expect_eq(template_set_messages(set, &messages), 1000);
}

Test(set, an_empty_set_is_none)
{
	add("file", "");
	cr_expect_eq(template_set_finish(set), 0);
	cr_expect_eq(template_set_count(set), 0);
	cr_expect_null(template_find(set, 0x0100));
	cr_expect_eq(template_set_messages(set, &messages), 0);
}

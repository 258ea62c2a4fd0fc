/* update.c: update files: + and - stanzas, versions, undo. */
#include "template/update.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static const char
	target[] = "# header\n010 1.0 L=APPL \"ten\" \\\n  $D1\n\n011 2.5 \"eleven\"\n# tail\n";
static struct template_update made;

static int update(const char *text, const char *with)
{
	return template_update_make(&made, "target", text, strlen(text), "update", with,
	                            strlen(with));
}

static void gives(const char *text, const char *with, const char *result)
{
	cr_assert_eq(update(text, with), 0);
	cr_assert(made.text_len == strlen(result) && memcmp(made.text, result, made.text_len) == 0,
	          "%.*s", (int)made.text_len, made.text);
	template_update_fini(&made);
}

/* The undo file restores the file, except for the order of its templates. */
static void undoes(const char *with, const char *result)
{
	char changed[1000], undo[1000];

	cr_assert_eq(update(target, with), 0);
	memcpy(changed, made.text, made.text_len);
	changed[made.text_len] = '\0';
	memcpy(undo, made.undo, made.undo_len);
	undo[made.undo_len] = '\0';
	template_update_fini(&made);
	gives(changed, undo, result);
}

Test(update, adds_replaces_and_deletes)
{
	gives(target, "* /etc/trcfmt\n# comment\n\n+012 1.0 \"twelve\" \\\n X1\n",
	      "# header\n010 1.0 L=APPL \"ten\" \\\n  $D1\n\n011 2.5 \"eleven\"\n# tail\n012 1.0 \"twelve\" \\\n X1\n");
	gives(target, "+010 1.0 \"new ten\"\n",
	      "# header\n010 1.0 \"new ten\"\n\n011 2.5 \"eleven\"\n# tail\n");
	gives(target, "-010\n- 0110 \n", "# header\n\n# tail\n");
	gives("010 1.0 \"x\"", "+011 1.0 \"y\"", "010 1.0 \"x\"\n011 1.0 \"y\"\n");
	gives("", "+011 1.0 \"y\"", "011 1.0 \"y\"\n");
}

/* Some write a backslash at the end of every line. One at the end of a stanza must not join the
 * stanza with what is put after it. */
Test(update, a_stanza_that_is_left_open_takes_no_other)
{
	gives("010 1.0 \"x\" \\\n", "+011 1.0 \"y\"", "010 1.0 \"x\" \\\n\n011 1.0 \"y\"\n");
	gives("010 1.0 \"x\" \\\r\n", "+011 1.0 \"y\"", "010 1.0 \"x\" \\\r\n\n011 1.0 \"y\"\n");
	gives("010 1.0 \"x\" \\ ", "+011 1.0 \"y\"", "010 1.0 \"x\" \\ \n\n011 1.0 \"y\"\n");
	gives("010 1.0 \"x\" \\\n\n", "+011 1.0 \"y\"", "010 1.0 \"x\" \\\n\n011 1.0 \"y\"\n");
	gives("010 1.0 \"x\" \\\n# why", "+011 1.0 \"y\"",
	      "010 1.0 \"x\" \\\n# why\n\n011 1.0 \"y\"\n");
	gives("000 1.0 \"x\" \\\n", "+011 1.0 \"y\"", "000 1.0 \"x\" \\\n\n011 1.0 \"y\"\n");
	gives(target,
	      "+010 2.0 \"new ten\" \\\n\n+012 1.0 \"twelve\" \\\r\n# why\n\n+013 1.0 \"thirteen\"\n",
	      "# header\n010 2.0 \"new ten\" \\\n\n\n011 2.5 \"eleven\"\n# tail\n012 1.0 \"twelve\" \\\r\n# why\n\n013 1.0 \"thirteen\"\n");
	cr_assert_eq(update("010 1.0 \"x\" \\\n\n011 1.0 \"y\"\n", "-010\n-011\n"), 0);
	cr_assert_eq(made.undo_len, strlen("+011 1.0 \"y\"\n+010 1.0 \"x\" \\\n\n"));
	template_update_fini(&made);
	cr_assert_eq(update("010 1.0 \"x\" \\\n\n011 1.0 \"y\"\n", "-011\n-010\n"), 0);
	cr_assert(strncmp(made.undo, "+010 1.0 \"x\" \\\n\n+011 1.0 \"y\"\n", made.undo_len) == 0,
	          "%.*s", (int)made.undo_len, made.undo);
	template_update_fini(&made);
}

Test(update, a_lower_version_is_left_out)
{
	cr_assert_eq(update(target, "+011 2.4 \"old\"\n+010 1.1 \"new\"\n"), 0);
	cr_assert(made.left == 1 && made.replaced == 1 && made.added == 0);
	cr_assert(strstr(made.text, "eleven") != NULL);
	template_update_fini(&made);
}

/* A file may have several templates of an id: undoing must not replace another one. */
Test(update, duplicates_come_back)
{
	const char *twice = "010 1.0 \"a\"\n010 2.0 \"b\"\n";
	char undo[100];

	cr_assert_eq(update(twice, "+010 3.0 \"c\"\n"), 0);
	snprintf(undo, sizeof(undo), "%.*s", (int)made.undo_len, made.undo);
	template_update_fini(&made);
	cr_assert_str_eq(undo, "-010\n++010 2.0 \"b\"\n");
	gives("010 1.0 \"a\"\n010 3.0 \"c\"\n", undo, twice);
	cr_assert_eq(update(twice, "-010\n-010\n"), 0);
	snprintf(undo, sizeof(undo), "%.*s", (int)made.undo_len, made.undo);
	template_update_fini(&made);
	gives("", undo, twice);
}

/* Some editors put a byte order mark before UTF-8. */
Test(update, a_byte_order_mark_is_passed)
{
	gives("\xef\xbb\xbf"
	      "010 1.0 \"a\"\n",
	      "\xef\xbb\xbf+010 2.0 \"b\"\r\n",
	      "\xef\xbb\xbf"
	      "010 2.0 \"b\"\n");
}

Test(update, can_be_undone)
{
	undoes("+012 1.0 \"twelve\"\n", target);
	undoes("+010 3.0 \"new ten\"\n",
	       "# header\n\n011 2.5 \"eleven\"\n# tail\n010 1.0 L=APPL \"ten\" \\\n  $D1\n");
	undoes("-011\n",
	       "# header\n010 1.0 L=APPL \"ten\" \\\n  $D1\n\n# tail\n011 2.5 \"eleven\"\n");
	undoes("-011\n+011 1.0 \"lower\"\n-010\n",
	       "# header\n\n# tail\n010 1.0 L=APPL \"ten\" \\\n  $D1\n011 2.5 \"eleven\"\n");
}

Test(update, nothing_is_done_if_anything_is_wrong)
{
	const struct template_message *messages;

	cr_assert_eq(
		update(target, "+012 1.0 \"twelve\"\n-013\n+014 1.0 F3\n015 1.0 \"x\"\n-xyz\n"), 4);
	cr_assert(!made.text && !made.undo);
	cr_assert_eq(template_set_messages(made.messages, &messages), 4);
	cr_assert_str_eq(messages[0].text,
	                 "update:2: there is no template to delete (near '-013')");
	cr_assert_str_eq(messages[1].text, "update:3: a label is expected, a string (near 'F3')");
	cr_assert_str_eq(
		messages[2].text,
		"update:4: + or - is expected at the beginning of the line (near '015 1.0 \"x\"')");
	cr_assert_str_eq(messages[3].text,
	                 "update:5: a hook id is expected behind - (near '-xyz')");
	template_update_fini(&made);
	cr_assert_eq(update("010 1.0 F3\n", "+011 1.0 \"x\"\n"), 1,
	             "an error of the target counts too");
	template_update_fini(&made);
}

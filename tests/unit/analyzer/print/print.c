/* Tests of analyzer/print/print.c and of the forms: text, JSON, delimited, HTML. */
#include "analyzer/print/output.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A table with all types, also with hostile bytes, as a command would print it. */
static void say_all(struct output *output)
{
	struct print_table *table = print_table_begin("all");

	print_column(table, PRINT_WORD, "word", "A, \"word\"");
	print_column(table, PRINT_COUNT, "count", "Count");
	print_column(table, PRINT_NS, "time", "Time");
	print_column(table, PRINT_PERCENT, "share", "Share");
	print_column(table, PRINT_HEX, "address", "Address");
	print_column(table, PRINT_LIST, "list", "List");
	print_word(table, "a \"b\" <&> \xff\x01\\ \xef\xbf\xbe");
	print_number(table, UINT64_MAX);
	print_number(table, 1000000001);
	print_real(table, 12.345);
	print_number(table, 0x401000);
	print_word(table, "f;g\nmain\n");
	for (int i = 0; i < 6; i++)
		print_none(table);
	print_table_end(output, table, 0);
	print_note(output, "%d notes", 2);
}

/* The output of say_all in a form. The caller frees it. */
static char *printed(const char *mode, void (*say)(struct output *output))
{
	struct output output = {.program = "test"};
	char *text = NULL;
	size_t size;

	output.out = open_memstream(&text, &size);
	cr_assert_eq(print_set_mode(&output, mode), 0);
	print_begin(&output, "test");
	say(&output);
	print_end(&output);
	print_finish(&output);
	fclose(output.out);
	return text;
}

static void check(const char *mode, void (*say)(struct output *output), const char *expected)
{
	char *text = printed(mode, say);

	cr_assert_str_eq(text, expected, "%s:\n%s", mode, text);
	free(text);
}

Test(print, text_aligns_columns_and_lists_follow)
{
	check("text", say_all,
	      "A, \"word\"                             Count      Time  Share  Address\n"
	      "a \"b\" <&> \\xff\\x01\\ \xef\xbf\xbe  18446744073709551615  1.000000  12.35  0x00401000\n"
	      "    f;g\n"
	      "    main\n"
	      "-                                         -         -      -  -\n"
	      "# 2 notes\n");
}

Test(print, json_escapes_and_knows_null)
{
	char *text = printed("json", say_all);

	cr_assert(
		strstr(text,
	               "[\"a \\\"b\\\" <&> \\\\xff\\\\x01\\\\ \xef\xbf\xbe\", 18446744073709551615, 1.000000001, "
	               "12.35, \"0x00401000\", [\"f;g\", \"main\"]],\n    [null, null, null, null, null, null]]}") !=
			NULL,
		"%s", text);
	cr_assert(
		strstr(text,
	               "{\"key\": \"word\", \"heading\": \"A, \\\"word\\\"\", \"kind\": \"text\", \"unit\": \"\"}") !=
			NULL,
		"%s", text);
	cr_assert(strstr(text, "\"notes\": [\n  \"2 notes\"]") != NULL, "%s", text);
	free(text);
}

Test(print, delimited_quotes_as_rfc_4180)
{
	const char *word = "a \"\"b\"\" <&> \\xff\\x01\\ \xef\xbf\xbe";
	char expected[512];

	snprintf(
		expected, sizeof(expected),
		"word,count,time,share,address,list\n\"%s\",18446744073709551615,1.000000001,12.35,0x00401000,\"f;g; main\"\n"
		",,,,,\n",
		word);
	check("csv", say_all, expected);
	snprintf(
		expected, sizeof(expected),
		"word;count;time;share;address;list\n\"%s\";18446744073709551615;1.000000001;12.35;0x00401000;\"f;g; main\"\n"
		";;;;;\n",
		word);
	check(";", say_all, expected);
}

Test(print, html_escapes_what_xml_does_not_allow)
{
	char *text = printed("html", say_all);

	cr_assert(
		strstr(text, ">a &quot;b&quot; &lt;&amp;&gt; \\xff\\x01\\ \\xef\\xbf\\xbe</td>") !=
			NULL,
		"%s", text);
	cr_assert(strstr(text, "<div>f;g</div><div>main</div>") != NULL, "%s", text);
	cr_assert(strstr(text, "</html>\n") == text + strlen(text) - 8, "%s", text);
	free(text);
}

static void say_signs(struct output *output)
{
	struct print_table *table = print_table_begin("test");

	print_column(table, PRINT_WORD, "word", "*Word*\nbelow");
	print_column(table, PRINT_VALUE, "value", "Value");
	print_column(table, PRINT_NS, "time", "Time");
	print_word(table, "within noise");
	print_real(table, 0.000123456);
	print_number(table, 1500000000);
	print_word(table, "a|b\\|c @plt `x` <i>");
	print_real(table, 1234.5);
	print_none(table);
	print_table_end(output, table, 0);
	print_note(output, "2*base @you <script> #1");
	print_next(output, "csingle", "a|b", "who calls it");
}

Test(print, markdown_escapes_what_would_be_a_sign)
{
	check("markdown", say_signs,
	      "### test\n\n"
	      "| \\*Word\\* below | Value | Time (s) |\n|---|--:|--:|\n"
	      "| within noise | 0.0001235 | 1.500000 |\n"
	      "| `` a\\|b\\ \\|c @plt `x` <i> `` | 1234 |  |\n\n"
	      "- 2\\*base @<!-- -->you \\<script\\> \\#1\n"
	      "- Next: `csingle a\\|b` (who calls it)\n\n");
}

static void say_text(struct output *output)
{
	fputs("one, two\n\nthree\n", output->out);
}

static void say_both(struct output *output)
{
	struct print_table *record = print_record_begin("facts");

	fputs("# a remark\n", output->out);
	print_field(record, PRINT_BYTES, "size", "Size", 5);
	print_table_end(output, record, 0);
}

Test(print, what_is_printed_is_text_without_tables_and_notes_beside_them)
{
	char *text = printed("json", say_text);

	cr_assert(strstr(text, "\"text\": [\"one, two\", \"\", \"three\"]") != NULL, "%s", text);
	free(text);
	check("markdown", say_text, "### test\n\n```\none, two\n\nthree\n```\n\n");
	check("csv", say_text, "text\n\"one, two\"\nthree\n");
	text = printed("json", say_both);
	cr_assert(strstr(text, "\"notes\": [\n  \"a remark\"]") != NULL, "%s", text);
	cr_assert(strstr(text, "\"text\": []") != NULL, "%s", text);
	free(text);
	check("csv", say_both, "size\n5\n");
	check("text", say_both, "# a remark\n  Size                     5 bytes\n");
}

static void say_nothing(struct output *output)
{
	(void)output;
}

Test(print, a_command_that_says_nothing_prints_nothing)
{
	check("json", say_nothing, "");
	check("csv", say_nothing, "");
	check("html", say_nothing, "");
}

Test(print, a_limit_cuts_rows)
{
	struct output output = {.program = "test"};
	struct print_table *table = print_table_begin("rows");
	char *text = NULL;
	size_t size;

	output.out = open_memstream(&text, &size);
	print_column(table, PRINT_COUNT, "n", "N");
	for (uint64_t i = 0; i < 5; i++)
		print_number(table, i);
	print_table_end(&output, table, 2);
	fclose(output.out);
	cr_assert_str_eq(text, "N\n0\n1\n");
	free(text);
}

Test(print, separators_that_stand_in_fields_are_refused)
{
	static const char *const bad[] = {"",   "x",  "7",    ".",    "-",    "+",   "_", "\"",
	                                  "\n", "\r", "\x01", "\xc3", "ab",   "jso", "0", "9",
	                                  "a",  "z",  "A",    "Z",    "\x08", "\x7f"};
	static const char *const good[] = {",",   ";",   "|",   "\t",   ":",    " ",
	                                   "csv", "TSV", "\\t", "Json", "text", "html",
	                                   "/",   "@",   "[",   "`",    "{",    "~"};
	struct output output = {.program = "test", .out = stdout};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		cr_assert_eq(print_set_mode(&output, bad[i]), -EINVAL, "'%s'", bad[i]);
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		cr_assert_eq(print_set_mode(&output, good[i]), 0, "'%s'", good[i]);
}

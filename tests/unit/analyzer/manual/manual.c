/* Tests of the manual page as text. */
#include "analyzer/manual/manual.h"
#include "analyzer/manual/roff.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

TestSuite(manual, .timeout = 20);

static char *rendered(const char *source, size_t columns)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	roff_put(source, strlen(source), columns, 0, out);
	fclose(out);
	return text;
}

static void check(const char *source, size_t columns, const char *expected)
{
	char *text = rendered(source, columns);

	cr_expect_str_eq(text, expected, "%s", text);
	free(text);
}

Test(manual, text_is_filled_and_fonts_are_left_out)
{
	check("One\ntwo\nthree.\n", 80, "    One two three.\n");
	check("One\ntwo\nthree.\n", 12, "    One two\n    three.\n");
	check("See\n.B \"a b\" c\nand\n.BR xcollect (1).\n", 80,
	      "    See a b c and xcollect(1).\n");
	check("\\fBx\\fR\\-y \\(dqz\\(dq a\\ b\\&.\n", 80, "    x-y \"z\" a b.\n");
	check(".RB [ \\- ]\n", 80, "    [-]\n");
	check(".B \"\"\"\"\"\"\nis empty\n", 80, "    \"\" is empty\n");
}

Test(manual, lists_and_paragraphs_are_kept_apart)
{
	check("Text.\n.TP\n.B tag\nBody.\n.TP\n.B other\nMore.\n.PP\nEnd.\n", 80,
	      "    Text.\n    tag\n        Body.\n    other\n        More.\n\n    End.\n");
	check(".SH HEADING\nText.\n.SS Part\nMore.\n", 80, "HEADING\n    Text.\nPart\n    More.\n");
	check("a\n.RS\nb\n.RE\nc\n", 80, "    a\n        b\n    c\n");
	check(".IP tag\nBody.\n", 80, "    tag\n        Body.\n");
	check("a\n.br\nb\n", 80, "    a\n    b\n");
	check(".\\\" nothing\na\n", 80, "    a\n");
}

Test(manual, examples_and_tables_keep_their_lines)
{
	check(".nf\na  b\nc\n.fi\nd\n", 80, "    a  b\n    c\n    d\n");
	check(".TS\nl l.\na\tb\n_\nc\td\n.TE\ne\n", 80, "    a b\n    c d\n    e\n");
}

static char *said(const char *topic)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int status = manual_put(topic, 80, out);

	fclose(out);
	cr_expect_eq(status, text[0] == '\0' ? -ENOENT : 0, "%s", topic);
	return text;
}

#define COMMAND(name, alias, ...) name,
#define VIEW COMMAND
#define GROUP(heading)
static const char *const commands[] = {
#include "analyzer/views/command.def"
};

Test(manual, it_says_something_of_each_command)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		char *text = said(commands[i]);

		cr_expect_gt(strlen(text), 8, "%s: %s", commands[i], text);
		free(text);
	}
}

Test(manual, sections_have_their_headings)
{
	char *text = said("exit status");

	cr_expect_eq(strncmp(text, "EXIT STATUS\n", 12), 0, "%s", text);
	free(text);
	text = said("no such topic");
	cr_expect_str_eq(text, "");
	free(text);
}

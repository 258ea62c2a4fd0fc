/* fit.c: cuts and breaks text to a width. What cannot be printed is escaped first, so that a byte
 * is either a column or the continuation of a character.
 * See doc/decisions/51-narrow-terminals.md. */
#include "analyzer/base/fit.h"

#include "analyzer/base/cppname.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"

#include <stdlib.h>
#include <string.h>

static const char dots[] = "...";
enum { BEGINNING = 5 };

/* True for a byte that does not begin a character. */
static int is_inside(char byte)
{
	return (byte & 0xc0) == 0x80;
}

static size_t width_of(const char *escaped)
{
	size_t width = 0;

	for (; *escaped != '\0'; escaped++)
		width += !is_inside(*escaped);
	return width;
}

size_t fit_width(const char *text)
{
	char *escaped = text_escape(text);
	size_t width = width_of(escaped);

	free(escaped);
	return width;
}

/* Bytes of the first `columns` characters. */
static size_t bytes_of(const char *escaped, size_t columns)
{
	size_t at = 0;

	for (; escaped[at] != '\0'; at++)
		if (!is_inside(escaped[at]) && columns-- == 0)
			break;
	return at;
}

/* How much of the end is kept: half of the text; or the line number, if there is one at the end and
 * the rest leaves space for a bit of the beginning. */
static size_t tail_width(const char *name, size_t left)
{
	const char *line = strstr(name, ", line ");
	size_t width = line ? width_of(line) : 0;

	return width > left / 2 && width + BEGINNING <= left ? width : left / 2;
}

char *fit_cut(const char *text, size_t columns)
{
	char *escaped = text_escape(text), *cut;
	size_t rules = strspn(escaped, " |+-"), width = width_of(escaped + rules);
	size_t left = columns > rules + FIT_LEAST ? columns - rules : FIT_LEAST, head, tail;

	if (columns == 0 || width <= left)
		return escaped;
	cppname_fold(escaped + rules, left);
	width = width_of(escaped + rules);
	if (width <= left)
		return escaped;
	left -= strlen(dots);
	tail = tail_width(escaped + rules, left);
	head = rules + bytes_of(escaped + rules, left - tail);
	cut = memory_format("%.*s%s%s", (int)head, escaped, dots,
	                    escaped + rules + bytes_of(escaped + rules, width - tail));
	free(escaped);
	return cut;
}

void fit_put(FILE *out, const char *text, size_t columns)
{
	char *cut = fit_cut(text, columns);

	fputs(cut, out);
	free(cut);
}

void fit_put_wrapped(FILE *out, const char *text, size_t columns, size_t begin, size_t indent)
{
	char *escaped = text_escape(text);
	const char *at = escaped;
	size_t room = columns;

	while (columns >= indent + FIT_LEAST && width_of(at) > room) {
		size_t end = bytes_of(at, room), blank = end;

		while (blank > 0 && at[blank] != ' ')
			blank--;
		/* The text is not broken at the blanks with which it begins. */
		if (blank <= strspn(at, " ") || blank < end / 2)
			blank = end;
		fprintf(out, "%.*s\n%*s", (int)blank, at, (int)(begin + indent), "");
		at += blank;
		at += strspn(at, " ");
		room = columns - indent;
	}
	fputs(at, out);
	free(escaped);
}

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
static const char tree_lines[] = " |+-";
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
	size_t rules = strspn(escaped, tree_lines), width = width_of(escaped + rules);
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

/* A name as it would be printed. */
struct cut {
	char *text;       /* without the lines of a tree */
	const char *name; /* the same, not cut; borrowed */
	size_t number;
};

static int compare_cuts(const void *left, const void *right)
{
	const struct cut *a = left, *b = right;
	int order = strcmp(a->text, b->text);

	return order != 0 ? order : strcmp(a->name, b->name);
}

/* Those of cuts[from..] with the text of the first, of which there are two different names. Returns
 * where the next text begins. */
static size_t mark_alike(const struct cut *cuts, size_t from, size_t count, unsigned char *alike)
{
	size_t end = from + 1;
	int differ;

	while (end < count && strcmp(cuts[end].text, cuts[from].text) == 0)
		end++;
	differ = strcmp(cuts[from].name, cuts[end - 1].name) != 0;
	for (size_t i = from; i < end; i++)
		alike[cuts[i].number] = (unsigned char)differ;
	return end;
}

unsigned char *fit_find_alike(const char *const *names, size_t count, size_t columns)
{
	struct cut *cuts;
	unsigned char *alike;

	if (columns == 0 || count == 0)
		return NULL;
	cuts = memory_take(count, sizeof(*cuts));
	alike = memory_take(count, sizeof(*alike));
	for (size_t i = 0; i < count; i++) {
		char *cut = fit_cut(names[i], columns);
		size_t skip = strspn(cut, tree_lines);

		cuts[i] = (struct cut){.text = memory_text(cut + skip, strlen(cut + skip)),
		                       .name = names[i] + strspn(names[i], tree_lines),
		                       .number = i};
		free(cut);
	}
	if (count > 1)
		qsort(cuts, count, sizeof(*cuts), compare_cuts);
	for (size_t at = 0; at < count;)
		at = mark_alike(cuts, at, count, alike);
	for (size_t i = 0; i < count; i++)
		free(cuts[i].text);
	free(cuts);
	return alike;
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

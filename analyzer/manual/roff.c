/* roff.c: see roff.h. Fonts are left out. */
#include "analyzer/manual/roff.h"

#include <ctype.h>
#include <string.h>

enum { LINE_MAX_BYTES = 2048, STEP = 4 };

struct page {
	FILE *out;
	size_t columns, indent;
	int is_entry;    /* text belongs to a tag, and stands further in */
	size_t column;   /* of what is printed of the line; 0: nothing */
	int is_verbatim; /* lines stay as they are */
	int is_tag;      /* the next line is a tag */
	int is_table;    /* rows, of which the first ones, up to a dot, say how they look */
	int is_layout;
};

/* ---- escapes ---- */

static const struct {
	const char *name, *text;
} characters[] = {
	{"(dq", "\""}, {"(aq", "'"},  {"(bu", "*"}, {"(em", "--"}, {"(en", "-"},  {"(mu", "x"},
	{"(<=", "<="}, {"(>=", ">="}, {"(ha", "^"}, {"(ti", "~"},  {"(rs", "\\"}, {"(ga", "`"},
	{"-", "-"},    {"e", "\\"},   {"\\", "\\"}, {" ", "\b"},   {"~", "\b"},   {"0", " "},
};

/* Bytes of the escape at text, which stands behind a backslash; what it prints in *shown. A blank
 * that must stay is a \b. */
static size_t escape(const char *text, const char **shown)
{
	*shown = "";
	for (size_t i = 0; i < sizeof(characters) / sizeof(characters[0]); i++)
		if (strncmp(text, characters[i].name, strlen(characters[i].name)) == 0) {
			*shown = characters[i].text;
			return strlen(characters[i].name);
		}
	if (*text == 'f' && text[1] == '(')
		return 4;
	if (*text == 'f')
		return 2;
	return *text != '\0'; /* \&, \|, \c, ... print nothing */
}

static void unescape(const char *from, char *text, size_t size)
{
	size_t len = 0;

	while (*from != '\0' && len + 3 < size) {
		const char *shown;

		if (*from != '\\') {
			text[len++] = *from++;
			continue;
		}
		from += 1 + escape(from + 1, &shown);
		while (*shown != '\0')
			text[len++] = *shown++;
	}
	text[len] = '\0';
}

/* ---- macros ---- */

/* The next argument of a macro into word[size], still with its escapes. Returns false behind the
 * last. */
static int next_argument(const char **at, char *word, size_t size)
{
	const char *from = *at + strspn(*at, " \t");
	int quoted = *from == '"';
	size_t len = 0;

	if (*from == '\0')
		return 0;
	from += quoted;
	while (*from != '\0' && (quoted || !isblank((unsigned char)*from)) && len + 2 < size) {
		if (quoted && *from == '"' && *++from != '"')
			break;
		if (*from == '\\' && from[1] != '\0')
			word[len++] = *from++;
		word[len++] = *from++;
	}
	word[len] = '\0';
	*at = from;
	return 1;
}

/* Is the line one of these macros, names with blanks around each? */
static int is_macro(const char *line, const char *names)
{
	char name[8];

	snprintf(name, sizeof(name), " %.*s ", (int)strcspn(line + 1, " \t"), line + 1);
	return line[0] == '.' && strstr(names, name) != NULL;
}

/* The text of a line: of font macros, their arguments; with or without blanks between them. */
static void text_of(const char *line, char *text, size_t size)
{
	char word[LINE_MAX_BYTES], joined[LINE_MAX_BYTES];
	size_t len = 0;
	const char *at;
	int is_single;

	if (line[0] != '.') {
		unescape(line, text, size);
		return;
	}
	is_single = is_macro(line, " B I SH SS ");
	at = line + strcspn(line, " \t");
	joined[0] = '\0';
	while (next_argument(&at, word, sizeof(word)) && len + strlen(word) + 2 < sizeof(joined))
		len += (size_t)snprintf(joined + len, sizeof(joined) - len, "%s%s",
		                        is_single && len > 0 ? " " : "", word);
	unescape(joined, text, size);
}

/* ---- filling ---- */

static void end_line(struct page *page)
{
	if (page->column > 0)
		fputc('\n', page->out);
	page->column = 0;
}

static size_t indent_of(const struct page *page)
{
	return page->indent + (page->is_entry ? STEP : 0);
}

static void put_word(struct page *page, const char *word, size_t len)
{
	size_t width = 0;

	for (size_t i = 0; i < len; i++)
		width += (word[i] & 0xc0) != 0x80;
	if (page->column > 0 && page->column + 1 + width > page->columns)
		end_line(page);
	if (page->column == 0)
		page->column = (size_t)fprintf(page->out, "%*s", (int)indent_of(page), "");
	else
		page->column += (size_t)fprintf(page->out, " ");
	for (size_t i = 0; i < len; i++)
		fputc(word[i] == '\b' ? ' ' : word[i], page->out);
	page->column += width;
}

static void put_text(struct page *page, const char *text)
{
	if (page->is_verbatim) {
		fprintf(page->out, "%*s", (int)indent_of(page), "");
		for (; *text != '\0'; text++)
			fputc(*text == '\b' ? ' ' : *text == '\t' ? ' ' : *text, page->out);
		fputc('\n', page->out);
		return;
	}
	while (*text != '\0') {
		size_t len = strcspn(text, " \t");

		if (len > 0)
			put_word(page, text, len);
		text += len + (text[len] != '\0');
	}
}

/* A tag stands to the left of what it is the tag of; a heading to the left of all. */
static void put_tag(struct page *page, const char *text, int is_heading)
{
	end_line(page);
	page->is_entry = 0;
	page->indent -= is_heading ? STEP : 0;
	put_text(page, text);
	end_line(page);
	page->indent += is_heading ? STEP : 0;
	page->is_entry = !is_heading;
}

/* Returns false if a line is no request that changes the page. */
static int obey(struct page *page, const char *line)
{
	if (is_macro(line, " PP LP P ")) {
		end_line(page);
		fputc('\n', page->out);
		page->is_entry = 0;
	} else if (is_macro(line, " TP TQ ")) {
		page->is_tag = 1;
	} else if (is_macro(line, " nf EX ")) {
		end_line(page);
		page->is_verbatim = 1;
	} else if (is_macro(line, " fi EE ")) {
		page->is_verbatim = 0;
	} else if (is_macro(line, " RS ")) {
		end_line(page);
		page->indent += STEP;
	} else if (is_macro(line, " RE ")) {
		end_line(page);
		page->indent -= page->indent >= STEP ? STEP : 0;
	} else if (is_macro(line, " br ")) {
		end_line(page);
	} else if (is_macro(line, " TS ")) {
		end_line(page);
		page->is_table = page->is_layout = 1;
	} else if (is_macro(line, " TE ")) {
		page->is_table = 0;
	} else {
		return strncmp(line, ".\\\"", 3) == 0 || is_macro(line, " sp ad na hy nh IX ");
	}
	return 1;
}

static void put_row(struct page *page, const char *line)
{
	char text[LINE_MAX_BYTES];
	size_t len = strlen(line);

	if (page->is_layout) {
		page->is_layout = len == 0 || line[len - 1] != '.';
		return;
	}
	if (strcmp(line, "_") == 0)
		return;
	text_of(line, text, sizeof(text));
	for (char *at = text; (at = strpbrk(at, "\t")); at++)
		*at = ' ';
	put_text(page, text);
	end_line(page);
}

static void put_line(struct page *page, const char *line)
{
	char text[LINE_MAX_BYTES];

	if (line[0] == '.' && obey(page, line))
		return;
	if (page->is_table) {
		put_row(page, line);
		return;
	}
	text_of(line, text, sizeof(text));
	if (page->is_tag || is_macro(line, " IP SH SS "))
		put_tag(page, text, is_macro(line, " SH SS "));
	else
		put_text(page, text);
	page->is_tag = 0;
}

void roff_put(const char *source, size_t len, size_t columns, size_t indent, FILE *out)
{
	struct page page = {.out = out, .columns = columns, .indent = indent + STEP};
	const char *end = source + len;

	while (source < end) {
		char line[LINE_MAX_BYTES];
		size_t size = strcspn(source, "\n"),
		       kept = size < sizeof(line) ? size : sizeof(line) - 1;

		memcpy(line, source, kept);
		line[kept] = '\0';
		put_line(&page, line);
		source += size + 1;
	}
	end_line(&page);
}

void roff_plain(const char *source, size_t len, char *text, size_t size)
{
	char line[LINE_MAX_BYTES];

	len = len < sizeof(line) ? len : sizeof(line) - 1;
	memcpy(line, source, len);
	line[len] = '\0';
	text_of(line, text, size);
}

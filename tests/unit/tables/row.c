/* row.c: reads the texts that must mention rows of tables, and fails with the name of the row. See
 * row.h. */
#include "tests/unit/tables/row.h"

#include <criterion/criterion.h>
#include <ctype.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXTS = 32 };

static struct {
	char *path, *tail, *text;
} texts[TEXTS];

static int ends_with(const char *text, const char *tail)
{
	size_t len = strlen(text), tail_len = strlen(tail);

	return len >= tail_len && strcmp(text + len - tail_len, tail) == 0;
}

static void add_file(FILE *out, const char *path)
{
	char buffer[65536];
	FILE *in = fopen(path, "re");
	size_t got;

	cr_assert(in, "%s cannot be read", path);
	while ((got = fread(buffer, 1, sizeof(buffer), in)) > 0)
		fwrite(buffer, 1, got, out);
	fputc('\n', out);
	fclose(in);
}

/* Remove \fB and the like from a manual page; \- is a hyphen, \& nothing. */
static void clean_page(char *text)
{
	char *to = text;

	for (const char *from = text; *from;) {
		if (from[0] == '\\' && from[1] == 'f' && from[2]) {
			from += 3;
			continue;
		}
		if (from[0] == '\\' && from[1] == '&') {
			from += 2;
			continue;
		}
		from += from[0] == '\\' && from[1] == '-';
		*to++ = *from++;
	}
	*to = '\0';
}

static char *read_text(const char *path, const char *tail)
{
	char *paths[] = {(char *)path, NULL};
	FTS *walk = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	char *text = NULL;
	size_t size = 0, files = 0;
	FILE *out = open_memstream(&text, &size);
	FTSENT *entry;

	while ((entry = fts_read(walk)))
		if (entry->fts_info == FTS_F && ends_with(entry->fts_name, tail) &&
		    !strstr(entry->fts_path, "tests/unit/tables/")) {
			add_file(out, entry->fts_path);
			files++;
		}
	fts_close(walk);
	fclose(out);
	cr_assert(files > 0, "%s: no such text", path);
	for (size_t i = 0; i < size; i++) /* binary files may have NULs */
		if (text[i] == '\0')
			text[i] = ' ';
	if (strncmp(path, "man/", 4) == 0)
		clean_page(text);
	return text;
}

const char *text_of(const char *path, const char *tail)
{
	size_t i;

	for (i = 0; i < TEXTS && texts[i].path; i++)
		if (strcmp(texts[i].path, path) == 0 && strcmp(texts[i].tail, tail) == 0)
			return texts[i].text;
	cr_assert(i < TEXTS);
	texts[i].path = strdup(path);
	texts[i].tail = strdup(tail);
	texts[i].text = read_text(path, tail);
	return texts[i].text;
}

static int is_of_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

int text_has(const char *text, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = text; (at = strstr(at, word)); at++)
		if ((at == text || !is_of_word(at[-1]) || !is_of_word(word[0])) &&
		    (!is_of_word(at[len]) || !is_of_word(word[len - 1])))
			return 1;
	return 0;
}

void row_needs(int is_there, const char *table, const char *row, const char *what)
{
	cr_expect(is_there, "%s: row %s lacks %s", table, row, what);
}

static const char *page_of(const char *page)
{
	char path[64];

	snprintf(path, sizeof(path), "man/%s", page);
	return text_of(path, "");
}

void row_needs_page(const char *table, const char *row, const char *word, const char *page)
{
	row_needs_between(table, row, word, "", NULL, page);
}

void row_needs_entry(const char *table, const char *row, const char *word, const char *page)
{
	char line[512];

	for (const char *at = page_of(page); (at = strstr(at, "\n.T")); at++) {
		const char *begin = strchr(at + 1, '\n');

		if (!begin || (at[3] != 'P' && at[3] != 'Q'))
			continue;
		snprintf(line, sizeof(line), "%.*s", (int)strcspn(begin + 1, "\n"), begin + 1);
		if (text_has(line, word))
			return;
	}
	cr_expect(0, "%s: row %s lacks its entry in man/%s: '%s' stands behind no .TP", table, row,
	          page, word);
}

void row_needs_between(const char *table, const char *row, const char *text, const char *from,
                       const char *to, const char *page)
{
	const char *begin = strstr(page_of(page), from);
	const char *end = begin && to ? strstr(begin + strlen(from), to) : NULL;
	char *part = begin ? strndup(begin, end ? (size_t)(end - begin) : strlen(begin)) : NULL;

	cr_expect(part && text_has(part, text),
	          "%s: row %s lacks its place in man/%s: '%s' does not stand there%s%s", table, row,
	          page, text, *from ? " behind " : "", from);
	free(part);
}

int is_tested(const char *word)
{
	return text_has(text_of("tests/e2e", ".sh"), word) ||
	       text_has(text_of("tests/unit", ".c"), word) ||
	       text_has(text_of("tests/golden/expected", ""), word) ||
	       text_has(text_of("tests/golden/reports", ""), word) ||
	       text_has(text_of("tests/programs", ""), word) ||
	       text_has(text_of("tests/cases", ""), word);
}

void row_needs_test(const char *table, const char *row, const char *word)
{
	cr_expect(is_tested(word), "%s: row %s lacks a test: '%s' stands nowhere below tests/",
	          table, row, word);
}

void row_needs_own_name(const char *table, const char *row, const char *const *earlier,
                        size_t count)
{
	for (size_t i = 0; i < count; i++)
		cr_expect(strcmp(earlier[i], row) != 0, "%s: there are two rows called %s", table,
		          row);
}

/* listing.c: what listings of source and of instructions have in common. */
#include "analyzer/table/listing.h"

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

void listing_set_defaults(struct session_listing *listing)
{
	*listing = (struct session_listing){.source_threshold = LISTING_THRESHOLD,
	                                    .disasm_threshold = LISTING_THRESHOLD,
	                                    .source_comments = COMMENT_BASIC,
	                                    .disasm_comments = COMMENT_BASIC | COMMENT_SOURCE,
	                                    .context = LISTING_AUTO};
}

static const struct {
	const char *word;
	unsigned set;
	int is_there;
} classes[] = {
#define COMMENT(id, word, there, meaning) {word, COMMENT_SET(id), there},
#include "analyzer/table/comment.def"
};
enum { CLASSES = sizeof(classes) / sizeof(classes[0]) };

/* Words for several classes, or for none. */
static const struct {
	const char *word;
	unsigned add, remove;
	int of_disasm;
} words[] = {
	{"all", (1u << COMMENT_CLASSES) - 1, 0, 0},
	{"none", 0, (1u << COMMENT_CLASSES) - 1, 0},
	{"basic", COMMENT_BASIC, 0, 0},
	{"hex", COMMENT_HEX, 0, 1},
	{"nohex", 0, COMMENT_HEX, 1},
	{"src", COMMENT_SOURCE, 0, 1},
	{"nosrc", 0, COMMENT_SOURCE, 1},
};
enum { WORDS = sizeof(words) / sizeof(words[0]) };

static int is_word(const char *text, size_t len, const char *word)
{
	return len != 0 && strncasecmp(text, word, len) == 0;
}

/* One word of a list. Returns 0 or -EINVAL. */
static int parse_word(const char *text, size_t len, int disasm, unsigned *set, const char **absent)
{
	/* A whole word comes before the beginning of another: "fe", "src". */
	for (size_t i = 0; i < WORDS; i++)
		if (is_word(text, len, words[i].word) && (!words[i].of_disasm || disasm) &&
		    (len > 2 || words[i].word[len] == '\0')) {
			*set = (*set | words[i].add) & ~words[i].remove;
			return 0;
		}
	for (size_t i = 0; i < CLASSES; i++)
		if (is_word(text, len, classes[i].word)) {
			*set |= classes[i].set;
			if (!classes[i].is_there && !*absent)
				*absent = classes[i].word;
			return 0;
		}
	return -EINVAL;
}

static int parse_threshold(const char *text, size_t len, unsigned *threshold)
{
	char *end;
	unsigned long value;

	if (len < 3 || strncasecmp(text, "t=", 2) != 0)
		return -EINVAL;
	value = strtoul(text + 2, &end, 10);
	if (end != text + len || value > 100 || text[2] < '0' || text[2] > '9')
		return -EINVAL;
	*threshold = (unsigned)value;
	return 0;
}

int comment_parse(const char *spec, int disasm, unsigned *out, unsigned *threshold,
                  const char **absent, const char **bad, size_t *bad_len)
{
	unsigned set = *out & (COMMENT_SOURCE | COMMENT_HEX);

	*absent = NULL;
	while (*spec != '\0') {
		size_t len = strcspn(spec, ":");

		if (parse_threshold(spec, len, threshold) != 0 &&
		    parse_word(spec, len, disasm, &set, absent) != 0) {
			*bad = spec;
			*bad_len = len;
			return -EINVAL;
		}
		spec += len + (spec[len] == ':');
	}
	*out = set;
	return 0;
}

struct table_row *listing_add(struct table *table, const char *kind, char *text)
{
	struct table_row *row;

	table->rows = memory_grow(table->rows, table->count, &table->capacity,
	                          sizeof(*table->rows));
	row = &table->rows[table->count++];
	*row = (struct table_row){.kind = kind, .name = text};
	return row;
}

/* The value of a line, of compared groups the greatest. */
static uint64_t measured(const struct table *table, const struct table_row *row,
                         const struct metric *metric)
{
	uint64_t most = !row->own ? 0 : table_value(row, metric);

	for (size_t i = 1; row->own && i < table->group_count; i++)
		if (table_group_value(table, row, metric, i) > most)
			most = table_group_value(table, row, metric, i);
	return most;
}

void listing_mark_hot(struct table *table, const struct metric_list *metrics, unsigned threshold)
{
	for (size_t i = 0; i < metrics->count; i++) {
		const struct metric *metric = &metrics->at[i];
		uint64_t most = 0;

		if (metric->id >= METRIC_VALUES || metric->show & METRIC_SHOW_HIDDEN)
			continue;
		for (size_t j = 0; j < table->count; j++)
			if (measured(table, &table->rows[j], metric) > most)
				most = measured(table, &table->rows[j], metric);
		for (size_t j = 0; j < table->count && most != 0; j++) {
			uint64_t value = measured(table, &table->rows[j], metric);

			if (value != 0 && (double)value >= (double)most * threshold / 100)
				table->rows[j].is_hot = 1;
		}
	}
}

void listing_fact(struct session *session, const char *what, const char *text)
{
	if (!text)
		return;
	if (print_is_data(session)) {
		print_note(session, "%s: %s", what, text);
		return;
	}
	fprintf(session->out, "%s: ", what);
	text_put(session->out, text);
	fputc('\n', session->out);
}

void listing_object(struct session *session, const char *what, const struct sym_object *object)
{
	listing_fact(session, what, object->path);
	if (object->file && strcmp(object->file, object->path) != 0)
		listing_fact(session, "Found", object->file);
}

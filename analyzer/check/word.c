/* word.c: the words of checks: numbers with units, metrics, functions, base. */
#include "analyzer/check/parser.h"

#include "analyzer/base/memory.h"
#include "format/nearest.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_MAX = 48 };

static const struct {
	const char *word;
	enum check_dimension dimension;
	double factor;
} units[] = {
	{"ns", CHECK_SECONDS, 1e-9},
	{"us", CHECK_SECONDS, 1e-6},
	{"ms", CHECK_SECONDS, 1e-3},
	{"s", CHECK_SECONDS, 1},
	{"min", CHECK_SECONDS, 60},
	{"h", CHECK_SECONDS, 3600},
	{"B", CHECK_BYTES, 1},
	{"kB", CHECK_BYTES, 1e3},
	{"MB", CHECK_BYTES, 1e6},
	{"GB", CHECK_BYTES, 1e9},
	{"KiB", CHECK_BYTES, 1024},
	{"MiB", CHECK_BYTES, 1048576},
	{"GiB", CHECK_BYTES, 1073741824},
	{"%", CHECK_PLAIN, 0.01},
};
enum { UNITS = sizeof(units) / sizeof(units[0]) };

static size_t word_length(const char *at)
{
	size_t len = 0;

	while (isalnum((unsigned char)at[len]) || at[len] == '.' || at[len] == '_')
		len++;
	return len;
}

static void put_number_unit(struct check_parser *parser, struct check_node *node)
{
	const char *names[UNITS], *near;
	char word[WORD_MAX];
	size_t len;

	check_skip_blanks(parser);
	len = *parser->at == '%' ? 1 : word_length(parser->at);
	if (len == 0)
		return;
	snprintf(word, sizeof(word), "%.*s", (int)(len < WORD_MAX ? len : WORD_MAX - 1),
	         parser->at);
	for (size_t i = 0; i < UNITS; i++) {
		names[i] = units[i].word;
		if (strcmp(word, units[i].word) != 0)
			continue;
		node->number *= units[i].factor;
		node->dimension = units[i].dimension;
		parser->at += len;
		return;
	}
	near = nearest_of(word, names, UNITS);
	check_fail(parser, parser->at, "'%s' is no unit%s%s%s", word,
	           near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
}

struct check_node *check_number(struct check_parser *parser)
{
	struct check_node *node = check_make(parser, CHECK_NUMBER, parser->at, NULL, NULL);
	char *end;

	node->number = strtod(parser->at, &end);
	parser->at = end;
	put_number_unit(parser, node);
	return node;
}

/* A metric without a flavor is inclusive: for the total, that is everything. */
static int read_metric(const char *word, struct metric *out, char *error)
{
	struct metric_list list;

	if (strcmp(word, "any") == 0 || strcmp(word, "all") == 0 || strcmp(word, "default") == 0 ||
	    strcmp(word, "wide") == 0)
		return -EINVAL;
	if (metric_list_parse(word, ~0u, &list, error) != 0 || list.at[0].id >= METRIC_VALUES)
		return -EINVAL;
	*out = list.at[0];
	for (size_t i = 1; i < list.count; i++)
		if (list.at[i].id == out->id && list.at[i].flavor == METRIC_INCLUSIVE)
			*out = list.at[i];
	return 0;
}

static void fail_metric(struct check_parser *parser, const char *at, const char *word)
{
	const char *names[METRIC_VALUES + 1] = {"base"}, *near;
	const char *dot = strchr(word, '.');

	for (unsigned id = 0; id < METRIC_VALUES; id++)
		names[id + 1] = metric_keyword(id);
	near = nearest_of(dot ? dot + 1 : word, names, METRIC_VALUES + 1);
	if (near)
		check_fail(parser, at, "'%s' is no measured metric (did you mean '%s'?)", word,
		           near);
	else
		check_fail(parser, at, "'%s' is no measured metric (metric_list lists them)", word);
}

/* "(FUNCTION)": parentheses inside belong to its name. Returns NULL if there is none. */
static char *function(struct check_parser *parser)
{
	const char *start, *end;
	unsigned open = 1;

	if (!check_take(parser, "("))
		return NULL;
	start = parser->at;
	while (*parser->at != '\0' && open > 0) {
		open += *parser->at == '(';
		open -= *parser->at == ')';
		parser->at++;
	}
	if (open > 0) {
		check_fail(parser, start, "no ) behind the name of a function");
		return NULL;
	}
	end = parser->at - 1;
	while (start < end && isspace((unsigned char)*start))
		start++;
	while (end > start && isspace((unsigned char)end[-1]))
		end--;
	if (start == end)
		check_fail(parser, start, "a function's name is missing");
	return memory_text(start, (size_t)(end - start));
}

static enum check_dimension dimension_of(unsigned id)
{
	switch (metric_unit_of(id)) {
	case METRIC_UNIT_SECONDS:
		return CHECK_SECONDS;
	case METRIC_UNIT_BYTES:
		return CHECK_BYTES;
	case METRIC_UNIT_COUNT:
	case METRIC_UNIT_HEX:
	case METRIC_UNIT_TEXT:
	case METRIC_UNIT_RATIO:
		return CHECK_COUNT;
	}
	return CHECK_PLAIN;
}

struct check_node *check_word(struct check_parser *parser)
{
	const char *at = parser->at;
	size_t len = word_length(at);
	struct check_node *node = check_make(parser, CHECK_METRIC, at, NULL, NULL);
	char text[WORD_MAX], error[METRIC_ERROR_MAX];

	snprintf(text, sizeof(text), "%.*s", (int)(len < WORD_MAX ? len : WORD_MAX - 1), at);
	parser->at += len;
	if (strcmp(text, "base") == 0) {
		node->op = CHECK_BASE;
		if (check_take(parser, "(")) {
			node->left = parser->sum(parser);
			if (!check_take(parser, ")"))
				check_fail(parser, parser->at, "expected )");
			node->dimension = node->left->dimension;
		}
		return node;
	}
	if (read_metric(text, &node->metric, error) != 0) {
		fail_metric(parser, at, text);
		return node;
	}
	node->dimension = dimension_of(node->metric.id);
	node->function = function(parser);
	return node;
}

/* parse.c: from the text of checks to trees of them; says where the text is wrong. */
#include "analyzer/check/parser.h"

#include "analyzer/base/memory.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Trees are walked by recursion. */
enum { DEPTH_MAX = 100 };

static const struct {
	const char *sign;
	enum check_op op;
} comparisons[] = {
	{"<=", CHECK_LESS_EQUAL}, {">=", CHECK_GREATER_EQUAL}, {"==", CHECK_EQUAL},
	{"!=", CHECK_NOT_EQUAL},  {"<", CHECK_LESS},           {">", CHECK_GREATER},
	{"=", CHECK_EQUAL},
};

static void free_node(struct check_node *node)
{
	if (!node)
		return;
	if (!node->is_borrowed)
		free_node(node->left);
	free_node(node->right);
	for (size_t i = 0; i < CHECK_ROLES; i++)
		free(node->measured[i].runs);
	free(node->function);
	free(node);
}

/* A sum of products. */
static struct check_node *sum(struct check_parser *parser);

static struct check_node *factor(struct check_parser *parser)
{
	struct check_node *node;
	const char *at;

	check_skip_blanks(parser);
	at = parser->at;
	if (++parser->depth > DEPTH_MAX)
		check_fail(parser, at, "too deep");
	if (parser->failed)
		node = check_make(parser, CHECK_NUMBER, at, NULL, NULL);
	else if (check_take(parser, "-")) {
		node = check_make(parser, CHECK_MINUS, at, factor(parser), NULL);
		node->dimension = node->left->dimension;
	} else if (check_take(parser, "(")) {
		node = sum(parser);
		if (!check_take(parser, ")"))
			check_fail(parser, parser->at, "expected )");
	} else if (isdigit((unsigned char)*at) || *at == '.') {
		node = check_number(parser);
	} else if (isalpha((unsigned char)*at)) {
		node = check_word(parser);
	} else {
		check_fail(parser, at, "expected a metric, a number or base%s%.1s%s",
		           *at ? ", not '" : "", at, *at ? "'" : "");
		node = check_make(parser, CHECK_NUMBER, at, NULL, NULL);
	}
	parser->depth--;
	return node;
}

static enum check_dimension product_dimension(enum check_op op, enum check_dimension left,
                                              enum check_dimension right)
{
	if (op == CHECK_DIVIDE)
		return right == CHECK_PLAIN ? left : CHECK_PLAIN;
	if (left != CHECK_PLAIN && right != CHECK_PLAIN)
		return CHECK_PLAIN;
	return left != CHECK_PLAIN ? left : right;
}

static struct check_node *product(struct check_parser *parser)
{
	struct check_node *node = factor(parser);

	while (!parser->failed) {
		enum check_op op = CHECK_MULTIPLY;
		const char *at = parser->at;

		if (check_take(parser, "/"))
			op = CHECK_DIVIDE;
		else if (!check_take(parser, "*"))
			break;
		node = check_make(parser, op, at, node, factor(parser));
		node->dimension = product_dimension(op, node->left->dimension,
		                                    node->right->dimension);
	}
	return node;
}

/* Both have one dimension; a plain number takes that of the other side. */
static enum check_dimension join(struct check_parser *parser, const char *at,
                                 enum check_dimension left, enum check_dimension right)
{
	static const char *const names[] = {"plain numbers", "seconds", "bytes", "counts"};

	if (left != right && left != CHECK_PLAIN && right != CHECK_PLAIN)
		check_fail(parser, at, "%s and %s do not go together", names[left], names[right]);
	return left != CHECK_PLAIN ? left : right;
}

static struct check_node *sum(struct check_parser *parser)
{
	struct check_node *node = product(parser);

	while (!parser->failed) {
		enum check_op op = CHECK_ADD;
		const char *at;

		check_skip_blanks(parser);
		at = parser->at;
		if (check_take(parser, "-"))
			op = CHECK_SUBTRACT;
		else if (!check_take(parser, "+"))
			break;
		node = check_make(parser, op, at, node, product(parser));
		node->dimension = join(parser, at, node->left->dimension, node->right->dimension);
	}
	return node;
}

/* A lone `base` is the other side, which is known now. */
static void set_base(struct check_parser *parser, struct check_node *node, struct check_node *other)
{
	if (!node || node->is_borrowed)
		return;
	if (node->op == CHECK_BASE && !node->left) {
		if (check_needs_base(other))
			check_fail(parser, parser->text + node->column - 1,
			           "base alone stands for the other side, which has a base itself");
		node->left = other;
		node->is_borrowed = 1;
		return;
	}
	set_base(parser, node->left, other);
	set_base(parser, node->right, other);
}

static enum check_op comparison(struct check_parser *parser)
{
	check_skip_blanks(parser);
	for (size_t i = 0; i < sizeof(comparisons) / sizeof(comparisons[0]); i++)
		if (check_take(parser, comparisons[i].sign))
			return comparisons[i].op;
	check_fail(parser, parser->at, "expected <= < >= > == or !=");
	return CHECK_EQUAL;
}

static char *trimmed(const char *from, const char *to)
{
	while (from < to && isspace((unsigned char)*from))
		from++;
	while (to > from && isspace((unsigned char)to[-1]))
		to--;
	return memory_text(from, (size_t)(to - from));
}

static void one_check(struct check_parser *parser, struct check_list *out)
{
	const char *start = parser->at, *at;
	struct check_node *left = sum(parser), *right;
	enum check_op op;

	check_skip_blanks(parser);
	at = parser->at;
	op = comparison(parser);
	right = sum(parser);
	if (!parser->failed) {
		join(parser, at, left->dimension, right->dimension);
		set_base(parser, right, left);
		set_base(parser, left, right);
	}
	out->at = memory_grow(out->at, out->count, &out->capacity, sizeof(*out->at));
	out->at[out->count++] = (struct check){trimmed(start, parser->at),
	                                       check_make(parser, op, at, left, right)};
}

int check_parse(const char *text, struct check_list *out, char *error)
{
	struct check_parser parser = {.text = text, .at = text, .error = error, .sum = sum};

	*out = (struct check_list){.count = 0};
	for (;;) {
		one_check(&parser, out);
		check_skip_blanks(&parser);
		if (parser.failed || *parser.at == '\0')
			break;
		if (!check_take(&parser, ";"))
			check_fail(&parser, parser.at, "expected ; or the end, not '%.10s'",
			           parser.at);
		check_skip_blanks(&parser);
		if (parser.failed || *parser.at == '\0') /* a ; at the end does no harm */
			break;
	}
	if (!parser.failed)
		return 0;
	check_list_fini(out);
	return -EINVAL;
}

void check_list_fini(struct check_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free(list->at[i].text);
		free_node(list->at[i].root);
	}
	free(list->at);
	*list = (struct check_list){.count = 0};
}

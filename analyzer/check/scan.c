/* scan.c: what the grammar of checks and its words both need: the place in the text, faults, and
 * new nodes. */
#include "analyzer/check/parser.h"

#include "analyzer/base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { NODES_MAX = 4000 };

void check_fail(struct check_parser *parser, const char *at, const char *format, ...)
{
	va_list arguments;
	int len;

	if (parser->failed)
		return;
	parser->failed = 1;
	len = snprintf(parser->error, CHECK_ERROR_MAX,
	               "column %zu: ", (size_t)(at - parser->text) + 1);
	va_start(arguments, format);
	vsnprintf(parser->error + len, (size_t)(CHECK_ERROR_MAX - len), format, arguments);
	va_end(arguments);
}

void check_skip_blanks(struct check_parser *parser)
{
	parser->at += strspn(parser->at, " \t\r\n");
}

int check_take(struct check_parser *parser, const char *sign)
{
	check_skip_blanks(parser);
	if (strncmp(parser->at, sign, strlen(sign)) != 0)
		return 0;
	parser->at += strlen(sign);
	return 1;
}

struct check_node *check_make(struct check_parser *parser, enum check_op op, const char *at,
                              struct check_node *left, struct check_node *right)
{
	struct check_node *node = memory_take(1, sizeof(*node));

	if (++parser->nodes > NODES_MAX)
		check_fail(parser, at, "too long");
	node->op = op;
	node->left = left;
	node->right = right;
	node->column = (size_t)(at - parser->text) + 1;
	return node;
}

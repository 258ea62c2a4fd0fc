/* parser.h: what the readers of checks share: the grammar (parse.c), its words (word.c), and what
 * both need (scan.c). */
#ifndef XER_ANALYZER_CHECK_PARSER_H
#define XER_ANALYZER_CHECK_PARSER_H

#include "analyzer/check/check.h"

struct check_parser {
	const char *text, *at;
	unsigned depth, nodes;
	char *error; /* error[CHECK_ERROR_MAX] */
	int failed;
	/* Reads a sum: base(...) holds one. */
	struct check_node *(*sum)(struct check_parser *parser);
};

/* Note a fault at a place of the text, printf-like; only the first one is reported. */
void check_fail(struct check_parser *parser, const char *at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Go to the next character that is not blank. */
void check_skip_blanks(struct check_parser *parser);

/* Accept `sign` if it comes next, after blanks. Returns true if it did. */
int check_take(struct check_parser *parser, const char *sign);

/* A node for what is at `at`; takes left and right. */
struct check_node *check_make(struct check_parser *parser, enum check_op op, const char *at,
                              struct check_node *left, struct check_node *right);

/* A number with its unit; a metric with its function, or `base`. (word.c) */
struct check_node *check_number(struct check_parser *parser);
struct check_node *check_word(struct check_parser *parser);

#endif

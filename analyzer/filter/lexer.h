/* lexer.h: the words of an expression. */
#ifndef XER_ANALYZER_FILTER_LEXER_H
#define XER_ANALYZER_FILTER_LEXER_H

#include "analyzer/filter/expression.h"

enum lexer_kind { LEXER_END, LEXER_NUMBER, LEXER_TEXT, LEXER_NAME, LEXER_SIGN };

/* A word of the source. */
struct lexer {
	const char *source;
	struct expression_error *error;
	/* The current word. */
	enum lexer_kind kind;
	const char *at; /* at[len]; of a text without its quotes */
	size_t len;
	size_t column; /* from 1 */
	int64_t value; /* of a NUMBER; times in ns, sizes in bytes */
	/* What follows is the lexer's own. */
	const char *rest;
};

/* Begin to read `source`, and go to its first word. Returns 0, or -EINVAL and *error. */
int lexer_begin(struct lexer *lexer, const char *source, struct expression_error *error);

/* Go to the next word. Returns as lexer_begin. */
int lexer_next(struct lexer *lexer);

/* Is the current word this sign, or this name in letters of either case? */
int lexer_is_sign(const struct lexer *lexer, const char *sign);
int lexer_is_name(const struct lexer *lexer, const char *name);

#endif

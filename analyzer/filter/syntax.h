/* syntax.h: the tree that the parser of expressions makes, and the code generator reads. */
#ifndef XER_ANALYZER_FILTER_SYNTAX_H
#define XER_ANALYZER_FILTER_SYNTAX_H

#include "analyzer/filter/expression.h"

enum syntax_kind {
	SYNTAX_NUMBER,    /* value */
	SYNTAX_TOKEN,     /* token, with or without names */
	SYNTAX_TEXT,      /* text: a string or REGEX(...) */
	SYNTAX_FUNCTIONS, /* text: FNAME(...) */
	SYNTAX_STACK,     /* token */
	SYNTAX_LIST,      /* first, next, ... */
	SYNTAX_UNARY,     /* op, first */
	SYNTAX_BINARY,    /* op, first and its next */
	SYNTAX_CHOICE,    /* first, its next, and that one's next */
	SYNTAX_IN         /* how, first and its next */
};

enum syntax_in { SYNTAX_IN_LIST, SYNTAX_SOME_IN, SYNTAX_ORDERED_IN };

struct syntax {
	enum syntax_kind kind;
	enum expression_op op;
	enum syntax_in how;
	size_t column;
	int64_t value;
	unsigned token;
	size_t text;                 /* of the expression's texts */
	struct syntax *first, *next; /* next: the sibling */
	struct syntax *made_before;  /* for syntax_destroy */
};

/* Parse expression->source into a tree; texts go to the expression. Returns NULL after an error.
 * *all is for syntax_destroy, in either case. */
struct syntax *syntax_parse(struct expression *expression, struct expression_error *error,
                            struct syntax **all);
void syntax_destroy(struct syntax *all);

#endif

/* expression.h: the language of filters and of index objects: from text to a program for a stack
 * machine.
 *
 * It has the operators of C with their precedence, on 64-bit integers; IN, SOME IN and ORDERED IN
 * with the precedence of <; and the names of token.def. A value may be missing, since an event of
 * one kind does not have the properties of others. A result computed from a missing value is
 * missing, except for `0 && x` and `1 || x`, which are 0 and 1. */
#ifndef XER_ANALYZER_FILTER_EXPRESSION_H
#define XER_ANALYZER_FILTER_EXPRESSION_H

#include "analyzer/filter/token.h"

#include <regex.h>

enum expression_op {
	OP_CONST, /* push value */
	OP_TOKEN, /* push the token `at` */
	OP_NAMED, /* push: does token `at` have one of the names of texts[value]? */
	OP_STACK, /* push: does patterns[at] match the event's stack? */
	OP_NEG,
	OP_NOT,
	OP_COMPL,
	OP_LOG2,
	OP_LOG10,
	OP_MUL,
	OP_DIV,
	OP_MOD,
	OP_ADD,
	OP_SUB,
	OP_SHL,
	OP_SHR,
	OP_LT,
	OP_LE,
	OP_GT,
	OP_GE,
	OP_EQ,
	OP_NE,
	OP_BITAND,
	OP_XOR,
	OP_BITOR,
	OP_AND,
	OP_OR,
	OP_COMMA,    /* the second of two */
	OP_CHOOSE,   /* of c, a, b: c ? a : b */
	OP_IF_FALSE, /* go on at `at` if the top is 0, which stays */
	OP_IF_TRUE   /* the same if it is neither 0 nor missing */
};

struct expression_step {
	enum expression_op op;
	uint32_t at;
	int64_t value;
};

/* A text that a token's names are compared with: itself, or as a regular expression. */
struct expression_text {
	char *text;
	int is_regex;
	regex_t regex; /* compiled if is_regex */
};

enum { EXPRESSION_SETS = 56, EXPRESSION_DEPTH = 64 };

/* Functions along a stack: each position is a set of functions, by a regular expression that their
 * names match as a whole; outermost first, one directly below the other. */
struct expression_pattern {
	unsigned token; /* TOKEN_STACK, TOKEN_LEAF, ... */
	int is_any;     /* one position, that any of the sets fills */
	size_t count;   /* 1 .. EXPRESSION_SETS */
	const struct expression_text *sets[EXPRESSION_SETS];
};

struct expression {
	char *source;
	struct expression_step *steps; /* steps[count] */
	size_t count, capacity;
	struct expression_text **texts; /* texts[text_count] */
	size_t text_count, text_capacity;
	struct expression_pattern *patterns; /* patterns[pattern_count] */
	size_t pattern_count, pattern_capacity;
	unsigned data; /* kinds of data whose tokens occur: set of enum exp_data */
	uint64_t tokens[(TOKENS + 63) / 64]; /* set of those that occur */
};

struct expression_error {
	size_t column; /* from 1 */
	char text[200];
};

/* Compile `text`. Returns the program, which expression_destroy frees, or NULL and *error. */
struct expression *expression_compile(const char *text, struct expression_error *error);
void expression_destroy(struct expression *expression);

/* Does the token occur? */
static inline int expression_has(const struct expression *expression, unsigned token)
{
	return expression->tokens[token / 64] >> token % 64 & 1;
}

/* Does a name match? */
int expression_text_matches(const struct expression_text *text, const char *name);

#endif

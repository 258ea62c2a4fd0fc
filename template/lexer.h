/* lexer.h: a stanza as tokens. */
#ifndef XER_TEMPLATE_LEXER_H
#define XER_TEMPLATE_LEXER_H

#include <stddef.h>

enum token_kind {
	TOKEN_END,     /* of the stanza */
	TOKEN_WORD,    /* letters, digits, _ and . */
	TOKEN_STRING,  /* text is what stands between the quotes */
	TOKEN_MACRO,   /* text is the name behind $ */
	TOKEN_NEWLINE, /* \n */
	TOKEN_TAB,     /* \t */
	TOKEN_ANY,     /* \* */
	TOKEN_SIGN,    /* one of , { } & % = + - * / ( ) */
	TOKEN_BAD      /* text is a reason */
};

struct token {
	enum token_kind kind;
	char sign;
	int is_glued; /* nothing stands between it and the token before */
	const char *text;
	size_t len;
	const char *at; /* where it stands, for messages; at[size] */
	size_t size;
	unsigned line;
};

struct lexer {
	const char *at, *end; /* what is not read yet */
	unsigned line;
};

/* Read the next token. Behind the last one of a stanza, TOKEN_END again and again; the lexer then
 * stands before the newline. After a TOKEN_BAD it can go on. */
void template_lexer_next(struct lexer *lexer, struct token *out);

/* Go behind the stanza's last line. */
void template_lexer_skip(struct lexer *lexer);

#endif

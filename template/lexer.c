/* lexer.c: cuts a stanza into tokens. A stanza is one logical line: a backslash as the last
 * character but blanks of a line continues it; lines in between that begin with # are comments. */
#include "template/lexer.h"

#include <ctype.h>
#include <string.h>

static int is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

static int is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.';
}

/* Where the line's newline stands, or the end, if nothing but blanks is before it; else NULL. */
static const char *rest_is_blank(const char *at, const char *end)
{
	while (at < end && is_blank(*at))
		at++;
	return at == end || *at == '\n' ? at : NULL;
}

static void skip_comments(struct lexer *lexer)
{
	while (lexer->at < lexer->end && *lexer->at == '#') {
		const char *newline = memchr(lexer->at, '\n', (size_t)(lexer->end - lexer->at));

		lexer->at = newline ? newline + 1 : lexer->end;
		lexer->line += newline != NULL;
	}
}

/* Pass over blanks and continuations. Returns how many characters that were. */
static size_t skip_blanks(struct lexer *lexer)
{
	const char *from = lexer->at;

	while (lexer->at < lexer->end) {
		const char *newline = NULL;

		if (is_blank(*lexer->at)) {
			lexer->at++;
			continue;
		}
		if (*lexer->at == '\\')
			newline = rest_is_blank(lexer->at + 1, lexer->end);
		if (!newline)
			break;
		lexer->at = newline < lexer->end ? newline + 1 : newline;
		lexer->line += newline < lexer->end;
		skip_comments(lexer);
	}
	return (size_t)(lexer->at - from);
}

static void bad(struct token *token, const char *reason)
{
	token->kind = TOKEN_BAD;
	token->text = reason;
}

static void take_string(struct lexer *lexer, struct token *token)
{
	const char *at = lexer->at + 1;
	const char *reason = NULL;

	while (at < lexer->end && *at != '"' && *at != '\n')
		at++;
	token->kind = TOKEN_STRING;
	token->text = lexer->at + 1;
	token->len = (size_t)(at - token->text);
	for (size_t i = 0; i < token->len; i++)
		if (token->text[i] == 0x7f ||
		    ((unsigned char)token->text[i] < ' ' && token->text[i] != '\t'))
			reason = "a control character in a string";
	if (reason)
		bad(token, reason);
	if (at == lexer->end || *at == '\n') {
		bad(token, "a string is not closed");
		lexer->at = at;
	} else {
		lexer->at = at + 1;
	}
}

static void take_word(struct lexer *lexer, struct token *token)
{
	token->text = lexer->at;
	while (lexer->at < lexer->end && is_word(*lexer->at))
		lexer->at++;
	token->len = (size_t)(lexer->at - token->text);
}

static void take_escape(struct lexer *lexer, struct token *token)
{
	char c = lexer->at + 1 < lexer->end ? lexer->at[1] : '\0';

	switch (c) {
	case 'n':
		token->kind = TOKEN_NEWLINE;
		break;
	case 't':
		token->kind = TOKEN_TAB;
		break;
	case '*':
		token->kind = TOKEN_ANY;
		break;
	default:
		bad(token, "a backslash that is neither \\n, \\t, \\* nor at the end of the line");
		lexer->at++;
		return;
	}
	lexer->at += 2;
}

static void take_token(struct lexer *lexer, struct token *token)
{
	char c = *lexer->at;

	if (c == '"') {
		take_string(lexer, token);
	} else if (c == '\\') {
		take_escape(lexer, token);
	} else if (c == '$') {
		lexer->at++;
		take_word(lexer, token);
		token->kind = TOKEN_MACRO;
		if (token->len == 0)
			bad(token, "a $ without a name");
	} else if (is_word(c)) {
		take_word(lexer, token);
		token->kind = TOKEN_WORD;
	} else {
		lexer->at++;
		token->kind = TOKEN_SIGN;
		token->sign = c;
		if (c == '\0')
			bad(token, "a NUL byte");
		else if (!strchr(",{}&%=+-*/()", c))
			bad(token, "this character has no meaning here");
	}
}

void template_lexer_next(struct lexer *lexer, struct token *out)
{
	size_t blanks = skip_blanks(lexer);

	*out = (struct token){
		.kind = TOKEN_END, .is_glued = blanks == 0, .at = lexer->at, .line = lexer->line};
	if (lexer->at == lexer->end || *lexer->at == '\n')
		return;
	take_token(lexer, out);
	out->size = (size_t)(lexer->at - out->at);
}

void template_lexer_skip(struct lexer *lexer)
{
	while (lexer->at < lexer->end) {
		const char *newline = memchr(lexer->at, '\n', (size_t)(lexer->end - lexer->at));
		const char *last = newline ? newline : lexer->end;

		while (last > lexer->at && is_blank(last[-1]))
			last--;
		if (!newline) {
			lexer->at = lexer->end;
			return;
		}
		lexer->line++;
		if (last == lexer->at || last[-1] != '\\') {
			lexer->at = newline + 1;
			return;
		}
		lexer->at = newline + 1;
		skip_comments(lexer);
	}
}

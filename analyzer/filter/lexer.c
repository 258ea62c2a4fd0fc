/* lexer.c: splits an expression into numbers, texts, names and signs. A number may have a unit: of
 * time (ns, us, ms, s) or of size (K, M, G, T: powers of 1024); only then it may have a fraction.
 */
#include "analyzer/filter/lexer.h"

#include "analyzer/filter/fault.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct {
	const char *name;
	double factor;
} units[] = {
	{"ns", 1},
	{"us", 1e3},
	{"ms", 1e6},
	{"s", 1e9},
	{"K", 1024.0},
	{"M", 1024.0 * 1024},
	{"G", 1024.0 * 1024 * 1024},
	{"T", 1024.0 * 1024 * 1024 * 1024},
};

/* Longer ones before those that they begin with. */
static const char *const signs[] = {"<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+",
                                    "-",  "*",  "/",  "%",  "<",  ">",  "!",  "~",  "&",
                                    "^",  "|",  "?",  ":",  ",",  "(",  ")"};

static int fail(const struct lexer *lexer, size_t column, const char *what)
{
	fault_tell(lexer->error, column, "%s", what);
	return -EINVAL;
}

static size_t word_len(const char *at)
{
	size_t len = 0;

	while (isalnum((unsigned char)at[len]) || at[len] == '_')
		len++;
	return len;
}

/* The factor of a unit at[len], 0 if it is none. */
static double factor_of(const char *at, size_t len)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strlen(units[i].name) == len && strncasecmp(units[i].name, at, len) == 0)
			return units[i].factor;
	return 0;
}

/* A whole number without a unit, at[len]: decimal, octal or hexadecimal, as in C. */
static int read_whole(struct lexer *lexer, size_t len)
{
	char *end;
	unsigned long long value;

	errno = 0;
	value = strtoull(lexer->at, &end, 0);
	if (errno != 0)
		return fail(lexer, lexer->column, "the number is too large");
	if (end != lexer->at + len)
		return fail(lexer, lexer->column, "not a number (units are ns us ms s, K M G T)");
	lexer->value = (int64_t)value;
	return 0;
}

static int read_number(struct lexer *lexer)
{
	size_t digits = strspn(lexer->at, "0123456789"), len = digits;
	double value, factor;

	if (lexer->at[len] == '.')
		len += 1 + strspn(lexer->at + len + 1, "0123456789");
	factor = factor_of(lexer->at + len, word_len(lexer->at + len));
	lexer->len = len + word_len(lexer->at + len);
	if (factor == 0 && len == digits)
		return read_whole(lexer, lexer->len);
	if (factor == 0)
		return fail(lexer, lexer->column, "a fraction needs a unit (1.5s, 1.5ms, 1.5M)");
	value = strtod(lexer->at, NULL) * factor;
	if (!(value < 9e18))
		return fail(lexer, lexer->column, "the number is too large");
	lexer->value = (int64_t)llround(value);
	return 0;
}

static int read_text(struct lexer *lexer)
{
	const char *end = strchr(lexer->at + 1, lexer->at[0]);

	if (!end)
		return fail(lexer, lexer->column, "the text has no closing quote");
	lexer->len = (size_t)(end - lexer->at) - 1;
	lexer->at++;
	lexer->rest = end + 1;
	lexer->kind = LEXER_TEXT;
	return 0;
}

static int read_sign(struct lexer *lexer)
{
	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
		if (strncmp(lexer->at, signs[i], strlen(signs[i])) == 0) {
			lexer->kind = LEXER_SIGN;
			lexer->len = strlen(signs[i]);
			return 0;
		}
	return fail(lexer, lexer->column,
	            lexer->at[0] == '=' ? "equality is written =="
	                                : "no word of an expression begins so");
}

int lexer_next(struct lexer *lexer)
{
	int status = 0;

	lexer->at = lexer->rest + strspn(lexer->rest, " \t\r\n");
	lexer->column = (size_t)(lexer->at - lexer->source) + 1;
	lexer->len = 0;
	if (lexer->at[0] == '\0') {
		lexer->kind = LEXER_END;
		lexer->rest = lexer->at;
		return 0;
	}
	if (lexer->at[0] == '"' || lexer->at[0] == '\'')
		return read_text(lexer);
	if (isdigit((unsigned char)lexer->at[0])) {
		lexer->kind = LEXER_NUMBER;
		status = read_number(lexer);
	} else if (isalpha((unsigned char)lexer->at[0]) || lexer->at[0] == '_') {
		lexer->kind = LEXER_NAME;
		lexer->len = word_len(lexer->at);
	} else {
		status = read_sign(lexer);
	}
	lexer->rest = lexer->at + lexer->len;
	return status;
}

int lexer_begin(struct lexer *lexer, const char *source, struct expression_error *error)
{
	*lexer = (struct lexer){.source = source, .error = error, .rest = source};
	return lexer_next(lexer);
}

int lexer_is_sign(const struct lexer *lexer, const char *sign)
{
	return lexer->kind == LEXER_SIGN && strlen(sign) == lexer->len &&
	       strncmp(lexer->at, sign, lexer->len) == 0;
}

int lexer_is_name(const struct lexer *lexer, const char *name)
{
	return lexer->kind == LEXER_NAME && strlen(name) == lexer->len &&
	       strncasecmp(lexer->at, name, lexer->len) == 0;
}

/* token.h: the table of the words that filters may ask for. */
#ifndef XER_ANALYZER_FILTER_TOKEN_H
#define XER_ANALYZER_FILTER_TOKEN_H

#include <stddef.h>
#include <stdint.h>

enum token_id {
#define TOKEN(name, data, kind, names, value, meaning) TOKEN_##name,
#define ALIAS(name, other)
#include "analyzer/filter/token.def"
	TOKENS
};

/* What values are: plain numbers, numbers with names, or functions. */
enum token_kind {
	TOKEN_KIND_NUMBER,
	TOKEN_KIND_TIME,
	TOKEN_KIND_BYTES,
	TOKEN_KIND_HEX,
	TOKEN_KIND_ENUM,     /* from here on they have names */
	TOKEN_KIND_HEAPFUNC, /* a heap_func, or TOKEN_MAP_FUNC + a map_func */
	TOKEN_KIND_IOCLASS,
	TOKEN_KIND_ERROR,
	TOKEN_KIND_FILE,
	TOKEN_KIND_SYSTEM,
	TOKEN_KIND_THREAD,
	TOKEN_KIND_COUNTER, /* the slot of a counter, see experiment_counter_name */
	TOKEN_KIND_STACK
};

struct token {
	const char *name;
	unsigned data; /* set of enum exp_data and TOKEN_DATA_MAPS */
	enum token_kind kind;
	const char *names; /* of an ENUM: its type in format/enums.def */
	const char *meaning;
};

extern const struct token token_table[TOKENS];

/* The token called name[len], in letters of either case. Returns its id, TOKENS if there is none.
 */
unsigned token_find(const char *name, size_t len);

/* The name nearest to name[len], of a token or a function of expressions, or, if that is nearer,
 * *is_text: of a value of a token, which is written in quotes. NULL: none is near. */
const char *token_nearest(const char *name, size_t len, int *is_text);

/* Call `each` for every spelling of the token but the first. */
void token_aliases(unsigned id, void (*each)(void *context, const char *name), void *context);

/* Name of a value whose names are the same in all experiments (ENUM, HEAPFUNC, IOCLASS, ERROR),
 * NULL if it has none. */
const char *token_value_name(const struct token *token, int64_t value);
enum { TOKEN_MAP_FUNC = 128 };

/* The least value above `value`, of which -1 is below all, that has such a name; -1 if there is
 * none. */
int token_value_next(const struct token *token, int value);

/* Of tokens alone, beside enum exp_data: events of mapped memory. */
enum { TOKEN_DATA_MAPS = 1 << 30 };

/* Has the token values with such names? */
static inline int token_has_fixed_names(const struct token *token)
{
	return token->kind >= TOKEN_KIND_ENUM && token->kind <= TOKEN_KIND_ERROR;
}

/* Can it be compared with texts? */
static inline int token_has_names(const struct token *token)
{
	return token->kind >= TOKEN_KIND_ENUM && token->kind <= TOKEN_KIND_COUNTER;
}

#endif

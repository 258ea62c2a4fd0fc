/* token.c: finds the words of filters by name, and names their values. */
#include "analyzer/filter/token.h"

#include "experiment/experiment.h"
#include "format/layout.h"
#include "format/record.h"
#include "format/nearest.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum {
	ALL = ((1 << FMT_DATAKINDS) - 1) | TOKEN_DATA_MAPS,
	MAPS = TOKEN_DATA_MAPS,
#define DATAKIND(id, number, ...) id = EXP_DATA_##id,
#include "format/datakind.def"
};
enum { ERRNO_MAX = 4095 }; /* the kernel returns no other numbers as errors */

const struct token token_table[TOKENS] = {
#define TOKEN(name, data, kind, names, value, meaning) \
	{#name, data, TOKEN_KIND_##kind, names, meaning},
#define ALIAS(name, other)
#include "analyzer/filter/token.def"
};

/* All spellings. */
static const struct {
	const char *name;
	unsigned id;
} spellings[] = {
#define TOKEN(name, data, kind, names, value, meaning) {#name, TOKEN_##name},
#define ALIAS(name, other) {#name, TOKEN_##other},
#include "analyzer/filter/token.def"
};
enum { SPELLINGS = sizeof(spellings) / sizeof(spellings[0]) };

/* Words that begin a value as tokens do, but belong to syntax.c. */
static const char *const grammar[] = {"FNAME", "REGEX", "LOG2", "LOG10"};
enum { GRAMMAR = sizeof(grammar) / sizeof(grammar[0]) };

unsigned token_find(const char *name, size_t len)
{
	for (size_t i = 0; i < SPELLINGS; i++)
		if (strncasecmp(spellings[i].name, name, len) == 0 &&
		    spellings[i].name[len] == '\0')
			return spellings[i].id;
	return TOKENS;
}

const char *token_nearest(const char *name, size_t len, int *is_text)
{
	char word[32];
	struct nearest near = {.word = word, .limit = NEAREST_SLIP};
	const char *token;

	snprintf(word, sizeof(word), "%.*s", (int)len, name);
	for (size_t i = 0; i < SPELLINGS; i++)
		nearest_try(&near, spellings[i].name);
	for (size_t i = 0; i < GRAMMAR; i++)
		nearest_try(&near, grammar[i]);
	token = near.name;
	for (size_t i = 0; i < TOKENS; i++)
		for (int value = -1; (value = token_value_next(&token_table[i], value)) >= 0;)
			nearest_try(&near, token_value_name(&token_table[i], value));
	*is_text = near.name != token;
	return near.name;
}

void token_aliases(unsigned id, void (*each)(void *context, const char *name), void *context)
{
	for (size_t i = 0; i < SPELLINGS; i++)
		if (spellings[i].id == id && strcmp(spellings[i].name, token_table[id].name) != 0)
			each(context, spellings[i].name);
}

static const char *const io_classes[EXP_IO_CLASSES] = {
	[EXP_IO_OTHER] = "other",
	[EXP_IO_READ] = "read",
	[EXP_IO_WRITE] = "write",
	[EXP_IO_ERROR] = "error",
};

const char *token_value_name(const struct token *token, int64_t value)
{
	if (value < 0 || value > INT_MAX)
		return NULL;
	if (token->kind == TOKEN_KIND_ENUM)
		return fmt_enum_name(token->names, (unsigned)value);
	if (token->kind == TOKEN_KIND_HEAPFUNC)
		return value < TOKEN_MAP_FUNC
		               ? fmt_enum_name("heap_func", (unsigned)value)
		               : fmt_enum_name("map_func", (unsigned)value - TOKEN_MAP_FUNC);
	if (token->kind == TOKEN_KIND_IOCLASS)
		return value < EXP_IO_CLASSES ? io_classes[value] : NULL;
	return token->kind == TOKEN_KIND_ERROR && value != 0 ? strerrorname_np((int)value) : NULL;
}

/* Calls that free are not events of their own: when a block was freed is a property of its
 * allocation. */
static int gives_back(int value)
{
	return value == FMT_heap_func_FREE || value == FMT_heap_func_DELETE ||
	       value == TOKEN_MAP_FUNC + FMT_map_func_MUNMAP;
}

/* Allocating calls come before those that map. */
static int any_heap_func(int value)
{
	int next = value < TOKEN_MAP_FUNC ? fmt_enum_next("heap_func", value) : -1;

	if (next >= 0)
		return next;
	next = fmt_enum_next("map_func", value < TOKEN_MAP_FUNC ? -1 : value - TOKEN_MAP_FUNC);
	return next < 0 ? -1 : next + TOKEN_MAP_FUNC;
}

static int next_heap_func(int value)
{
	do
		value = any_heap_func(value);
	while (value >= 0 && gives_back(value));
	return value;
}

static int next_error(int value)
{
	for (value = value < 0 ? 1 : value + 1; value <= ERRNO_MAX; value++)
		if (strerrorname_np(value))
			return value;
	return -1;
}

int token_value_next(const struct token *token, int value)
{
	switch (token->kind) {
	case TOKEN_KIND_ENUM:
		return fmt_enum_next(token->names, value);
	case TOKEN_KIND_HEAPFUNC:
		return next_heap_func(value);
	case TOKEN_KIND_IOCLASS:
		return value + 1 < EXP_IO_CLASSES ? value + 1 : -1;
	case TOKEN_KIND_ERROR:
		return next_error(value);
	default:
		return -1;
	}
}

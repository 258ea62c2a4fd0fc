/* token.c: finds the words of filters by name, and names their values. */
#include "token.h"

#include "experiment/experiment.h"
#include "format/record.h"
#include "text.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { CLOCK = EXP_DATA_PROFILE, HEAP = EXP_DATA_HEAP, SYNC = EXP_DATA_SYNC, IO = EXP_DATA_IO, MAPS = TOKEN_DATA_MAPS,
	CALLS = EXP_DATA_FUNCTRACE, USER = EXP_DATA_USER, OMP = EXP_DATA_OMP, MPI = EXP_DATA_MPI, COUNTERS = EXP_DATA_COUNTERS,
	ALL = CLOCK | HEAP | MAPS | SYNC | IO | CALLS | USER | OMP | MPI | COUNTERS };
enum { NEAR = 3 }; /* edits up to which a word is taken for a slip */

const struct token token_table[TOKENS] = {
#define TOKEN(name, data, kind, names, value, meaning) {#name, data, TOKEN_KIND_##kind, names, meaning},
#define ALIAS(name, other)
#include "token.def"
};

/* All spellings. */
static const struct {
	const char *name;
	unsigned id;
} spellings[] = {
#define TOKEN(name, data, kind, names, value, meaning) {#name, TOKEN_##name},
#define ALIAS(name, other) {#name, TOKEN_##other},
#include "token.def"
};
enum { SPELLINGS = sizeof(spellings) / sizeof(spellings[0]) };

/* Words that begin a value as tokens do, but belong to syntax.c. */
static const char *const grammar[] = {"FNAME", "REGEX", "LOG2", "LOG10"};
enum { GRAMMAR = sizeof(grammar) / sizeof(grammar[0]) };

unsigned token_find(const char *name, size_t len)
{
	for (size_t i = 0; i < SPELLINGS; i++)
		if (strncasecmp(spellings[i].name, name, len) == 0 && spellings[i].name[len] == '\0')
			return spellings[i].id;
	return TOKENS;
}

/* The fixed name of a value that is less than *distance edits away, or NULL. */
static const char *nearest_value(const char *word, size_t *distance)
{
	const char *best = NULL;

	for (size_t i = 0; i < TOKENS; i++)
		for (int value = 0; value < TOKEN_VALUES && token_has_fixed_names(&token_table[i]); value++) {
			const char *name = token_value_name(&token_table[i], value);
			size_t edits = name != NULL ? text_distance(word, name) : *distance;

			if (edits < *distance && edits < strlen(name)) {
				*distance = edits;
				best = name;
			}
		}
	return best;
}

const char *token_nearest(const char *name, size_t len, int *is_text)
{
	const char *best = NULL, *value;
	size_t best_distance = NEAR + 1;
	char word[32];

	snprintf(word, sizeof(word), "%.*s", (int)(len < sizeof(word) ? len : sizeof(word) - 1), name);
	for (size_t i = 0; i < SPELLINGS + GRAMMAR; i++) {
		const char *spelling = i < SPELLINGS ? spellings[i].name : grammar[i - SPELLINGS];
		size_t distance = text_distance(word, spelling);

		if (distance < best_distance && distance < strlen(spelling)) {
			best_distance = distance;
			best = spelling;
		}
	}
	value = nearest_value(word, &best_distance);
	*is_text = value != NULL;
	return value != NULL ? value : best;
}

void token_aliases(unsigned id, void (*each)(void *context, const char *name), void *context)
{
	for (size_t i = 0; i < SPELLINGS; i++)
		if (spellings[i].id == id && strcmp(spellings[i].name, token_table[id].name) != 0)
			each(context, spellings[i].name);
}

const char *token_value_name(const struct token *token, int64_t value)
{
	static const char *const classes[EXP_IO_CLASSES] = {
	    [EXP_IO_OTHER] = "other", [EXP_IO_READ] = "read", [EXP_IO_WRITE] = "write", [EXP_IO_ERROR] = "error"};

	if (value < 0 || value >= TOKEN_VALUES)
		return NULL;
	if (token->kind == TOKEN_KIND_ENUM)
		return fmt_enum_name(token->names, (unsigned)value);
	if (token->kind == TOKEN_KIND_HEAPFUNC)
		return value < TOKEN_MAP_FUNC ? fmt_enum_name("heap_func", (unsigned)value)
					      : fmt_enum_name("map_func", (unsigned)value - TOKEN_MAP_FUNC);
	if (token->kind == TOKEN_KIND_IOCLASS)
		return value < EXP_IO_CLASSES ? classes[value] : NULL;
	return token->kind == TOKEN_KIND_ERROR && value != 0 ? strerrorname_np((int)value) : NULL;
}

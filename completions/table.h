/* table.h: the options of all programs, from their tables, for files with completions. */
#ifndef XER_COMPLETIONS_TABLE_H
#define XER_COMPLETIONS_TABLE_H

#include "analyzer/prompt/grammar.h"

#include <stddef.h>

struct option {
	const char *dashes, *name; /* "-" "p", "--" "omp"; NULL or "": there is none of this form */
	const char *argument;      /* text of what follows; NULL or "": nothing does */
	const char *meaning;       /* NULL: not told */
	char joint;                /* what stands before the argument: ' ' or '=' */
};

struct program {
	const char *name;
	const struct option *options; /* options[count] */
	size_t count;
	enum {
		OPERANDS_EXPERIMENTS,
		OPERANDS_COMMAND,
		OPERANDS_FILES
	} operands; /* what follows the options */
};

extern const struct program programs[];
enum { PROGRAMS = 5 };

/* The words that a place stands for; NULL behind the last, and for places that a shell completes
 * itself. */
const char *place_word(enum grammar_place place, size_t index);

/* Is the option there, and more than a question mark, which shells take for a pattern? Does an
 * argument follow? */
static inline int option_exists(const struct option *option)
{
	return option->name && option->name[0] != '\0' && option->name[0] != '?';
}

static inline int option_takes(const struct option *option)
{
	return option->argument && option->argument[0] != '\0';
}

#endif

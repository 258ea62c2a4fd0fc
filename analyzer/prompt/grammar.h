/* grammar.h: the texts that say which arguments a command or an option takes:
 * "[off|on|delta|ratio]", "FORMAT FILE". */
#ifndef XER_ANALYZER_PROMPT_GRAMMAR_H
#define XER_ANALYZER_PROMPT_GRAMMAR_H

#include <stddef.h>

/* What may be offered for a place. */
enum grammar_place {
	GRAMMAR_NOTHING,
	GRAMMAR_FUNCTIONS,
	GRAMMAR_EXPERIMENTS,
	GRAMMAR_FILES,
	GRAMMAR_DIRECTORIES,
	GRAMMAR_METRICS,
	GRAMMAR_FILTER,
	GRAMMAR_COMMANDS,
	GRAMMAR_FORMATS,
	GRAMMAR_SIGNALS,
	GRAMMAR_EVENTS,
	GRAMMAR_ARCHIVE
};

/* One alternative: a word as it is typed, or a place. text[len] is borrowed from the argument's
 * text. */
struct grammar_choice {
	const char *text; /* NULL at first */
	size_t len;
	int is_word;
	enum grammar_place place; /* of what is no word */
};

/* Step to the next alternative of the index-th argument, from 0. Returns false behind the last. */
int grammar_next(const char *argument_text, size_t index, struct grammar_choice *choice);

/* How many arguments there are. */
size_t grammar_count(const char *argument_text);

#endif

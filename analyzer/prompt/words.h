/* words.h: a set of words, of which one may complete what a user types. */
#ifndef XER_ANALYZER_PROMPT_WORDS_H
#define XER_ANALYZER_PROMPT_WORDS_H

#include <stddef.h>

/* Words that go on from the same text, in any case of its letters. */
struct words {
	char **words;
	size_t count, capacity;
	size_t typed; /* bytes at the end of the line that each of them replaces */
	char after;   /* what follows a word that is the only one; '\0': nothing */
};

/* Add a copy of text[len], if it begins with start[start_len] in any case of letters. */
void words_add(struct words *words, const char *start, size_t start_len, const char *text,
               size_t len);

/* Sort them, and drop those that are there twice. */
void words_sort(struct words *words);

/* Bytes of the first word with which all of them begin; 0 if there is none. */
size_t words_common(const struct words *words);

void words_fini(struct words *words);

#endif

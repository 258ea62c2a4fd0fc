/* compress.h: what is compressed with zstd at the end of a recording: the words of xcollect -z and
 * xer_archive -z, which are also the values of the setting "compress" and of the descriptor. */
#ifndef XER_FORMAT_COMPRESS_H
#define XER_FORMAT_COMPRESS_H

#include <stddef.h>
#include <string.h>

/* WORD(NAME, "word"): each compresses also what those before it do. */
#define COMPRESS_WORDS(WORD) \
	WORD(OFF, "off")           /* nothing */ \
	WORD(ARCHIVES, "archives") /* copies of load objects */ \
	WORD(ON, "on")             /* data files, too */

enum compress {
#define WORD(name, word) COMPRESS_##name,
	COMPRESS_WORDS(WORD)
#undef WORD
		COMPRESS_COUNT
};

static const char *const compress_words[COMPRESS_COUNT] = {
#define WORD(name, word) [COMPRESS_##name] = word,
	COMPRESS_WORDS(WORD)
#undef WORD
};

/* The value of a word, -1: it is none of them. */
static inline int compress_parse(const char *word)
{
	for (int i = 0; i < COMPRESS_COUNT; i++)
		if (strcmp(word, compress_words[i]) == 0)
			return i;
	return -1;
}

#endif

/* words.c: see words.h. */
#include "analyzer/prompt/words.h"

#include "analyzer/base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

void words_add(struct words *words, const char *start, size_t start_len, const char *text,
               size_t len)
{
	if (len < start_len || strncasecmp(start, text, start_len) != 0)
		return;
	words->words = memory_grow(words->words, words->count, &words->capacity,
	                           sizeof(*words->words));
	words->words[words->count++] = memory_text(text, len);
}

static int by_text(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

void words_sort(struct words *words)
{
	size_t kept = 0;

	if (words->count == 0)
		return;
	qsort(words->words, words->count, sizeof(*words->words), by_text);
	for (size_t i = 1; i < words->count; i++) {
		if (strcmp(words->words[kept], words->words[i]) == 0)
			free(words->words[i]);
		else
			words->words[++kept] = words->words[i];
	}
	words->count = kept + 1;
}

size_t words_common(const struct words *words)
{
	size_t len = words->count == 0 ? 0 : strlen(words->words[0]);

	for (size_t i = 1; i < words->count; i++) {
		size_t same = 0;

		while (same < len && words->words[i][same] == words->words[0][same])
			same++;
		len = same;
	}
	/* Not the first bytes of a character. */
	while (len > 0 && (words->words[0][len] & 0xc0) == 0x80)
		len--;
	return len;
}

void words_fini(struct words *words)
{
	for (size_t i = 0; i < words->count; i++)
		free(words->words[i]);
	free(words->words);
	*words = (struct words){.count = 0};
}

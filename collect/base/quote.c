/* quote.c: quotes command lines for people to read and to paste. */
#include "collect/base/quote.h"

#include <string.h>

#define PLAIN "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%_+=:,./-"
#define CUT " ..."

struct line {
	char *at;
	size_t left;
	int cut;
};

static void put(struct line *line, const char *bytes, size_t len)
{
	if (line->cut || len + sizeof(CUT) > line->left) {
		line->cut = 1;
		return;
	}
	memcpy(line->at, bytes, len);
	line->at += len;
	line->left -= len;
}

static void put_word(struct line *line, const char *word)
{
	size_t len = strlen(word);

	if (len > 0 && strspn(word, PLAIN) == len) {
		put(line, word, len);
		return;
	}
	put(line, "'", 1);
	for (; *word; word++)
		if (*word == '\'')
			put(line, "'\\''", 4);
		else
			put(line, word, 1);
	put(line, "'", 1);
}

void quote_command(char *const *argv, char *out, size_t size)
{
	struct line line = {.at = out, .left = size};

	for (size_t i = 0; argv[i]; i++) {
		if (i > 0)
			put(&line, " ", 1);
		put_word(&line, argv[i]);
	}
	strcpy(line.at, line.cut ? CUT : "");
}

/* text.c: safe output of untrusted bytes, and small helpers about words. */
#include "text.h"

#include "experiment/printable.h"
#include "memory.h"

#include <ctype.h>
#include <string.h>

void text_put_bytes(FILE *out, const char *text, size_t len)
{
	const char *end = text + len;

	while (text < end) {
		size_t size = exp_printable(text, (size_t)(end - text));

		if (size == 0)
			fprintf(out, "\\x%02x", (unsigned char)*text);
		else
			fwrite(text, 1, size, out);
		text += size ? size : 1;
	}
}

void text_put(FILE *out, const char *text)
{
	if (text != NULL)
		text_put_bytes(out, text, strlen(text));
}

char *text_escape(const char *text)
{
	size_t left = strlen(text), len = 0;
	char *escaped = memory_take(4 * left + 1, 1);

	while (left > 0) {
		size_t size = exp_printable(text, left);

		if (size == 0)
			len += (size_t)sprintf(escaped + len, "\\x%02x", (unsigned char)*text);
		else
			memcpy(escaped + len, text, size);
		len += size;
		text += size ? size : 1;
		left -= size ? size : 1;
	}
	return escaped;
}

void text_put_lines(FILE *out, const char *text, const char *indent)
{
	while (*text != '\0') {
		size_t len = strcspn(text, "\n");

		fputs(indent, out);
		text_put_bytes(out, text, len);
		fputc('\n', out);
		text += len;
		if (*text == '\n')
			text++;
	}
}

enum { WORD_MAX = 64, NEAR = 3 }; /* NEAR: edits up to which a word is taken for a slip */

static size_t smaller(size_t left, size_t right)
{
	return left < right ? left : right;
}

size_t text_distance(const char *left, const char *right)
{
	size_t left_len = strlen(left), right_len = strlen(right);
	size_t row[3][WORD_MAX];

	if (left_len >= WORD_MAX || right_len >= WORD_MAX)
		return WORD_MAX;
	for (size_t j = 0; j <= right_len; j++)
		row[0][j] = j;
	for (size_t i = 1; i <= left_len; i++) {
		size_t *now = row[i % 3], *before = row[(i + 2) % 3], *earlier = row[(i + 1) % 3];

		now[0] = i;
		for (size_t j = 1; j <= right_len; j++) {
			int a = tolower((unsigned char)left[i - 1]),
			    b = tolower((unsigned char)right[j - 1]);

			now[j] = smaller(before[j - 1] + (a != b),
					 1 + smaller(before[j], now[j - 1]));
			if (i > 1 && j > 1 && a == tolower((unsigned char)right[j - 2]) &&
			    b == tolower((unsigned char)left[i - 2]))
				now[j] = smaller(now[j], earlier[j - 2] + 1);
		}
	}
	return row[left_len % 3][right_len];
}

const char *text_nearest(const char *word, const char *const *names, size_t count)
{
	const char *best = NULL;
	size_t best_distance = NEAR + 1;

	for (size_t i = 0; i < count; i++) {
		size_t distance = text_distance(word, names[i]);

		if (distance < best_distance && distance < strlen(names[i])) {
			best_distance = distance;
			best = names[i];
		}
	}
	return best;
}

const char *text_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

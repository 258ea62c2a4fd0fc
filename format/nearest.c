/* nearest.c: see nearest.h. */
#include "format/nearest.h"

#include <ctype.h>
#include <string.h>

enum { WORD_MAX = 64 };

static size_t smaller(size_t left, size_t right)
{
	return left < right ? left : right;
}

static int is_same(char left, char right)
{
	return tolower((unsigned char)left) == tolower((unsigned char)right);
}

/* The number of edits if it is less than the limit, else some number that is not. (Optimal string
 * alignment: rows of a table of the edits between the beginnings of both, of which three are
 * kept.) */
static size_t count_edits(const char *left, size_t left_len, const char *right, size_t right_len,
                          size_t limit)
{
	size_t row[3][WORD_MAX], least = 0, least_before;

	for (size_t j = 0; j <= right_len; j++)
		row[0][j] = j;
	for (size_t i = 1; i <= left_len; i++) {
		size_t *now = row[i % 3], *before = row[(i + 2) % 3], *earlier = row[(i + 1) % 3];

		least_before = least;
		least = now[0] = i;
		for (size_t j = 1; j <= right_len; j++) {
			now[j] = smaller(before[j - 1] + !is_same(left[i - 1], right[j - 1]),
			                 1 + smaller(before[j], now[j - 1]));
			if (i > 1 && j > 1 && is_same(left[i - 1], right[j - 2]) &&
			    is_same(left[i - 2], right[j - 1]))
				now[j] = smaller(now[j], earlier[j - 2] + 1);
			least = smaller(least, now[j]);
		}
		if (least >= limit && least_before + 1 >= limit) /* a swap goes back two rows */
			return limit;
	}
	return row[left_len % 3][right_len];
}

void nearest_try(struct nearest *nearest, const char *name)
{
	size_t word_len = strlen(nearest->word), name_len = strlen(name),
	       limit = smaller(nearest->limit, name_len);
	size_t edits = word_len > name_len ? word_len - name_len
	                                   : name_len - word_len; /* at least */

	if (word_len >= WORD_MAX || name_len >= WORD_MAX || edits >= limit)
		return;
	edits = count_edits(nearest->word, word_len, name, name_len, limit);
	if (edits < limit) {
		nearest->limit = edits;
		nearest->name = name;
	}
}

const char *nearest_of(const char *word, const char *const *names, size_t count)
{
	struct nearest nearest = {.word = word, .limit = NEAREST_SLIP};

	for (size_t i = 0; i < count; i++)
		nearest_try(&nearest, names[i]);
	return nearest.name;
}

/* nearest.h: what a word that nobody knows was probably meant to be. */
#ifndef XER_ANALYZER_BASE_NEAREST_H
#define XER_ANALYZER_BASE_NEAREST_H

#include <stddef.h>

/* Of the names that were tried, the one with the fewest edits (insert, delete, change, swap
 * neighbours) to the word, letters of either case being equal. A name of which every letter would
 * have to go is none; words of more than 63 bytes have none. */
struct nearest {
	const char *word;
	const char *name; /* NULL: none is near */
	size_t limit;     /* edits of a name that is nearer are less */
};

enum { NEAREST_SLIP = 3 + 1 }; /* up to three edits are taken for a slip: the limit to begin with */

void nearest_try(struct nearest *nearest, const char *name);

/* The one of names[count] that `word` was probably meant to be, or NULL. */
const char *nearest_of(const char *word, const char *const *names, size_t count);

#endif

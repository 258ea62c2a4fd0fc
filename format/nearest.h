/* nearest.h: what an unknown word was probably meant to be. */
#ifndef XER_FORMAT_NEAREST_H
#define XER_FORMAT_NEAREST_H

#include <stddef.h>

/* Of the names that were tried, the one with the fewest edits (insert, delete, change, swap
 * neighbours) to the word; the case of letters does not matter. A name in which every letter would
 * change does not count; neither do names for words of more than 63 bytes. */
struct nearest {
	const char *word;
	const char *name; /* NULL: none is near */
	size_t limit;     /* a closer name has fewer edits than this */
};

enum {
	NEAREST_SLIP = 3 + 1
}; /* up to three edits count as a typing error: the limit at the
    * start */

void nearest_try(struct nearest *nearest, const char *name);

/* The one of names[count] that `word` was probably meant to be, or NULL. */
const char *nearest_of(const char *word, const char *const *names, size_t count);

#endif

/* sorter.h: sort more than memory should hold: parts are sorted in memory and written to a
 * temporary file without a name, below TMPDIR or /tmp. If something fails (memory, space on the
 * disk), the program ends with a message and exit status 1. */
#ifndef XER_ANALYZER_BASE_SORTER_H
#define XER_ANALYZER_BASE_SORTER_H

#include <stddef.h>
#include <stdint.h>

/* Items are ordered by major, then by minor. payload[size]: borrowed until the next call, 8-byte
 * aligned. */
struct sorter_item {
	uint64_t major, minor;
	const void *payload;
	uint32_t size;
};

struct sorter;

/* Begin empty; about `memory` bytes are used at a time, more if an item is larger. Free with
 * sorter_free. */
struct sorter *sorter_new(size_t memory);
void sorter_free(struct sorter *sorter);

/* Take an item, before the first sorter_begin. The payload is copied. */
void sorter_add(struct sorter *sorter, uint64_t major, uint64_t minor, const void *payload,
                uint32_t size);

/* From here on, sorter_next returns the items in order; it returns 0 after the last. */
void sorter_begin(struct sorter *sorter);
int sorter_next(struct sorter *sorter, struct sorter_item *out);

#endif

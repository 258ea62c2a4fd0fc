/* descriptor.h: the collection descriptor, by which xcollect tells libcollector what to record.
 *
 * It travels in one environment variable as `key=value;` pairs in the order of descriptor.def; in values
 * `;`, `%` and bytes outside of 0x21-0x7e are written %NN. Signal-safe, no allocation. */
#ifndef XER_FORMAT_DESCRIPTOR_H
#define XER_FORMAT_DESCRIPTOR_H

#include <stddef.h>
#include <stdint.h>

#define DESCRIPTOR_VARIABLE "XER_RECORD"

enum { DESCRIPTOR_VERSION = 1, DESCRIPTOR_TEXT_MAX = 3 * (4096 * 4 + 2048) };

struct descriptor {
#define NUMBER(field, key, meaning) uint64_t field;
#define TEXT(field, key, size, meaning) char field[size];
#include "descriptor.def"
#undef NUMBER
#undef TEXT
};

/* Write the descriptor as text, without the variable's name, to text[size].
 * Returns its length without the NUL, or -E2BIG. */
int descriptor_put(const struct descriptor *descriptor, char *text, size_t size);

/* Read a descriptor from `text`; unknown keys are skipped. `out` is cleared first.
 * Returns 0, -EINVAL (malformed), -E2BIG (a value is too long) or -EPROTO (another version). */
int descriptor_get(const char *text, struct descriptor *out);

#endif

/* descriptor.h: the collection descriptor, by which xcollect tells libcollector what to record.
 *
 * It is one environment variable with `key=value;` pairs in the order of descriptor.def; in values,
 * `;`, `%` and bytes outside 0x21-0x7e are written %NN. Signal-safe, no allocation. */
#ifndef XER_FORMAT_DESCRIPTOR_H
#define XER_FORMAT_DESCRIPTOR_H

#include <stddef.h>
#include <stdint.h>

#define DESCRIPTOR_VARIABLE "XER_RECORD"

/* Set by a debugger for `xcollect -P`: it traces the process again when that is inside. */
#define DESCRIPTOR_DEBUGGER "XER_DEBUGGER"

enum {
	DESCRIPTOR_VERSION = 1,
	DESCRIPTOR_TEXT_MAX = 3 * (4096 * 5 + 3072),
	DESCRIPTOR_STEP_MAX = 1024
};

/* The part that changes from image to image: the place of the image in the tree of processes. */
struct descriptor_step {
#define NUMBER(field, key, meaning)
#define TEXT(field, key, size, meaning)
#define STEP_NUMBER(field, key, meaning) uint64_t field;
#define STEP_TEXT(field, key, size, meaning) char field[size];
#include "format/descriptor.def"
};

struct descriptor {
#define NUMBER(field, key, meaning) uint64_t field;
#define TEXT(field, key, size, meaning) char field[size];
#define STEP_NUMBER(field, key, meaning)
#define STEP_TEXT(field, key, size, meaning)
#include "format/descriptor.def"
	struct descriptor_step step;
};

/* Write the descriptor as text, without the variable's name, to text[size].
 * Returns its length without the NUL, or -E2BIG. */
int descriptor_put(const struct descriptor *descriptor, char *text, size_t size);

/* Write the step alone, to be put behind the text of a descriptor whose own step is all zero or
 * empty. DESCRIPTOR_STEP_MAX bytes are enough for any. Returns its length without the NUL, or
 * -E2BIG. */
int descriptor_put_step(const struct descriptor_step *step, char *text, size_t size);

/* Read a descriptor from `text`; unknown keys are skipped, of a key that comes twice the last value
 * counts. `out` is cleared first. Returns 0, -EINVAL (malformed), -E2BIG (a value is too long) or
 * -EPROTO (another version). */
int descriptor_get(const char *text, struct descriptor *out);

#endif

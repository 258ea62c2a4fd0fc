/* reader.h: reads numbers and strings of debug information from unchecked bytes. A read past the
 * end gives zeros and sets `is_bad`; so one check after several reads is enough. */
#ifndef XER_EXPERIMENT_DWARF_READER_H
#define XER_EXPERIMENT_DWARF_READER_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct exp_reader {
	const uint8_t *at, *end;
	int is_big_endian, is_bad;
};

/* exp_read_fixed at the end of the bytes, or in the other order of bytes. */
uint64_t exp_read_last_fixed(struct exp_reader *reader, unsigned size);

/* A number of 1 to 8 bytes. */
static inline uint64_t exp_read_fixed(struct exp_reader *reader, unsigned size)
{
	uint64_t value;

	if ((size_t)(reader->end - reader->at) < sizeof(value) ||
	    __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__ || reader->is_big_endian ||
	    size > sizeof(value) || size == 0)
		return exp_read_last_fixed(reader, size);
	memcpy(&value, reader->at, sizeof(value));
	reader->at += size;
	return value & UINT64_MAX >> (64 - 8 * size);
}

int64_t exp_read_sleb(struct exp_reader *reader);

/* exp_read_uleb for numbers of several bytes. */
uint64_t exp_read_long_uleb(struct exp_reader *reader);

/* Most numbers in debug information have one byte. */
static inline uint64_t exp_read_uleb(struct exp_reader *reader)
{
	if (reader->at < reader->end && *reader->at < 0x80)
		return *reader->at++;
	return exp_read_long_uleb(reader);
}

/* A string up to and with its NUL; "" if it does not end. Borrowed. */
const char *exp_read_string(struct exp_reader *reader);

/* Go over `size` bytes. */
static inline void exp_read_skip(struct exp_reader *reader, uint64_t size)
{
	if ((uint64_t)(reader->end - reader->at) < size) {
		reader->at = reader->end;
		reader->is_bad = 1;
	} else {
		reader->at += size;
	}
}

#endif

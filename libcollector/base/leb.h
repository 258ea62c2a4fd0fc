/* leb.h: the number encodings of DWARF. All functions move *at to the end of what they read.
 * Signal-safe. */
#ifndef XER_COLLECTOR_LEB_H
#define XER_COLLECTOR_LEB_H

#include <stdint.h>
#include <string.h>

/* The bits of a LEB128 number; *shift and *last are its length in bits and its last byte. */
static inline uint64_t leb_bits(const uint8_t **at, unsigned *shift, uint8_t *last)
{
	uint64_t value = 0;

	*shift = 0;
	do {
		*last = *(*at)++;
		if (*shift < 64)
			value |= (uint64_t)(*last & 127) << *shift;
		*shift += 7;
	} while (*last & 128);
	return value;
}

static inline uint64_t leb_unsigned(const uint8_t **at)
{
	unsigned shift;
	uint8_t last;

	return leb_bits(at, &shift, &last);
}

static inline int64_t leb_signed(const uint8_t **at)
{
	unsigned shift;
	uint8_t last;
	uint64_t value = leb_bits(at, &shift, &last);

	if (shift < 64 && last & 64)
		value |= ~(uint64_t)0 << shift;
	return (int64_t)value;
}

/* A little-endian number of 1, 2, 4 or 8 bytes, sign-extended if asked for. */
static inline uint64_t leb_fixed(const uint8_t **at, unsigned size, int is_signed)
{
	uint64_t value = 0;

	memcpy(&value, *at, size);
	*at += size;
	if (is_signed && size < 8 && value >> (size * 8 - 1))
		value |= ~(uint64_t)0 << (size * 8);
	return value;
}

#endif

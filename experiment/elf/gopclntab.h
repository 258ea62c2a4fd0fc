/* gopclntab.h: functions of a Go program, by the table that its runtime keeps for its own stack
 * traces, which stripped files still have. */
#ifndef XER_EXPERIMENT_ELF_GOPCLNTAB_H
#define XER_EXPERIMENT_ELF_GOPCLNTAB_H

#include <stddef.h>
#include <stdint.h>

struct exp_gopclntab {
	const uint8_t *bytes; /* bytes[size]: the section */
	size_t size;
	uint64_t count;          /* functions */
	uint64_t text;           /* what their addresses count from */
	size_t names, functions; /* offsets in it */
	unsigned width;          /* bytes of an address or offset */
};

/* Read the header of a table of Go 1.16 or later, little-endian and of 64 bits. Borrows the bytes.
 * Returns 0, or -ENOTSUP. */
int exp_gopclntab_open(struct exp_gopclntab *table, const uint8_t *bytes, size_t size);

/* The i-th function, i < count: its address and size, and its name, which lives in the bytes.
 * Returns 1, or 0 if that is damaged. */
int exp_gopclntab_function(const struct exp_gopclntab *table, uint64_t i, uint64_t *address,
                           uint64_t *size, const char **name);

#endif

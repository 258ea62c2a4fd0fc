/* gopclntab.c: see gopclntab.h. A header; then, at an offset that it tells, a pair for each
 * function, of where it begins and where its own record is, and a last address. A record begins
 * with that address and the offset of the name. Since Go 1.18 they have 32 bits and addresses count
 * from the beginning of the code; in 1.16 they have 64 bits and are whole. Nothing in it is
 * trusted. See doc/decisions/56-go.md. */
#include "experiment/elf/gopclntab.h"

#include <errno.h>
#include <string.h>

enum {
	MAGIC_1_16 = 0xfa,
	MAGIC_1_18 = 0xf0,
	MAGIC_1_20 = 0xf1,
	POINTER = 8,
	HEAD = 8,
	COUNT_MAX = 1 << 24
};
enum {
	NAME_MAX_BYTES = 1
	                 << 16 /* those of all functions may be one text of the size of the table */
};

static uint64_t word_at(const struct exp_gopclntab *table, size_t at, unsigned width)
{
	uint64_t value = 0;

	if (at > table->size || table->size - at < width)
		return 0;
	for (unsigned i = width; i-- > 0;)
		value = value << 8 | table->bytes[at + i];
	return value;
}

/* The n-th word behind the header. */
static uint64_t header_word(const struct exp_gopclntab *table, unsigned n)
{
	return word_at(table, HEAD + (size_t)n * POINTER, POINTER);
}

static int is_known(const uint8_t *bytes)
{
	return (bytes[0] == MAGIC_1_16 || bytes[0] == MAGIC_1_18 || bytes[0] == MAGIC_1_20) &&
	       memcmp(bytes + 1, "\xff\xff\xff\0\0", 5) == 0 && bytes[7] == POINTER;
}

int exp_gopclntab_open(struct exp_gopclntab *table, const uint8_t *bytes, size_t size)
{
	unsigned is_whole; /* the header has no address of the code */
	uint64_t names, functions;

	*table = (struct exp_gopclntab){.bytes = bytes, .size = size};
	if (size < HEAD + 8 * POINTER || !is_known(bytes))
		return -ENOTSUP;
	is_whole = bytes[0] == MAGIC_1_16;
	table->count = header_word(table, 0);
	table->text = is_whole ? 0 : header_word(table, 2);
	names = header_word(table, 3 - is_whole);
	functions = header_word(table, 7 - is_whole);
	table->width = is_whole ? POINTER : 4;
	if (table->count == 0 || table->count > COUNT_MAX || names >= size || functions >= size ||
	    (!is_whole && table->text == 0) ||
	    (size - functions) / table->width <= table->count * 2)
		return -ENOTSUP;
	table->names = names;
	table->functions = functions;
	return 0;
}

int exp_gopclntab_function(const struct exp_gopclntab *table, uint64_t i, uint64_t *address,
                           uint64_t *size, const char **name)
{
	size_t at = table->functions + (size_t)i * 2 * table->width;
	uint64_t start = word_at(table, at, table->width),
		 record = word_at(table, at + table->width, table->width);
	uint64_t end = word_at(table, at + 2 * (size_t)table->width, table->width), offset;
	size_t room;

	if (end <= start || record >= table->size - table->functions ||
	    word_at(table, table->functions + record, table->width) != start)
		return 0;
	offset = word_at(table, table->functions + record + table->width, 4);
	if (offset >= table->size - table->names)
		return 0;
	room = table->size - table->names - offset;
	*name = (const char *)table->bytes + table->names + offset;
	*address = table->text + start;
	*size = end - start;
	return **name != '\0' &&
	       memchr(*name, '\0', room < NAME_MAX_BYTES ? room : NAME_MAX_BYTES) != NULL;
}

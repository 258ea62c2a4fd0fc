/* reader.c: bounded reads of the encodings that DWARF uses. */
#include "experiment/dwarf/reader.h"

#include <string.h>

static void fail(struct exp_reader *reader)
{
	reader->at = reader->end;
	reader->is_bad = 1;
}

uint64_t exp_read_last_fixed(struct exp_reader *reader, unsigned size)
{
	uint64_t value = 0;

	if ((size_t)(reader->end - reader->at) < size) {
		fail(reader);
		return 0;
	}
	for (unsigned i = 0; i < size; i++) {
		unsigned place = reader->is_big_endian ? size - 1 - i : i;

		value |= (uint64_t)reader->at[i] << (8 * place);
	}
	reader->at += size;
	return value;
}

uint64_t exp_read_long_uleb(struct exp_reader *reader)
{
	uint64_t value = 0;

	for (unsigned shift = 0; reader->at < reader->end; shift += 7) {
		uint8_t byte = *reader->at++;

		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	fail(reader);
	return 0;
}

int64_t exp_read_sleb(struct exp_reader *reader)
{
	uint64_t value = 0;

	for (unsigned shift = 0; reader->at < reader->end;) {
		uint8_t byte = *reader->at++;

		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
		if (byte & 0x80)
			continue;
		if ((byte & 0x40) && shift < 64)
			value |= ~UINT64_C(0) << shift;
		return (int64_t)value;
	}
	fail(reader);
	return 0;
}

const char *exp_read_string(struct exp_reader *reader)
{
	const char *text = (const char *)reader->at;
	const uint8_t *nul = reader->at == reader->end
	                             ? NULL
	                             : memchr(reader->at, '\0', (size_t)(reader->end - reader->at));

	if (!nul) {
		fail(reader);
		return "";
	}
	reader->at = nul + 1;
	return text;
}

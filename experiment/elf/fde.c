/* fde.c: bounds of functions by .eh_frame_hdr, the sorted index of unwinding tables. In stripped
 * programs, nothing else shows where a function begins. */
#include "experiment/elf/binary.h"

#include <errno.h>
#include <string.h>

/* Encodings of pointers that linkers write here; others are not read. */
enum { ENCODED_U32 = 0x03, ENCODED_TABLE = 0x3b, HEADER_SIZE = 12, ENTRY_SIZE = 8 };

/* `size` bytes of the file that are mapped at an address, or NULL. */
static const uint8_t *bytes_at(struct exp_binary *binary, uint64_t address, size_t size)
{
	const uint8_t *bytes;

	return exp_binary_bytes_at(binary, address, &bytes) < size ? NULL : bytes;
}

static uint64_t find_index(struct exp_binary *binary)
{
	size_t count;

	if (elf_getphdrnum(binary->elf, &count) != 0)
		return 0;
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr header;

		if (gelf_getphdr(binary->elf, (int)i, &header) && header.p_type == PT_GNU_EH_FRAME)
			return header.p_vaddr;
	}
	return 0;
}

static int32_t get32(const uint8_t *at)
{
	int32_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

/* Length of the code of the table at `address`, 0 if unknown. Behind length and CIE pointer stand
 * the start and the length of the code, in 4 bytes each in all code models but the largest. */
static uint64_t code_length(struct exp_binary *binary, uint64_t address)
{
	const uint8_t *at = bytes_at(binary, address, 16);

	return !at ? 0 : (uint32_t)get32(at + 12);
}

int exp_binary_unwind_range(struct exp_binary *binary, uint64_t address, struct exp_range *out)
{
	uint64_t base = find_index(binary);
	const uint8_t *header = base == 0 ? NULL : bytes_at(binary, base, HEADER_SIZE);
	const uint8_t *table;
	uint32_t count, low = 0, high;

	if (!header || header[0] != 1 || header[2] != ENCODED_U32 || header[3] != ENCODED_TABLE)
		return -ENOENT;
	count = (uint32_t)get32(header + 8);
	table = bytes_at(binary, base, HEADER_SIZE + (size_t)count * ENTRY_SIZE);
	if (!table)
		return -ENOENT;
	table += HEADER_SIZE;
	for (high = count; low < high;) {
		uint32_t middle = low + (high - low) / 2;

		if (base + (uint64_t)(int64_t)get32(table + (size_t)middle * ENTRY_SIZE) <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return -ENOENT;
	const uint8_t *entry = table + (size_t)(low - 1) * ENTRY_SIZE;

	out->start = base + (uint64_t)(int64_t)get32(entry);
	out->end = out->start + code_length(binary, base + (uint64_t)(int64_t)get32(entry + 4));
	return address < out->end ? 0 : -ENOENT;
}

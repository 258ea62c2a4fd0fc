/* sled.c: read and make sleds. See sled.h. */
#include "sled.h"

#include <elf.h>
#include <errno.h>
#include <string.h>

void sled_get(const uint8_t *entry, struct sled *out)
{
	uint64_t address, function;

	memcpy(&address, entry, sizeof(address));
	memcpy(&function, entry + 8, sizeof(function));
	*out = (struct sled){.address = address, .function = function, .kind = entry[16], .version = entry[18]};
	if (out->version < SLED_VERSION_RELATIVE)
		return;
	out->address += (uint64_t)(uintptr_t)entry;
	out->function += (uint64_t)(uintptr_t)entry + 8;
}

int sled_is_original(const struct sled *sled, const uint8_t *code)
{
	static const uint8_t jump[SLED_HEAD] = {0xeb, 0x09};

	if (sled->kind == SLED_EXIT)
		return code[0] == 0xc3;
	return memcmp(code, jump, sizeof(jump)) == 0;
}

int sled_make(const struct sled *sled, uint32_t id, uint64_t target, uint8_t code[SLED_SIZE])
{
	int64_t distance = (int64_t)(target - (sled->address + SLED_SIZE));
	int32_t relative = (int32_t)distance;

	if (relative != distance)
		return -ERANGE;
	code[0] = 0x41; /* mov $id, %r10d */
	code[1] = 0xba;
	memcpy(code + 2, &id, sizeof(id));
	code[6] = sled->kind == SLED_EXIT ? 0xe9 : 0xe8;
	memcpy(code + 7, &relative, sizeof(relative));
	return 0;
}

int sled_find_section(const uint8_t *file, uint64_t size, const char *name, uint64_t *address, uint64_t *length)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)file;
	const Elf64_Shdr *sections, *names;
	size_t name_size = strlen(name) + 1;

	if (size < sizeof(*header) || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
	    header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_shentsize != sizeof(*sections) ||
	    header->e_shoff > size || header->e_shoff % 8 != 0 || (size - header->e_shoff) / sizeof(*sections) < header->e_shnum ||
	    header->e_shstrndx >= header->e_shnum)
		return -ENOENT;
	sections = (const Elf64_Shdr *)(file + header->e_shoff);
	names = &sections[header->e_shstrndx];
	if (names->sh_type != SHT_STRTAB || names->sh_offset > size || names->sh_size > size - names->sh_offset)
		return -ENOENT;
	for (unsigned i = 0; i < header->e_shnum; i++) {
		const Elf64_Shdr *section = &sections[i];

		if (section->sh_name > names->sh_size || names->sh_size - section->sh_name < name_size ||
		    memcmp(file + names->sh_offset + section->sh_name, name, name_size) != 0)
			continue;
		*address = section->sh_addr;
		*length = section->sh_size;
		return section->sh_flags & SHF_ALLOC ? 0 : -ENOENT;
	}
	return -ENOENT;
}

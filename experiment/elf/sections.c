/* sections.c: the sections of a binary: their bounds and their bytes. */
#include "experiment/elf/binary.h"

#include <errno.h>

static Elf_Scn *find_section(struct exp_binary *binary, uint64_t address, GElf_Shdr *header)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(binary->elf, section)))
		if (gelf_getshdr(section, header) && (header->sh_flags & SHF_ALLOC) &&
		    header->sh_type != SHT_NOBITS && address >= header->sh_addr &&
		    address - header->sh_addr < header->sh_size)
			return section;
	return NULL;
}

int exp_binary_section_range(struct exp_binary *binary, uint64_t address, struct exp_range *out)
{
	GElf_Shdr header;

	if (!find_section(binary, address, &header))
		return -ENOENT;
	*out = (struct exp_range){header.sh_addr, header.sh_addr + header.sh_size};
	return 0;
}

size_t exp_binary_bytes_at(struct exp_binary *binary, uint64_t address, const uint8_t **out)
{
	GElf_Shdr header;
	Elf_Scn *section = find_section(binary, address, &header);
	Elf_Data *data = !section ? NULL : elf_rawdata(section, NULL);

	*out = NULL;
	if (!data || !data->d_buf || address - header.sh_addr >= data->d_size)
		return 0;
	*out = (const uint8_t *)data->d_buf + (address - header.sh_addr);
	return data->d_size - (address - header.sh_addr);
}

size_t exp_binary_code_at(struct exp_binary *binary, uint64_t address, const uint8_t **out)
{
	GElf_Shdr header;

	*out = NULL;
	if (!find_section(binary, address, &header) || !(header.sh_flags & SHF_EXECINSTR))
		return 0;
	return exp_binary_bytes_at(binary, address, out);
}

/* plt.c: names of PLT stubs, by the slot of the global offset table through which a stub jumps. */
#include "experiment/elf/binary.h"

#include <errno.h>
#include <string.h>

enum { STUB_SIZE = 16, SHORT_STUB_SIZE = 8, JUMP_SIZE = 6 };

/* The section of stubs at an address. Returns 0 or -ENOENT. */
static int find_stubs(struct exp_binary *binary, uint64_t address, GElf_Shdr *header,
                      Elf_Data **data)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(binary->elf, &names) != 0)
		return -ENOENT;
	while ((section = elf_nextscn(binary->elf, section))) {
		const char *name;

		if (!gelf_getshdr(section, header) || address < header->sh_addr ||
		    address - header->sh_addr >= header->sh_size || header->sh_type != SHT_PROGBITS)
			continue;
		name = elf_strptr(binary->elf, names, header->sh_name);
		if (!name || strncmp(name, ".plt", 4) != 0)
			return -ENOENT;
		*data = elf_rawdata(section, NULL);
		return !*data || !(*data)->d_buf ? -ENOENT : 0;
	}
	return -ENOENT;
}

/* Address of the slot that a stub's `jmp *disp(%rip)` reads. Returns 0 or -ENOENT. */
static int find_slot(const uint8_t *stub, size_t len, uint64_t address, uint64_t *slot)
{
	for (size_t i = 0; i + JUMP_SIZE <= len; i++) {
		int32_t displacement;

		if (stub[i] != 0xff || stub[i + 1] != 0x25)
			continue;
		memcpy(&displacement, stub + i + 2, sizeof(displacement));
		*slot = address + i + JUMP_SIZE + (uint64_t)(int64_t)displacement;
		return 0;
	}
	return -ENOENT;
}

/* Name of the symbol that the loader stores in a slot, among the relocations of one section, or
 * NULL. */
static const char *find_in_section(struct exp_binary *binary, Elf_Scn *section,
                                   const GElf_Shdr *header, uint64_t slot)
{
	Elf_Data *data = elf_getdata(section, NULL);
	Elf_Scn *symbols = elf_getscn(binary->elf, header->sh_link);
	Elf_Data *symbol_data = !symbols ? NULL : elf_getdata(symbols, NULL);
	GElf_Shdr symbol_header;

	if (!data || !symbol_data || !gelf_getshdr(symbols, &symbol_header) ||
	    header->sh_entsize == 0)
		return NULL;
	for (int i = 0; (uint64_t)i < header->sh_size / header->sh_entsize; i++) {
		GElf_Rela rela;
		GElf_Sym symbol;

		if (!gelf_getrela(data, i, &rela))
			return NULL;
		if (rela.r_offset == slot &&
		    gelf_getsym(symbol_data, (int)GELF_R_SYM(rela.r_info), &symbol))
			return elf_strptr(binary->elf, symbol_header.sh_link, symbol.st_name);
	}
	return NULL;
}

const char *exp_binary_slot_name(struct exp_binary *binary, uint64_t slot)
{
	Elf_Scn *section = NULL;
	const char *name = NULL;

	while (!name && (section = elf_nextscn(binary->elf, section)) != NULL) {
		GElf_Shdr header;

		if (gelf_getshdr(section, &header) && header.sh_type == SHT_RELA &&
		    (header.sh_flags & SHF_ALLOC))
			name = find_in_section(binary, section, &header, slot);
	}
	return name && name[0] != '\0' ? name : NULL;
}

int exp_binary_plt_at(struct exp_binary *binary, uint64_t address, struct exp_range *out,
                      const char **name)
{
	GElf_Shdr header;
	Elf_Data *data;
	uint64_t stub_size, offset, slot;
	size_t len;

	if (find_stubs(binary, address, &header, &data) != 0)
		return -ENOENT;
	stub_size = header.sh_entsize == SHORT_STUB_SIZE ? SHORT_STUB_SIZE : STUB_SIZE;
	offset = (address - header.sh_addr) / stub_size * stub_size;
	if (offset >= data->d_size)
		return -ENOENT;
	len = data->d_size - offset < stub_size ? data->d_size - offset : stub_size;
	if (find_slot((const uint8_t *)data->d_buf + offset, len, header.sh_addr + offset, &slot) !=
	    0)
		return -ENOENT;
	*name = exp_binary_slot_name(binary, slot);
	*out = (struct exp_range){header.sh_addr + offset, header.sh_addr + offset + len};
	return !*name ? -ENOENT : 0;
}

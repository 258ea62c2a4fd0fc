/* ELF files: finding sections, in damaged files too. */
#include "libcollector/object/elffile.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* A file with a header, two sections and their names. */
static struct {
	Elf64_Ehdr header;
	Elf64_Shdr section[2];
	char names[32];
} file;

static void make_file(void)
{
	memset(&file, 0, sizeof(file));
	memcpy(file.header.e_ident, ELFMAG, SELFMAG);
	file.header.e_ident[EI_CLASS] = ELFCLASS64;
	file.header.e_shentsize = sizeof(Elf64_Shdr);
	file.header.e_shoff = sizeof(Elf64_Ehdr);
	file.header.e_shnum = 2;
	file.section[0] = (Elf64_Shdr){.sh_type = SHT_STRTAB,
	                               .sh_name = 20,
	                               .sh_offset = offsetof(typeof(file), names),
	                               .sh_size = sizeof(file.names)};
	file.section[1] = (Elf64_Shdr){
		.sh_name = 1, .sh_flags = SHF_ALLOC, .sh_addr = 0x2000, .sh_size = 64};
	memcpy(file.names + 1, "xray_instr_map", 15);
}

static int find(uint64_t size, uint64_t *address)
{
	struct elffile in_memory = {(const uint8_t *)&file, size};
	const Elf64_Shdr *section = elffile_find_section(&in_memory, "xray_instr_map");

	if (!section)
		return -ENOENT;
	*address = section->sh_addr;
	return 0;
}

Test(elffile, the_section_is_found)
{
	uint64_t address = 0;

	make_file();
	cr_assert_eq(find(sizeof(file), &address), 0);
	cr_assert_eq(address, 0x2000);
	file.section[1].sh_name = 2;
	cr_assert_eq(find(sizeof(file), &address), -ENOENT);
}

Test(elffile, no_damage_leads_out_of_the_file)
{
	uint64_t address;

	make_file();
	for (uint64_t size = 0; size < sizeof(file); size++) {
		uint8_t *copy = malloc(size + 1);
		struct elffile in_memory = {copy, size};

		memcpy(copy, &file, size);
		cr_assert_null(elffile_find_section(&in_memory, "xray_instr_map"));
		free(copy);
	}
	for (size_t at = 0; at < sizeof(file); at++)
		for (int bit = 0; bit < 8; bit++) {
			make_file();
			((uint8_t *)&file)[at] ^= (uint8_t)(1 << bit);
			find(sizeof(file), &address);
		}
}

Test(elffile, the_range_is_that_of_all_segments)
{
	struct {
		Elf64_Ehdr header;
		Elf64_Phdr segment[3];
	} image = {.header = {.e_phoff = sizeof(Elf64_Ehdr),
	                      .e_phentsize = sizeof(Elf64_Phdr),
	                      .e_phnum = 3}};
	struct elffile in_memory = {(const uint8_t *)&image, sizeof(image)};
	uint64_t start, end;

	memcpy(image.header.e_ident, ELFMAG, SELFMAG);
	image.header.e_ident[EI_CLASS] = ELFCLASS64;
	cr_assert_eq(elffile_range(&in_memory, &start, &end), -ENOEXEC);
	image.segment[0] = (Elf64_Phdr){.p_type = PT_LOAD, .p_vaddr = 0x3000, .p_memsz = 0x500};
	image.segment[1] = (Elf64_Phdr){.p_type = PT_NOTE, .p_vaddr = 0, .p_memsz = 0x9000};
	image.segment[2] = (Elf64_Phdr){.p_type = PT_LOAD, .p_vaddr = 0x1000, .p_memsz = 0x800};
	cr_assert_eq(elffile_range(&in_memory, &start, &end), 0);
	cr_assert(start == 0x1000 && end == 0x3500);
	in_memory.size--;
	cr_assert_eq(elffile_range(&in_memory, &start, &end), -ENOEXEC);
}

/* ---- symbols ---- */

/* A file with both tables of symbols, in the first section and in the last. */
static struct {
	Elf64_Ehdr header;
	Elf64_Shdr section[5];
	Elf64_Sym all[3], dynamic[2];
	char names[16], dynamic_names[8];
} symbols;

static void make_symbols(void)
{
	memset(&symbols, 0, sizeof(symbols));
	memcpy(symbols.header.e_ident, ELFMAG, SELFMAG);
	symbols.header.e_ident[EI_CLASS] = ELFCLASS64;
	symbols.header.e_shentsize = sizeof(Elf64_Shdr);
	symbols.header.e_shoff = sizeof(Elf64_Ehdr);
	symbols.header.e_shnum = 5;
	symbols.header.e_shstrndx = 2;
	symbols.section[1] = (Elf64_Shdr){.sh_type = SHT_DYNSYM,
	                                  .sh_link = 3,
	                                  .sh_offset = offsetof(typeof(symbols), dynamic),
	                                  .sh_size = sizeof(symbols.dynamic)};
	symbols.section[2] = (Elf64_Shdr){.sh_type = SHT_STRTAB,
	                                  .sh_offset = offsetof(typeof(symbols), names),
	                                  .sh_size = sizeof(symbols.names)};
	symbols.section[3] = (Elf64_Shdr){.sh_type = SHT_STRTAB,
	                                  .sh_offset = offsetof(typeof(symbols), dynamic_names),
	                                  .sh_size = sizeof(symbols.dynamic_names)};
	symbols.section[4] = (Elf64_Shdr){.sh_type = SHT_SYMTAB,
	                                  .sh_link = 2,
	                                  .sh_offset = offsetof(typeof(symbols), all),
	                                  .sh_size = sizeof(symbols.all)};
}

/* The table that is found, NULL: none. */
static const Elf64_Sym *find_symbols(void)
{
	const struct elffile in_memory = {(const uint8_t *)&symbols, sizeof(symbols)};
	struct elffile_symbols found;

	if (!elffile_symbols_find(&in_memory, &found))
		return NULL;
	if (found.at == symbols.all) {
		cr_expect_eq(found.end, symbols.all + 3);
		cr_expect_eq(found.names, symbols.names);
		cr_expect_eq(found.names_size, sizeof(symbols.names));
	} else {
		cr_expect_eq(found.end, symbols.dynamic + 2);
		cr_expect_eq(found.names, symbols.dynamic_names);
		cr_expect_eq(found.names_size, sizeof(symbols.dynamic_names));
	}
	return found.at;
}

Test(elffile, all_symbols_are_better_than_those_of_linking)
{
	make_symbols();
	cr_assert_eq(find_symbols(), symbols.all);
	symbols.section[4].sh_type = SHT_NOBITS; /* as strip(1) leaves it to a debug file */
	cr_assert_eq(find_symbols(), symbols.dynamic);
	symbols.section[1].sh_type = SHT_PROGBITS;
	cr_assert_null(find_symbols());
}

Test(elffile, symbols_that_are_damaged_are_passed_over)
{
	make_symbols();
	symbols.section[4].sh_link = 5; /* of sections 0 to 4 */
	cr_expect_eq(find_symbols(), symbols.dynamic);
	make_symbols();
	symbols.section[4].sh_offset += 4;
	cr_expect_eq(find_symbols(), symbols.dynamic);
	make_symbols();
	symbols.section[4].sh_size = sizeof(symbols) - symbols.section[4].sh_offset + 1;
	cr_expect_eq(find_symbols(), symbols.dynamic);
	make_symbols();
	symbols.section[2].sh_size = sizeof(symbols);
	cr_expect_eq(find_symbols(), symbols.dynamic, "its names are outside");
	symbols.section[3].sh_offset = sizeof(symbols) + 1;
	cr_expect_null(find_symbols());
	make_symbols();
	symbols.header.e_shnum = 1;
	symbols.header.e_shstrndx = 0;
	cr_expect_null(find_symbols());
}

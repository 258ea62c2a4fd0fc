/* Sleds: reading the map, making code, finding the section in damaged files. */
#include "libcollector/sled.h"

#include <criterion/criterion.h>
#include <elf.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

Test(sled, map_entries_are_relative_from_version_2_on)
{
	uint8_t entry[SLED_ENTRY_SIZE] = {0};
	struct sled sled;
	int64_t distance = -0x1000;

	memcpy(entry, &distance, 8);
	memcpy(entry + 8, &distance, 8);
	entry[16] = SLED_EXIT;
	sled_get(entry, &sled);
	cr_assert_eq(sled.address, (uint64_t)distance);
	cr_assert_eq(sled.kind, SLED_EXIT);
	entry[18] = 2;
	sled_get(entry, &sled);
	cr_assert_eq(sled.address, (uint64_t)(uintptr_t)entry - 0x1000);
	cr_assert_eq(sled.function, (uint64_t)(uintptr_t)entry + 8 - 0x1000);
}

Test(sled, code_calls_or_jumps_to_its_target)
{
	struct sled sled = {.address = 0x400000, .kind = SLED_ENTER};
	uint8_t code[SLED_SIZE];
	static const uint8_t call[SLED_SIZE] = {0x41, 0xba, 7, 0, 0, 0, 0xe8, 0xf5, 0x0f, 0, 0};

	cr_assert_eq(sled_make(&sled, 7, 0x401000, code), 0);
	cr_assert_arr_eq(code, call, SLED_SIZE);
	sled.kind = SLED_EXIT;
	cr_assert_eq(sled_make(&sled, 7, 0x400000 + SLED_SIZE - 0x10, code), 0);
	cr_assert_eq(code[6], 0xe9);
	cr_assert_eq(code[7], 0xf0);
	cr_assert_eq(sled_make(&sled, 7, 0x7f0000000000, code), -ERANGE);
}

Test(sled, only_untouched_code_is_original)
{
	struct sled enter = {.kind = SLED_ENTER}, leave = {.kind = SLED_EXIT};
	static const uint8_t jump[] = {0xeb, 0x09}, end[] = {0xc3, 0x2e}, patched[] = {0x41, 0xba};

	cr_assert(sled_is_original(&enter, jump));
	cr_assert(sled_is_original(&leave, end));
	cr_assert_not(sled_is_original(&enter, patched));
	cr_assert_not(sled_is_original(&leave, patched));
}

/* A file of a header, two sections and their names. */
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
	file.section[0] = (Elf64_Shdr){.sh_type = SHT_STRTAB, .sh_name = 20, .sh_offset = offsetof(typeof(file), names),
	                               .sh_size = sizeof(file.names)};
	file.section[1] = (Elf64_Shdr){.sh_name = 1, .sh_flags = SHF_ALLOC, .sh_addr = 0x2000, .sh_size = 64};
	memcpy(file.names + 1, "xray_instr_map", 15);
}

static int find(uint64_t size, uint64_t *address)
{
	struct elffile in_memory = {(const uint8_t *)&file, size};
	uint64_t length;

	return sled_find_section(&in_memory, "xray_instr_map", address, &length);
}

Test(sled, the_section_is_found)
{
	uint64_t address = 0;

	make_file();
	cr_assert_eq(find(sizeof(file), &address), 0);
	cr_assert_eq(address, 0x2000);
	file.section[1].sh_name = 2;
	cr_assert_eq(find(sizeof(file), &address), -ENOENT);
}

Test(sled, no_damage_leads_out_of_the_file)
{
	uint64_t address;

	make_file();
	for (uint64_t size = 0; size < sizeof(file); size++) {
		uint8_t *copy = malloc(size + 1);
		struct elffile in_memory = {copy, size};
		uint64_t length;

		memcpy(copy, &file, size);
		cr_assert_eq(sled_find_section(&in_memory, "xray_instr_map", &address, &length), -ENOENT);
		free(copy);
	}
	for (size_t at = 0; at < sizeof(file); at++)
		for (int bit = 0; bit < 8; bit++) {
			make_file();
			((uint8_t *)&file)[at] ^= (uint8_t)(1 << bit);
			find(sizeof(file), &address);
		}
}

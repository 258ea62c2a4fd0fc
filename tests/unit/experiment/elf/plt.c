/* Stubs of the procedure linkage table: which function each belongs to, by the slot that it jumps
 * through. */
#include "experiment/elf/binary.h"
#include "tests/unit/experiment/make_elf.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

enum { PLT = 0x2000, SLOTS = 0x4000, TEXT = 0x1000 };

static const char names[] = "\0puts\0malloc\0other";
static const Elf64_Sym symbols[] = {{0}, {.st_name = 1}, {.st_name = 6}, {.st_name = 13}};
static const Elf64_Rela relocations[] = {
	{.r_offset = SLOTS + 8, .r_info = ELF64_R_INFO(1, R_X86_64_JUMP_SLOT)},
	{.r_offset = SLOTS + 16, .r_info = ELF64_R_INFO(2, R_X86_64_JUMP_SLOT)},
	{.r_offset = SLOTS + 24, .r_info = ELF64_R_INFO(0, R_X86_64_JUMP_SLOT)},
};
static const Elf64_Rela others[] = {
	{.r_offset = SLOTS + 32, .r_info = ELF64_R_INFO(3, R_X86_64_GLOB_DAT)},
};

static uint8_t stubs[72];
static struct exp_binary *binary;

/* stubs[at]: jmp *slot(%rip) */
static void jump(size_t at, uint64_t slot)
{
	int32_t displacement = (int32_t)(slot - (PLT + at + 6));

	stubs[at] = 0xff;
	stubs[at + 1] = 0x25;
	memcpy(stubs + at + 2, &displacement, sizeof(displacement));
}

/* Open a program whose stubs are in a section with this name and this entry size. */
static void open_program(const char *name, uint64_t entry_size, size_t size)
{
	const struct made_section sections[] = {
		{.name = ".dynsym",
	         .type = SHT_DYNSYM,
	         .flags = SHF_ALLOC,
	         .address = 0x100,
	         .bytes = symbols,
	         .size = sizeof(symbols),
	         .link = 2,
	         .entry_size = sizeof(symbols[0])},
		{.name = ".dynstr",
	         .type = SHT_STRTAB,
	         .flags = SHF_ALLOC,
	         .address = 0x300,
	         .bytes = names,
	         .size = sizeof(names)},
		{.name = ".rela.plt",
	         .type = SHT_RELA,
	         .flags = SHF_ALLOC,
	         .address = 0x400,
	         .bytes = relocations,
	         .size = sizeof(relocations),
	         .link = 1,
	         .entry_size = sizeof(relocations[0])},
		{.name = ".rela.debug",
	         .type = SHT_RELA,
	         .bytes = others,
	         .size = sizeof(others),
	         .link = 1,
	         .entry_size = sizeof(others[0])},
		{.name = ".text",
	         .type = SHT_PROGBITS,
	         .flags = SHF_ALLOC | SHF_EXECINSTR,
	         .address = TEXT,
	         .bytes = stubs,
	         .size = sizeof(stubs)},
		{.name = name,
	         .type = SHT_PROGBITS,
	         .flags = SHF_ALLOC | SHF_EXECINSTR,
	         .address = PLT,
	         .bytes = stubs,
	         .size = size,
	         .entry_size = entry_size},
	};

	binary = made_binary(sections, sizeof(sections) / sizeof(sections[0]));
}

static void tear_down(void)
{
	exp_binary_close(binary);
}

TestSuite(plt, .fini = tear_down);

static void expect(uint64_t address, uint64_t start, uint64_t end, const char *name)
{
	struct exp_range range;
	const char *found = "";

	cr_assert_eq(exp_binary_plt_at(binary, address, &range, &found), 0, "%#lx", address);
	cr_expect_eq(range.start, start, "%#lx", address);
	cr_expect_eq(range.end, end, "%#lx", address);
	cr_expect_str_eq(found, name, "%#lx", address);
}

static void expect_none(uint64_t address)
{
	struct exp_range range;
	const char *found;

	cr_expect_eq(exp_binary_plt_at(binary, address, &range, &found), -ENOENT, "%#lx", address);
}

Test(plt, a_stub_has_the_name_that_the_loader_puts_into_its_slot)
{
	jump(6, SLOTS);       /* the first entry leads to the loader */
	jump(16, SLOTS + 8);  /* at its beginning */
	jump(36, SLOTS + 16); /* after an endbr64 */
	jump(58, SLOTS + 8);  /* at its very end */
	jump(64, SLOTS + 16); /* in a stub that is cut off */
	open_program(".plt", 16, 72);
	expect_none(PLT);
	expect_none(PLT + 15);
	expect(PLT + 16, PLT + 16, PLT + 32, "puts");
	expect(PLT + 31, PLT + 16, PLT + 32, "puts");
	expect(PLT + 32, PLT + 32, PLT + 48, "malloc");
	expect(PLT + 50, PLT + 48, PLT + 64, "puts");
	expect(PLT + 71, PLT + 64, PLT + 72, "malloc");
	expect_none(PLT + 72);
	expect_none(PLT - 1);
	expect_none(TEXT + 16);
	expect_none(0x308);
}

Test(plt, stubs_may_be_short)
{
	jump(0, SLOTS + 8);
	jump(8, SLOTS + 16);
	open_program(".plt.got", 8, 16);
	expect(PLT + 7, PLT, PLT + 8, "puts");
	expect(PLT + 8, PLT + 8, PLT + 16, "malloc");
}

/* Linkers leave out the entry size, or write 0. */
Test(plt, stubs_of_unknown_size_are_long)
{
	jump(0, SLOTS + 8);
	jump(16, SLOTS + 16);
	open_program(".plt.sec", 0, 32);
	expect(PLT + 8, PLT, PLT + 16, "puts");
	expect(PLT + 16, PLT + 16, PLT + 32, "malloc");
}

Test(plt, a_slot_without_a_name_names_nothing)
{
	jump(0, SLOTS + 24);
	jump(16, SLOTS + 40);
	open_program(".plt", 16, 48);
	expect_none(PLT);
	expect_none(PLT + 16);
	expect_none(PLT + 32);
	cr_expect_str_eq(exp_binary_slot_name(binary, SLOTS + 8), "puts");
	cr_expect_str_eq(exp_binary_slot_name(binary, SLOTS + 16), "malloc");
	cr_expect_null(exp_binary_slot_name(binary, SLOTS + 24));
	cr_expect_null(exp_binary_slot_name(binary, SLOTS + 9));
	cr_expect_null(exp_binary_slot_name(binary, SLOTS + 32), "the loader does not read it");
}

Test(plt, stubs_are_in_sections_of_that_name)
{
	jump(0, SLOTS + 8);
	open_program(".pl", 16, 48);
	expect_none(PLT);
}

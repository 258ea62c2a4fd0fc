/* Which sections of a file are read by bytes, and which files are left to libdw. */
#include "experiment/dwarf/debugsections.h"

#include "tests/unit/experiment/make_elf.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

static uint64_t file[512];
static size_t sizes[EXP_DEBUG_COUNT]; /* of the sections, when it was open */

/* The file as its bytes are now. Returns what exp_debug_sections_open returns. */
static int open_file(size_t size)
{
	struct exp_debug_sections sections;
	Elf *elf;
	int rc;

	elf_version(EV_CURRENT);
	elf = elf_memory((char *)file, size);
	cr_assert_not_null(elf);
	rc = exp_debug_sections_open(elf, &sections);
	for (size_t i = 0; rc == 0 && i < EXP_DEBUG_COUNT; i++)
		sizes[i] = sections.of[i].size;
	if (rc == 0)
		exp_debug_sections_close(&sections);
	elf_end(elf);
	return rc;
}

/* A file with code, what this section says, and lines. */
static size_t make(const char *name, uint32_t type)
{
	const struct made_section sections[] = {
		{.name = ".text", .type = SHT_PROGBITS, .bytes = "code", .size = 4},
		{.name = name, .type = type, .bytes = "12345", .size = 5},
		{.name = ".debug_line", .type = SHT_PROGBITS, .bytes = "lines!!", .size = 7}};

	return made_elf(file, sizeof(file), sections, 3);
}

Test(debugsections, those_with_known_names_are_found)
{
	cr_assert_eq(open_file(make(".debug_info", SHT_PROGBITS)), 0);
	cr_expect_eq(sizes[EXP_DEBUG_INFO], 5);
	cr_expect_eq(sizes[EXP_DEBUG_LINE], 7);
	cr_expect_eq(sizes[EXP_DEBUG_STR], 0);
}

Test(debugsections, others_are_left_out)
{
	static const char *const names[] = {".debug_infos",  ".debug_inf", ".debug_gnu",
	                                    "debug_info",    ".data",      ".zdebu",
	                                    ".gnu_debuglink"};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		cr_assert_eq(open_file(make(names[i], SHT_PROGBITS)), 0, "%s", names[i]);
		cr_expect_eq(sizes[EXP_DEBUG_INFO], 0, "%s", names[i]);
		cr_expect_eq(sizes[EXP_DEBUG_LINE], 7, "%s", names[i]);
	}
	cr_assert_eq(open_file(make(".debug_info", SHT_NOBITS)), 0);
	cr_expect_eq(sizes[EXP_DEBUG_INFO], 0, "what is in no file");
}

Test(debugsections, shared_and_oddly_compressed_ones_are_not_for_us)
{
	cr_expect_eq(open_file(make(".zdebug_info", SHT_PROGBITS)), -ENOTSUP);
	cr_expect_eq(open_file(make(".zdebug_str", SHT_PROGBITS)), -ENOTSUP);
	cr_expect_eq(open_file(make(".gnu_debugaltlink", SHT_PROGBITS)), -ENOTSUP);
}

Test(debugsections, files_of_another_kind_are_not_for_us)
{
	size_t size = make(".debug_info", SHT_PROGBITS);
	Elf64_Ehdr *header = (Elf64_Ehdr *)(void *)file;

	header->e_type = ET_EXEC;
	cr_expect_eq(open_file(size), 0);
	header->e_type = ET_REL;
	cr_expect_eq(open_file(size), -ENOTSUP, "it is to be relocated");
	header->e_type = ET_CORE;
	cr_expect_eq(open_file(size), -ENOTSUP);
}

/* Functions that have no name: how far they reach, and what they are called. */
#include "experiment/base/internal.h"
#include "tests/unit/experiment/make_elf.h"
#include "tests/unit/experiment/make_experiment.h"

#include <criterion/criterion.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { BIAS = 0x7f0000, TEXT = 0x1000, TEXT_SIZE = 0x100, LATE = 0x2000, LATE_SIZE = 0x40 };

static struct maker maker;
static struct experiment *experiment;
static struct symbols *symbols;

/* An object with two sections of code, and a symbol at the beginning of the first one. */
static void set_up(void)
{
	static const uint8_t code[TEXT_SIZE] = {0xc3};
	static const char names[] = "\0known";
	static const Elf64_Sym known[] = {{0},
	                                  {.st_name = 1,
	                                   .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
	                                   .st_shndx = 1,
	                                   .st_value = TEXT,
	                                   .st_size = 0x20}};
	const struct made_section sections[] = {
		{".text", code, TEXT_SIZE, SHT_PROGBITS, 0, 0, SHF_ALLOC | SHF_EXECINSTR, TEXT, 0},
		{".late", code, LATE_SIZE, SHT_PROGBITS, 0, 0, SHF_ALLOC | SHF_EXECINSTR, LATE, 0},
		{".symtab", known, sizeof(known), SHT_SYMTAB, 4, 1, 0, 0, sizeof(known[0])},
		{".strtab", names, sizeof(names), SHT_STRTAB, 0, 0, 0, 0, 0}};
	static uint8_t file[1 << 14];
	char map[PATH_MAX + 256];
	struct exp_cause cause;
	size_t size = made_elf(file, sizeof(file), sections, 4);
	int len;

	maker_create(&maker);
	maker_put(&maker, "made.so", file, size);
	len = snprintf(map, sizeof(map),
	               "<map><object id=\"1\" path=\"%s/made.so\" build_id=\"\" bias=\"0x%x\" "
	               "start=\"0x%x\" end=\"0x%x\"/></map>",
	               maker.path, BIAS, BIAS, BIAS + 0x10000);
	maker_put(&maker, "map.xml", map, (size_t)len);
	cr_assert_eq(maker_open(&maker, &experiment, &cause), 0);
	symbols = symbols_create();
}

static void tear_down(void)
{
	experiment_close(experiment);
	symbols_destroy(symbols);
	maker_destroy(&maker);
}

TestSuite(function, .init = set_up, .fini = tear_down);

static const struct sym_function *at(uint64_t address)
{
	const struct sym_frame *frames;

	cr_assert_eq(symbols_frames(symbols, experiment, BIAS + address, 0, 1, &frames), 1);
	return frames[0].function;
}

static void expect(uint64_t address, const char *name, uint64_t begin, uint64_t size)
{
	const struct sym_function *function = at(address);

	cr_expect_str_eq(function->name, name);
	cr_expect_eq(function->address, begin, "%s: %lx", name, function->address);
	cr_expect_eq(function->size, size, "%s: %lx", name, function->size);
	cr_expect_eq(function->unresolved, strchr(name, '+') != NULL);
}

Test(function, one_that_a_symbol_names)
{
	expect(TEXT + 0x1f, "known", TEXT, 0x20);
}

Test(function, without_a_symbol_it_is_the_rest_of_its_section)
{
	expect(TEXT + 0x40, "made.so+0x1000", TEXT, TEXT_SIZE);
	expect(LATE + LATE_SIZE - 1, "made.so+0x2000", LATE, LATE_SIZE);
	cr_expect_eq(at(LATE), at(LATE + 7), "one function");
}

Test(function, outside_of_all_sections_it_is_one_address)
{
	expect(LATE + LATE_SIZE, "made.so+0x2040", LATE + LATE_SIZE, 1);
	expect(0x800, "made.so+0x800", 0x800, 1);
	cr_expect_neq(at(0x800), at(0x801));
}

/* Symbols of functions: which of them count, which name an address has, and how far each function
 * extends. */
#include "experiment/elf/binary.h"
#include "tests/unit/experiment/make_elf.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum {
	TEXT = 0x1000,
	TEXT_SIZE = 0x1000,
	DATA = 0x8000,
	IN_TEXT = 1,
	IN_DATA = 2,
	SYMBOLS_MAX = 64
};

static Elf64_Sym symbols[SYMBOLS_MAX];
static char names[2048];
static size_t count, names_size;
static struct exp_binary *binary;

static void set_up(void)
{
	count = names_size = 1;
}

static void tear_down(void)
{
	exp_binary_close(binary);
}

TestSuite(symtab, .init = set_up, .fini = tear_down);

static void add(const char *name, unsigned bind, unsigned type, uint16_t section, uint64_t address,
                uint64_t size)
{
	symbols[count++] = (Elf64_Sym){.st_name = (uint32_t)names_size,
	                               .st_info = ELF64_ST_INFO(bind, type),
	                               .st_shndx = section,
	                               .st_value = address,
	                               .st_size = size};
	strcpy(names + names_size, name);
	names_size += strlen(name) + 1;
}

static void function(const char *name, uint64_t address, uint64_t size)
{
	add(name, STB_GLOBAL, STT_FUNC, IN_TEXT, address, size);
}

static void open_program(void)
{
	static const uint8_t code[TEXT_SIZE];
	const struct made_section sections[] = {
		{.name = ".text",
	         .type = SHT_PROGBITS,
	         .flags = SHF_ALLOC | SHF_EXECINSTR,
	         .address = TEXT,
	         .bytes = code,
	         .size = sizeof(code)},
		{.name = ".data",
	         .type = SHT_PROGBITS,
	         .flags = SHF_ALLOC | SHF_WRITE,
	         .address = DATA,
	         .bytes = code,
	         .size = 0x100},
		{.name = ".symtab",
	         .type = SHT_SYMTAB,
	         .bytes = symbols,
	         .size = count * sizeof(symbols[0]),
	         .link = 4,
	         .info = 1,
	         .entry_size = sizeof(symbols[0])},
		{.name = ".strtab", .type = SHT_STRTAB, .bytes = names, .size = names_size},
	};

	binary = made_binary(sections, sizeof(sections) / sizeof(sections[0]));
}

static const char *name_at(uint64_t address)
{
	const struct exp_symbol *symbol = exp_binary_symbol_at(binary, address);

	return !symbol ? "" : symbol->name;
}

Test(symtab, a_function_reaches_as_far_as_its_size)
{
	function("second", TEXT + 0x40, 0x20);
	function("first", TEXT + 0x10, 0x10);
	open_program();
	cr_expect_eq(binary->symbol_count, 2);
	cr_expect_str_eq(name_at(TEXT + 0xf), "");
	cr_expect_str_eq(name_at(TEXT + 0x10), "first");
	cr_expect_str_eq(name_at(TEXT + 0x1f), "first");
	cr_expect_str_eq(name_at(TEXT + 0x20), "");
	cr_expect_str_eq(name_at(TEXT + 0x40), "second");
	cr_expect_str_eq(name_at(TEXT + 0x5f), "second");
	cr_expect_str_eq(name_at(TEXT + 0x60), "");
	cr_expect_eq(exp_binary_symbol_at(binary, TEXT + 0x50)->address, TEXT + 0x40);
	cr_expect_eq(exp_binary_symbol_at(binary, TEXT + 0x50)->size, 0x20);
}

/* Hand-written functions often have no type; labels of compilers are not functions. */
Test(symtab, only_code_counts)
{
	add("resolver", STB_GLOBAL, STT_GNU_IFUNC, IN_TEXT, TEXT, 8);
	add("label", STB_GLOBAL, STT_NOTYPE, IN_TEXT, TEXT + 0x10, 8);
	add(".L1", STB_LOCAL, STT_NOTYPE, IN_TEXT, TEXT + 0x20, 8);
	add("$x", STB_LOCAL, STT_NOTYPE, IN_TEXT, TEXT + 0x30, 8);
	add("table", STB_GLOBAL, STT_OBJECT, IN_TEXT, TEXT + 0x40, 8);
	add("data_label", STB_GLOBAL, STT_NOTYPE, IN_DATA, DATA, 8);
	add("elsewhere", STB_GLOBAL, STT_FUNC, SHN_UNDEF, TEXT + 0x50, 8);
	add("", STB_GLOBAL, STT_FUNC, IN_TEXT, TEXT + 0x60, 8);
	open_program();
	cr_expect_eq(binary->symbol_count, 2);
	cr_expect_str_eq(name_at(TEXT), "resolver");
	cr_expect_str_eq(name_at(TEXT + 0x10), "label");
	for (uint64_t at = TEXT + 0x20; at < TEXT + 0x70; at += 0x10)
		cr_expect_str_eq(name_at(at), "");
	cr_expect_str_eq(name_at(DATA), "");
}

/* Of several names of one address: global ones before local ones, with a size before without, with
 * fewer underscores, shorter, first in the alphabet. */
Test(symtab, an_address_has_its_best_name)
{
	function("__free", TEXT, 8);
	function("cfree", TEXT, 8);
	function("free", TEXT, 8);
	function("_free", TEXT, 8);
	add("a_local", STB_LOCAL, STT_FUNC, IN_TEXT, TEXT + 0x10, 8);
	function("___global", TEXT + 0x10, 8);
	add("a_sizeless", STB_GLOBAL, STT_FUNC, IN_TEXT, TEXT + 0x20, 0);
	add("local", STB_LOCAL, STT_FUNC, IN_TEXT, TEXT + 0x20, 8);
	function("bbb", TEXT + 0x30, 8);
	function("aaa", TEXT + 0x30, 8);
	function("ccc", TEXT + 0x30, 8);
	function("_____x", TEXT + 0x40, 8);
	function("___yy", TEXT + 0x40, 8);
	add("_local", STB_LOCAL, STT_FUNC, IN_TEXT, TEXT + 0x50, 8);
	add("__a", STB_LOCAL, STT_FUNC, IN_TEXT, TEXT + 0x50, 8);
	open_program();
	cr_expect_eq(binary->symbol_count, 6);
	cr_expect_str_eq(name_at(TEXT), "free");
	cr_expect_str_eq(name_at(TEXT + 0x10), "___global");
	cr_expect_str_eq(name_at(TEXT + 0x20), "local");
	cr_expect_str_eq(name_at(TEXT + 0x30), "aaa");
	cr_expect_str_eq(name_at(TEXT + 0x40), "___yy", "more than three underscores are as three");
	cr_expect_str_eq(name_at(TEXT + 0x50), "_local");
}

/* Without unwinding tables, up to the next symbol or the section's end. */
Test(symtab, a_symbol_without_size_reaches_to_the_next)
{
	add("first", STB_GLOBAL, STT_FUNC, IN_TEXT, TEXT + 0x10, 0);
	add("second", STB_GLOBAL, STT_FUNC, IN_TEXT, TEXT + 0x20, 0);
	open_program();
	cr_expect_str_eq(name_at(TEXT + 0xf), "");
	cr_expect_str_eq(name_at(TEXT + 0x1f), "first");
	cr_expect_str_eq(name_at(TEXT + 0x20), "second");
	cr_expect_str_eq(name_at(TEXT + TEXT_SIZE - 1), "second");
	cr_expect_str_eq(name_at(TEXT + TEXT_SIZE), "");
	cr_expect_str_eq(name_at(DATA), "", "another section begins between");
}

/* A cold part or a label may be inside a function; behind eight of them, the outer one is still
 * found. */
Test(symtab, what_stands_inside_of_a_function_does_not_end_it)
{
	function("outer", TEXT, 0x100);
	for (int i = 0; i < 7; i++) {
		char name[16];

		snprintf(name, sizeof(name), "inner%d", i);
		function(name, TEXT + 0x10 + 0x10 * (uint64_t)i, 8);
	}
	add("label", STB_LOCAL, STT_NOTYPE, IN_TEXT, TEXT + 0x90, 0);
	open_program();
	cr_expect_str_eq(name_at(TEXT + 0x14), "inner0");
	cr_expect_str_eq(name_at(TEXT + 0x18), "outer");
	cr_expect_str_eq(name_at(TEXT + 0x78), "outer", "seven are between");
	cr_expect_str_eq(name_at(TEXT + 0x98), "label");
	cr_expect_str_eq(name_at(TEXT + 0x1000), "");
}

Test(symtab, a_label_without_size_hides_only_the_nearest)
{
	add("label", STB_LOCAL, STT_NOTYPE, IN_TEXT, TEXT + 0x10, 0);
	function("small", TEXT + 0x20, 4);
	open_program();
	cr_expect_str_eq(name_at(TEXT + 0x1f), "label");
	cr_expect_str_eq(name_at(TEXT + 0x24), "", "a function was between");
}

Test(symtab, symbols_are_found_by_names_that_one_has)
{
	for (int i = 0; i < 20; i++) {
		char name[16];

		snprintf(name, sizeof(name), "f%d", i);
		function(name, TEXT + 0x10 * (uint64_t)i, 8);
	}
	function("twice", TEXT + 0x200, 8);
	function("twice", TEXT + 0x210, 8);
	function("twice", TEXT + 0x220, 8);
	function("here", TEXT + 0x230, 8);
	function("there", TEXT + 0x240, 8);
	function("here", TEXT + 0x250, 8);
	open_program();
	for (int i = 0; i < 20; i++) {
		const struct exp_symbol *symbol;
		char name[16];

		snprintf(name, sizeof(name), "f%d", i);
		symbol = exp_binary_symbol_named(binary, name);
		cr_assert_not_null(symbol);
		cr_expect_eq(symbol->address, TEXT + 0x10 * (uint64_t)i);
	}
	cr_expect_null(exp_binary_symbol_named(binary, "twice"));
	cr_expect_null(exp_binary_symbol_named(binary, "here"), "with another one between");
	cr_expect_eq(exp_binary_symbol_named(binary, "there")->address, TEXT + 0x240);
	cr_expect_null(exp_binary_symbol_named(binary, "f"));
	cr_expect_null(exp_binary_symbol_named(binary, "f20"));
	cr_expect_null(exp_binary_symbol_named(binary, ""));
}

Test(symtab, a_program_without_symbols_has_no_names)
{
	open_program();
	cr_expect_eq(binary->symbol_count, 0);
	cr_expect_str_eq(name_at(TEXT), "");
	cr_expect_null(exp_binary_symbol_named(binary, "main"));
	cr_expect_null(exp_binary_variable_at(binary, DATA));
}

/* ---- variables */

static const char *variable_at(uint64_t address)
{
	const struct exp_symbol *symbol = exp_binary_variable_at(binary, address);

	return !symbol ? "" : symbol->name;
}

Test(symtab, variables_reach_as_far_as_their_sizes)
{
	add("second", STB_GLOBAL, STT_OBJECT, IN_DATA, DATA + 0x40, 0x20);
	add("first", STB_LOCAL, STT_OBJECT, IN_DATA, DATA + 0x10, 0x10);
	add("alias", STB_LOCAL, STT_OBJECT, IN_DATA, DATA + 0x40, 0x10);
	add("zlias", STB_LOCAL, STT_OBJECT, IN_DATA, DATA + 0x40, 0x20);
	add("sizeless", STB_GLOBAL, STT_OBJECT, IN_DATA, DATA + 0x80, 0);
	add("elsewhere", STB_GLOBAL, STT_OBJECT, SHN_UNDEF, DATA + 0x90, 8);
	add("label", STB_GLOBAL, STT_NOTYPE, IN_DATA, DATA + 0xa0, 8);
	function("code", TEXT, 8);
	open_program();
	cr_expect_str_eq(variable_at(DATA + 0xf), "");
	cr_expect_str_eq(variable_at(DATA + 0x10), "first");
	cr_expect_str_eq(variable_at(DATA + 0x1f), "first");
	cr_expect_str_eq(variable_at(DATA + 0x20), "");
	cr_expect_str_eq(variable_at(DATA + 0x40), "alias");
	cr_expect_str_eq(variable_at(DATA + 0x4f), "alias");
	cr_expect_str_eq(variable_at(DATA + 0x80), "");
	cr_expect_str_eq(variable_at(DATA + 0x90), "");
	cr_expect_str_eq(variable_at(DATA + 0xa0), "");
	cr_expect_str_eq(variable_at(TEXT), "");
	cr_expect_eq(exp_binary_variable_at(binary, DATA + 0x18)->address, DATA + 0x10);
}

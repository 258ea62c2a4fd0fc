/* ELF files in memory that a program registered for debuggers: their functions, when these existed,
 * their lines, and their code as it was in memory. */
#include "experiment/jit/moments.h"
#include "format/layout.h"
#include "tests/unit/experiment/make_elf.h"
#include "tests/unit/experiment/make_experiment.h"

#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { TEXT = 0x10000, FILE_SIZE = 4096, CODE_AT = 2 * FILE_SIZE };

static struct maker maker;
static struct experiment *experiment;
static uint8_t text[3 * FILE_SIZE]; /* dyntext: object files, then code */
static char map[4096];

static void set_up(void)
{
	maker_create(&maker);
}

static void tear_down(void)
{
	experiment_close(experiment);
	maker_destroy(&maker);
}

TestSuite(jitbinary, .init = set_up, .fini = tear_down);

static void add(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void add(const char *format, ...)
{
	size_t used = strlen(map);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(map + used, sizeof(map) - used, format, arguments);
	va_end(arguments);
}

static void open_it(void)
{
	struct exp_cause cause;
	char xml[sizeof(map) + 64];

	snprintf(xml, sizeof(xml), "<map version=\"1.0\">\n%s</map>\n", map);
	maker_put(&maker, FMT_FILE_MAP, xml, strlen(xml));
	maker_put(&maker, FMT_FILE_DYNTEXT, text, sizeof(text));
	cr_assert_eq(maker_open(&maker, &experiment, &cause), 0, "%s", cause.text);
}

static const struct exp_function *function_then(uint64_t pc, uint64_t ticks)
{
	return exp_function_then(experiment, pc, (struct exp_instant){ticks, 0});
}

static const char *name_then(uint64_t pc, uint64_t ticks)
{
	const struct exp_function *function = function_then(pc, ticks);

	return !function ? "" : function->name;
}

/* ---- an object file: one.c has jit_one (16 bytes at 0x10), jit_two (8 at 0x40); lines 5, 6 and 7
 * at 0x10, 0x18 and 0x40, and an end at 0x48 */

static const char names[] = "\0jit_one\0jit_two\0data\0outside\0empty";

static const Elf64_Sym symbols[] = {
	{0},
	{.st_info = ELF64_ST_INFO(STB_LOCAL, STT_SECTION), .st_shndx = 1},
	{.st_name = 1, .st_info = STT_FUNC, .st_shndx = 1, .st_value = 0x10, .st_size = 0x10},
	{.st_name = 9, .st_info = STT_FUNC, .st_shndx = 1, .st_value = 0x40, .st_size = 8},
	{.st_name = 17, .st_info = STT_OBJECT, .st_shndx = 1, .st_value = 0x80, .st_size = 8},
	{.st_name = 22, .st_info = STT_FUNC, .st_shndx = SHN_UNDEF, .st_value = 0x90, .st_size = 8},
	{.st_name = 30, .st_info = STT_FUNC, .st_shndx = 1, .st_value = 0xa0},
	{.st_name = 0, .st_info = STT_FUNC, .st_shndx = 1, .st_value = 0xb0, .st_size = 8},
	{.st_name = 1, .st_info = STT_FUNC, .st_shndx = 1, .st_value = -TEXT - 4, .st_size = 8},
};

/* As in DWARF 4: a unit whose lines are at 0. */
static const uint8_t abbreviations[] = {1, 0x11, 0, 0x10, 0x17, 0, 0, 0};
static const uint8_t units[] = {12, 0, 0, 0, 4, 0, 0, 0, 0, 0, 8, 1, 0, 0, 0, 0};

enum { ADDRESS_AT = 43 }; /* in the line table */

static const uint8_t lines[] = {
	65, 0,    0,   0,    4,    0,   30,  0, 0, 0, /* sizes of the rest and the header; version
                                                       */
	1,  1,    1,   0xfb, 14,   13,                /* widths, line base -5, range, codes */
	0,  1,    1,   1,    1,    0,   0,   0, 1, 0, 0, 1, /* operands of the codes */
	0,  '/',  'o', 'n',  'e',  '.', 'c', 0, 0, 0, 0,    /* no directories, one file */
	0,  0,    9,   2,    0x10, 0,   0,   0, 0, 0, 0, 0, /* address 0x10 */
	3,  4,    1,                                        /* line + 4: 5 */
	2,  8,    3,   1,    1,                             /* address + 8, line + 1: 6 */
	2,  0x28, 3,   1,    1,                             /* 0x40: 7 */
	2,  8,    0,   1,    1,                             /* 0x48: the end */
};

static unsigned relocation_type = R_X86_64_64;

/* Put the object file at text[at]. In a relocatable file the address in the line table is 0 and is
 * relocated to that of the section, TEXT; symbols are relative to it. */
static void put_file(size_t at, int is_relocatable)
{
	const Elf64_Rela relocation = {.r_offset = ADDRESS_AT,
	                               .r_info = ELF64_R_INFO(1, relocation_type),
	                               .r_addend = 0x10};
	uint8_t to_relocate[sizeof(lines)];
	const struct made_section sections[] = {
		{.name = ".text",
	         .type = SHT_PROGBITS,
	         .flags = SHF_ALLOC | SHF_EXECINSTR,
	         .address = TEXT,
	         .bytes = "code",
	         .size = 4},
		{.name = ".symtab",
	         .type = SHT_SYMTAB,
	         .bytes = symbols,
	         .size = sizeof(symbols),
	         .link = 3,
	         .entry_size = sizeof(symbols[0])},
		{.name = ".strtab", .type = SHT_STRTAB, .bytes = names, .size = sizeof(names)},
		{.name = ".debug_abbrev",
	         .type = SHT_PROGBITS,
	         .bytes = abbreviations,
	         .size = sizeof(abbreviations)},
		{.name = ".debug_info",
	         .type = SHT_PROGBITS,
	         .bytes = units,
	         .size = sizeof(units)},
		{.name = ".debug_line",
	         .type = SHT_PROGBITS,
	         .bytes = to_relocate,
	         .size = sizeof(lines)},
		{.name = ".rela.debug_line",
	         .type = SHT_RELA,
	         .bytes = &relocation,
	         .size = sizeof(relocation),
	         .link = 2,
	         .info = 6,
	         .entry_size = sizeof(relocation)},
	};

	memcpy(to_relocate, lines, sizeof(lines));
	if (is_relocatable)
		memset(to_relocate + ADDRESS_AT, 0xff, relocation_type == R_X86_64_64 ? 8 : 4);
	made_elf(text + at, FILE_SIZE, sections, sizeof(sections) / sizeof(sections[0]));
	((Elf64_Ehdr *)(text + at))->e_type = is_relocatable ? ET_REL : ET_DYN;
}

static const char *said(void)
{
	const struct exp_info *info = experiment_info(experiment);

	return info->jit_note_count == 1 ? info->jit_notes[0] : "";
}

Test(jitbinary, functions_of_a_relocatable_file_count_from_their_sections)
{
	const struct exp_function *one, *two;

	put_file(0, 1);
	add("<image address=\"1\" size=\"%d\" offset=\"0\" time=\"1000000100\"/>", FILE_SIZE);
	open_it();
	cr_expect_str_eq(said(), "registered for debuggers: 2 functions in 1 files");
	one = function_then(TEXT + 0x10, 1000000100);
	two = function_then(TEXT + 0x47, 1000000100);
	cr_assert_not_null(one);
	cr_assert_not_null(two);
	cr_expect_str_eq(one->name, "jit_one");
	cr_expect_eq(one->address, TEXT + 0x10);
	cr_expect_eq(one->size, 0x10);
	cr_expect_eq(one->origin, EXP_ORIGIN_IMAGE);
	cr_expect_str_eq(two->name, "jit_two");
	cr_expect_eq(two->address, TEXT + 0x40);
	cr_expect_eq(two->size, 8);
	cr_expect_str_eq(name_then(TEXT + 0x20, 1000000100), "");
	cr_expect_eq(one->ticks_from, 1000000100);
	cr_expect_eq(one->ticks_to, UINT64_MAX);
}

static void expect_lines(uint64_t base)
{
	const struct exp_function *one = function_then(base + 0x10, 1000000100),
				  *two = function_then(base + 0x40, 1000000100);

	cr_assert(one && two);
	cr_expect_eq(one->line_count, 2);
	cr_expect_eq(one->line, 5);
	cr_expect_str_eq(one->source, "/one.c");
	cr_expect_eq(experiment_function_line(experiment, one, base + 0x10), 5);
	cr_expect_eq(experiment_function_line(experiment, one, base + 0x17), 5);
	cr_expect_eq(experiment_function_line(experiment, one, base + 0x18), 6);
	cr_expect_eq(experiment_function_line(experiment, one, base + 0x1f), 6);
	cr_expect_eq(two->line_count, 1);
	cr_expect_eq(two->line, 7);
	cr_expect_eq(experiment_function_line(experiment, two, base + 0x44), 7);
	cr_expect_str_eq(two->source, "/one.c");
}

Test(jitbinary, lines_of_a_relocatable_file_are_relocated)
{
	put_file(0, 1);
	add("<image address=\"1\" size=\"%d\" offset=\"0\" time=\"1000000100\"/>", FILE_SIZE);
	open_it();
	expect_lines(TEXT);
}

Test(jitbinary, so_they_are_by_words_of_32_bits)
{
	static const unsigned types[] = {R_X86_64_32, R_X86_64_32S};

	for (size_t i = 0; i < 2; i++) {
		relocation_type = types[i];
		put_file(0, 1);
		map[0] = '\0';
		add("<image address=\"1\" size=\"%d\" offset=\"0\" time=\"1000000100\"/>",
		    FILE_SIZE);
		open_it();
		expect_lines(TEXT);
		if (i == 0) {
			experiment_close(experiment);
			experiment = NULL;
		}
	}
}

Test(jitbinary, a_linked_file_has_addresses_already)
{
	put_file(FILE_SIZE, 0);
	add("<image address=\"1\" size=\"%d\" offset=\"%d\" time=\"1000000100\"/>", FILE_SIZE,
	    FILE_SIZE);
	open_it();
	cr_expect_str_eq(name_then(0x10, 1000000100), "jit_one");
	cr_expect_str_eq(name_then(TEXT + 0x10, 1000000100), "");
	expect_lines(0);
}

Test(jitbinary, a_file_was_there_until_it_was_unloaded)
{
	put_file(0, 1);
	add("<image address=\"7\" size=\"%d\" offset=\"0\" time=\"1000000100\"/>"
	    "<image_unload address=\"8\" time=\"1000000150\"/>"
	    "<image_unload address=\"7\" time=\"1000000200\"/>"
	    "<image_unload address=\"7\" time=\"1000000250\"/>"
	    "<image address=\"7\" size=\"%d\" offset=\"0\" time=\"1000000300\"/>",
	    FILE_SIZE, FILE_SIZE);
	open_it();
	cr_expect_str_eq(said(), "registered for debuggers: 4 functions in 2 files");
	cr_expect_eq(function_then(TEXT + 0x10, 1000000199)->ticks_to, 1000000200);
	cr_expect_eq(function_then(TEXT + 0x10, 1000000300)->ticks_from, 1000000300);
	cr_expect_eq(function_then(TEXT + 0x10, 1000000300)->ticks_to, UINT64_MAX);
}

/* A second load of the same entry is unloaded first. */
Test(jitbinary, what_is_unloaded_is_what_came_last)
{
	put_file(0, 1);
	put_file(FILE_SIZE, 0);
	add("<image address=\"7\" size=\"%d\" offset=\"0\" time=\"1000000100\"/>"
	    "<image address=\"7\" size=\"%d\" offset=\"%d\" time=\"1000000150\"/>"
	    "<image_unload address=\"7\" time=\"1000000200\"/>",
	    FILE_SIZE, FILE_SIZE, FILE_SIZE);
	open_it();
	cr_expect_eq(function_then(0x10, 1000000199)->ticks_to, 1000000200);
	cr_expect_eq(function_then(TEXT + 0x10, 1000000199)->ticks_to, UINT64_MAX);
}

/* Places of code that covers all of a function, the first one from its time on. */
Test(jitbinary, code_is_what_was_found_in_memory_at_its_time)
{
	const struct exp_function *one, *two;

	put_file(0, 1);
	add("<image address=\"1\" size=\"%d\" offset=\"0\" time=\"1000000100\"/>", FILE_SIZE);
	add("<code address=\"%#x\" size=\"64\" start=\"%#x\" time=\"1000000050\" offset=\"%d\"/>",
	    TEXT, TEXT, CODE_AT);
	add("<code address=\"%#x\" size=\"64\" start=\"%#x\" time=\"1000000300\" offset=\"%d\"/>",
	    TEXT, TEXT, CODE_AT + 100);
	add("<code address=\"%#x\" size=\"32\" start=\"%#x\" time=\"1000000200\" offset=\"%d\"/>",
	    TEXT, TEXT, CODE_AT + 200);
	add("<code address=\"%#x\" size=\"15\" start=\"%#x\" time=\"1000000150\" offset=\"%d\"/>",
	    TEXT + 0x10, TEXT, CODE_AT + 300);
	add("<code address=\"%#x\" size=\"7\" start=\"%#x\" time=\"1000000150\" offset=\"%d\"/>",
	    TEXT + 0x40, TEXT, CODE_AT + 400);
	add("<code address=\"%#x\" size=\"64\" start=\"%#x\" time=\"1000000150\"/>", TEXT, TEXT);
	open_it();
	one = function_then(TEXT + 0x10, 1000000100);
	two = function_then(TEXT + 0x40, 1000000100);
	cr_expect_str_eq(one->name, "jit_one");
	cr_expect(one->has_text);
	cr_expect_eq(one->text_offset, CODE_AT + 200 + 0x10);
	cr_expect_not(two->has_text);
}

/* A file for another machine, or one that lies partly outside dyntext, is ignored. */
Test(jitbinary, what_is_no_image_has_no_functions)
{
	put_file(0, 1);
	put_file(FILE_SIZE, 1);
	((Elf64_Ehdr *)(text + FILE_SIZE))->e_machine = EM_386;
	add("<image address=\"1\" size=\"%d\" offset=\"%d\" time=\"100\"/>"
	    "<image address=\"2\" size=\"%zu\" offset=\"0\" time=\"100\"/>"
	    "<image address=\"3\" size=\"0\" offset=\"0\" time=\"100\"/>"
	    "<image address=\"4\" size=\"%d\" offset=\"%d\" time=\"100\"/>"
	    "<image address=\"5\" size=\"%d\" time=\"100\"/>",
	    FILE_SIZE, FILE_SIZE, sizeof(text) + 1, FILE_SIZE, CODE_AT, FILE_SIZE);
	open_it();
	cr_expect_str_eq(said(), "registered for debuggers: 0 functions in 5 files");
}

Test(jitbinary, nothing_is_said_where_nothing_was_registered)
{
	open_it();
	cr_expect_eq(experiment_info(experiment)->jit_note_count, 0);
}

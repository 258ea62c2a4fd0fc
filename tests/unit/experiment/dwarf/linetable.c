/* Line tables: the same answers as libdw for every row of this test program, and no harm from
 * damaged ones. */
#include "experiment/dwarf/linetable.h"
#include "experiment/dwarf/reader.h"
#include "tests/unit/format/seed.h"

#include <criterion/criterion.h>
#include <dwarf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int file;
static Dwarf *dwarf;
static struct exp_line_sections sections;

static void set_up(void)
{
	file = open("/proc/self/exe", O_RDONLY);
	elf_version(EV_CURRENT);
	dwarf = dwarf_begin(file, DWARF_C_READ);
	cr_assert_not_null(dwarf, "the test program has debug information");
	exp_line_sections_find(dwarf_getelf(dwarf), &sections);
	cr_assert_gt(sections.line.size, 0);
}

static void tear_down(void)
{
	dwarf_end(dwarf);
	close(file);
}

TestSuite(linetable, .init = set_up, .fini = tear_down);

static uint64_t offset_of(Dwarf_Die *unit)
{
	Dwarf_Attribute attribute;
	Dwarf_Word offset;

	cr_assert_not_null(dwarf_attr(unit, DW_AT_stmt_list, &attribute));
	cr_assert_eq(dwarf_formudata(&attribute, &offset), 0);
	return offset;
}

static const char *directory_of(Dwarf_Die *unit)
{
	Dwarf_Attribute attribute;

	return dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
}

static int ends_with(const char *text, const char *tail)
{
	size_t len = strlen(text), tail_len = strlen(tail);

	return len >= tail_len && strcmp(text + len - tail_len, tail) == 0;
}

/* Does a sequence end at an address? */
static int is_end(Dwarf_Die *unit, Dwarf_Addr address)
{
	Dwarf_Lines *lines;
	size_t count;

	cr_assert_eq(dwarf_getsrclines(unit, &lines, &count), 0);
	for (size_t i = 0; i < count; i++) {
		Dwarf_Line *line = dwarf_onesrcline(lines, i);
		Dwarf_Addr at;
		bool ends;

		if (dwarf_lineaddr(line, &at) == 0 && at == address &&
		    dwarf_lineendsequence(line, &ends) == 0 && ends)
			return 1;
	}
	return 0;
}

/* Compare at one address. Returns 1 if libdw knows a line there. A row that ends a sequence belongs
 * to no instruction, and code that begins there belongs to another unit; but libdw finds that row,
 * there and after it. */
static size_t compare(Dwarf_Die *unit, struct exp_line_table *table, Dwarf_Addr address)
{
	Dwarf_Line *theirs = dwarf_getsrc_die(unit, address);
	Dwarf_Addr row;
	unsigned number = 0, line = 0;
	const char *name;
	int their_line;

	if (!theirs || dwarf_lineno(theirs, &their_line) != 0 || their_line == 0)
		return 0;
	if (exp_line_table_find(table, address, &number, &line) != 0) {
		cr_assert_eq(dwarf_lineaddr(theirs, &row), 0);
		cr_assert(is_end(unit, row), "address 0x%lx", address);
		return 0;
	}
	cr_assert_eq(line, (unsigned)their_line, "address 0x%lx: %u, libdw %d", address, line,
	             their_line);
	name = exp_line_table_file(table, number);
	cr_assert_not_null(name);
	/* libdw leaves out a relative directory of the compilation. */
	cr_assert(ends_with(name, dwarf_linesrc(theirs, NULL, NULL)), "%s, libdw %s", name,
	          dwarf_linesrc(theirs, NULL, NULL));
	return 1;
}

static size_t compare_unit(Dwarf_Die *unit)
{
	struct exp_line_table *table;
	Dwarf_Lines *lines;
	size_t count, compared = 0;

	cr_assert_eq(exp_line_table_open(&sections, offset_of(unit), directory_of(unit), &table),
	             0);
	cr_assert_eq(dwarf_getsrclines(unit, &lines, &count), 0);
	for (size_t i = 0; i < count; i++) {
		Dwarf_Addr address;

		dwarf_lineaddr(dwarf_onesrcline(lines, i), &address);
		compared += compare(unit, table, address);
		compared += compare(unit, table, address + 1);
	}
	exp_line_table_close(table);
	return compared;
}

Test(linetable, finds_what_libdw_finds)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit;
	size_t compared = 0;

	while (dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &unit, NULL) == 0)
		compared += compare_unit(&unit);
	cr_assert_gt(compared, 10000);
}

Test(linetable, refuses_what_is_no_table)
{
	struct exp_line_table *table = NULL;
	struct exp_line_sections none = {.is_big_endian = 0};

	cr_assert_neq(exp_line_table_open(&none, 0, NULL, &table), 0);
	cr_assert_neq(exp_line_table_open(&sections, sections.line.size, NULL, &table), 0);
	cr_assert_neq(exp_line_table_open(&sections, UINT64_MAX, NULL, &table), 0);
	cr_assert_null(table);
}

/* Read a table with any bytes. */
static void use(const uint8_t *bytes, size_t len)
{
	struct exp_line_sections damaged = sections;
	struct exp_line_table *table;

	damaged.line = (struct exp_line_section){bytes, len};
	if (exp_line_table_open(&damaged, 0, "/d", &table) != 0)
		return;
	for (unsigned i = 0; i < exp_line_table_file_end(table) + 2; i++) {
		exp_line_table_file(table, i);
		exp_line_table_md5(table, i);
	}
	for (uint64_t address = 1; address != 0; address <<= 1) {
		unsigned number, line;

		exp_line_table_find(table, address, &number, &line);
	}
	exp_line_table_close(table);
}

enum { FIRST = 4096 };

Test(linetable, survives_truncation_at_every_byte)
{
	size_t len = sections.line.size < FIRST ? sections.line.size : FIRST;

	for (size_t i = 0; i <= len; i++) {
		/* In memory of exactly its size, so that a sanitizer sees reads beyond it. */
		uint8_t *copy = malloc(i + 1);

		memcpy(copy, sections.line.bytes, i);
		use(copy, i);
		/* Also with a length that looks valid. */
		if (i >= 4) {
			uint32_t length = (uint32_t)(i - 4);

			memcpy(copy, &length, sizeof(length));
			use(copy, i);
		}
		free(copy);
	}
}

Test(linetable, survives_any_bytes)
{
	size_t len = sections.line.size < FIRST ? sections.line.size : FIRST;
	uint64_t random = seed_start();

	for (int round = 0; round < 3000; round++) {
		uint8_t *copy = malloc(len);

		memcpy(copy, sections.line.bytes, len);
		for (int i = 0; i < 1 + round % 8; i++) {
			size_t at = seed_below(&random, round % 2 ? 128 : len);

			copy[at] = (uint8_t)seed_next(&random);
		}
		use(copy, len);
		free(copy);
	}
}

/* A table of DWARF 5 as clang writes it: MD5 sums of the files, forms of fixed size. One sequence:
 * 0x1000 line 10, 0x1004 line 12, ends at 0x1008. */
static const uint8_t version_5[] = {
	107,
	0,
	0,
	0, /* length */
	5,
	0,
	8,
	0, /* version, address size, no segments */
	77,
	0,
	0,
	0, /* length of the header after this */
	1,
	1,
	1,
	0xfb,
	14,
	13, /* sizes, is_stmt, line_base -5, line_range 14, opcode_base 13 */
	0,
	1,
	1,
	1,
	1,
	0,
	0,
	0,
	1,
	0,
	0,
	1,
	1,
	DW_LNCT_path,
	DW_FORM_string,
	2,
	'/',
	'd',
	0,
	'i',
	0,
	3,
	DW_LNCT_path,
	DW_FORM_string,
	DW_LNCT_directory_index,
	DW_FORM_udata,
	DW_LNCT_MD5,
	DW_FORM_data16,
	2,
	'a',
	'.',
	'c',
	0,
	0,
	1,
	2,
	3,
	4,
	5,
	6,
	7,
	8,
	9,
	10,
	11,
	12,
	13,
	14,
	15,
	16,
	'b',
	'.',
	'h',
	0,
	1,
	16,
	15,
	14,
	13,
	12,
	11,
	10,
	9,
	8,
	7,
	6,
	5,
	4,
	3,
	2,
	1,
	0,
	9,
	DW_LNE_set_address,
	0,
	0x10,
	0,
	0,
	0,
	0,
	0,
	0,
	DW_LNS_set_file,
	1,
	DW_LNS_advance_line,
	9,
	DW_LNS_copy,
	13 + 4 * 14 + 7, /* address + 4, line + 2 */
	DW_LNS_advance_pc,
	4,
	0,
	1,
	DW_LNE_end_sequence,
};

Test(linetable, reads_version_5_with_sums)
{
	struct exp_line_sections made = {.line = {version_5, sizeof(version_5)}};
	struct exp_line_table *table;
	unsigned number, line;

	cr_assert_eq(exp_line_table_open(&made, 0, "/d", &table), 0);
	cr_assert_eq(exp_line_table_file_end(table), 2);
	cr_assert_str_eq(exp_line_table_file(table, 0), "/d/a.c");
	cr_assert_str_eq(exp_line_table_file(table, 1), "/d/i/b.h");
	cr_assert_null(exp_line_table_file(table, 2));
	cr_assert_eq(exp_line_table_md5(table, 1)[0], 16);
	cr_assert_eq(exp_line_table_find(table, 0x1003, &number, &line), 0);
	cr_assert_eq(number, 1);
	cr_assert_eq(line, 10);
	cr_assert_eq(exp_line_table_find(table, 0x1004, &number, &line), 0);
	cr_assert_eq(line, 12);
	cr_assert_neq(exp_line_table_find(table, 0x1008, &number, &line), 0);
	cr_assert_neq(exp_line_table_find(table, 0xfff, &number, &line), 0);
	exp_line_table_close(table);
}

/* ---- the same with each form of names and numbers */

struct bytes {
	uint8_t at[256];
	size_t len;
};

static void put(struct bytes *bytes, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		bytes->at[bytes->len++] = (uint8_t)(value >> 8 * i);
}

static void put_text(struct bytes *bytes, const char *text)
{
	memcpy(bytes->at + bytes->len, text, strlen(text) + 1);
	bytes->len += strlen(text) + 1;
}

/* Two directories, and files 0 and 1 in the first and the second one: "a" and "b". Files also have
 * something unknown, in that form. */
static void put_table(struct bytes *out, unsigned name_form, unsigned number_form,
                      unsigned number_size, unsigned offset_size, unsigned other_form,
                      unsigned other_size)
{
	static const char *const names[] = {"/d", "e", "a", "b"};
	struct bytes names_of = {.len = 0};

	put(&names_of, 0x010efb010101, 6); /* as above, but without standard opcodes */
	for (unsigned list = 0; list < 2; list++) {
		put(&names_of, list == 0 ? 1 : 3, 1);
		put(&names_of, DW_LNCT_path, 1);
		put(&names_of, name_form, 1);
		if (list == 1) {
			put(&names_of, 0x3f, 1);
			put(&names_of, other_form, 1);
			put(&names_of, DW_LNCT_directory_index, 1);
			put(&names_of, number_form, 1);
		}
		put(&names_of, 2, 1);
		for (unsigned i = 0; i < 2; i++) {
			if (name_form == DW_FORM_string)
				put_text(&names_of, names[2 * list + i]);
			else
				put(&names_of, list == 0 ? 3 * i : 5 + 2 * i, offset_size);
			if (list == 1 && other_form == DW_FORM_block)
				put(&names_of, other_size, 1);
			for (unsigned j = 0; list == 1 && j < other_size; j++)
				put(&names_of, 0x55, 1);
			if (list == 1)
				put(&names_of, i, number_size);
		}
	}
	*out = (struct bytes){.len = 0};
	if (offset_size == 8)
		put(out, 0xffffffff, 4);
	put(out, 2 + 2 + offset_size + names_of.len, offset_size);
	put(out, 5, 2);
	put(out, 8, 1);
	put(out, 0, 1);
	put(out, names_of.len, offset_size);
	memcpy(out->at + out->len, names_of.at, names_of.len);
	out->len += names_of.len;
}

Test(linetable, names_and_numbers_have_any_form)
{
	static const struct {
		unsigned name, number, number_size, offset_size, other, other_size;
	} rows[] = {{DW_FORM_string, DW_FORM_data1, 1, 4, DW_FORM_data1, 1},
	            {DW_FORM_string, DW_FORM_data2, 2, 4, DW_FORM_data2, 2},
	            {DW_FORM_string, DW_FORM_data4, 4, 8, DW_FORM_data4, 4},
	            {DW_FORM_string, DW_FORM_data8, 8, 4, DW_FORM_data8, 8},
	            {DW_FORM_string, DW_FORM_udata, 1, 4, DW_FORM_block, 5},
	            {DW_FORM_line_strp, DW_FORM_udata, 1, 4, DW_FORM_block, 0},
	            {DW_FORM_line_strp, DW_FORM_udata, 1, 8, DW_FORM_data16, 16},
	            {DW_FORM_strp, DW_FORM_data2, 2, 4, DW_FORM_data16, 16},
	            {DW_FORM_strp, DW_FORM_data1, 1, 8, DW_FORM_data8, 8}};
	static const uint8_t texts[] = "/d\0e\0a\0b";
	static const uint8_t nothing[] = "?\0?\0?\0?\0?";

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bytes bytes;
		int is_line = rows[i].name == DW_FORM_line_strp;
		struct exp_line_sections made = {
			.line_str = {is_line ? texts : nothing, sizeof(texts)},
			.str = {is_line ? nothing : texts, sizeof(texts)}};
		struct exp_line_table *table;

		put_table(&bytes, rows[i].name, rows[i].number, rows[i].number_size,
		          rows[i].offset_size, rows[i].other, rows[i].other_size);
		made.line = (struct exp_line_section){bytes.at, bytes.len};
		cr_assert_eq(exp_line_table_open(&made, 0, "/d", &table), 0, "row %zu", i);
		cr_expect_eq(exp_line_table_file_end(table), 2, "row %zu", i);
		cr_expect_str_eq(exp_line_table_file(table, 0), "/d/a", "row %zu", i);
		cr_expect_str_eq(exp_line_table_file(table, 1), "/d/e/b", "row %zu", i);
		exp_line_table_close(table);
		bytes.at[rows[i].offset_size == 8 ? 4 : 0]++;
		cr_expect_neq(exp_line_table_open(&made, 0, "/d", &table), 0,
		              "row %zu: longer than the section", i);
	}
}

/* Every standard opcode, by the header of that table. */
Test(linetable, addresses_and_lines_advance_in_every_way)
{
	enum { PROGRAM = 12 + 77 };
	static const uint8_t program[] = {0, 9, DW_LNE_set_address, 0, 0x10, 0, 0, 0, 0, 0, 0,
	                                  DW_LNS_copy, /* 0x1000 line 1 */
	                                  DW_LNS_advance_line, 4, DW_LNS_fixed_advance_pc, 2, 1,
	                                  DW_LNS_copy, /* 0x1102 line 5 */
	                                  DW_LNS_const_add_pc, DW_LNS_advance_line, 0x7d /* -3 */,
	                                  DW_LNS_copy, /* 17 on: 0x1113 line 2 */
	                                  /* What tells nothing of the line. */
	                                  DW_LNS_set_column, 9, DW_LNS_negate_stmt,
	                                  DW_LNS_set_basic_block, DW_LNS_set_prologue_end,
	                                  DW_LNS_set_epilogue_begin, DW_LNS_set_isa, 1,
	                                  13 + 3 * 14 + 6, /* 0x1116 line 3 */
	                                  DW_LNS_set_file, 0, DW_LNS_advance_pc, 0x81, 1 /* 129 */,
	                                  0, 1, DW_LNE_end_sequence /* 0x1197 */};
	static const struct {
		uint64_t address;
		unsigned line;
	} known[] = {{0x1000, 1}, {0x1101, 1}, {0x1102, 5}, {0x1112, 5},
	             {0x1113, 2}, {0x1115, 2}, {0x1116, 3}, {0x1196, 3}};
	uint8_t bytes[PROGRAM + sizeof(program)];
	struct exp_line_sections made = {.line = {bytes, sizeof(bytes)}};
	struct exp_line_table *table;
	unsigned number, line;

	memcpy(bytes, version_5, PROGRAM);
	memcpy(bytes + PROGRAM, program, sizeof(program));
	bytes[0] = sizeof(bytes) - 4;
	cr_assert_eq(exp_line_table_open(&made, 0, "/d", &table), 0);
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		cr_assert_eq(exp_line_table_find(table, known[i].address, &number, &line), 0,
		             "%#llx", (unsigned long long)known[i].address);
		cr_expect_eq(line, known[i].line, "%#llx: %u", (unsigned long long)known[i].address,
		             line);
	}
	cr_expect_neq(exp_line_table_find(table, 0x1197, &number, &line), 0);
	cr_expect_neq(exp_line_table_find(table, 0xfff, &number, &line), 0);
	exp_line_table_close(table);
}

/* How far the last row reaches is unknown. */
Test(linetable, a_sequence_without_an_end_tells_nothing)
{
	struct exp_line_sections made = {.line = {version_5, sizeof(version_5) - 3}};
	uint8_t bytes[sizeof(version_5)];
	struct exp_line_table *table;
	unsigned number, line;

	memcpy(bytes, version_5, sizeof(bytes));
	bytes[0] = (uint8_t)(sizeof(bytes) - 3 - 4);
	made.line.bytes = bytes;
	cr_assert_eq(exp_line_table_open(&made, 0, "/d", &table), 0);
	cr_expect_eq(exp_line_table_find(table, 0x1000, &number, &line), -ENOENT);
	cr_expect_eq(exp_line_table_find(table, 0x1004, &number, &line), -ENOENT);
	exp_line_table_close(table);
}

Test(reader, numbers_of_every_size)
{
	static const uint8_t bytes[] = {0x01, 0x02, 0xe5, 0x8e, 0x26, 0x9b,
	                                0xf1, 0x59, 'o',  'k',  0};
	struct exp_reader in = {.at = bytes, .end = bytes + sizeof(bytes)};
	struct exp_reader big = {.at = bytes, .end = bytes + sizeof(bytes), .is_big_endian = 1};

	cr_assert_eq(exp_read_fixed(&in, 2), 0x201);
	cr_assert_eq(exp_read_fixed(&big, 2), 0x102);
	cr_assert_eq(exp_read_uleb(&in), 624485);
	cr_assert_eq(exp_read_sleb(&in), -624485);
	cr_assert_str_eq(exp_read_string(&in), "ok");
	cr_assert_eq(in.is_bad, 0);
	cr_assert_eq(exp_read_fixed(&in, 1), 0);
	cr_assert_eq(in.is_bad, 1);
}

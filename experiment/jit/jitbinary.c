/* jitbinary.c: functions of ELF files that a program had in memory and registered for debuggers
 * (libcollector/jit/gdbjit.h). Copies of the files are in dyntext.
 *
 * LLVM registers relocatable files, whose sections have got their addresses: there symbols count
 * from their sections, and debug information is still to be relocated, as linkers do. */
#include "experiment/base/xmlread.h"
#include "experiment/jit/dynamic.h"
#include "experiment/jit/jitfunctions.h"
#include "format/layout.h"

#include <elfutils/libdw.h>
#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { IMAGE_SIZE_MAX = 64 << 20, ROWS_MAX = 1 << 20, CODES_LOOKED_AT_MAX = 256 };

/* ---- map.xml ---- */

int exp_binary_copy_load(struct exp_dynamic *dynamic, const struct exp_element *element)
{
	if (exp_array_reserve(&dynamic->binaries, &dynamic->image_capacity, dynamic->image_count,
	                      sizeof(*dynamic->binaries)) != 0)
		return -ENOMEM;
	dynamic->binaries[dynamic->image_count++] = (struct exp_binary_copy){
		.entry = exp_element_number(element, "address", 0),
		.offset = exp_element_number(element, "offset", UINT64_MAX),
		.size = exp_element_number(element, "size", 0),
		.generation = (uint32_t)exp_element_number(element, "generation", 0),
		.ticks_from = exp_element_number(element, "time", 0),
		.ticks_to = UINT64_MAX,
	};
	return 0;
}

int exp_binary_copy_unload(struct exp_dynamic *dynamic, const struct exp_element *element)
{
	uint64_t entry = exp_element_number(element, "address", 0);

	for (size_t i = dynamic->image_count; i > 0; i--) {
		struct exp_binary_copy *binary = &dynamic->binaries[i - 1];

		if (binary->entry != entry)
			continue;
		if (binary->ticks_to == UINT64_MAX)
			binary->ticks_to = exp_element_number(element, "time", UINT64_MAX);
		break;
	}
	return 0;
}

/* ---- one file ---- */

struct row {
	uint64_t address;
	const char *file;
	unsigned line;
};

/* What <code> elements there are, by address. */
struct codes {
	struct exp_function *list; /* copies: list[count] */
	size_t count, capacity;
};

struct reader {
	struct exp_dynamic *dynamic;
	const struct codes *codes;
	const struct exp_binary_copy *binary;
	char *bytes; /* bytes[binary->size] */
	Elf *elf;
	int is_relocatable;
	struct row *rows; /* by address */
	size_t row_count, row_capacity;
	size_t functions;
};

static uint64_t section_address(struct reader *reader, size_t index)
{
	Elf_Scn *section = reader->is_relocatable ? elf_getscn(reader->elf, index) : NULL;
	GElf_Shdr header;

	return !section || !gelf_getshdr(section, &header) ? 0 : header.sh_addr;
}

/* ---- relocation of debug information ---- */

static void relocate_word(struct reader *reader, Elf_Data *symbols, Elf_Data *target,
                          const GElf_Rela *relocation)
{
	unsigned type = GELF_R_TYPE(relocation->r_info);
	size_t size = type == R_X86_64_64 ? 8 : type == R_X86_64_32 || type == R_X86_64_32S ? 4 : 0;
	GElf_Sym symbol;
	uint64_t value;

	if (size == 0 || target->d_size < size || relocation->r_offset > target->d_size - size ||
	    !gelf_getsym(symbols, (int)GELF_R_SYM(relocation->r_info), &symbol))
		return;
	value = symbol.st_value + section_address(reader, symbol.st_shndx) +
	        (uint64_t)relocation->r_addend;
	memcpy((char *)target->d_buf + relocation->r_offset, &value, size);
}

static void relocate_section(struct reader *reader, Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Scn *to = elf_getscn(reader->elf, header->sh_info),
		*names = elf_getscn(reader->elf, header->sh_link);
	Elf_Data *relocations = elf_getdata(section, NULL);
	Elf_Data *symbols = !names ? NULL : elf_getdata(names, NULL);
	Elf_Data *target = !to ? NULL : elf_getdata(to, NULL);
	GElf_Shdr target_header;
	GElf_Rela relocation;

	if (!relocations || !symbols || !target || !target->d_buf ||
	    !gelf_getshdr(to, &target_header) || target_header.sh_flags & SHF_ALLOC)
		return; /* what is in memory has been relocated */
	for (int i = 0; gelf_getrela(relocations, i, &relocation); i++)
		relocate_word(reader, symbols, target, &relocation);
}

static void relocate(struct reader *reader)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while (reader->is_relocatable && (section = elf_nextscn(reader->elf, section)) != NULL)
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_RELA)
			relocate_section(reader, section, &header);
}

/* ---- lines ---- */

static int take_unit_lines(struct reader *reader, Dwarf_Die *unit)
{
	struct exp_arena *arena = &reader->dynamic->experiment->arena;
	const char *last = NULL, *kept = NULL;
	Dwarf_Lines *lines;
	size_t count;

	if (dwarf_getsrclines(unit, &lines, &count) != 0)
		return 0;
	for (size_t i = 0; i < count && reader->row_count < ROWS_MAX; i++) {
		Dwarf_Line *line = dwarf_onesrcline(lines, i);
		const char *file = dwarf_linesrc(line, NULL, NULL);
		Dwarf_Addr address;
		int number;
		bool is_end = false;

		if (dwarf_lineaddr(line, &address) != 0 || dwarf_lineno(line, &number) != 0 ||
		    dwarf_lineendsequence(line, &is_end) != 0)
			continue;
		if (file != last)
			kept = !file ? NULL : exp_arena_string(arena, file);
		last = file;
		if (exp_array_reserve(&reader->rows, &reader->row_capacity, reader->row_count,
		                      sizeof(*reader->rows)) != 0)
			return -ENOMEM;
		reader->rows[reader->row_count++] = (struct row){
			address, kept, is_end || number < 0 ? 0 : (unsigned)number};
	}
	return 0;
}

static int compare_rows(const void *left, const void *right)
{
	const struct row *a = left, *b = right;

	return (a->address > b->address) - (a->address < b->address);
}

static int read_rows(struct reader *reader)
{
	Dwarf *dwarf = dwarf_begin_elf(reader->elf, DWARF_C_READ, NULL);
	Dwarf_CU *unit = NULL;
	Dwarf_Die die;
	int rc = 0;

	while (dwarf && rc == 0 && dwarf_get_units(dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0)
		rc = take_unit_lines(reader, &die);
	if (dwarf)
		dwarf_end(dwarf);
	if (reader->row_count > 1)
		qsort(reader->rows, reader->row_count, sizeof(*reader->rows), compare_rows);
	return rc;
}

/* Give the function the rows in its range. */
static int give_lines(struct reader *reader, struct exp_function *function)
{
	struct exp_function_line *lines;
	size_t first = 0, high = reader->row_count, count = 0;

	while (first < high) {
		size_t middle = first + (high - first) / 2;

		if (reader->rows[middle].address < function->address)
			first = middle + 1;
		else
			high = middle;
	}
	while (first + count < reader->row_count &&
	       reader->rows[first + count].address - function->address < function->size)
		count++;
	if (count == 0)
		return 0;
	lines = exp_arena_alloc(&reader->dynamic->experiment->arena, count * sizeof(*lines));
	if (!lines)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		const struct row *row = &reader->rows[first + i];

		lines[i] = (struct exp_function_line){
			row->file, (uint32_t)(row->address - function->address), row->line};
	}
	function->lines = lines;
	function->line_count = count;
	function->line = lines[0].line;
	function->source = lines[0].file;
	return 0;
}

/* ---- functions ---- */

static int compare_codes(const void *left, const void *right)
{
	const struct exp_function *a = left, *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return (a->ticks_from > b->ticks_from) - (a->ticks_from < b->ticks_from);
}

static int find_codes(const struct exp_dynamic *dynamic, struct codes *out)
{
	for (size_t i = 0; i < dynamic->count; i++) {
		if (dynamic->functions[i].origin != EXP_ORIGIN_NOBODY ||
		    !dynamic->functions[i].has_text)
			continue;
		if (exp_array_reserve(&out->list, &out->capacity, out->count, sizeof(*out->list)) !=
		    0)
			return -ENOMEM;
		out->list[out->count++] = dynamic->functions[i];
	}
	if (out->count > 1)
		qsort(out->list, out->count, sizeof(*out->list), compare_codes);
	return 0;
}

/* The code as it was in memory: a <code> that holds all of it, the first one from its time on. */
static void find_text(const struct codes *codes, struct exp_function *function)
{
	const struct exp_function *found = NULL;
	size_t low = 0, high = codes->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (codes->list[middle].address <= function->address)
			low = middle + 1;
		else
			high = middle;
	}
	for (size_t i = low; i > 0 && low - i < CODES_LOOKED_AT_MAX; i--) {
		const struct exp_function *code = &codes->list[i - 1];
		uint64_t before = function->address - code->address;

		if (code->ticks_from >= function->ticks_from && before < code->size &&
		    function->size <= code->size - before &&
		    (!found || code->ticks_from < found->ticks_from))
			found = code;
	}
	if (!found)
		return;
	function->has_text = 1;
	function->text_offset = found->text_offset + (function->address - found->address);
}

static int take_symbol(struct reader *reader, const GElf_Sym *symbol, const char *name)
{
	const struct exp_binary_copy *binary = reader->binary;
	struct exp_function function = {.origin = EXP_ORIGIN_IMAGE,
	                                .address = symbol->st_value +
	                                           section_address(reader, symbol->st_shndx),
	                                .size = symbol->st_size,
	                                .generation_to = UINT32_MAX,
	                                .ticks_from = binary->ticks_from,
	                                .ticks_to = binary->ticks_to};

	if (GELF_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_shndx == SHN_UNDEF ||
	    symbol->st_size == 0 || !name || name[0] == '\0' ||
	    function.address + function.size < function.address)
		return 0;
	function.name = exp_arena_string(&reader->dynamic->experiment->arena, name);
	if (!function.name || give_lines(reader, &function) != 0)
		return -ENOMEM;
	find_text(reader->codes, &function);
	reader->functions++;
	return exp_dynamic_add(reader->dynamic, &function);
}

static int read_symbols(struct reader *reader)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	GElf_Sym symbol;
	int rc = 0;

	while (rc == 0 && (section = elf_nextscn(reader->elf, section)) != NULL) {
		Elf_Data *data = gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB
		                         ? elf_getdata(section, NULL)
		                         : NULL;

		for (int i = 0; data && rc == 0 && gelf_getsym(data, i, &symbol) != NULL; i++)
			rc = take_symbol(reader, &symbol,
			                 elf_strptr(reader->elf, header.sh_link, symbol.st_name));
	}
	return rc;
}

static int read_elf(struct reader *reader)
{
	GElf_Ehdr header;
	int rc = 0;

	reader->elf = elf_memory(reader->bytes, reader->binary->size);
	if (reader->elf && elf_kind(reader->elf) == ELF_K_ELF &&
	    gelf_getehdr(reader->elf, &header) && header.e_machine == EM_X86_64) {
		reader->is_relocatable = header.e_type == ET_REL;
		relocate(reader);
		rc = read_rows(reader);
		if (rc == 0)
			rc = read_symbols(reader);
	}
	elf_end(reader->elf);
	free(reader->rows);
	return rc;
}

static int read_binary(struct exp_dynamic *dynamic, const struct codes *codes, int fd,
                       const struct exp_binary_copy *binary, size_t *functions)
{
	struct reader reader = {.dynamic = dynamic, .codes = codes, .binary = binary};
	int rc = 0;

	if (binary->size == 0 || binary->size > IMAGE_SIZE_MAX || binary->offset > INT64_MAX / 2)
		return 0;
	reader.bytes = malloc(binary->size);
	if (!reader.bytes)
		return -ENOMEM;
	if (pread(fd, reader.bytes, binary->size, (off_t)binary->offset) == (ssize_t)binary->size)
		rc = read_elf(&reader);
	free(reader.bytes);
	*functions += reader.functions;
	return rc;
}

int exp_binary_copies_read(struct exp_dynamic *dynamic)
{
	struct experiment *experiment = dynamic->experiment;
	int fd = dynamic->image_count == 0 ? -1
	                                   : exp_file_open(experiment->directory, FMT_FILE_DYNTEXT);
	struct codes codes = {NULL, 0, 0};
	size_t functions = 0;
	int rc;

	if (dynamic->image_count == 0)
		return 0;
	elf_version(EV_CURRENT);
	rc = find_codes(dynamic, &codes);
	for (size_t i = 0; i < dynamic->image_count && rc == 0 && fd >= 0; i++)
		rc = read_binary(dynamic, &codes, fd, &dynamic->binaries[i], &functions);
	if (fd >= 0)
		close(fd);
	free(codes.list);
	if (rc == 0)
		rc = exp_jit_say(
			experiment,
			exp_arena_printf(&experiment->arena,
		                         "registered for debuggers: %zu functions in %zu files",
		                         functions, dynamic->image_count));
	return rc;
}

/* ELF files: as load objects, with every query by address, and as the collector reads
 * them. */
#include "tests/fuzz/targets/target.h"

#include "experiment/dwarf/dwarf.h"
#include "experiment/elf/gopclntab.h"
#include "experiment/elf/binary.h"
#include "libcollector/object/elffile.h"

#include <fcntl.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ADDRESSES = 24 };

static int count_notes(void *context, const struct exp_dwarf_note *note)
{
	(void)note;
	return ++*(int *)context > 1000;
}

static void ask_debug(struct exp_dwarf *dwarf, uint64_t address)
{
	struct exp_dwarf_frame frames[EXP_DWARF_FRAMES];
	struct exp_dwarf_compilation compilation;
	const char *directory, *file;
	unsigned line;
	int notes = 0;

	FUZZ_ASSERT(exp_dwarf_lookup(dwarf, address, frames) <= EXP_DWARF_FRAMES);
	if (exp_dwarf_line(dwarf, address, &directory, &file, &line) == 0 && file)
		exp_dwarf_source_sum(dwarf, address, file);
	exp_dwarf_compilation(dwarf, address, &compilation);
	exp_dwarf_each_note(dwarf, address, count_notes, &notes);
}

static void ask(struct exp_binary *image, struct exp_dwarf *dwarf, uint64_t address)
{
	struct exp_range range;
	const uint8_t *code;
	const char *name;
	size_t size;
	volatile uint8_t last;

	exp_binary_symbol_at(image, address);
	exp_binary_variable_at(image, address);
	exp_binary_unwind_range(image, address, &range);
	exp_binary_section_range(image, address, &range);
	exp_binary_plt_at(image, address, &range, &name);
	size = exp_binary_bytes_at(image, address, &code);
	if (size > 0)
		last = code[size - 1];
	(void)last;
	if (dwarf)
		ask_debug(dwarf, address);
}

void fuzz_elf(const uint8_t *bytes, size_t size)
{
	struct experiment *experiment = fuzz_blank_experiment();
	struct exp_dwarf *dwarf = NULL;
	struct exp_binary *image;
	int fd = fcntl(fuzz_descriptor(bytes, size), F_DUPFD_CLOEXEC, 0);

	if (exp_binary_open(experiment, fd, "/nowhere/input", "/nowhere/input", "", &image) == 0) {
		size_t step = image->symbol_count / (ADDRESSES / 2) + 1;

		exp_dwarf_open(image, &dwarf);
		for (size_t i = 0; i < image->symbol_count; i += step) {
			ask(image, dwarf, image->symbols[i].address);
			exp_binary_symbol_named(image, image->symbols[i].name);
		}
		for (uint64_t address = 0x1000; address < 0x1400; address += 2 * 0x400 / ADDRESSES)
			ask(image, dwarf, address);
		exp_dwarf_close(dwarf);
		exp_binary_close(image);
	}
	experiment_close(experiment);
}

void fuzz_elffile(const uint8_t *bytes, size_t size)
{
	/* Files are mapped, so they begin at a page. */
	uint8_t *at = aligned_alloc(4096, (size + 4096) / 4096 * 4096);
	struct elffile file = {.at = at + 0, .size = size};
	struct elffile_symbols symbols;
	uint64_t start, end;
	unsigned count;

	memcpy(at, bytes, size);
	elffile_sections(&file, &count);
	elffile_find_section(&file, "xray_instr_map");
	elffile_range(&file, &start, &end);
	if (elffile_symbols_find(&file, &symbols))
		FUZZ_ASSERT((const uint8_t *)symbols.end <= at + size &&
		            symbols.at <= symbols.end &&
		            (const uint8_t *)symbols.names + symbols.names_size <= at + size);
	free(at);
}

void fuzz_gopclntab(const uint8_t *bytes, size_t size)
{
	struct exp_gopclntab table;
	uint64_t address, length;
	const char *name;

	if (exp_gopclntab_open(&table, bytes, size) != 0)
		return;
	for (uint64_t i = 0; i < table.count; i++)
		if (exp_gopclntab_function(&table, i, &address, &length, &name))
			FUZZ_ASSERT(length > 0 && name[0] != '\0' && strlen(name) < size);
}

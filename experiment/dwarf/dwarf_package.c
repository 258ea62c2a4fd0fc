/* dwarf_package.c: reads packages of split units (DWARF 5, section 7.3.5, and the GNU form of it
 * for DWARF 4): finds the parts of a unit by the index. See dwarf_package.h. */
#include "experiment/dwarf/dwarf_package.h"

#include "experiment/dwarf/dwarf_alone.h"
#include "experiment/elf/object.h"
#include "experiment/table/arena.h"

#include <dwarf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HEADER = 16, COLUMNS_MAX = 16 };

/* Columns of an index, as DWARF 5 numbers them (DW_SECT_INFO and so on, which older headers lack).
 */
enum {
	COLUMN_INFO = 1,
	COLUMN_ABBREV = 3,
	COLUMN_LINE = 4,
	COLUMN_STR_OFFSETS = 6,
	COLUMN_RNGLISTS = 8,
};

struct exp_dwarf_package {
	int fd;
	Elf *elf;
	struct exp_line_section index, info, abbrev, line, str, str_offsets, rnglists;
	struct exp_dwarf_alone *units;
};

/* ---- the package ---- */

static struct exp_dwarf_package *open_at(const char *path)
{
	struct exp_dwarf_package *package = exp_zeroed(1, sizeof(*package));
	static const union {
		uint16_t word;
		uint8_t low;
	} host = {1};
	GElf_Ehdr header;

	if (!package)
		return NULL;
	package->fd = exp_path_open(path);
	package->elf = package->fd < 0 ? NULL : exp_elf_begin(package->fd);
	if (!package->elf || !gelf_getehdr(package->elf, &header) ||
	    (header.e_ident[EI_DATA] == ELFDATA2LSB) != host.low) {
		exp_dwarf_package_close(package);
		return NULL;
	}
	package->index = exp_line_section_find(package->elf, ".debug_cu_index");
	package->info = exp_line_section_find(package->elf, ".debug_info.dwo");
	package->abbrev = exp_line_section_find(package->elf, ".debug_abbrev.dwo");
	package->line = exp_line_section_find(package->elf, ".debug_line.dwo");
	package->str = exp_line_section_find(package->elf, ".debug_str.dwo");
	package->str_offsets = exp_line_section_find(package->elf, ".debug_str_offsets.dwo");
	package->rnglists = exp_line_section_find(package->elf, ".debug_rnglists.dwo");
	return package;
}

struct exp_dwarf_package *exp_dwarf_package_open(const char *const *paths, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct exp_dwarf_package *package;
		char path[EXP_PLACE_MAX];

		if (!paths[i] ||
		    snprintf(path, sizeof(path), "%s.dwp", paths[i]) >= (int)sizeof(path))
			continue;
		package = open_at(path);
		if (package)
			return package;
	}
	return NULL;
}

void exp_dwarf_package_close(struct exp_dwarf_package *package)
{
	if (!package)
		return;
	while (package->units) {
		struct exp_dwarf_alone *next = package->units->next;

		exp_dwarf_alone_destroy(package->units);
		package->units = next;
	}
	elf_end(package->elf);
	if (package->fd >= 0)
		close(package->fd);
	free(package);
}

/* ---- the index ---- */

/* A row of the index: where the columns' names, the unit's offsets and its sizes are. */
struct row {
	const uint8_t *columns, *offsets, *sizes;
	uint32_t column_count;
};

/* Find the row of an id, by open addressing with a second hash. */
static int find_row(const struct exp_line_section *index, uint64_t id, struct row *out)
{
	const uint8_t *at = index->bytes;
	uint64_t columns, units, slots, slot, step;
	uint16_t version;

	if (index->size < HEADER)
		return -EBADMSG;
	memcpy(&version, at, sizeof(version));
	columns = exp_dwarf_word(at + 4);
	units = exp_dwarf_word(at + 8);
	slots = exp_dwarf_word(at + 12);
	if (version != 5 && exp_dwarf_word(at) != 2)
		return -ENOTSUP;
	if (columns == 0 || columns > COLUMNS_MAX || slots == 0 || (slots & (slots - 1)) != 0 ||
	    HEADER + slots * 12 + 4 * columns * (1 + 2 * units) > index->size)
		return -EBADMSG;
	slot = id & (slots - 1);
	step = ((id >> 32) & (slots - 1)) | 1;
	for (uint64_t i = 0; i < slots; i++, slot = (slot + step) & (slots - 1)) {
		uint64_t row = exp_dwarf_word(at + HEADER + 8 * slots + 4 * slot), known;

		memcpy(&known, at + HEADER + 8 * slot, sizeof(known));
		if (row == 0)
			return -ENOENT;
		if (known != id)
			continue;
		if (row > units)
			return -EBADMSG;
		out->columns = at + HEADER + 12 * slots;
		out->offsets = out->columns + 4 * columns * row;
		out->sizes = out->offsets + 4 * columns * units;
		out->column_count = (uint32_t)columns;
		return 0;
	}
	return -ENOENT;
}

/* A unit's part of a section; empty if it has none. */
static struct exp_line_section part_of(const struct exp_line_section *section,
                                       const struct row *row, uint32_t column)
{
	for (uint32_t i = 0; i < row->column_count; i++) {
		uint64_t offset = exp_dwarf_word(row->offsets + 4 * i),
			 size = exp_dwarf_word(row->sizes + 4 * i);

		if (exp_dwarf_word(row->columns + 4 * i) == column && offset < section->size &&
		    size <= section->size - offset)
			return (struct exp_line_section){section->bytes + offset, size};
	}
	return (struct exp_line_section){NULL, 0};
}

/* ---- the parts of the program that a unit uses ---- */

/* A section of the program from where an attribute of the skeleton says. */
static struct exp_line_section program_part(Dwarf *program, const char *name, Dwarf_Die *skeleton,
                                            unsigned number)
{
	struct exp_line_section section = exp_line_section_find(dwarf_getelf(program), name);
	Dwarf_Attribute attribute;
	Dwarf_Word base = 0;

	if (dwarf_attr(skeleton, number, &attribute) && dwarf_formudata(&attribute, &base) != 0)
		base = 0;
	if (base > section.size)
		base = section.size;
	return (struct exp_line_section){section.bytes + base, section.size - base};
}

/* In DWARF 5 the length of the unit's addresses stands eight bytes before them. */
static struct exp_line_section addresses(Dwarf *program, Dwarf_Die *skeleton, unsigned version)
{
	struct exp_line_section all = exp_line_section_find(dwarf_getelf(program), ".debug_addr");
	struct exp_line_section part = program_part(program, ".debug_addr", skeleton,
	                                            version == 5 ? DW_AT_addr_base
	                                                         : DW_AT_GNU_addr_base);

	if (version == 5 && all.size - part.size >= 8) {
		uint64_t length = exp_dwarf_word(part.bytes - 8);

		if (length >= 4 && length - 4 < part.size)
			part.size = length - 4;
	}
	return part;
}

int exp_dwarf_package_find(struct exp_dwarf_package *package, Dwarf *program, Dwarf_Die *skeleton,
                           struct exp_dwarf_packaged *out)
{
	struct exp_dwarf_parts parts = {.start = 0};
	struct exp_dwarf_alone *unit;
	struct exp_line_section line;
	Dwarf_Half version;
	Dwarf_Addr start;
	struct row row;
	uint64_t id;
	int rc;

	if (dwarf_cu_info(skeleton->cu, &version, NULL, NULL, NULL, &id, NULL, NULL) != 0)
		return -EBADMSG;
	rc = find_row(&package->index, id, &row);
	if (rc != 0)
		return rc;
	parts.sections[EXP_PART_INFO] = part_of(&package->info, &row, COLUMN_INFO);
	parts.sections[EXP_PART_ABBREV] = part_of(&package->abbrev, &row, COLUMN_ABBREV);
	parts.sections[EXP_PART_STR] = package->str;
	parts.sections[EXP_PART_STR_OFFSETS] = part_of(&package->str_offsets, &row,
	                                               COLUMN_STR_OFFSETS);
	parts.sections[EXP_PART_RNGLISTS] = part_of(&package->rnglists, &row, COLUMN_RNGLISTS);
	parts.sections[EXP_PART_ADDR] = addresses(program, skeleton, version);
	if (version == 4)
		parts.sections[EXP_PART_RANGES] = program_part(program, ".debug_ranges", skeleton,
		                                               DW_AT_GNU_ranges_base);
	if (dwarf_lowpc(skeleton, &start) == 0)
		parts.start = start;
	line = part_of(&package->line, &row, COLUMN_LINE);
	rc = exp_dwarf_alone_create(&parts, package->fd, package->elf, &unit, &out->die);
	if (rc != 0)
		return rc;
	unit->next = package->units;
	package->units = unit;
	out->dwarf = unit->dwarf;
	out->sections = (struct exp_line_sections){.line = line, .str = package->str};
	return 0;
}

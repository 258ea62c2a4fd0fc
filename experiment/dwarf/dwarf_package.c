/* dwarf_package.c: reads packages of split units (DWARF 5, section 7.3.5, and the GNU form of it
 * for DWARF 4).
 *
 * libdw of elfutils 0.188 finds only single .dwo files. So each unit is given to it as a separate
 * file that exists in memory only: its sections point to the unit's parts of the package, and to
 * the parts of the program that a split unit uses (its addresses, and in DWARF 4 its ranges). Such
 * a unit lacks one thing: the start address of its skeleton, which ranges are relative to. There is
 * space for it where a split unit names its skeleton: in DWARF 5, the eight bytes of the id at the
 * end of the header become a unit DIE with that address, whose child is the unit's own DIE; in
 * DWARF 4, the attribute of the id becomes that address.
 * See doc/decisions/21-split-unit-packages.md. */
#include "experiment/dwarf/dwarf_package.h"

#include "experiment/dwarf/reader.h"
#include "experiment/elf/object.h"
#include "experiment/table/arena.h"

#include <dwarf.h>
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HEADER = 16, COLUMNS_MAX = 16, CODE = 0x1fffff, START5 = 20, START4 = 11 };

/* The sections of a unit's file, SECTION(id, name). */
#define SECTIONS(X) \
	X(INFO, ".debug_info") \
	X(ABBREV, ".debug_abbrev") \
	X(STR, ".debug_str") \
	X(STR_OFFSETS, ".debug_str_offsets") \
	X(RNGLISTS, ".debug_rnglists") \
	X(ADDR, ".debug_addr") \
	X(RANGES, ".debug_ranges") \
	X(NAMES, ".shstrtab")

/* Columns of an index, as DWARF 5 numbers them (DW_SECT_INFO and so on, which older headers lack).
 */
enum {
	COLUMN_INFO = 1,
	COLUMN_ABBREV = 3,
	COLUMN_LINE = 4,
	COLUMN_STR_OFFSETS = 6,
	COLUMN_RNGLISTS = 8,
};

enum section {
#define X(id, name) SECTION_##id,
	SECTIONS(X)
#undef X
		SECTION_COUNT
};

static const struct {
	char empty;
#define X(id, name) char id[sizeof(name)];
	SECTIONS(X)
#undef X
} names = {'\0',
#define X(id, name) name,
           SECTIONS(X)
#undef X
};

static const size_t name_offsets[] = {
#define X(id, name) offsetof(__typeof__(names), id),
	SECTIONS(X)
#undef X
};

struct unit {
	struct unit *next;
	Elf *elf;
	Dwarf *dwarf;
	uint8_t *info, *abbrev, *addr; /* changed copies, freed with it */
	char *image;                   /* of the file, if libdw wants it whole */
};

struct exp_dwarf_package {
	int fd;
	Elf *elf;
	struct exp_line_section index, info, abbrev, line, str, str_offsets, rnglists;
	struct unit *units;
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

static void destroy(struct unit *unit)
{
	dwarf_end(unit->dwarf);
	elf_end(unit->elf);
	free(unit->image);
	free(unit->info);
	free(unit->abbrev);
	free(unit->addr);
	free(unit);
}

void exp_dwarf_package_close(struct exp_dwarf_package *package)
{
	if (!package)
		return;
	while (package->units) {
		struct unit *next = package->units->next;

		destroy(package->units);
		package->units = next;
	}
	elf_end(package->elf);
	if (package->fd >= 0)
		close(package->fd);
	free(package);
}

/* ---- the index ---- */

static uint32_t word_at(const uint8_t *at)
{
	uint32_t word;

	memcpy(&word, at, sizeof(word));
	return word;
}

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
	columns = word_at(at + 4);
	units = word_at(at + 8);
	slots = word_at(at + 12);
	if (version != 5 && word_at(at) != 2)
		return -ENOTSUP;
	if (columns == 0 || columns > COLUMNS_MAX || slots == 0 || (slots & (slots - 1)) != 0 ||
	    HEADER + slots * 12 + 4 * columns * (1 + 2 * units) > index->size)
		return -EBADMSG;
	slot = id & (slots - 1);
	step = ((id >> 32) & (slots - 1)) | 1;
	for (uint64_t i = 0; i < slots; i++, slot = (slot + step) & (slots - 1)) {
		uint64_t row = word_at(at + HEADER + 8 * slots + 4 * slot), known;

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
		uint64_t offset = word_at(row->offsets + 4 * i), size = word_at(row->sizes + 4 * i);

		if (word_at(row->columns + 4 * i) == column && offset < section->size &&
		    size <= section->size - offset)
			return (struct exp_line_section){section->bytes + offset, size};
	}
	return (struct exp_line_section){NULL, 0};
}

/* ---- a unit on its own ---- */

struct making {
	struct unit *unit;
	struct exp_line_section sections[SECTION_COUNT];
	uint64_t start; /* of the skeleton's code */
	unsigned version, address_size;
	uint32_t abbrev; /* offset */
};

static int copy(uint8_t **out, struct exp_line_section *section, size_t before, size_t behind)
{
	*out = exp_zeroed(1, before + section->size + behind);
	if (!*out)
		return -ENOMEM;
	if (section->size != 0)
		memcpy(*out + before, section->bytes, section->size);
	*section = (struct exp_line_section){*out, before + section->size + behind};
	return 0;
}

static int read_header(struct making *making)
{
	const struct exp_line_section *info = &making->sections[SECTION_INFO];
	uint16_t version;

	if (info->size <= START5 || word_at(info->bytes) > info->size - 4)
		return -EBADMSG;
	memcpy(&version, info->bytes + 4, sizeof(version));
	making->version = version;
	making->address_size = info->bytes[version == 5 ? 7 : 10];
	making->abbrev = word_at(info->bytes + (version == 5 ? 8 : 6));
	if ((version != 4 && version != 5) ||
	    (version == 5 && info->bytes[6] != DW_UT_split_compile))
		return -ENOTSUP;
	/* In DWARF 4 the address must be as long as the id. */
	if (making->address_size != 8 && (version == 4 || making->address_size != 4))
		return -ENOTSUP;
	return making->abbrev < making->sections[SECTION_ABBREV].size ? 0 : -EBADMSG;
}

/* DWARF 5: a DIE of our own in place of the id, and its address behind those of the unit. */
static int put_start5(struct making *making)
{
	static const uint8_t declared[] = {
		0xff,          0xff, 0x7f, DW_TAG_compile_unit, DW_CHILDREN_yes, DW_AT_low_pc,
		DW_FORM_addrx, 0,    0};
	struct exp_line_section *addr = &making->sections[SECTION_ADDR];
	size_t number = addr->size / making->address_size, end = number * making->address_size;
	uint8_t *info = making->unit->info;
	uint32_t short_start = (uint32_t)making->start;

	addr->size = end;
	if (copy(&making->unit->addr, addr, 0, making->address_size) != 0 ||
	    copy(&making->unit->abbrev, &making->sections[SECTION_ABBREV], sizeof(declared), 0) !=
	            0)
		return -ENOMEM;
	memcpy(making->unit->abbrev, declared, sizeof(declared));
	memcpy(making->unit->addr + end,
	       making->address_size == 8 ? (void *)&making->start : &short_start,
	       making->address_size);
	info[6] = DW_UT_compile;
	memset(info + 8, 0, 4);
	memcpy(info + 12, declared, 3);
	for (int i = 0; i < 5; i++)
		info[15 + i] = (uint8_t)(number >> 7 * i & 0x7f) | (i < 4 ? 0x80 : 0);
	return 0;
}

/* DWARF 4: the attribute of the id, in the declaration of the unit's DIE, becomes that of the
 * address. */
static int rename_id4(struct making *making)
{
	static const uint8_t id[] = {0xb1, 0x42, DW_FORM_data8},
			     low_pc[] = {DW_AT_low_pc | 0x80, 0, DW_FORM_addr};
	struct exp_reader die = {making->unit->info + START4,
	                         making->unit->info + making->sections[SECTION_INFO].size, 0, 0},
			  in;
	uint64_t wanted = exp_read_uleb(&die), code;

	memset(making->unit->info + 6, 0, 4);
	if (copy(&making->unit->abbrev, &making->sections[SECTION_ABBREV], 0, 0) != 0)
		return -ENOMEM;
	in = (struct exp_reader){making->unit->abbrev,
	                         making->unit->abbrev + making->sections[SECTION_ABBREV].size, 0,
	                         0};
	while ((code = exp_read_uleb(&in)) != 0 && !in.is_bad) {
		uint64_t name, form;

		exp_read_uleb(&in);
		exp_read_fixed(&in, 1);
		do {
			const uint8_t *at = in.at;

			name = exp_read_uleb(&in);
			form = exp_read_uleb(&in);
			if (code == wanted && in.at - at == sizeof(id) &&
			    memcmp(at, id, sizeof(id)) == 0) {
				memcpy(making->unit->abbrev + (at - making->unit->abbrev), low_pc,
				       sizeof(low_pc));
				return 0;
			}
		} while ((name != 0 || form != 0) && !in.is_bad);
	}
	return -ENOTSUP;
}

static GElf_Word type_of(size_t section, size_t size)
{
	return section == SECTION_NAMES ? SHT_STRTAB : size != 0 ? SHT_PROGBITS : SHT_NOBITS;
}

/* The bytes of a file with copies of the sections, which are there then. libdw 0.190 finds no other
 * ones. */
static int make_image(struct making *making)
{
	enum { TABLE = sizeof(Elf64_Ehdr), ALIGNMENT = 8 };
	struct unit *unit = making->unit;
	size_t size = TABLE + (SECTION_COUNT + 1) * sizeof(Elf64_Shdr), at = size;
	Elf64_Shdr *table;

	for (size_t i = 0; i < SECTION_COUNT; i++)
		size += (making->sections[i].size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	unit->image = exp_zeroed(1, size);
	if (!unit->image)
		return -ENOMEM;
	*(Elf64_Ehdr *)(void *)unit->image = (Elf64_Ehdr){
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
	                    __BYTE_ORDER == __LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB,
	                    EV_CURRENT},
		.e_type = ET_REL,
		.e_version = EV_CURRENT,
		.e_shoff = TABLE,
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = SECTION_COUNT + 1,
		.e_shstrndx = SECTION_NAMES + 1};
	table = (Elf64_Shdr *)(void *)(unit->image + TABLE);
	for (size_t i = 0; i < SECTION_COUNT; i++) {
		struct exp_line_section *section = &making->sections[i];

		table[i + 1] = (Elf64_Shdr){.sh_name = (Elf64_Word)name_offsets[i],
		                            .sh_type = type_of(i, section->size),
		                            .sh_offset = at,
		                            .sh_size = section->size,
		                            .sh_addralign = 1};
		if (section->size != 0)
			memcpy(unit->image + at, section->bytes, section->size);
		section->bytes = (const uint8_t *)unit->image + at;
		at += (section->size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	}
	elf_end(unit->elf);
	unit->elf = elf_memory(unit->image, size);
	unit->dwarf = !unit->elf ? NULL : dwarf_begin_elf(unit->elf, DWARF_C_READ, NULL);
	return !unit->dwarf ? -EBADMSG : 0;
}

/* Make the file that exists in memory only. */
static int make_elf(struct making *making, const struct exp_dwarf_package *package)
{
	Elf *elf = making->unit->elf = elf_begin(package->fd, ELF_C_WRITE, NULL);
	GElf_Ehdr header;

	if (!elf || gelf_newehdr(elf, gelf_getclass(package->elf)) == 0 ||
	    !gelf_getehdr(package->elf, &header))
		return -ENOMEM;
	header.e_shstrndx = SECTION_NAMES + 1;
	gelf_update_ehdr(elf, &header);
	making->sections[SECTION_NAMES] = (struct exp_line_section){(const uint8_t *)&names,
	                                                            sizeof(names)};
	for (size_t i = 0; i < SECTION_COUNT; i++) {
		Elf_Scn *section = elf_newscn(elf);
		Elf_Data *data = !section ? NULL : elf_newdata(section);
		GElf_Shdr made;

		if (!data || !gelf_getshdr(section, &made))
			return -ENOMEM;
		data->d_buf = (void *)making->sections[i].bytes;
		data->d_size = making->sections[i].size;
		made.sh_name = (GElf_Word)name_offsets[i];
		made.sh_size = making->sections[i].size;
		made.sh_type = type_of(i, data->d_size);
		gelf_update_shdr(section, &made);
	}
	making->unit->dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	return !making->unit->dwarf ? make_image(making) : 0;
}

static int make_unit(struct making *making, const struct exp_dwarf_package *package, Dwarf_Die *out)
{
	struct exp_line_section *abbrev = &making->sections[SECTION_ABBREV];
	Dwarf_Attribute attribute;
	int rc = read_header(making);

	if (rc != 0)
		return rc;
	abbrev->bytes += making->abbrev;
	abbrev->size -= making->abbrev;
	if (copy(&making->unit->info, &making->sections[SECTION_INFO], 0, 0) != 0)
		return -ENOMEM;
	rc = making->version == 5 ? put_start5(making) : rename_id4(making);
	if (rc == 0)
		rc = make_elf(making, package);
	if (rc != 0)
		return rc;
	if (!dwarf_offdie(making->unit->dwarf, making->version == 5 ? START5 : START4, out))
		return -EBADMSG;
	if (making->version == 5)
		return 0;
	if (!dwarf_attr(out, DW_AT_low_pc, &attribute) ||
	    attribute.valp > making->sections[SECTION_INFO].bytes +
	                             making->sections[SECTION_INFO].size - sizeof(making->start))
		return -EBADMSG;
	memcpy(attribute.valp, &making->start, sizeof(making->start));
	return 0;
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
		uint64_t length = word_at(part.bytes - 8);

		if (length >= 4 && length - 4 < part.size)
			part.size = length - 4;
	}
	return part;
}

int exp_dwarf_package_find(struct exp_dwarf_package *package, Dwarf *program, Dwarf_Die *skeleton,
                           struct exp_dwarf_packaged *out)
{
	struct making making = {.unit = NULL};
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
	making.unit = exp_zeroed(1, sizeof(*making.unit));
	if (!making.unit)
		return -ENOMEM;
	making.sections[SECTION_INFO] = part_of(&package->info, &row, COLUMN_INFO);
	making.sections[SECTION_ABBREV] = part_of(&package->abbrev, &row, COLUMN_ABBREV);
	making.sections[SECTION_STR] = package->str;
	making.sections[SECTION_STR_OFFSETS] = part_of(&package->str_offsets, &row,
	                                               COLUMN_STR_OFFSETS);
	making.sections[SECTION_RNGLISTS] = part_of(&package->rnglists, &row, COLUMN_RNGLISTS);
	making.sections[SECTION_ADDR] = addresses(program, skeleton, version);
	if (version == 4)
		making.sections[SECTION_RANGES] = program_part(program, ".debug_ranges", skeleton,
		                                               DW_AT_GNU_ranges_base);
	if (dwarf_lowpc(skeleton, &start) == 0)
		making.start = start;
	line = part_of(&package->line, &row, COLUMN_LINE);
	rc = make_unit(&making, package, &out->die);
	if (rc != 0) {
		destroy(making.unit);
		return rc;
	}
	making.unit->next = package->units;
	package->units = making.unit;
	out->dwarf = making.unit->dwarf;
	out->sections = (struct exp_line_sections){.line = line, .str = package->str};
	return 0;
}

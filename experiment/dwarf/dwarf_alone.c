/* dwarf_alone.c: makes a file of one split unit.
 *
 * libdw of elfutils 0.188 finds only single .dwo files. So each unit is given to it as a separate
 * file that exists in memory only: its sections point to the unit's parts of the package, and to
 * the parts of the program that a split unit uses (its addresses, and in DWARF 4 its ranges). Such
 * a unit lacks one thing: the start address of its skeleton, which ranges are relative to. There is
 * space for it where a split unit names its skeleton: in DWARF 5, the eight bytes of the id at the
 * end of the header become a unit DIE with that address, whose child is the unit's own DIE; in
 * DWARF 4, the attribute of the id becomes that address.
 * See doc/decisions/21-split-unit-packages.md. */
#include "experiment/dwarf/dwarf_alone.h"

#include "experiment/dwarf/reader.h"
#include "experiment/table/arena.h"

#include <dwarf.h>
#include <endian.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

enum { START5 = 20, START4 = 11 };

static const struct {
	char empty;
#define X(id, name) char id[sizeof(name)];
	EXP_PARTS(X)
#undef X
} names = {'\0',
#define X(id, name) name,
           EXP_PARTS(X)
#undef X
};

static const size_t name_offsets[] = {
#define X(id, name) offsetof(__typeof__(names), id),
	EXP_PARTS(X)
#undef X
};

void exp_dwarf_alone_destroy(struct exp_dwarf_alone *unit)
{
	dwarf_end(unit->dwarf);
	elf_end(unit->elf);
	free(unit->image);
	free(unit->info);
	free(unit->abbrev);
	free(unit->addr);
	free(unit);
}

struct making {
	struct exp_dwarf_alone *unit;
	struct exp_line_section sections[EXP_PART_COUNT];
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
	const struct exp_line_section *info = &making->sections[EXP_PART_INFO];
	uint16_t version;

	if (info->size <= START5 || exp_dwarf_word(info->bytes) > info->size - 4)
		return -EBADMSG;
	memcpy(&version, info->bytes + 4, sizeof(version));
	making->version = version;
	making->address_size = info->bytes[version == 5 ? 7 : 10];
	making->abbrev = exp_dwarf_word(info->bytes + (version == 5 ? 8 : 6));
	if ((version != 4 && version != 5) ||
	    (version == 5 && info->bytes[6] != DW_UT_split_compile))
		return -ENOTSUP;
	/* In DWARF 4 the address must be as long as the id. */
	if (making->address_size != 8 && (version == 4 || making->address_size != 4))
		return -ENOTSUP;
	return making->abbrev < making->sections[EXP_PART_ABBREV].size ? 0 : -EBADMSG;
}

/* DWARF 5: a DIE of our own in place of the id, and its address behind those of the unit. */
static int put_start5(struct making *making)
{
	static const uint8_t declared[] = {
		0xff,          0xff, 0x7f, DW_TAG_compile_unit, DW_CHILDREN_yes, DW_AT_low_pc,
		DW_FORM_addrx, 0,    0};
	struct exp_line_section *addr = &making->sections[EXP_PART_ADDR];
	size_t number = addr->size / making->address_size, end = number * making->address_size;
	uint8_t *info = making->unit->info;
	uint32_t short_start = (uint32_t)making->start;

	addr->size = end;
	if (copy(&making->unit->addr, addr, 0, making->address_size) != 0 ||
	    copy(&making->unit->abbrev, &making->sections[EXP_PART_ABBREV], sizeof(declared), 0) !=
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
	                         making->unit->info + making->sections[EXP_PART_INFO].size, 0, 0},
			  in;
	uint64_t wanted = exp_read_uleb(&die), code;

	memset(making->unit->info + 6, 0, 4);
	if (copy(&making->unit->abbrev, &making->sections[EXP_PART_ABBREV], 0, 0) != 0)
		return -ENOMEM;
	in = (struct exp_reader){making->unit->abbrev,
	                         making->unit->abbrev + making->sections[EXP_PART_ABBREV].size, 0,
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
	return section == EXP_PART_NAMES ? SHT_STRTAB : size != 0 ? SHT_PROGBITS : SHT_NOBITS;
}

/* The bytes of a file with copies of the sections, which are there then. libdw 0.190 finds no other
 * ones. */
static int make_image(struct making *making)
{
	enum { TABLE = sizeof(Elf64_Ehdr), ALIGNMENT = 8 };
	struct exp_dwarf_alone *unit = making->unit;
	size_t size = TABLE + (EXP_PART_COUNT + 1) * sizeof(Elf64_Shdr), at = size;
	Elf64_Shdr *table;

	for (size_t i = 0; i < EXP_PART_COUNT; i++)
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
		.e_shnum = EXP_PART_COUNT + 1,
		.e_shstrndx = EXP_PART_NAMES + 1};
	table = (Elf64_Shdr *)(void *)(unit->image + TABLE);
	for (size_t i = 0; i < EXP_PART_COUNT; i++) {
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
static int make_elf(struct making *making, int fd, Elf *package)
{
	Elf *elf = making->unit->elf = elf_begin(fd, ELF_C_WRITE, NULL);
	GElf_Ehdr header;

	if (!elf || gelf_newehdr(elf, gelf_getclass(package)) == 0 ||
	    !gelf_getehdr(package, &header))
		return -ENOMEM;
	header.e_shstrndx = EXP_PART_NAMES + 1;
	gelf_update_ehdr(elf, &header);
	making->sections[EXP_PART_NAMES] = (struct exp_line_section){(const uint8_t *)&names,
	                                                             sizeof(names)};
	for (size_t i = 0; i < EXP_PART_COUNT; i++) {
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

static int make_unit(struct making *making, int fd, Elf *package, Dwarf_Die *out)
{
	struct exp_line_section *abbrev = &making->sections[EXP_PART_ABBREV];
	Dwarf_Attribute attribute;
	int rc = read_header(making);

	if (rc != 0)
		return rc;
	abbrev->bytes += making->abbrev;
	abbrev->size -= making->abbrev;
	if (copy(&making->unit->info, &making->sections[EXP_PART_INFO], 0, 0) != 0)
		return -ENOMEM;
	rc = making->version == 5 ? put_start5(making) : rename_id4(making);
	if (rc == 0)
		rc = make_elf(making, fd, package);
	if (rc != 0)
		return rc;
	if (!dwarf_offdie(making->unit->dwarf, making->version == 5 ? START5 : START4, out))
		return -EBADMSG;
	if (making->version == 5)
		return 0;
	if (!dwarf_attr(out, DW_AT_low_pc, &attribute) ||
	    attribute.valp > making->sections[EXP_PART_INFO].bytes +
	                             making->sections[EXP_PART_INFO].size - sizeof(making->start))
		return -EBADMSG;
	memcpy(attribute.valp, &making->start, sizeof(making->start));
	return 0;
}

int exp_dwarf_alone_create(const struct exp_dwarf_parts *parts, int fd, Elf *package,
                           struct exp_dwarf_alone **out, Dwarf_Die *die)
{
	struct making making = {.unit = exp_zeroed(1, sizeof(*making.unit)), .start = parts->start};
	int rc;

	if (!making.unit)
		return -ENOMEM;
	memcpy(making.sections, parts->sections, sizeof(making.sections));
	rc = make_unit(&making, fd, package, die);
	if (rc != 0) {
		exp_dwarf_alone_destroy(making.unit);
		return rc;
	}
	*out = making.unit;
	return 0;
}

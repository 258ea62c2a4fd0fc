/* dwarf_alone.h: one split unit of a package as a file of its own, which exists in memory only. */
#ifndef XER_EXPERIMENT_DWARF_DWARF_ALONE_H
#define XER_EXPERIMENT_DWARF_DWARF_ALONE_H

#include "experiment/dwarf/linetable.h"

#include <elfutils/libdw.h>
#include <stdint.h>
#include <string.h>

/* The sections of such a file, X(id, name). */
#define EXP_PARTS(X) \
	X(INFO, ".debug_info") \
	X(ABBREV, ".debug_abbrev") \
	X(STR, ".debug_str") \
	X(STR_OFFSETS, ".debug_str_offsets") \
	X(RNGLISTS, ".debug_rnglists") \
	X(ADDR, ".debug_addr") \
	X(RANGES, ".debug_ranges") \
	X(NAMES, ".shstrtab")

enum exp_part {
#define X(id, name) EXP_PART_##id,
	EXP_PARTS(X)
#undef X
		EXP_PART_COUNT
};

/* What a unit is made of. */
struct exp_dwarf_parts {
	struct exp_line_section sections[EXP_PART_COUNT]; /* none for EXP_PART_NAMES */
	uint64_t start;                                   /* of its skeleton's code */
};

/* A unit on its own. */
struct exp_dwarf_alone {
	struct exp_dwarf_alone *next;
	Elf *elf;
	Dwarf *dwarf;
	uint8_t *info, *abbrev, *addr; /* changed copies, freed with it */
	char *image;                   /* of the file, if libdw wants it whole */
};

/* Make a unit of its parts, which have to stay; `package`, open as fd, is the file that they are
 * from. Returns 0, *out, which exp_dwarf_alone_destroy frees, and its DIE in *die; -ENOTSUP,
 * -EBADMSG or -ENOMEM. */
int exp_dwarf_alone_create(const struct exp_dwarf_parts *parts, int fd, Elf *package,
                           struct exp_dwarf_alone **out, Dwarf_Die *die);
void exp_dwarf_alone_destroy(struct exp_dwarf_alone *unit);

/* Four bytes of a section. */
static inline uint32_t exp_dwarf_word(const uint8_t *at)
{
	uint32_t word;

	memcpy(&word, at, sizeof(word));
	return word;
}

#endif

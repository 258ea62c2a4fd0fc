/* debugsections.h: the sections of an ELF file with debug information, as bytes.
 *
 * Compressed sections are inflated from their beginning, only as far as needed: a small report
 * needs a few compilations of libc, and inflating all its debug information takes longer than the
 * rest of xer_print's work. */
#ifndef XER_EXPERIMENT_DWARF_DEBUGSECTIONS_H
#define XER_EXPERIMENT_DWARF_DEBUGSECTIONS_H

#include <libelf.h>
#include <stddef.h>
#include <stdint.h>

/* SECTION(identifier, name) */
#define EXP_DEBUG_SECTIONS(SECTION) \
	SECTION(INFO, ".debug_info") \
	SECTION(ABBREV, ".debug_abbrev") \
	SECTION(ARANGES, ".debug_aranges") \
	SECTION(RANGES, ".debug_ranges") \
	SECTION(RNGLISTS, ".debug_rnglists") \
	SECTION(ADDR, ".debug_addr") \
	SECTION(STR, ".debug_str") \
	SECTION(STR_OFFSETS, ".debug_str_offsets") \
	SECTION(LINE, ".debug_line") \
	SECTION(LINE_STR, ".debug_line_str")

enum exp_debug_section_name {
#define SECTION(identifier, name) EXP_DEBUG_##identifier,
	EXP_DEBUG_SECTIONS(SECTION)
#undef SECTION
		EXP_DEBUG_COUNT
};

struct exp_debug_section {
	const uint8_t *bytes;
	size_t size;                 /* when it is whole */
	size_t ready;                /* bytes[0 .. ready) are there */
	struct exp_inflate *inflate; /* NULL: it is whole */
};

struct exp_debug_sections {
	struct exp_debug_section of[EXP_DEBUG_COUNT];
};

/* Find the sections of an ELF file, which must outlive them; those that are missing are empty.
 * Returns 0; -ENOTSUP if they are of a kind that only libdw knows (another order of bytes, to be
 * relocated, shared with other files, compressed by something else than zlib), or -ENOMEM. */
int exp_debug_sections_open(Elf *elf, struct exp_debug_sections *out);
void exp_debug_sections_close(struct exp_debug_sections *sections);

/* exp_debug_want for what is not there yet. */
int exp_debug_inflate(struct exp_debug_section *section, uint64_t end);

/* Have the bytes up to `end`. Returns 0, or -EBADMSG: the section is shorter, or damaged before
 * that. */
static inline int exp_debug_want(struct exp_debug_section *section, uint64_t end)
{
	return end <= section->ready ? 0 : exp_debug_inflate(section, end);
}

#endif

/* elffile.h: the file of a load object in memory, to look up what is not loaded. No content is
 * trusted before it is checked. */
#ifndef XER_COLLECTOR_ELFFILE_H
#define XER_COLLECTOR_ELFFILE_H

#include <elf.h>
#include <stdint.h>

struct elffile {
	const uint8_t *at; /* at[size] */
	uint64_t size;
};

/* Map a file for reading. Returns 0, or -errno. The caller unmaps it. Signal-safe. */
int elffile_map(const char *path, struct elffile *out);
void elffile_unmap(const struct elffile *file);

/* The sections, sections[*count] within the file, of a 64-bit ELF file; NULL if there are none.
 * Offsets in them are not checked. Signal-safe. */
const Elf64_Shdr *elffile_sections(const struct elffile *file, unsigned *count);

/* The first section of that name, NULL if there is none. Signal-safe. */
const Elf64_Shdr *elffile_find_section(const struct elffile *file, const char *name);

/* Where the segments of the file are in memory, without the bias. Returns 0, or -ENOEXEC.
 * Signal-safe. */
int elffile_range(const struct elffile *file, uint64_t *start, uint64_t *end);

/* A table of symbols within a file. Names are to be checked. */
struct elffile_symbols {
	const Elf64_Sym *at, *end;
	const char *names; /* names[names_size] */
	uint64_t names_size;
};

/* All symbols of a file, else those of dynamic linking. Returns 1, or 0 if there are none.
 * Signal-safe. */
int elffile_symbols_find(const struct elffile *file, struct elffile_symbols *out);

/* Is the content of the section inside the file? Signal-safe. */
int elffile_has(const struct elffile *file, const Elf64_Shdr *section);

#endif

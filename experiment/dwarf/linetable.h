/* linetable.h: the line tables of DWARF 2 to 5 in .debug_line: which source line an address belongs
 * to, and the names of source files.
 *
 * libdw reads them too, but makes a list of all rows and sorts it, which took two thirds of the
 * time of a report on a large program. Here the rows are walked once, a mark is kept at every 32nd,
 * and a lookup walks on from a mark. */
#ifndef XER_EXPERIMENT_DWARF_LINETABLE_H
#define XER_EXPERIMENT_DWARF_LINETABLE_H

#include "experiment/table/arena.h"

#include <elfutils/libdw.h>
#include <stdint.h>

/* A section of debug information; borrowed from the ELF file. */
struct exp_line_section {
	const uint8_t *bytes;
	size_t size;
};

/* The sections that tables are in. */
struct exp_line_sections {
	struct exp_line_section line, line_str, str;
	int is_big_endian;
};

struct exp_line_table;

/* Find a section by its name, which begins with ".debug_", and decompress it; empty if it is
 * missing. */
struct exp_line_section exp_line_section_find(Elf *elf, const char *name);

/* Find the sections of an ELF file with debug information; those that are missing are empty. */
void exp_line_sections_find(Elf *elf, struct exp_line_sections *out);

/* Read the table at an offset of .debug_line. directory: that of the compilation, NULL: unknown.
 * Both must outlive the table. Returns 0 and *out, -ENOTSUP (a version or form that is not known
 * here), -EBADMSG or -ENOMEM. */
int exp_line_table_open(const struct exp_line_sections *sections, uint64_t offset,
                        const char *directory, struct exp_line_table **out);
void exp_line_table_close(struct exp_line_table *table);

/* The line and the number of the file at an address. Returns 0 or -ENOENT. */
int exp_line_table_find(struct exp_line_table *table, uint64_t address, unsigned *file,
                        unsigned *line);

/* Name of a file by its number, absolute if the directory of the compilation is; NULL: no such
 * file, or out of memory. Lives with the table. */
const char *exp_line_table_file(struct exp_line_table *table, unsigned number);

/* The 16 bytes of the MD5 of a file's contents as the compiler saw it (DWARF 5 of clang); NULL: not
 * known. */
const uint8_t *exp_line_table_md5(const struct exp_line_table *table, unsigned number);

/* Numbers of files are below this. */
unsigned exp_line_table_file_end(const struct exp_line_table *table);

#endif

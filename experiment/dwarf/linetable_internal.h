/* linetable_internal.h: a line table as its header (linetable_header.c) and its program
 * (linetable.c) share it. */
#ifndef XER_EXPERIMENT_DWARF_LINETABLE_INTERNAL_H
#define XER_EXPERIMENT_DWARF_LINETABLE_INTERNAL_H

#include "experiment/dwarf/linetable.h"
#include "experiment/dwarf/reader.h"

struct exp_line_file {
	const char *name;
	uint64_t directory; /* index into directories; beyond them: that of the compilation */
	const uint8_t *md5; /* NULL: none */
	const char *path;   /* made when it is first asked for */
};

/* The registers of the machine that makes rows. */
struct exp_line_state {
	uint64_t address;
	uint32_t file, line;
};

/* A place in the program from where rows can be made. */
struct exp_line_bookmark {
	struct exp_line_state state; /* of the row before `at` */
	const uint8_t *at;
	uint64_t end; /* of the sequence that it is in */
};

struct exp_line_table {
	const struct exp_line_sections *sections;
	struct exp_arena arena;
	const char *directory; /* of the compilation, "" if unknown */
	unsigned version, offset_size;
	unsigned instruction_size, opcode_base, line_range;
	int line_base;
	const uint8_t *opcode_lengths; /* opcode_lengths[opcode_base - 1] */
	const char **directories;
	size_t directory_count, directory_capacity;
	struct exp_line_file *files; /* by number */
	size_t file_count, file_capacity;
	struct exp_reader program;
	int has_marks;                   /* they were made */
	struct exp_line_bookmark *marks; /* marks[mark_count] by address */
	size_t mark_count, mark_capacity;
};

/* Read the header at an offset: fills all but the marks. Returns as exp_line_table_open. */
int exp_line_header_read(struct exp_line_table *table, uint64_t offset);

#endif

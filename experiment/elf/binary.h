/* binary.h: one ELF file with its symbols and its unwind tables' function bounds. */
#ifndef XER_EXPERIMENT_ELF_BINARY_H
#define XER_EXPERIMENT_ELF_BINARY_H

#include "experiment/experiment.h"
#include "experiment/table/arena.h"

#include <elfutils/libdwfl.h>
#include <stdint.h>

/* A function symbol; names live with the binary. */
struct exp_symbol {
	uint64_t address; /* ELF virtual address */
	uint64_t size;    /* 0: up to the next symbol */
	const char *name;
	const struct sym_function *function; /* free for the owner of the binary */
	uint8_t rank;                        /* lower is preferred among names of one address */
};

struct exp_binary {
	Dwfl *dwfl;
	Dwfl_Module *module;
	Elf *elf;
	GElf_Addr bias; /* dwfl address - ELF virtual address */
	const struct experiment *experiment;
	const char *path, *build_id; /* as recorded */
	struct exp_symbol *symbols;  /* symbols[symbol_count] by address, one for each */
	size_t symbol_count;
	struct exp_symbol
		*variables; /* variables[variable_count] by address, see exp_binary_variable_at */
	size_t variable_count;
	int has_variables; /* they were looked for */
	uint32_t *by_name; /* hash table of symbol index + 1, see exp_binary_symbol_named */
	size_t name_mask;
	int fd, debug_fd; /* of the file, and of the separate debug file if libdwfl asked for one;
	                     else -1 */
};

/* A stretch of code that belongs together. */
struct exp_range {
	uint64_t start, end; /* ELF virtual addresses */
};

/* Open the binary in fd, which it takes. path and build_id are borrowed. Returns 0 and *out,
 * -EBADMSG (not ELF, damaged) or -ENOMEM. */
int exp_binary_open(const struct experiment *experiment, int fd, const char *file, const char *path,
                    const char *build_id, struct exp_binary **out);
void exp_binary_close(struct exp_binary *binary);

/* The symbol that covers an address, or NULL. (symtab.c) */
struct exp_symbol *exp_binary_symbol_at(struct exp_binary *binary, uint64_t address);

/* The symbol of this linker name if exactly one has it, else NULL. (symtab.c) */
struct exp_symbol *exp_binary_symbol_named(struct exp_binary *binary, const char *name);

/* The symbol for data that covers an address, or NULL. (variable.c) */
const struct exp_symbol *exp_binary_variable_at(struct exp_binary *binary, uint64_t address);

/* Read the symbols (called by exp_binary_open). Returns 0 or -ENOMEM. (symtab.c) */
int exp_binary_read_symbols(struct exp_binary *binary);

/* Bounds of the function at an address by .eh_frame_hdr. Returns 0 or -ENOENT. (fde.c) */
int exp_binary_unwind_range(struct exp_binary *binary, uint64_t address, struct exp_range *out);

/* Bounds of the section at an address. Returns 0 or -ENOENT. (sections.c) */
int exp_binary_section_range(struct exp_binary *binary, uint64_t address, struct exp_range *out);

/* The bytes of the file from an address to the end of its section. Returns their number, 0 if there
 * are none. */
size_t exp_binary_bytes_at(struct exp_binary *binary, uint64_t address, const uint8_t **out);

/* The same if they are code. */
size_t exp_binary_code_at(struct exp_binary *binary, uint64_t address, const uint8_t **out);

/* Name of the symbol that the loader stores at an address (borrowed), or NULL. (plt.c) */
const char *exp_binary_slot_name(struct exp_binary *binary, uint64_t slot);

/* If the address is in a PLT stub: its bounds, and the name of the function it leads to (borrowed).
 * Returns 0 or -ENOENT. (plt.c) */
int exp_binary_plt_at(struct exp_binary *binary, uint64_t address, struct exp_range *out,
                      const char **name);

#endif

/* dwarf.h: source lines and inlined calls of a binary. */
#ifndef XER_EXPERIMENT_DWARF_DWARF_H
#define XER_EXPERIMENT_DWARF_DWARF_H

#include <stdint.h>

struct exp_dwarf;
struct exp_binary;

enum { EXP_DWARF_FRAMES = 64 };

/* One function at an address, innermost first. Strings live with the binary, NULL if unknown. */
struct exp_dwarf_frame {
	const char *linkage_name;
	const char *name;      /* NULL also if there is a linkage name */
	const char *directory; /* of the compilation: where relative file names begin */
	const char *decl_file;
	unsigned decl_line;
	const char *file; /* of `line`: where it executes, or where it calls the frame before */
	unsigned line;
	uint64_t start,
		end;  /* ELF virtual addresses of the outermost (not inlined) function, else 0 */
	void **owner; /* space for what the caller derives from the function; the same for all
	               * addresses of one call */
};

/* Returns 0 and *out, NULL if the binary has no debug information; or -ENOMEM. */
int exp_dwarf_open(struct exp_binary *binary, struct exp_dwarf **out);
void exp_dwarf_close(struct exp_dwarf *dwarf);

/* The functions at an ELF virtual address: inlined ones first, the one that is not last. The first
 * has no file and line: exp_dwarf_line knows them. Returns their number, 0 if no function is known.
 */
int exp_dwarf_lookup(struct exp_dwarf *dwarf, uint64_t address,
                     struct exp_dwarf_frame frames[EXP_DWARF_FRAMES]);

/* The file and line at an ELF virtual address. Returns 0; or -ENOENT, then all are NULL or 0.
 * Strings live with the binary. */
int exp_dwarf_line(struct exp_dwarf *dwarf, uint64_t address, const char **directory,
                   const char **file, unsigned *line);

/* What is known of the compilation of the code at an address. Strings live with the binary. */
struct exp_dwarf_compilation {
	const char *name, *directory, *producer; /* producer: compiler and, by gcc, its options */
	const char *missing; /* name of a .dwo file that would describe functions and could not be
	                      * read, else NULL */
	const char *missing_shared; /* the same of a file that dwz made for several programs */
	uint64_t unit;              /* distinguishes units of a binary */
	unsigned version;           /* of DWARF */
};

/* Returns 0 or -ENOENT. */
int exp_dwarf_compilation(struct exp_dwarf *dwarf, uint64_t address,
                          struct exp_dwarf_compilation *out);

/* The MD5 sum of a source file of the compilation of the code at an address, NULL if unknown. */
const uint8_t *exp_dwarf_source_sum(struct exp_dwarf *dwarf, uint64_t address, const char *file);

/* One function of a compilation, or one call inlined in one. */
struct exp_dwarf_note {
	const struct exp_dwarf_frame *callee; /* whose code it is: names and declaration */
	const struct exp_dwarf_frame
		*function;     /* that holds the code; callee, if nothing is inlined */
	const char *directory; /* where relative file names begin */
	const char *file;      /* of an inlined call, NULL of a function */
	unsigned line;
	uint64_t address;          /* where its code begins */
	uint64_t function_address; /* where that of `function` begins */
};

/* Call `take` for every function, and for every call inlined in it, of the compilation of the code
 * at an address, until it does not return 0. Returns what it returned, or 0. */
int exp_dwarf_each_note(struct exp_dwarf *dwarf, uint64_t address,
                        int (*take)(void *context, const struct exp_dwarf_note *note),
                        void *context);

#endif

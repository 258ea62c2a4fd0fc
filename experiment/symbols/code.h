/* code.h: the code of load objects: its bytes, what is at an address, and what debug information
 * says about how it was compiled. Addresses are ELF virtual addresses. Everything returned lives
 * as long as the symbols. */
#ifndef XER_EXPERIMENT_SYMBOLS_CODE_H
#define XER_EXPERIMENT_SYMBOLS_CODE_H

#include "experiment/experiment.h"

/* The code at an address, of the function's object: to the end of its section; for a JIT function:
 * to its end. Returns the number of bytes; 0 and *out NULL if there are none: no file, no code at
 * this address. */
size_t symbols_bytes(struct symbols *symbols, const struct sym_function *function, uint64_t address,
                     const uint8_t **out);

/* e_machine of the function's code (EM_X86_64, ...), 0 if that is not there. */
unsigned symbols_machine(struct symbols *symbols, const struct sym_function *function);

/* The frames at an address in the object of a function, or, if that is a JIT function, anywhere
 * in its process, as symbols_frames gives them. Returns their number (>= 1), or -ENOMEM. */
int symbols_frames_in(struct symbols *symbols, const struct sym_function *function,
                      uint64_t address, const struct sym_frame **out);

/* Like symbols_frames, or if is_machine symbols_machine_frames, for callers that need only
 * functions: file and line of the innermost frame may be missing. */
int symbols_functions_at(struct symbols *symbols, const struct experiment *experiment, uint64_t pc,
                         uint32_t generation, int is_leaf, int is_machine,
                         const struct sym_frame **out);

/* Load objects of any experiment are also looked for in the archives of this one, a founder, by
 * their build-id. Returns 0 or -ENOMEM. (founders.c) */
int symbols_remember(struct symbols *symbols, const struct experiment *experiment);

/* The experiment is about to be closed: from here on nothing is looked up in it. */
void symbols_forget(struct symbols *symbols, const struct experiment *experiment);

/* Is it a JIT function? Its addresses are those of its process. */
int symbols_is_jit(struct symbols *symbols, const struct sym_function *function);

/* Linker name of the symbol that the loader stores at an address, a slot of the global offset
 * table; NULL if none. */
const char *symbols_slot(struct symbols *symbols, const struct sym_object *object,
                         uint64_t address);

/* The variable that covers an address, demangled, and how far behind its start the address is; NULL
 * if none. */
const char *symbols_variable_in(struct symbols *symbols, const struct sym_object *object,
                                uint64_t address, uint64_t *offset);

/* The MD5 sum of a source file's contents when it was compiled, of the compilation of the code at
 * an address: 16 bytes, or NULL: not known (only clang writes it, in DWARF 5). */
const uint8_t *symbols_source_sum(struct symbols *symbols, const struct sym_object *object,
                                  uint64_t address, const char *file);

/* What the compiler did at a place of the source. */
struct sym_note {
	const char *file; /* of the call of what was inlined; of the definition of a function; NULL
	                     if unknown */
	unsigned line;
	const char *name;      /* what was inlined, or the function, demangled */
	const char *holder;    /* the function that holds the code, demangled */
	const char *from_file; /* where it is defined, NULL if unknown */
	unsigned from_line;
	uint64_t address; /* where its code begins */
	int is_inlined;
};

/* A compilation unit. Strings are NULL if unknown. */
struct sym_compilation {
	const char *name, *directory;
	const char *producer; /* the compiler; gcc writes its options too */
	const char *
		missing; /* the file of split debug information that could not be read, else NULL */
	const char
		*missing_shared; /* the same of what dwz has put into a file for several programs */
	unsigned version;        /* of DWARF */
	const struct sym_note *notes; /* notes[note_count] */
	size_t note_count;
};

/* The compilation of the code at an address; the same unit is the same pointer. Returns 0,
 * -ENOENT (nothing known) or -ENOMEM. */
int symbols_compilation(struct symbols *symbols, const struct sym_object *object, uint64_t address,
                        const struct sym_compilation **out);

#endif

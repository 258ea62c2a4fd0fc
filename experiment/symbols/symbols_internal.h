/* symbols_internal.h: the symbols, as the modules of this room share them. */
#ifndef XER_EXPERIMENT_SYMBOLS_SYMBOLS_INTERNAL_H
#define XER_EXPERIMENT_SYMBOLS_SYMBOLS_INTERNAL_H

#include "experiment/dwarf/dwarf.h"
#include "experiment/elf/binary.h"
#include "experiment/elf/object.h"
#include "experiment/experiment.h"
#include "experiment/symbols/paths.h"
#include "experiment/table/arena.h"
#include "experiment/table/hash.h"

/* A load object with its binary. */
struct exp_sym_object {
	struct sym_object shown;
	struct exp_binary *binary; /* NULL: no file, or not ELF */
	struct exp_dwarf *dwarf;   /* NULL: there are no lines */
	int opened;                /* the binary was looked for */
};

/* The frames of one address. */
struct exp_sym_known_frames {
	const void *where; /* the object, or the JIT function (struct exp_function);
	                      NULL: in neither */
	uint64_t owner; /* number of the experiment that the function is of: another one's may come
	                 * to have its address; 0: it is of none */
	uint64_t address;
	int count;
	const struct sym_frame *frames;
	struct sym_frame
		*without_line; /* frames[0], if its line has not been looked for, else NULL */
};

enum { EXP_SYM_RECENT = 64 };

struct symbols {
	struct exp_arena arena;
	struct exp_paths *paths;
	struct exp_sym_object **objects;
	size_t object_count, object_capacity;
	struct sym_function **functions;
	size_t function_count, function_capacity;
	struct exp_hash object_table, function_table, frame_table, compilation_table, jit_table;
	struct exp_hash method_table, line_table; /* of Java (java.c) */
	const struct experiment **founders;       /* founders[founder_count]: symbols_remember */
	size_t founder_count, founder_capacity;
	struct exp_sym_jit *jits;
	struct exp_sym_object
		*recent[EXP_SYM_RECENT]; /* that were found for a mapping, by its address */
};

/* A JIT function, as the symbols show it. */
struct exp_sym_jit {
	struct exp_sym_jit *next; /* of all of them */
	const struct sym_function *shown;
	const struct experiment *experiment; /* NULL: it has been closed */
	const struct exp_function *function;
	const uint8_t *code; /* code[size]; NULL: not read yet, or not there */
	uint64_t size;
	int is_read;
};

/* The object of a mapping, its binary looked for. Returns NULL if out of memory. (symbols.c) */
struct exp_sym_object *exp_sym_object_open(struct symbols *symbols,
                                           const struct experiment *experiment,
                                           const struct exp_object *mapped);

/* Find the file of an object in the archives of any founder, and which founder that is. Returns 0
 * (the caller closes out->fd) or -ENOENT; then out->mismatch is as it was. (founders.c) */
int exp_sym_find_elsewhere(const struct symbols *symbols, const struct sym_object *object,
                           const struct experiment **founder, struct exp_object_file *out);

/* Forget a founder. (founders.c) */
void exp_sym_forget_founder(struct symbols *symbols, const struct experiment *experiment);

/* Find the file of an object that is neither archived nor where it was recorded: by the
 * paths of the user, then by debuginfod. Returns 0 (the caller closes out->fd) or -ENOENT.
 * (moved.c) */
int exp_sym_find_moved(struct symbols *symbols, const struct experiment *experiment,
                       const struct sym_object *object, struct exp_object_file *out);

/* What identifies a function: `file` and `line` distinguish inlined-only functions of one name. */
struct exp_sym_function_key {
	const struct exp_sym_object *object;
	const char *mangled;
	uint64_t address;
	const char *file;
	unsigned line;
};

/* The function of this key, made if it is new: its name is the key's mangled name demangled.
 * key->mangled is copied. Returns NULL if out of memory. (function.c) */
struct sym_function *exp_sym_function(struct symbols *symbols,
                                      const struct exp_sym_function_key *key);

/* The functions of the frames at an address of an object, innermost first, as frames in the
 * symbols' arena; the innermost one without file and line. Returns their number, at least 1, or
 * -ENOMEM. (function.c) */
int exp_sym_resolve(struct symbols *symbols, struct exp_sym_object *object, uint64_t address,
                    struct sym_frame **out);

/* Give the innermost frame at an address of an object its file and line. (function.c) */
void exp_sym_find_line(struct symbols *symbols, struct exp_sym_object *object, uint64_t address,
                       struct sym_frame *innermost);

/* The frames at an address of an object (NULL: of no object): from the cache, else resolved.
 * Returns their number or -ENOMEM. (symbols.c) */
int exp_sym_frames(struct symbols *symbols, struct exp_sym_object *object, uint64_t address,
                   const struct sym_frame **out);

/* The name that the linker has for a function, or what stands for it. (function.c) */
const char *exp_sym_linker_name(struct symbols *symbols, const struct exp_dwarf_frame *frame);

/* A source file's path: relative names begin in the directory of the compilation. NULL stays NULL.
 * (function.c) */
const char *exp_sym_path(struct symbols *symbols, const char *directory, const char *file);

/* The JIT function behind a shown function, NULL if it is of a load object. (jitfunction.c) */
const struct exp_sym_jit *exp_sym_jit_find(struct symbols *symbols,
                                           const struct sym_function *shown);

/* Its code from an address to its end: as symbols_bytes. (jitfunction.c) */
size_t exp_sym_jit_code(struct symbols *symbols, const struct exp_sym_jit *jit, uint64_t address,
                        const uint8_t **out);

/* The frame at run-time address pc in a JIT function; object: the one that all of
 * them are shown in. Returns 1 or -ENOMEM. (jitfunction.c) */
int exp_sym_resolve_dynamic(struct symbols *symbols, struct exp_sym_object *object,
                            const struct experiment *experiment,
                            const struct exp_function *function, uint64_t pc,
                            const struct sym_frame **out);

#endif

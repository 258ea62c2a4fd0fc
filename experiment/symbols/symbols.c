/* symbols.c: the symbols: objects, functions and the cache of addresses, shared by all
 * experiments that are looked at together. */
#include "experiment/base/addressmap.h"
#include "experiment/elf/object.h"
#include "experiment/jit/java.h"
#include "experiment/symbols/code.h"
#include "experiment/symbols/method.h"
#include "experiment/symbols/symbols_internal.h"
#include "experiment/table/arena.h"
#include "format/record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define UNKNOWN "<Unknown>"
#define DYNAMIC "<Dynamic>"  /* the object of JIT functions */
#define JAVA "<Java>"        /* of methods */
#define JAVA_MACHINE "<JVM>" /* of what the Java machine made for itself */

/* Functions that stand for no code, in order of their indices. */
enum {
	FUNCTION_TOTAL,
	FUNCTION_UNKNOWN,
	FUNCTION_TRUNCATED,
	FUNCTION_GUESSED,
	FUNCTION_FAILED,
	FUNCTION_PARALLEL,
	FUNCTION_TASK
};
static const char *const special[] = {"<Total>",
                                      UNKNOWN,
                                      "<Truncated-stack>",
                                      "<Guessed-frame>",
                                      "<Stack-unwind-failed>",
                                      "<OMP-parallel-region>",
                                      "<OMP-task>"};

struct object_key {
	const char *path, *build_id;
};

static int is_object(const void *item, const void *wanted)
{
	const struct exp_sym_object *object = item;
	const struct object_key *key = wanted;

	return strcmp(object->shown.path, key->path) == 0 &&
	       strcmp(object->shown.build_id, key->build_id) == 0;
}

static struct exp_sym_object *find_object(struct symbols *symbols, const char *path,
                                          const char *build_id)
{
	struct object_key key = {path, build_id};
	uint64_t hash = exp_hash_text(exp_hash_text(EXP_HASH_START, path), build_id);
	struct exp_sym_object *object = exp_hash_find(&symbols->object_table, hash, is_object,
	                                              &key);
	const char *slash;

	if (object)
		return object;
	object = exp_arena_alloc(&symbols->arena, sizeof(*object));
	if (!object || exp_array_reserve(&symbols->objects, &symbols->object_capacity,
	                                 symbols->object_count, sizeof(object)) != 0)
		return NULL;
	object->shown.path = exp_arena_string(&symbols->arena, path);
	object->shown.build_id = exp_arena_string(&symbols->arena, build_id);
	if (!object->shown.path || !object->shown.build_id)
		return NULL;
	slash = strrchr(object->shown.path, '/');
	object->shown.name = !slash || slash[1] == '\0' ? object->shown.path : slash + 1;
	object->shown.index = symbols->object_count;
	if (exp_hash_add(&symbols->object_table, hash, object) != 0)
		return NULL;
	symbols->objects[symbols->object_count++] = object;
	return object;
}

static int open_binary(struct symbols *symbols, const struct experiment *experiment,
                       struct exp_sym_object *object)
{
	struct sym_object *shown = &object->shown;
	struct exp_object_file file;
	int rc;

	object->opened = 1;
	rc = exp_object_find(experiment, shown->path, shown->build_id, &file);
	if (rc != 0)
		rc = exp_sym_find_elsewhere(symbols, shown, &experiment, &file);
	if (rc != 0)
		rc = exp_sym_find_moved(symbols, experiment, shown, &file);
	shown->mismatch = file.mismatch != 0;
	if (rc != 0)
		return 0;
	rc = exp_binary_open(experiment, file.fd, file.path, shown->path, shown->build_id,
	                     &object->binary);
	if (rc != 0)
		return rc == -ENOMEM ? rc : 0;
	rc = exp_dwarf_open(object->binary, &object->dwarf);
	if (rc != 0) {
		exp_binary_close(object->binary);
		object->binary = NULL;
		return rc;
	}
	shown->file = exp_arena_string(&symbols->arena, file.path);
	shown->archived = file.archived != 0;
	shown->has_symbols = object->binary->symbol_count > 0;
	shown->has_lines = object->dwarf != NULL;
	return !shown->file ? -ENOMEM : 0;
}

/* The object of a mapping. Most frames are in few of them, so hashing their names each time would
 * cost more than all else. */
static struct exp_sym_object *find_mapped(struct symbols *symbols, const struct exp_object *mapped)
{
	struct exp_sym_object *
		*recent = &symbols->recent[(uintptr_t)mapped / sizeof(*mapped) % EXP_SYM_RECENT];

	if (!*recent || strcmp((*recent)->shown.path, mapped->path) != 0 ||
	    strcmp((*recent)->shown.build_id, mapped->build_id) != 0)
		*recent = find_object(symbols, mapped->path, mapped->build_id);
	return *recent;
}

struct exp_sym_object *exp_sym_object_open(struct symbols *symbols,
                                           const struct experiment *experiment,
                                           const struct exp_object *mapped)
{
	struct exp_sym_object *object = find_mapped(symbols, mapped);

	if (!object || (!object->opened && open_binary(symbols, experiment, object) != 0))
		return NULL;
	return object;
}

struct symbols *symbols_create(void)
{
	struct symbols *symbols = calloc(1, sizeof(*symbols));
	struct exp_sym_object *unknown;

	if (!symbols)
		return NULL;
	elf_version(EV_CURRENT);
	symbols->paths = exp_paths_create();
	unknown = !symbols->paths ? NULL : find_object(symbols, UNKNOWN, "");
	if (!unknown) {
		symbols_destroy(symbols);
		return NULL;
	}
	unknown->opened = 1;
	for (size_t i = 0; i < sizeof(special) / sizeof(special[0]); i++) {
		struct exp_sym_function_key key = {.object = unknown, .mangled = special[i]};

		if (!exp_sym_function(symbols, &key)) {
			symbols_destroy(symbols);
			return NULL;
		}
	}
	symbols->functions[FUNCTION_UNKNOWN]->unresolved = 1;
	return symbols;
}

void symbols_destroy(struct symbols *symbols)
{
	if (!symbols)
		return;
	for (size_t i = 0; i < symbols->object_count; i++) {
		exp_dwarf_close(symbols->objects[i]->dwarf);
		exp_binary_close(symbols->objects[i]->binary);
	}
	free(symbols->objects);
	free(symbols->functions);
	free(symbols->founders);
	exp_hash_fini(&symbols->object_table);
	exp_hash_fini(&symbols->function_table);
	exp_hash_fini(&symbols->frame_table);
	exp_hash_fini(&symbols->compilation_table);
	exp_hash_fini(&symbols->jit_table);
	exp_hash_fini(&symbols->method_table);
	exp_hash_fini(&symbols->line_table);
	exp_paths_destroy(symbols->paths);
	exp_arena_fini(&symbols->arena);
	free(symbols);
}

static const struct sym_function *mark_function(const struct symbols *symbols, uint64_t pc)
{
	switch (pc) {
	case FMT_PC_TRUNCATED:
		return symbols->functions[FUNCTION_TRUNCATED];
	case FMT_PC_GUESSED:
		return symbols->functions[FUNCTION_GUESSED];
	case FMT_PC_FAILED:
		return symbols->functions[FUNCTION_FAILED];
	case FMT_PC_PARALLEL:
		return symbols->functions[FUNCTION_PARALLEL];
	case FMT_PC_TASK:
		return symbols->functions[FUNCTION_TASK];
	default:
		return symbols->functions[FUNCTION_UNKNOWN];
	}
}

static int resolve_special(struct symbols *symbols, uint64_t pc, const struct sym_frame **out)
{
	struct sym_frame *frame = exp_arena_alloc(&symbols->arena, sizeof(*frame));

	if (!frame)
		return -ENOMEM;
	frame->function = mark_function(symbols, pc);
	frame->address = pc;
	*out = frame;
	return 1;
}

static int is_frames(const void *item, const void *wanted)
{
	const struct exp_sym_known_frames *a = item;
	const struct exp_sym_known_frames *b = wanted;

	return a->where == b->where && a->owner == b->owner && a->address == b->address;
}

/* Where an address is. */
struct place {
	const struct experiment *experiment;
	struct exp_sym_object *object;       /* NULL: in none */
	const struct exp_function *function; /* a JIT function; NULL: in none */
	int is_kernel;
	const struct exp_kernel_function *kernel; /* then: NULL: in no function that is known */
	int is_machine;                           /* a method as its compiled code */
	int is_without_lines;                     /* not used */
};

/* Functions of the kernel are told by their names alone: their addresses are others after each
 * boot. */
static int resolve_kernel(struct symbols *symbols, const struct place *place, uint64_t address,
                          const struct sym_frame **out)
{
	struct exp_sym_function_key key = {.object = place->object,
	                                   .mangled = place->kernel ? place->kernel->name
	                                                            : EXP_KERNEL_OBJECT};
	struct sym_frame *frame = exp_arena_alloc(&symbols->arena, sizeof(*frame));
	struct sym_function *function = exp_sym_function(symbols, &key);

	if (!frame || !function)
		return -ENOMEM;
	function->unresolved = !place->kernel;
	/* In the function, which has no address. */
	*frame = (struct sym_frame){.function = function,
	                            .address = address -
	                                       (place->kernel ? place->kernel->start : 0)};
	*out = frame;
	return 1;
}

/* Fill the frames of known->address. Returns their number, or -ENOMEM. */
static int resolve(struct symbols *symbols, const struct place *place,
                   struct exp_sym_known_frames *known)
{
	const struct sym_frame **out = &known->frames;
	uint64_t address = known->address;
	int count;

	if (fmt_pc_is_java(address))
		return exp_sym_resolve_interpreted(symbols, place->object, place->experiment,
		                                   address, out);
	if (place->function && place->function->method != 0 && !place->is_machine)
		return exp_sym_resolve_compiled(symbols, place->object, place->experiment,
		                                place->function, address, out);
	if (place->function)
		return exp_sym_resolve_dynamic(symbols, place->object, place->experiment,
		                               place->function, address, out);
	if (place->is_kernel)
		return resolve_kernel(symbols, place, address, out);
	if (!place->object)
		return resolve_special(symbols, address, out);
	count = exp_sym_resolve(symbols, place->object, address, &known->without_line);
	*out = known->without_line;
	return count;
}

/* Frames of `address` at a place: from the cache, else resolved. Line tables cost as much as
 * everything else, so they are read when a caller needs lines. */
static int find_frames(struct symbols *symbols, const struct place *place, uint64_t address,
                       const struct sym_frame **out)
{
	/* What is known of a function whose compiled code contains an address. */
	const void *where = place->function
	                            ? (const char *)place->function + (place->is_machine != 0)
	                    : fmt_pc_is_java(address) ? (const void *)place->experiment
	                                              : place->object;
	int is_own = place->experiment &&
	             (place->function || place->is_kernel || fmt_pc_is_java(address));
	struct exp_sym_known_frames key = {.where = where,
	                                   .owner = is_own ? place->experiment->methods.serial : 0,
	                                   .address = address};
	uint64_t hash = exp_hash_number(
		exp_hash_number(EXP_HASH_START ^ key.owner, (uintptr_t)where), address);
	struct exp_sym_known_frames *known = exp_hash_find(&symbols->frame_table, hash, is_frames,
	                                                   &key);

	if (!known) {
		known = exp_arena_alloc(&symbols->arena, sizeof(*known));
		if (!known)
			return -ENOMEM;
		*known = key;
		known->count = resolve(symbols, place, known);
		if (known->count < 0)
			return known->count;
		if (exp_hash_add(&symbols->frame_table, hash, known) != 0)
			return -ENOMEM;
	}
	if (known->without_line && !place->is_without_lines) {
		exp_sym_find_line(symbols, place->object, address, known->without_line);
		known->without_line = NULL;
	}
	*out = known->frames;
	return known->count;
}

int exp_sym_frames(struct symbols *symbols, struct exp_sym_object *object, uint64_t address,
                   const struct sym_frame **out)
{
	const struct place place = {.object = object};
	int before = exp_memory_lacked();
	int count = find_frames(symbols, &place, address, out);

	count = exp_memory_lacked() ? -ENOMEM : count;
	exp_memory_note(before ? ENOMEM : 0);
	return count;
}

/* The object that JIT functions are shown in. */
static struct exp_sym_object *jit_object(struct symbols *symbols, int is_java, int is_machine)
{
	struct exp_sym_object *object = find_object(symbols,
	                                            is_java      ? JAVA
	                                            : is_machine ? JAVA_MACHINE
	                                                         : DYNAMIC,
	                                            "");

	if (!object)
		return NULL;
	object->opened = 1;
	object->shown.is_java = is_java != 0;
	object->shown.is_machine = is_machine != 0;
	return object;
}

static int find_frames_at(struct symbols *symbols, struct place *place, uint64_t pc,
                          uint32_t generation, int is_leaf, const struct sym_frame **out)
{
	uint64_t address = is_leaf || pc < FMT_PC_MARKS || fmt_pc_is_java(pc) ? pc : pc - 1;
	const struct exp_object *mapped;

	if (pc < FMT_PC_MARKS)
		return find_frames(symbols, place, pc, out);
	place->function = fmt_pc_is_java(pc)
	                          ? NULL
	                          : experiment_function_at(place->experiment, address, generation);
	if (place->function || fmt_pc_is_java(pc)) {
		place->object = jit_object(symbols,
		                           !place->function || place->function->method != 0,
		                           place->function != NULL && place->function->is_machine);
		return !place->object ? -ENOMEM : find_frames(symbols, place, address, out);
	}
	if (place->experiment->kernel && fmt_pc_is_kernel(address)) {
		place->is_kernel = 1;
		place->kernel = exp_kernel_at(place->experiment, address);
		place->object = find_object(symbols, EXP_KERNEL_OBJECT, "");
		if (!place->object)
			return -ENOMEM;
		place->object->opened = 1;
		place->object->shown.has_symbols = place->object->shown.is_kernel = 1;
		return find_frames(symbols, place, address, out);
	}
	mapped = experiment_object_at(place->experiment, address, generation);
	if (!mapped)
		return find_frames(symbols, place, pc, out);
	place->object = exp_sym_object_open(symbols, place->experiment, mapped);
	if (!place->object)
		return -ENOMEM;
	return find_frames(symbols, place, address - mapped->bias, out);
}

static int frames_at(struct symbols *symbols, struct place *place, uint64_t pc, uint32_t generation,
                     int is_leaf, const struct sym_frame **out)
{
	int before = exp_memory_lacked();
	int count = find_frames_at(symbols, place, pc, generation, is_leaf, out);

	count = exp_memory_lacked() ? -ENOMEM : count;
	exp_memory_note(before ? ENOMEM : 0);
	return count;
}

int symbols_frames(struct symbols *symbols, const struct experiment *experiment, uint64_t pc,
                   uint32_t generation, int is_leaf, const struct sym_frame **out)
{
	struct place place = {.experiment = experiment};

	return frames_at(symbols, &place, pc, generation, is_leaf, out);
}

int symbols_machine_frames(struct symbols *symbols, const struct experiment *experiment,
                           uint64_t pc, uint32_t generation, int is_leaf,
                           const struct sym_frame **out)
{
	struct place place = {.experiment = experiment, .is_machine = 1};

	return fmt_pc_is_java(pc) ? 0 : frames_at(symbols, &place, pc, generation, is_leaf, out);
}

int symbols_functions_at(struct symbols *symbols, const struct experiment *experiment, uint64_t pc,
                         uint32_t generation, int is_leaf, int is_machine,
                         const struct sym_frame **out)
{
	struct place place = {
		.experiment = experiment, .is_machine = is_machine, .is_without_lines = 1};

	return is_machine && fmt_pc_is_java(pc)
	               ? 0
	               : frames_at(symbols, &place, pc, generation, is_leaf, out);
}

struct exp_paths *symbols_paths(struct symbols *symbols)
{
	return symbols->paths;
}

int symbols_retry(struct symbols *symbols)
{
	int again = 0;

	for (size_t i = 0; i < symbols->object_count; i++) {
		struct exp_sym_object *object = symbols->objects[i];

		if (object->binary || object->shown.path[0] != '/')
			continue;
		again |= object->opened;
		object->opened = 0;
	}
	if (again)
		exp_hash_fini(&symbols->frame_table);
	return again;
}

size_t symbols_object_count(const struct symbols *symbols)
{
	return symbols->object_count;
}

const struct sym_object *symbols_object(const struct symbols *symbols, size_t index)
{
	return &symbols->objects[index]->shown;
}

size_t symbols_function_count(const struct symbols *symbols)
{
	return symbols->function_count;
}

const struct sym_function *symbols_function(const struct symbols *symbols, size_t index)
{
	return symbols->functions[index];
}

const struct sym_function *symbols_total(const struct symbols *symbols)
{
	return symbols->functions[FUNCTION_TOTAL];
}

const struct sym_function *symbols_unknown(const struct symbols *symbols)
{
	return symbols->functions[FUNCTION_UNKNOWN];
}

/* dynamic.c: functions that the program made while it ran: their elements of map.xml, what dyntext
 * has of them, and which of them was where and when. Those of files for perf(1) come from made.c.
 * See doc/decisions/37-jit-code.md. */
#include "experiment/symbols/code.h"
#include "experiment/base/internal.h"
#include "experiment/jit/java.h"
#include "experiment/jit/made.h"
#include "experiment/base/xmlread.h"
#include "format/layout.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXT_ALIGNMENT = 8, LINES_AT_ONCE = 512, CODE_MAX = 64 << 20 };
/* Of those that overlap no more are looked at: a file may say that any number do. */
enum { OVERLAPS_MAX = 4096 };

#define NO_OFFSET UINT64_MAX

/* ---- map.xml ---- */

int exp_dynamic_add(struct exp_dynamic *dynamic, const struct exp_function *function)
{
	if (exp_array_reserve(&dynamic->functions, &dynamic->capacity, dynamic->count,
	                      sizeof(*function)) != 0)
		return -ENOMEM;
	dynamic->functions[dynamic->count++] = *function;
	return 0;
}

int exp_dynamic_load(struct exp_dynamic *dynamic, const struct exp_element *element)
{
	const struct exp_clock *clock = &dynamic->experiment->clock;
	struct exp_function added = {
		.name = exp_element_get(element, "name", ""),
		.alias = exp_element_get(element, "alias", NULL),
		.source = exp_element_get(element, "source", NULL),
		.address = exp_element_number(element, "address", 0),
		.size = exp_element_number(element, "size", 0),
		.generation_from = (uint32_t)exp_element_number(element, "generation", 0),
		.generation_to = UINT32_MAX,
		.time_s = exp_clock_seconds(
			clock, exp_element_number(element, "time", clock->start.ticks)),
		.text_offset = exp_element_number(element, "offset", NO_OFFSET),
		.line_count = exp_element_number(element, "lines", 0),
		.ticks_to = UINT64_MAX,
		.method = (uint32_t)exp_element_number(element, "method", 0),
		.is_machine = strcmp(exp_element_get(element, "kind", ""), "jvm") == 0,
		.place_count = exp_element_number(element, "places", 0),
		.call_count = exp_element_number(element, "calls", 0),
	};

	added.has_text = added.text_offset != NO_OFFSET;
	if (added.size != 0 && added.address + added.size >= added.address)
		return exp_dynamic_add(dynamic, &added);
	exp_warn(dynamic->experiment, FMT_FILE_MAP ": the range of a function is damaged");
	return 0;
}

int exp_dynamic_code(struct exp_dynamic *dynamic, const struct exp_element *element)
{
	struct experiment *experiment = dynamic->experiment;
	struct exp_function added = {
		.address = exp_element_number(element, "address", 0),
		.size = exp_element_number(element, "size", 0),
		.generation_to = UINT32_MAX,
		.time_s = exp_clock_seconds(
			&experiment->clock,
			exp_element_number(element, "time", experiment->clock.start.ticks)),
		.text_offset = exp_element_number(element, "offset", NO_OFFSET),
		.origin = EXP_ORIGIN_NOBODY,
		.ticks_from = exp_element_number(element, "time", 0),
		.ticks_to = UINT64_MAX,
	};

	added.has_text = added.text_offset != NO_OFFSET;
	added.name = exp_arena_printf(
		&experiment->arena, "<jit>+0x%llx",
		(unsigned long long)(added.address -
	                             exp_element_number(element, "start", added.address)));
	if (!added.name)
		return -ENOMEM;
	if (added.size != 0 && added.address + added.size >= added.address)
		return exp_dynamic_add(dynamic, &added);
	exp_warn(experiment, FMT_FILE_MAP ": the range of code is damaged");
	return 0;
}

/* The last one loaded at the address, if it is still there, ends with `generation`. */
static void end_at(struct exp_dynamic *dynamic, size_t count, uint64_t address, uint32_t generation)
{
	for (size_t i = count; i-- > 0;) {
		struct exp_function *function = &dynamic->functions[i];

		if (function->address != address || function->origin != EXP_ORIGIN_ANNOUNCED)
			continue;
		if (function->generation_to == UINT32_MAX)
			function->generation_to = generation;
		return;
	}
}

int exp_dynamic_unload(struct exp_dynamic *dynamic, const struct exp_element *element)
{
	end_at(dynamic, dynamic->count, exp_element_number(element, "address", 0),
	       (uint32_t)exp_element_number(element, "generation", UINT32_MAX));
	return 0;
}

static int compare_starts(const void *a, const void *b, void *context)
{
	const struct exp_function *functions = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (functions[x].address != functions[y].address)
		return functions[x].address < functions[y].address ? -1 : 1;
	return (x > y) - (x < y); /* of several at one address the last is found first */
}

int exp_dynamic_finish(struct exp_dynamic *dynamic)
{
	struct experiment *experiment = dynamic->experiment;
	size_t count = dynamic->count;
	uint64_t highest = 0;
	int has_times = 0;

	experiment->functions = exp_arena_alloc(&experiment->arena,
	                                        count * sizeof(*experiment->functions));
	experiment->functions_by_start = exp_arena_alloc(&experiment->arena,
	                                                 count * sizeof(uint32_t));
	experiment->functions_highest_end = exp_arena_alloc(&experiment->arena,
	                                                    count * sizeof(uint64_t));
	if (!experiment->functions || !experiment->functions_by_start ||
	    !experiment->functions_highest_end) {
		free(dynamic->functions);
		return -ENOMEM;
	}
	for (size_t i = 0; i < count; i++) {
		experiment->functions[i] = dynamic->functions[i];
		experiment->functions_by_start[i] = (uint32_t)i;
		has_times |= dynamic->functions[i].ticks_from != 0;
	}
	free(dynamic->functions);
	qsort_r(experiment->functions_by_start, count, sizeof(uint32_t), compare_starts,
	        experiment->functions);
	for (size_t i = 0; i < count; i++) {
		const struct exp_function
			*function = &experiment->functions[experiment->functions_by_start[i]];
		uint64_t end = function->address + function->size;

		experiment->has_reuse |= has_times && function->address < highest;
		highest = end > highest ? end : highest;
		experiment->functions_highest_end[i] = highest;
	}
	experiment->function_count = count;
	return 0;
}

/* ---- questions ---- */

size_t experiment_functions(const struct experiment *experiment, const struct exp_function **out)
{
	*out = experiment->functions;
	return experiment->function_count;
}

/* Number of functions that start at or below pc. */
static size_t count_started(const struct experiment *experiment, uint64_t pc)
{
	size_t low = 0, high = experiment->function_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (experiment->functions[experiment->functions_by_start[middle]].address <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

uint32_t exp_epoch_add(struct experiment *experiment, uint64_t ticks, uint32_t generation)
{
	if (exp_array_reserve(&experiment->epochs, &experiment->epoch_capacity,
	                      experiment->epoch_count, sizeof(*experiment->epochs)) != 0 ||
	    experiment->epoch_count >= EXP_GENERATION_EPOCHS)
		return 0;
	experiment->epochs[experiment->epoch_count] = (struct exp_epoch){ticks, generation};
	return EXP_GENERATION_EPOCHS | (uint32_t)experiment->epoch_count++;
}

struct exp_epoch exp_epoch_of(const struct experiment *experiment, uint32_t generation)
{
	uint32_t index = generation & ~EXP_GENERATION_EPOCHS;

	if (generation >= EXP_GENERATION_EPOCHS && index < experiment->epoch_count)
		return experiment->epochs[index];
	return (struct exp_epoch){UINT64_MAX, generation};
}

/* The functions at an address, of those that begin highest first, the later of two that begin at
 * the same place first. */
struct overlaps {
	const struct experiment *experiment;
	uint64_t pc;
	uint32_t generation;
	size_t next;
	unsigned seen;
};

static struct overlaps overlaps_at(const struct experiment *experiment, uint64_t pc,
                                   uint32_t generation)
{
	return (struct overlaps){experiment, pc, generation, count_started(experiment, pc), 0};
}

static const struct exp_function *next_overlap(struct overlaps *at)
{
	const struct experiment *experiment = at->experiment;

	while (at->next > 0 && experiment->functions_highest_end[at->next - 1] > at->pc &&
	       at->seen < OVERLAPS_MAX) {
		const struct exp_function *function =
			&experiment->functions[experiment->functions_by_start[--at->next]];

		at->seen++;
		if (at->pc - function->address < function->size &&
		    at->generation >= function->generation_from &&
		    at->generation < function->generation_to)
			return function;
	}
	return NULL;
}

/* Is `left` a better answer to what was there at the time than `right`, both being there, or both
 * only later? */
static int is_better(const struct exp_function *left, const struct exp_function *right,
                     int are_there)
{
	if (left->origin != right->origin)
		return left->origin < right->origin;
	if (left->ticks_from != right->ticks_from)
		return (left->ticks_from > right->ticks_from) == are_there;
	return left->origin != EXP_ORIGIN_ANNOUNCED && (left > right) == are_there;
}

const struct exp_function *exp_function_then(const struct experiment *experiment, uint64_t pc,
                                             struct exp_epoch then)
{
	struct overlaps at = overlaps_at(experiment, pc, then.generation);
	const struct exp_function *function, *there = NULL, *later = NULL;

	while ((function = next_overlap(&at))) {
		int is_there = function->ticks_from <= then.ticks;
		const struct exp_function **best = is_there ? &there : &later;

		/* Without a moment, what was the last there is meant, even if it is gone. */
		if (is_there && function->ticks_to <= then.ticks && then.ticks != UINT64_MAX)
			continue;
		if (!*best || is_better(function, *best, is_there))
			*best = function;
	}
	return there ? there : later;
}

size_t exp_function_moments(const struct experiment *experiment, uint64_t pc, uint32_t generation,
                            uint64_t *out, size_t count, size_t max)
{
	struct overlaps at = overlaps_at(experiment, pc, generation);
	const struct exp_function *function;

	while ((function = next_overlap(&at))) {
		if (count < max)
			out[count++] = function->ticks_from;
		if (count < max && function->ticks_to != UINT64_MAX)
			out[count++] = function->ticks_to;
	}
	return count;
}

const struct exp_function *experiment_function_at(const struct experiment *experiment, uint64_t pc,
                                                  uint32_t generation)
{
	return exp_function_then(experiment, pc, exp_epoch_of(experiment, generation));
}

/* ---- lines ---- */

/* The row of a line table in memory that holds for an offset; NULL: none does. */
static const struct exp_function_line *find_line(const struct exp_function *function,
                                                 uint64_t offset)
{
	size_t low = 0, high = !function->lines ? 0 : function->line_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (function->lines[middle].offset <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low == 0 ? NULL : &function->lines[low - 1];
}

/* A row of a line table, as it is in the file. */
struct line {
	uint32_t offset, line;
};

static unsigned line_in_dyntext(const struct experiment *experiment,
                                const struct exp_function *function, uint64_t pc)
{
	int fd = function->has_text && function->line_count != 0
	                 ? exp_file_open(experiment->directory, FMT_FILE_DYNTEXT)
	                 : -1;
	uint64_t at = (function->text_offset + function->size + TEXT_ALIGNMENT - 1) &
	              ~(uint64_t)(TEXT_ALIGNMENT - 1);
	struct line lines[LINES_AT_ONCE];
	unsigned found = 0;
	int more = 1;

	if (fd < 0 || at > INT64_MAX / 2)
		more = 0;
	for (uint64_t i = 0; more && i < function->line_count;) {
		uint64_t left = function->line_count - i,
			 wanted = left < LINES_AT_ONCE ? left : LINES_AT_ONCE;
		ssize_t got = pread(fd, lines, wanted * sizeof(*lines),
		                    (off_t)(at + i * sizeof(*lines)));
		size_t count = got > 0 ? (size_t)got / sizeof(*lines) : 0;

		more = count == wanted;
		for (size_t k = 0; k < count; k++) {
			if (lines[k].offset > pc - function->address) {
				more = 0;
				break;
			}
			found = lines[k].line;
		}
		i += count;
	}
	if (fd >= 0)
		close(fd);
	return found;
}

unsigned experiment_function_line(const struct experiment *experiment,
                                  const struct exp_function *function, uint64_t pc)
{
	const struct exp_function_line *line = find_line(function, pc - function->address);

	if (function->origin == EXP_ORIGIN_ANNOUNCED)
		return line_in_dyntext(experiment, function, pc);
	return !line ? 0 : line->line;
}

/* The file of that line. */
static const char *file_of_line(const struct exp_function *function, uint64_t pc)
{
	const struct exp_function_line *line = find_line(function, pc - function->address);

	return !line || !line->file ? function->source : line->file;
}

/* ---- symbols ---- */

static int is_shown(const void *item, const void *wanted)
{
	const struct session_made *made = item;

	return made->shown == wanted && made->experiment != NULL;
}

const struct session_made *session_made_find(struct symbols *symbols,
                                             const struct sym_function *shown)
{
	return exp_hash_find(&symbols->made_table,
	                     exp_hash_number(EXP_HASH_START, (uintptr_t)shown), is_shown, shown);
}

void symbols_forget(struct symbols *symbols, const struct experiment *experiment)
{
	for (struct session_made *made = symbols->made; made; made = made->next)
		if (made->experiment == experiment)
			made->experiment = NULL;
}

static int is_same(const void *item, const void *wanted)
{
	const struct session_made *a = item, *b = wanted;

	return a->shown == b->shown && a->experiment == b->experiment;
}

/* Remember what `shown` is: of several with one name and address the first one of each experiment.
 * Returns 0 or -ENOMEM. */
static int remember_made(struct symbols *symbols, const struct sym_function *shown,
                         const struct experiment *experiment, const struct exp_function *function)
{
	struct session_made key = {.next = symbols->made,
	                           .shown = shown,
	                           .experiment = experiment,
	                           .function = function},
			    *made;
	uint64_t hash = exp_hash_number(EXP_HASH_START, (uintptr_t)shown);

	if (exp_hash_find(&symbols->made_table, hash, is_same, &key))
		return 0;
	made = exp_arena_alloc(&symbols->arena, sizeof(*made));
	if (!made)
		return -ENOMEM;
	*made = key;
	symbols->made = made;
	return exp_hash_add(&symbols->made_table, hash, made);
}

static int open_text(const struct experiment *experiment, const struct exp_function *function)
{
	if (function->text_file)
		return exp_made_open_text(experiment, function->text_file);
	return exp_file_open(experiment->directory, FMT_FILE_DYNTEXT);
}

static const uint8_t *read_code(struct exp_arena *arena, const struct experiment *experiment,
                                const struct exp_function *function)
{
	int fd = function->has_text && function->size <= CODE_MAX ? open_text(experiment, function)
	                                                          : -1;
	uint8_t *code = fd < 0 || function->text_offset > INT64_MAX / 2
	                        ? NULL
	                        : exp_arena_alloc(arena, function->size);
	ssize_t got = !code ? 0 : pread(fd, code, function->size, (off_t)function->text_offset);

	if (fd >= 0)
		close(fd);
	return got == (ssize_t)function->size ? code : NULL;
}

/* A page that nobody told of is in use up to its last byte that is not zero. */
static uint64_t size_of_code(const struct exp_function *function, const uint8_t *code)
{
	uint64_t size = function->size;

	while (function->origin == EXP_ORIGIN_NOBODY && size > 1 && code[size - 1] == 0)
		size--;
	return size;
}

size_t session_made_code(struct symbols *symbols, const struct session_made *found,
                         uint64_t address, const uint8_t **out)
{
	struct session_made *made = (struct session_made *)found;
	const struct exp_function *function = made->function;

	if (!made->is_read)
		made->code = read_code(&symbols->arena, made->experiment, function);
	made->is_read = 1;
	made->size = !made->code ? 0 : size_of_code(function, made->code);
	if (address < function->address || address - function->address >= made->size)
		return 0;
	*out = made->code + (address - function->address);
	return made->size - (address - function->address);
}

int session_made_frames(struct symbols *symbols, const struct session_made *made, uint64_t address,
                        const struct sym_frame **out)
{
	const struct exp_function *function = made->function;

	if (address - function->address < function->size)
		return session_resolve_dynamic(symbols,
		                               symbols->objects[made->shown->object->index],
		                               made->experiment, function, address, out);
	return symbols_frames(symbols, made->experiment, address, function->generation_from, 1,
	                      out);
}

int session_resolve_dynamic(struct symbols *symbols, struct session_object *object,
                            const struct experiment *experiment,
                            const struct exp_function *function, uint64_t pc,
                            const struct sym_frame **out)
{
	const struct exp_method *method = exp_java_find(experiment, function->method);
	struct session_function_key key = {
		.object = object,
		.mangled = method ? session_method_name(symbols, method)
	                   : function->name[0] != '\0'
	                           ? function->name
	                           : exp_arena_printf(&symbols->arena, "<Dynamic>+0x%llx",
	                                              (unsigned long long)function->address),
		.address = function->address,
	};
	struct sym_frame *frame = exp_arena_alloc(&symbols->arena, sizeof(*frame));
	struct sym_function *found = !key.mangled ? NULL : session_function(symbols, &key);

	if (!frame || !found || remember_made(symbols, found, experiment, function) != 0)
		return -ENOMEM;
	found->size = function->size;
	found->unresolved = function->origin == EXP_ORIGIN_NOBODY;
	if (method && !found->is_titled) {
		found->is_titled = 1;
		found->name = session_method_title(symbols, method);
		found->file = session_method_source(symbols, method);
		found->line = exp_java_line(experiment, function, function->address);
		if (!found->name)
			return -ENOMEM;
	}
	if (function->source && !found->file) {
		found->file = exp_arena_string(&symbols->arena, function->source);
		found->line = function->line != 0 ? function->line
		                                  : experiment_function_line(experiment, function,
		                                                             function->address);
	}
	*frame = (struct sym_frame){.function = found, .address = pc};
	frame->line = method ? exp_java_line(experiment, function, pc)
	                     : experiment_function_line(experiment, function, pc);
	if (method)
		frame->file = frame->line != 0 ? found->file : NULL;
	else if (frame->line != 0)
		frame->file = !file_of_line(function, pc)
		                      ? NULL
		                      : exp_arena_string(&symbols->arena,
		                                         file_of_line(function, pc));
	*out = frame;
	return 1;
}

/* dynamic.c: functions that the program made while it ran: their elements of map.xml, and what dyntext has of them. */
#include "experiment/internal.h"
#include "experiment/session.h"
#include "experiment/xmlread.h"
#include "format/layout.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXT_ALIGNMENT = 8, LINES_AT_ONCE = 512, CODE_MAX = 64 << 20 };

#define NO_OFFSET UINT64_MAX

/* ---- map.xml ---- */

int exp_dynamic_load(struct exp_dynamic *dynamic, const struct exp_element *element)
{
	const struct exp_clock *clock = &dynamic->experiment->clock;
	struct exp_function *added;

	if (exp_array_reserve(&dynamic->functions, &dynamic->capacity, dynamic->count, sizeof(*added)) != 0)
		return -ENOMEM;
	added = &dynamic->functions[dynamic->count];
	*added = (struct exp_function){
	    .name = exp_element_get(element, "name", ""),
	    .alias = exp_element_get(element, "alias", NULL),
	    .source = exp_element_get(element, "source", NULL),
	    .address = exp_element_number(element, "address", 0),
	    .size = exp_element_number(element, "size", 0),
	    .generation_from = (uint32_t)exp_element_number(element, "generation", 0),
	    .generation_to = UINT32_MAX,
	    .time_s = exp_clock_seconds(clock, exp_element_number(element, "time", clock->start.ticks)),
	    .text_offset = exp_element_number(element, "offset", NO_OFFSET),
	    .line_count = exp_element_number(element, "lines", 0),
	};
	added->has_text = added->text_offset != NO_OFFSET;
	if (added->size == 0 || added->address + added->size < added->address)
		exp_warn(dynamic->experiment, FMT_FILE_MAP ": the range of a function is damaged");
	else
		dynamic->count++;
	return 0;
}

/* The last one loaded at the address, if it is still there, ends with `generation`. */
static void end_at(struct exp_dynamic *dynamic, size_t count, uint64_t address, uint32_t generation)
{
	for (size_t i = count; i-- > 0;) {
		struct exp_function *function = &dynamic->functions[i];

		if (function->address != address)
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

	experiment->functions = exp_arena_alloc(&experiment->arena, count * sizeof(*experiment->functions));
	experiment->functions_by_start = exp_arena_alloc(&experiment->arena, count * sizeof(uint32_t));
	experiment->functions_highest_end = exp_arena_alloc(&experiment->arena, count * sizeof(uint64_t));
	if (experiment->functions == NULL || experiment->functions_by_start == NULL ||
	    experiment->functions_highest_end == NULL) {
		free(dynamic->functions);
		return -ENOMEM;
	}
	for (size_t i = 0; i < count; i++) {
		experiment->functions[i] = dynamic->functions[i];
		experiment->functions_by_start[i] = (uint32_t)i;
	}
	free(dynamic->functions);
	qsort_r(experiment->functions_by_start, count, sizeof(uint32_t), compare_starts, experiment->functions);
	for (size_t i = 0; i < count; i++) {
		const struct exp_function *function = &experiment->functions[experiment->functions_by_start[i]];
		uint64_t end = function->address + function->size;

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

const struct exp_function *experiment_function_at(const struct experiment *experiment, uint64_t pc, uint32_t generation)
{
	for (size_t i = count_started(experiment, pc); i > 0 && experiment->functions_highest_end[i - 1] > pc; i--) {
		const struct exp_function *function = &experiment->functions[experiment->functions_by_start[i - 1]];

		if (pc - function->address < function->size && generation >= function->generation_from &&
		    generation < function->generation_to)
			return function;
	}
	return NULL;
}

/* A row of a line table, as it is in the file. */
struct line {
	uint32_t offset, line;
};

unsigned experiment_function_line(const struct experiment *experiment, const struct exp_function *function, uint64_t pc)
{
	int fd = function->has_text && function->line_count != 0 ? exp_file_open(experiment->directory, FMT_FILE_DYNTEXT) : -1;
	uint64_t at = (function->text_offset + function->size + TEXT_ALIGNMENT - 1) & ~(uint64_t)(TEXT_ALIGNMENT - 1);
	struct line lines[LINES_AT_ONCE];
	unsigned found = 0;
	int more = 1;

	if (fd < 0 || at > INT64_MAX / 2)
		more = 0;
	for (uint64_t i = 0; more && i < function->line_count;) {
		uint64_t left = function->line_count - i, wanted = left < LINES_AT_ONCE ? left : LINES_AT_ONCE;
		ssize_t got = pread(fd, lines, wanted * sizeof(*lines), (off_t)(at + i * sizeof(*lines)));
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

/* ---- symbols ---- */

static int is_shown(const void *item, const void *wanted)
{
	return ((const struct session_made *)item)->shown == wanted;
}

const struct session_made *session_made_find(struct symbols *symbols, const struct sym_function *shown)
{
	return exp_hash_find(&symbols->made_table, exp_hash_number(EXP_HASH_START, (uintptr_t)shown), is_shown, shown);
}

/* Remember what `shown` is; of several with one name and address, the first. Returns 0 or -ENOMEM. */
static int remember_made(struct symbols *symbols, const struct sym_function *shown, const struct experiment *experiment,
			 const struct exp_function *function)
{
	struct session_made *made;

	if (session_made_find(symbols, shown) != NULL)
		return 0;
	made = exp_arena_alloc(&symbols->arena, sizeof(*made));
	if (made == NULL)
		return -ENOMEM;
	*made = (struct session_made){.shown = shown, .experiment = experiment, .function = function};
	return exp_hash_add(&symbols->made_table, exp_hash_number(EXP_HASH_START, (uintptr_t)shown), made);
}

static const uint8_t *read_code(struct exp_arena *arena, const struct experiment *experiment, const struct exp_function *function)
{
	int fd = function->has_text && function->size <= CODE_MAX ? exp_file_open(experiment->directory, FMT_FILE_DYNTEXT) : -1;
	uint8_t *code = fd < 0 || function->text_offset > INT64_MAX / 2 ? NULL : exp_arena_alloc(arena, function->size);
	ssize_t got = code == NULL ? 0 : pread(fd, code, function->size, (off_t)function->text_offset);

	if (fd >= 0)
		close(fd);
	return got == (ssize_t)function->size ? code : NULL;
}

size_t session_made_code(struct symbols *symbols, const struct session_made *found, uint64_t address, const uint8_t **out)
{
	struct session_made *made = (struct session_made *)found;
	const struct exp_function *function = made->function;

	if (!made->is_read)
		made->code = read_code(&symbols->arena, made->experiment, function);
	made->is_read = 1;
	if (made->code == NULL || address < function->address || address - function->address >= function->size)
		return 0;
	*out = made->code + (address - function->address);
	return function->size - (address - function->address);
}

int session_made_frames(struct symbols *symbols, const struct session_made *made, uint64_t address,
			const struct sym_frame **out)
{
	const struct exp_function *function = made->function;

	if (address - function->address < function->size)
		return session_resolve_dynamic(symbols, symbols->objects[made->shown->object->index], made->experiment, function, address,
					       out);
	return symbols_frames(symbols, made->experiment, address, function->generation_from, 1, out);
}

int session_resolve_dynamic(struct symbols *symbols, struct session_object *object, const struct experiment *experiment,
			    const struct exp_function *function, uint64_t pc, const struct sym_frame **out)
{
	struct session_function_key key = {
	    .object = object,
	    .mangled = function->name[0] != '\0' ? function->name
						  : exp_arena_printf(&symbols->arena, "<Dynamic>+0x%llx",
								     (unsigned long long)function->address),
	    .address = function->address,
	};
	struct sym_frame *frame = exp_arena_alloc(&symbols->arena, sizeof(*frame));
	struct sym_function *found = key.mangled == NULL ? NULL : session_function(symbols, &key);

	if (frame == NULL || found == NULL || remember_made(symbols, found, experiment, function) != 0)
		return -ENOMEM;
	found->size = function->size;
	if (function->source != NULL && found->file == NULL) {
		found->file = exp_arena_string(&symbols->arena, function->source);
		found->line = experiment_function_line(experiment, function, function->address);
	}
	*frame = (struct sym_frame){.function = found, .address = pc};
	frame->line = experiment_function_line(experiment, function, pc);
	frame->file = frame->line != 0 ? found->file : NULL;
	*out = frame;
	return 1;
}

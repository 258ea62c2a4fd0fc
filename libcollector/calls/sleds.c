/* sleds.c: patch the sleds of each object, once. They stay patched: the code that they call checks
 * whether calls are recorded.
 *
 * Other threads may run the code while it is patched. The first two bytes of a sled jump over the
 * rest (an exit sled: return before it), so the rest may be changed at will; then all processors
 * are told; then the first two bytes are stored at once. The rest is written through
 * /proc/self/mem, which needs no writable code; for the first two bytes, the pages are writable and
 * executable for a short time.
 * See doc/decisions/25-function-tracing.md. */
#include "libcollector/calls/sleds.h"

#include "libcollector/base/object.h"
#include "libcollector/calls/functrace.h"
#include "libcollector/calls/functrace_choice.h"
#include "libcollector/calls/sled.h"
#include "libcollector/calls/sled_entry.h"
#include "libcollector/object/code.h"
#include "libcollector/write/log.h"
#include "libcollector/calls/functrace_number.h"

#include <errno.h>

enum {
	OBJECTS = 1024,
	FIRST_ID = 1,
	LAST_ID = (1 << 27) - 1 /* the numbers after these are those of functrace_number.h */
};

/* An object whose sleds are patched. Its ids are first_id and the following ones. */
struct object {
	uint64_t bias;            /* a key, with map */
	const uint8_t *map, *end; /* in memory */
	const uint8_t *stubs;     /* NULL: none yet */
	uint32_t first_id;
	int is_gone, is_patched;
};

static struct object objects[OBJECTS];
static uint32_t object_count, next_id = FIRST_ID;

/* In order of enum sled_kind, as far as there are entries. */
static void (*const targets[])(void) = {
#define X(name) name,
	SLED_ENTRIES(X)
#undef X
};

struct patch {
	const struct object *object;
	const uint8_t *stubs;
	uint64_t low, high; /* of the sleds */
	int is_open;
};

typedef void visitor(struct patch *patch, const struct sled *sled, uint32_t id, int is_first);

static uint64_t stub_of(const struct patch *patch, const struct sled *sled)
{
	return (uint64_t)(patch->stubs + sled->kind * CODE_STUB_SIZE);
}

static int is_wanted(const struct sled *sled)
{
	return sled->kind < SLED_KINDS && choice_has(sled->function);
}

/* Numbers are those of LLVM: sleds in order of the map, with a new number where the function
 * changes. Returns how many. */
static uint32_t walk(const struct object *object, struct patch *patch, visitor *visit)
{
	uint64_t function = 0;
	uint32_t count = 0;

	for (const uint8_t *entry = object->map; (size_t)(object->end - entry) >= SLED_ENTRY_SIZE;
	     entry += SLED_ENTRY_SIZE) {
		struct sled sled;
		int is_first;

		sled_get(entry, &sled);
		is_first = sled.function != function;
		count += (uint32_t)is_first;
		function = sled.function;
		if (visit)
			visit(patch, &sled, object->first_id + count - 1, is_first);
	}
	return count;
}

static void name_one(struct patch *patch, const struct sled *sled, uint32_t id, int is_first)
{
	(void)patch;
	if (is_first && choice_has(sled->function))
		functrace_name(id, sled->function, FMT_function_source_SLEDS);
}

static int is_patchable(const struct sled *sled)
{
	return is_wanted(sled) && sled_is_original(sled, (const uint8_t *)sled->address);
}

static void check_one(struct patch *patch, const struct sled *sled, uint32_t id, int is_first)
{
	(void)id;
	(void)is_first;
	if (!is_wanted(sled))
		return;
	if (!sled_is_original(sled, (const uint8_t *)sled->address)) {
		if (!sled_is_unknown(sled, (const uint8_t *)sled->address))
			patch->high = UINT64_MAX;
		return;
	}
	patch->low = sled->address < patch->low ? sled->address : patch->low;
	patch->high = sled->address + sled_size(sled) > patch->high
	                      ? sled->address + sled_size(sled)
	                      : patch->high;
}

static void write_tail(struct patch *patch, const struct sled *sled, uint32_t id, int is_first)
{
	struct sled_code code;

	(void)is_first;
	if (is_patchable(sled) && sled_make(sled, id, stub_of(patch, sled), &code) == 0)
		code_write(sled->address + code.tail_at, code.tail, code.tail_size);
}

static void store_head(uint64_t address, const uint8_t code[SLED_HEAD], int is_open)
{
	uint16_t head;

	memcpy(&head, code, sizeof(head));
	if (is_open)
		__atomic_store_n((uint16_t *)address, head, __ATOMIC_RELEASE);
	else
		code_write(address, code, SLED_HEAD);
}

static void write_head(struct patch *patch, const struct sled *sled, uint32_t id, int is_first)
{
	struct sled_code code;

	(void)is_first;
	if (!is_patchable(sled) || sled_make(sled, id, stub_of(patch, sled), &code) < 0 ||
	    memcmp((const uint8_t *)sled->address + code.tail_at, code.tail, code.tail_size) != 0)
		return;
	store_head(sled->address, code.head, patch->is_open);
}

/* Patch an object whose numbers are given. Returns 0 or -errno. */
static int patch_object(struct object *object)
{
	struct patch patch = {.object = object, .low = UINT64_MAX};

	walk(object, &patch, check_one);
	if (patch.high == UINT64_MAX)
		return -EBUSY; /* somebody else has patched it, LLVM's own runtime for example */
	if (patch.high == 0)
		return 0;
	if (!object->stubs)
		object->stubs = code_make_stubs((uint64_t)object->map, targets,
		                                sizeof(targets) / sizeof(targets[0]));
	patch.stubs = object->stubs;
	if (!patch.stubs)
		return -ENOMEM;
	object->is_patched = 1;
	walk(object, &patch, name_one);
	walk(object, &patch, write_tail);
	code_tell_processors();
	patch.is_open = code_open_pages(patch.low, patch.high, 1) == 0;
	walk(object, &patch, write_head);
	if (patch.is_open)
		code_open_pages(patch.low, patch.high, 0);
	code_tell_processors();
	return 0;
}

static struct object *find_object(const uint8_t *map, uint64_t bias)
{
	for (uint32_t i = 0; i < object_count; i++)
		if (objects[i].map == map && objects[i].bias == bias)
			return &objects[i];
	return NULL;
}

/* Take an object with a map. An object that was unloaded and comes back to its address does not
 * keep its numbers. */
static int take_object(uint64_t bias, const uint8_t *map, uint64_t size)
{
	struct object *object = find_object(map, bias);
	uint32_t count;

	if (object && !object->is_gone)
		return object->is_patched ? 0 : patch_object(object);
	if (!object && object_count == OBJECTS)
		return -ENOSPC;
	if (!object)
		object = &objects[object_count++];
	*object = (struct object){.bias = bias, .map = map, .end = map + size, .first_id = next_id};
	count = walk(object, NULL, NULL);
	if (count > LAST_ID - next_id) {
		object->end = object->map;
		return -EOVERFLOW;
	}
	next_id += count;
	return patch_object(object);
}

static void tell_taken(void)
{
	col_log_warning("function tracing: sleds that others have patched are left alone");
}

void sleds_see(const struct elffile *file, uint64_t bias)
{
	const Elf64_Shdr *section = elffile_find_section(file, "xray_instr_map");
	int error;

	if (!sled_entry_is_possible() || !section || !(section->sh_flags & SHF_ALLOC))
		return;
	error = take_object(bias, (const uint8_t *)(bias + section->sh_addr), section->sh_size);
	if (error == -EBUSY)
		tell_taken();
	else if (error < 0)
		col_log_warning("function tracing: the sleds of an object could not be patched");
}

/* A sled that something else has patched, or that was not chosen, has other code than ours. */
static void restore_head(struct patch *patch, const struct sled *sled, uint32_t id, int is_first)
{
	uint8_t head[SLED_HEAD];
	struct sled_code code;

	(void)is_first;
	if (sled->kind >= SLED_KINDS || sled_make(sled, id, stub_of(patch, sled), &code) < 0 ||
	    memcmp((const uint8_t *)sled->address, code.head, SLED_HEAD) != 0 ||
	    memcmp((const uint8_t *)sled->address + code.tail_at, code.tail, code.tail_size) != 0)
		return;
	sled_original_head(sled, head);
	store_head(sled->address, head, patch->is_open);
}

static void find_range(struct patch *patch, const struct sled *sled, uint32_t id, int is_first)
{
	(void)id;
	(void)is_first;
	patch->low = sled->address < patch->low ? sled->address : patch->low;
	patch->high = sled->address + SLED_SIZE > patch->high ? sled->address + SLED_SIZE
	                                                      : patch->high;
}

void sleds_restore(void)
{
	if (code_begin() < 0)
		return;
	for (uint32_t i = 0; i < object_count; i++) {
		struct patch patch = {
			.object = &objects[i], .stubs = objects[i].stubs, .low = UINT64_MAX};

		if (objects[i].is_gone || !objects[i].is_patched)
			continue;
		walk(&objects[i], &patch, find_range);
		patch.is_open = code_open_pages(patch.low, patch.high, 1) == 0;
		walk(&objects[i], &patch, restore_head);
		if (patch.is_open)
			code_open_pages(patch.low, patch.high, 0);
		objects[i].is_patched = 0;
	}
	code_tell_processors();
	code_end();
}

static void look_at_one(struct patch *patch, const struct sled *sled, uint32_t id, int is_first)
{
	struct sled_code code;

	(void)is_first;
	if (patch->high != 0 || sled->kind >= SLED_KINDS ||
	    sled_is_original(sled, (const uint8_t *)sled->address) ||
	    sled_make(sled, id, stub_of(patch, sled), &code) < 0)
		return;
	patch->high = memcmp((const uint8_t *)sled->address + code.tail_at, code.tail,
	                     code.tail_size) == 0
	                      ? 1
	                      : UINT64_MAX;
}

void sleds_look(void)
{
	static atomic_uint is_told;

	for (uint32_t i = 0; i < object_count && !atomic_load(&is_told); i++) {
		struct patch patch = {.object = &objects[i], .stubs = objects[i].stubs};
		struct object_found found;

		if (objects[i].is_gone || !objects[i].is_patched ||
		    object_find((uintptr_t)objects[i].map, &found) != 0)
			continue;
		walk(&objects[i], &patch, look_at_one);
		if (patch.high == UINT64_MAX && !atomic_exchange(&is_told, 1))
			tell_taken();
	}
}

void sleds_name_all(void)
{
	for (uint32_t i = 0; i < object_count; i++)
		if (!objects[i].is_gone)
			walk(&objects[i], NULL, name_one);
}

void sleds_forget(void)
{
	for (uint32_t i = 0; i < object_count; i++) {
		struct object_found found;

		if (!objects[i].is_gone && object_find((uintptr_t)objects[i].map, &found) != 0)
			objects[i].is_gone = 1;
	}
}

/* fxtmap.c: modules and mappings of an FXT file become load objects. See fxtmap.h. */
#include "experiment/fxt/fxtmap.h"

#include "format/fxt.h"

#include <errno.h>
#include <stdlib.h>

enum { OBJECTS_MAX = 1 << 20 };

uint64_t exp_fxtmap_process(const struct exp_fxt_record *record)
{
	if (record->kind == FXT_module)
		return record->values[FXT_AT(module, thread)].process;
	return record->kind == FXT_mmap ? record->values[FXT_AT(mmap, thread)].process : 0;
}

static const char *hexadecimal(struct experiment *experiment, const char *bytes, uint64_t size)
{
	char *text = exp_arena_alloc(&experiment->arena, size * 2 + 1);

	for (uint64_t i = 0; text && i < size; i++) {
		text[2 * i] = "0123456789abcdef"[(unsigned char)bytes[i] >> 4];
		text[2 * i + 1] = "0123456789abcdef"[(unsigned char)bytes[i] & 15];
	}
	return text;
}

static int add_module(struct exp_fxtmap *map, const struct exp_fxt_record *record, uint32_t process)
{
	const struct exp_fxt_value *values = record->values, *name = &values[FXT_AT(module, name)];
	const struct exp_fxt_value *id = &values[FXT_AT(module, build_id)];
	uint64_t key = (uint64_t)process << 16 | EXP_FXT_FIELD(record, module, id);
	uint32_t known = exp_index_find(&map->by_module, key);
	struct exp_fxtmap_module made = {
		exp_arena_text(&map->experiment->arena, name->text, name->number),
		hexadecimal(map->experiment, id->text, id->number)};

	if (!made.name || !made.build_id)
		return -ENOMEM;
	if (known != EXP_INDEX_NONE) {
		map->modules[known] = made;
		return 0;
	}
	if (exp_array_reserve(&map->modules, &map->module_capacity, map->module_count,
	                      sizeof(made)) != 0 ||
	    exp_index_add(&map->by_module, key, (uint32_t)map->module_count) != 0)
		return -ENOMEM;
	map->modules[map->module_count++] = made;
	return 0;
}

/* A mapping is of the module that was told last before it under that number. */
static int add_mapping(struct exp_fxtmap *map, const struct exp_fxt_record *record,
                       uint32_t process, uint32_t from, uint32_t to)
{
	const struct exp_fxt_value *values = record->values;
	uint64_t start = values[FXT_AT(mmap, start)].number,
		 size = values[FXT_AT(mmap, size)].number;
	uint32_t module = exp_index_find(
		&map->by_module, (uint64_t)process << 16 | EXP_FXT_FIELD(record, mmap, module));
	struct exp_map_object *added;

	if (module == EXP_INDEX_NONE || size == 0 || size > UINT64_MAX - start ||
	    map->object_count == OBJECTS_MAX) {
		exp_warn(map->experiment, "offset %llu: a mapping of %s",
		         (unsigned long long)record->offset,
		         module == EXP_INDEX_NONE ? "a module that was not announced"
		                                  : "a size that cannot be");
		return 0;
	}
	if (exp_array_reserve(&map->objects, &map->object_capacity, map->object_count,
	                      sizeof(*added)) != 0)
		return -ENOMEM;
	added = &map->objects[map->object_count++];
	added->id = map->object_count;
	added->object = (struct exp_object){
		.path = map->modules[module].name,
		.build_id = map->modules[module].build_id,
		.bias = start - values[FXT_AT(mmap, address)].number,
		.start = start,
		.end = start + size,
		.generation_from = from,
		.generation_to = to,
	};
	return 0;
}

int exp_fxtmap_take(struct exp_fxtmap *map, const struct exp_fxt_record *record, uint32_t process,
                    uint32_t from, uint32_t to)
{
	if (record->kind == FXT_module)
		return add_module(map, record, process);
	return record->kind == FXT_mmap ? add_mapping(map, record, process, from, to) : 0;
}

void exp_fxtmap_fini(struct exp_fxtmap *map)
{
	free(map->modules);
	free(map->objects);
	exp_index_fini(&map->by_module);
}

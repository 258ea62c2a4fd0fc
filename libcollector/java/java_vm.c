/* java_vm.c: read HotSpot's tables, and with them its code cache. See java_vm.h.
 * See doc/decisions/41-java-frames.md. */
#include "libcollector/java/java_vm.h"

#include "libcollector/base/collector.h"
#include "libcollector/hook/dlsym.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

enum {
	HEAPS_MAX = 8,
	HOPS_MAX = 1 << 16,
	ENTRIES_MAX = 100000,
	SEGMENT_FREE = 0xff,
	SEGMENT_BITS_MAX = 20
};

struct java_vm java_vm;

/* ---- the tables ---- */

/* One of the tables: where its entries begin and their layout. Each of these is a variable of
 * libjvm. */
struct table {
	const char *entries;
	uint64_t stride, type, field, is_static, offset, address, size;
};

static uint64_t variable(void *libjvm, const char *name)
{
	const uint64_t *found = dlsym(libjvm, name);

	return found ? *found : JAVA_VM_NONE;
}

static const char *text_at(const char *entry, uint64_t offset)
{
	const char *text = *(const char *const *)(entry + offset);

	return text ? text : "";
}

/* The value of a field's entry: its offset, or its address if it is static. */
static uint64_t find_field(const struct table *fields, const char *type, const char *name,
                           int is_static)
{
	const char *entry = fields->entries;

	for (int i = 0; i < ENTRIES_MAX && *text_at(entry, fields->type);
	     i++, entry += fields->stride) {
		if (strcmp(text_at(entry, fields->field), name) != 0 ||
		    strcmp(text_at(entry, fields->type), type) != 0)
			continue;
		if (*(const int32_t *)(entry + fields->is_static) != is_static)
			return JAVA_VM_NONE;
		return *(const uint64_t *)(entry + (is_static ? fields->address : fields->offset));
	}
	return JAVA_VM_NONE;
}

static uint64_t find_size(const struct table *types, const char *type)
{
	const char *entry = types->entries;

	for (int i = 0; i < ENTRIES_MAX && *text_at(entry, types->type);
	     i++, entry += types->stride)
		if (strcmp(text_at(entry, types->type), type) == 0)
			return *(const uint64_t *)(entry + types->size);
	return JAVA_VM_NONE;
}

static int open_tables(void *libjvm, struct table *fields, struct table *types)
{
	*fields = (struct table){
		.entries = (const char *)variable(libjvm, "gHotSpotVMStructs"),
		.stride = variable(libjvm, "gHotSpotVMStructEntryArrayStride"),
		.type = variable(libjvm, "gHotSpotVMStructEntryTypeNameOffset"),
		.field = variable(libjvm, "gHotSpotVMStructEntryFieldNameOffset"),
		.is_static = variable(libjvm, "gHotSpotVMStructEntryIsStaticOffset"),
		.offset = variable(libjvm, "gHotSpotVMStructEntryOffsetOffset"),
		.address = variable(libjvm, "gHotSpotVMStructEntryAddressOffset"),
	};
	*types = (struct table){
		.entries = (const char *)variable(libjvm, "gHotSpotVMTypes"),
		.stride = variable(libjvm, "gHotSpotVMTypeEntryArrayStride"),
		.type = variable(libjvm, "gHotSpotVMTypeEntryTypeNameOffset"),
		.size = variable(libjvm, "gHotSpotVMTypeEntrySizeOffset"),
	};
	return fields->entries != (const char *)JAVA_VM_NONE && fields->stride < 4096 &&
	       fields->type < 4096 && fields->field < 4096 && fields->is_static < 4096 &&
	       fields->offset < 4096 && fields->address < 4096 &&
	       types->entries != (const char *)JAVA_VM_NONE && types->stride < 4096 &&
	       types->type < 4096 && types->size < 4096;
}

const char *java_vm_open(void *libjvm)
{
	struct table fields, types;
	struct java_vm found = {.low = 0};
	const char *missing = NULL;

	if (!open_tables(libjvm, &fields, &types))
		return "gHotSpotVMStructs";
#define ENTRY(id, type, name, is_needed, is_static) \
	found.id = find_field(&fields, type, name, is_static); \
	if (is_needed && found.id == JAVA_VM_NONE) \
		missing = type "::" name;
#define FIELD(id, type, name, is_needed) ENTRY(id, type, name, is_needed, 0)
#define STATIC(id, type, name, is_needed) ENTRY(id, type, name, is_needed, 1)
#define SIZE(id, type) \
	found.id##_bytes = find_size(&types, type); \
	if (found.id##_bytes == JAVA_VM_NONE) \
		missing = type;
#include "libcollector/java/java_vm.def"
#undef ENTRY
	if (!missing && found.blob_begin == JAVA_VM_NONE && found.blob_offset == JAVA_VM_NONE)
		missing = "CodeBlob::_code_begin";
	if (!missing) { /* a handler asks for `low` first */
		uint64_t low = found.low;

		found.low = 0;
		java_vm = found;
		__atomic_store_n(&java_vm.low, low, __ATOMIC_RELEASE);
	}
	return missing;
}

/* ---- the code cache ---- */

static uint64_t word(uint64_t address)
{
	return *(const uint64_t *)address;
}

static uint32_t half(uint64_t address)
{
	return *(const uint32_t *)address;
}

/* The block of a heap that holds pc: its header's address, 0 if there is none. A segment's byte
 * tells how far back at most the block's first segment is. */
static uint64_t find_block(uint64_t heap, uint64_t pc)
{
	uint64_t low = word(heap + java_vm.heap_memory + java_vm.space_low),
		 high = word(heap + java_vm.heap_memory + java_vm.space_high);
	const uint8_t *segments = (const uint8_t *)word(heap + java_vm.heap_segments +
	                                                java_vm.space_low);
	uint32_t bits = half(heap + java_vm.heap_segment_bits);
	uint64_t at;

	if (pc < low || pc >= high || !segments || bits > SEGMENT_BITS_MAX)
		return 0;
	at = (pc - low) >> bits;
	for (int i = 0; segments[at] != 0; i++) {
		if (segments[at] == SEGMENT_FREE || segments[at] > at || i == HOPS_MAX)
			return 0;
		at -= segments[at];
	}
	return low + (at << bits);
}

static uint64_t find_blob(uint64_t pc)
{
	uint64_t array = word(java_vm.heaps);
	uint32_t count = array ? half(array + java_vm.array_count) : 0;
	uint64_t heaps = count ? word(array + java_vm.array_data) : 0;

	for (uint32_t i = 0; heaps && i < count && i < HEAPS_MAX; i++) {
		uint64_t heap = word(heaps + 8 * i);
		uint64_t block = heap ? find_block(heap, pc) : 0;

		if (block)
			return *(const uint8_t *)(block + java_vm.block_used)
			               ? block + java_vm.block_bytes
			               : 0;
	}
	return 0;
}

static int is_interpreter(uint64_t pc)
{
	uint64_t queue = word(java_vm.interpreter);

	return queue && pc - word(queue + java_vm.stubs) < half(queue + java_vm.stubs_size);
}

int java_vm_code_at(uint64_t pc, struct java_code *out)
{
	uint64_t blob = find_blob(pc);
	int16_t complete;

	if (!blob)
		return -ENOENT;
	*out = (struct java_code){.kind = JAVA_CODE_STUB,
	                          .frame_bytes = 8 * half(blob + java_vm.blob_frame)};
	out->begin = java_vm.blob_begin != JAVA_VM_NONE ? word(blob + java_vm.blob_begin)
	                                                : blob + half(blob + java_vm.blob_offset);
	out->end = blob + half(blob + java_vm.blob_size);
	complete = *(const int16_t *)(blob + java_vm.blob_complete); /* of 32 bits in 17, which is
	                                                                as well: little endian */
	out->complete = complete > 0 ? (uint32_t)complete : 0;
	if (is_interpreter(pc))
		out->kind = JAVA_CODE_INTERPRETER;
	else if (out->frame_bytes >= 16 && out->frame_bytes < 1 << 20)
		out->kind = JAVA_CODE_COMPILED;
	return pc >= out->begin && pc < out->end ? 0 : -ENOENT;
}

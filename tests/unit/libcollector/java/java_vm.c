/* HotSpot's tables and its code cache, in a made-up JVM (tests/programs/late/jvm.c). */
#include "libcollector/java/java_vm.h"
#include "tests/programs/late/jvm.h"
#include "tests/unit/libcollector/scratch.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

enum { SEGMENT_BITS = 7, SEGMENTS = 4096 };

static void *libjvm;
static struct jvm *jvm;

/* Two heaps; segments[] has a byte for each SEGMENT of a heap's memory. */
static _Alignas(4096) char memory[2][SEGMENTS << SEGMENT_BITS];
static uint8_t segments[2][SEGMENTS];
static struct jvm_heap heap[2];
static struct jvm_heap *heaps[] = {&heap[0], &heap[1]};
static struct jvm_heaps array = {8, 2, heaps};
static struct jvm_queue queue;

static void setup(void)
{
	libjvm = scratch_load("jvm.so", RTLD_NOW | RTLD_LOCAL);
	jvm = dlsym(libjvm, "jvm");
	memset(segments, 0xff, sizeof(segments));
	for (int i = 0; i < 2; i++)
		heap[i] = (struct jvm_heap){
			.memory = {NULL, memory[i], memory[i + 1]},
			.segment_bits = SEGMENT_BITS,
			.segments = {NULL, (char *)segments[i], (char *)segments[i + 1]}};
	jvm->heaps = &array;
	jvm->low = memory[0];
	jvm->high = memory[1] + sizeof(memory[1]);
	jvm->release = 17;
}

TestSuite(java_vm, .init = setup);

/* A block of some segments in a heap, with a blob in it whose code begins after 64 bytes. */
static struct jvm_blob *put_blob(int in, unsigned segment, unsigned count, int32_t frame_words)
{
	struct jvm_block *block = (void *)(memory[in] + (segment << SEGMENT_BITS));
	struct jvm_blob *blob = (void *)(block + 1);

	block->is_used = 1;
	for (unsigned i = 0; i < count; i++)
		segments[in][segment + i] = (uint8_t)i;
	*blob = (struct jvm_blob){.name = "blob",
	                          .size = (int32_t)(count << SEGMENT_BITS) - 16,
	                          .frame_words = frame_words,
	                          .complete = 12,
	                          .code_offset = 96,
	                          .code_begin = (const char *)blob + 64};
	return blob;
}

static uint64_t address(const struct jvm_blob *blob, uint64_t offset)
{
	return (uint64_t)blob + offset;
}

Test(java_vm, code_is_found_in_the_heap_that_has_it)
{
	struct jvm_blob *first = put_blob(0, 10, 4, 6), *second = put_blob(1, 10, 2, 8);
	struct java_code code;

	cr_assert_null(java_vm_open(libjvm));
	cr_assert_eq(java_vm_code_at(address(first, 64), &code), 0);
	cr_assert_eq(code.kind, JAVA_CODE_COMPILED);
	cr_assert_eq(code.begin, address(first, 64));
	cr_assert_eq(code.end, address(first, 4 * 128 - 16));
	cr_assert_eq(code.frame_bytes, 48);
	cr_assert_eq(code.complete, 12);
	cr_assert_eq(java_vm_code_at(code.end - 1, &code), 0);
	cr_assert_eq(java_vm_code_at(code.end, &code), -ENOENT);
	cr_assert_eq(java_vm_code_at(code.begin - 1, &code), -ENOENT);
	cr_assert_eq(java_vm_code_at(address(second, 100), &code), 0);
	cr_assert_eq(code.frame_bytes, 64);
	cr_assert_eq(code.begin, address(second, 64));
	array.count = 1;
	cr_assert_eq(java_vm_code_at(address(second, 100), &code), -ENOENT);
	cr_assert_eq(java_vm_code_at(address(first, 100), &code), 0);
	array.count = 2;
	heaps[0] = NULL;
	cr_assert_eq(java_vm_code_at(address(second, 100), &code), 0);
	array.data = NULL;
	cr_assert_eq(java_vm_code_at(address(second, 100), &code), -ENOENT);
	jvm->heaps = NULL;
	cr_assert_eq(java_vm_code_at(address(second, 100), &code), -ENOENT);
}

/* The byte of a segment says how many segments to go back, at most 254. */
Test(java_vm, long_code_is_found_from_all_its_segments)
{
	enum { FIRST = 100, COUNT = 900 };
	struct jvm_blob *blob = put_blob(0, FIRST, COUNT, 6);
	struct java_code code;

	for (unsigned i = 1; i < COUNT; i++)
		segments[0][FIRST + i] = (uint8_t)(i < 254 ? i : 254);
	cr_assert_null(java_vm_open(libjvm));
	for (unsigned i = 1; i < COUNT; i++) {
		cr_assert_eq(java_vm_code_at(address(blob, i << SEGMENT_BITS), &code), 0, "%u", i);
		cr_assert_eq(code.begin, address(blob, 64));
	}
}

/* One hop a segment: more of them than any code has are the bytes of something else. */
Test(java_vm, a_search_for_the_first_segment_ends)
{
	enum { BITS = 1, MOST = 1 << 16, COUNT = MOST + 2 };
	static uint8_t hops[COUNT];
	static _Alignas(4096) char many[COUNT << BITS];
	struct jvm_block *block = (void *)many;
	struct jvm_blob *blob = (void *)(block + 1);
	struct java_code code;

	block->is_used = 1;
	memset(hops + 1, 1, COUNT - 1);
	*blob = (struct jvm_blob){.name = "blob",
	                          .size = sizeof(many) - 16,
	                          .frame_words = 6,
	                          .complete = 12,
	                          .code_offset = 96,
	                          .code_begin = (const char *)blob + 64};
	heap[0] = (struct jvm_heap){.memory = {NULL, many, many + sizeof(many)},
	                            .segment_bits = BITS,
	                            .segments = {NULL, (char *)hops, (char *)hops + COUNT}};
	jvm->low = many;
	jvm->high = many + sizeof(many);
	cr_assert_null(java_vm_open(libjvm));
	cr_assert_eq(java_vm_code_at((uint64_t)many + (MOST << BITS), &code), 0);
	cr_assert_eq(java_vm_code_at((uint64_t)many + ((MOST + 1) << BITS), &code), -ENOENT);
}

Test(java_vm, free_segments_and_damaged_ones_have_no_code)
{
	struct jvm_blob *blob = put_blob(0, 10, 4, 6);
	struct java_code code;

	cr_assert_null(java_vm_open(libjvm));
	cr_assert_eq(java_vm_code_at((uint64_t)memory[0] + (20 << SEGMENT_BITS), &code), -ENOENT);
	((struct jvm_block *)(void *)blob)[-1].is_used = 0;
	cr_assert_eq(java_vm_code_at(address(blob, 100), &code), -ENOENT);
	((struct jvm_block *)(void *)blob)[-1].is_used = 1;
	segments[0][12] = 13;
	cr_assert_eq(java_vm_code_at(address(blob, 200), &code), 0);
	cr_assert_eq(java_vm_code_at(address(blob, 2 << SEGMENT_BITS), &code), -ENOENT,
	             "before the first");
	cr_assert_eq(java_vm_code_at((uint64_t)memory[0] - 1, &code), -ENOENT);
	cr_assert_eq(java_vm_code_at((uint64_t)memory[1] + sizeof(memory[1]), &code), -ENOENT);
	heap[0].segment_bits = 21;
	cr_assert_eq(java_vm_code_at(address(blob, 100), &code), -ENOENT);
	heap[0].segment_bits = SEGMENT_BITS;
	heap[0].segments.low = NULL;
	cr_assert_eq(java_vm_code_at(address(blob, 100), &code), -ENOENT);
}

Test(java_vm, code_has_a_kind)
{
	struct jvm_blob *stub = put_blob(0, 10, 4, 1), *small = put_blob(0, 20, 4, 2),
			*huge = put_blob(0, 30, 4, 1 << 17), *interpreter = put_blob(0, 40, 4, 0);
	struct java_code code;

	cr_assert_null(java_vm_open(libjvm));
	cr_assert_eq(java_vm_code_at(address(stub, 100), &code), 0);
	cr_assert_eq(code.kind, JAVA_CODE_STUB);
	cr_assert_eq(java_vm_code_at(address(small, 100), &code), 0);
	cr_assert_eq(code.kind, JAVA_CODE_COMPILED);
	cr_assert_eq(java_vm_code_at(address(huge, 100), &code), 0);
	cr_assert_eq(code.kind, JAVA_CODE_STUB);
	queue = (struct jvm_queue){0, (const char *)interpreter + 80, 100};
	cr_assert_eq(java_vm_code_at(address(interpreter, 80), &code), 0);
	cr_assert_eq(code.kind, JAVA_CODE_STUB, "there is no interpreter yet");
	jvm->interpreter = &queue;
	cr_assert_eq(java_vm_code_at(address(interpreter, 80), &code), 0);
	cr_assert_eq(code.kind, JAVA_CODE_INTERPRETER);
	cr_assert_eq(java_vm_code_at(address(interpreter, 179), &code), 0);
	cr_assert_eq(code.kind, JAVA_CODE_INTERPRETER);
	cr_assert_eq(java_vm_code_at(address(interpreter, 180), &code), 0);
	cr_assert_eq(code.kind, JAVA_CODE_STUB);
	small->complete = -1;
	cr_assert_eq(java_vm_code_at(address(small, 100), &code), 0);
	cr_assert_eq(code.complete, 0);
}

/* From release 20 on there is an offset, before that an address. */
static struct jvm_field *entry(const char *type, const char *field)
{
	for (struct jvm_field *at = jvm->fields; at->type; at++)
		if (strcmp(at->type, type) == 0 && strcmp(at->field, field) == 0)
			return at;
	cr_assert(0, "%s::%s", type, field);
	return NULL;
}

Test(java_vm, releases_tell_of_the_begin_of_code_in_one_of_two_ways)
{
	struct jvm_blob *blob = put_blob(0, 10, 4, 6);
	struct java_code code;

	entry("CodeBlob", "_code_begin")->field = "_renamed";
	cr_assert_null(java_vm_open(libjvm));
	cr_assert_eq(java_vm_code_at(address(blob, 100), &code), 0);
	cr_assert_eq(code.begin, address(blob, 96));
	entry("CodeBlob", "_code_offset")->field = "_renamed_too";
	cr_assert_str_eq(java_vm_open(libjvm), "CodeBlob::_code_begin");
}

Test(java_vm, what_is_missing_is_named_and_nothing_is_changed)
{
	struct jvm_field *field = entry("StubQueue", "_buffer_limit");

	field->type = "StubCue";
	cr_assert_str_eq(java_vm_open(libjvm), "StubQueue::_buffer_limit");
	cr_assert_eq(java_vm.low, 0);
	cr_assert(!java_vm_is_code((uint64_t)memory[0]));
	field->type = "StubQueue";
	field->is_static = 1;
	cr_assert_str_eq(java_vm_open(libjvm), "StubQueue::_buffer_limit", "it is no variable");
	field->is_static = 0;
	entry("CodeCache", "_low_bound")->is_static = 0;
	cr_assert_str_eq(java_vm_open(libjvm), "CodeCache::_low_bound");
	entry("CodeCache", "_low_bound")->is_static = 1;
	jvm->types[2].type = "ConstMeth";
	cr_assert_str_eq(java_vm_open(libjvm), "ConstMethod");
	jvm->types[2].type = "ConstMethod";
	entry("ConstMethod", "_flags")->field = "_of_old";
	entry("ConstMethod", "_flags._flags")->field = "_of_new";
	cr_assert_null(java_vm_open(libjvm), "it is not needed");
	cr_assert_eq(java_vm.const_flags, JAVA_VM_NONE);
	cr_assert_eq(java_vm.const_code_size, offsetof(struct jvm_const_method, code_size));
	cr_assert(java_vm_is_code((uint64_t)memory[0]));
	cr_assert(java_vm_is_code((uint64_t)memory[2] - 1));
	cr_assert(!java_vm_is_code((uint64_t)memory[2]));
	cr_assert(!java_vm_is_code((uint64_t)memory[0] - 1));
}

Test(java_vm, a_library_without_tables_is_no_machine)
{
	cr_assert_str_eq(java_vm_open(dlopen("libc.so.6", RTLD_NOW)), "gHotSpotVMStructs");
}

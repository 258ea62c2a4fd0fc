/* jvm: a made-up libjvm. It has the tables that HotSpot has for its own debugger; the entries that
 * the recorder looks for stand among others. */
#include "tests/programs/late/jvm.h"

#include <stddef.h>

extern struct jvm jvm;
int JNI_CreateJavaVM(struct java_machine **machine, struct java_env **env, void *arguments);

#define STATIC(type, name, variable) {type, name, "", 1, 0, &jvm.variable},
#define FIELD(type, name, struct, member) {type, name, "", 0, offsetof(struct, member), NULL},

static struct jvm_field fields[] = {
	FIELD("Other", "_heaps", struct jvm, heaps) STATIC("CodeCache", "_heaps", heaps) STATIC(
		"CodeCache", "_low_bound",
		low) STATIC("CodeCache", "_high_bound",
                            high) STATIC("AbstractInterpreter", "_code",
                                         interpreter) STATIC("Abstract_VM_Version",
                                                             "_vm_major_version", release)
		FIELD("GrowableArrayBase", "_max", struct jvm_heaps, capacity) FIELD(
			"GrowableArrayBase", "_len", struct jvm_heaps,
			count) FIELD("GrowableArray<int>", "_data", struct jvm_heaps,
                                     data) FIELD("CodeHeap", "_memory", struct jvm_heap,
                                                 memory) FIELD("CodeHeap", "_segmap",
                                                               struct jvm_heap,
                                                               segments) FIELD("CodeHeap",
                                                                               "_log2_segment_size",
                                                                               struct jvm_heap,
                                                                               segment_bits)
			FIELD("VirtualSpace", "_low_boundary", struct jvm_space, low_bound) FIELD(
				"VirtualSpace", "_low", struct jvm_space,
				low) FIELD("VirtualSpace", "_high", struct jvm_space,
                                           high) FIELD("HeapBlock::Header", "_length",
                                                       struct jvm_block,
                                                       length) FIELD("HeapBlock::Header", "_used", struct jvm_block,
                                                                     is_used) FIELD("CodeBlob", "_name", struct jvm_blob, name)
				FIELD("CodeBlob", "_size", struct jvm_blob, size) FIELD(
					"CodeBlob",
					"_frame_size",
					struct jvm_blob,
					frame_words) FIELD("CodeBlob", "_frame_complete_offset",
                                                           struct jvm_blob,
                                                           complete) FIELD("CodeBlob", "_code_begin", struct jvm_blob,
                                                                           code_begin) FIELD("CodeBlob",
                                                                                             "_code_offset",
                                                                                             struct jvm_blob,
                                                                                             code_offset)
					FIELD("StubQueue", "_stub_buffer", struct jvm_queue, buffer) FIELD(
						"StubQueue", "_buffer_limit",
						struct jvm_queue,
						limit) FIELD("Method", "_constMethod",
                                                             struct jvm_method,
                                                             constant) FIELD("ConstMethod",
                                                                             "_constants",
                                                                             struct jvm_const_method,
                                                                             constants)
						FIELD("ConstMethod", "_flags", struct jvm_const_method, flags) FIELD(
							"ConstMethod", "_flags._flags",
							struct jvm_const_method,
							flags_new) FIELD("ConstMethod",
                                                                         "_code_size",
                                                                         struct
                                                                         jvm_const_method,
                                                                         code_size)
							FIELD("ConstMethod", "_name_index",
                                                              struct jvm_const_method,
                                                              name) FIELD("ConstMethod",
                                                                          "_signature_index",
                                                                          struct jvm_const_method,
                                                                          signature)
								FIELD("ConstantPool", "_length",
                                                                      struct jvm_pool,
                                                                      length) FIELD("ConstantPool",
                                                                                    "_pool_holder",
                                                                                    struct jvm_pool,
                                                                                    holder)
									FIELD("ConstantPool",
                                                                              "_source_file_name_index",
                                                                              struct jvm_pool,
                                                                              source) FIELD("Klass",
                                                                                            "_name",
                                                                                            struct
                                                                                            jvm_class,
                                                                                            name)
										FIELD("Symbol",
                                                                                      "_length",
                                                                                      struct
                                                                                      jvm_symbol,
                                                                                      length)
											FIELD("Symbol",
                                                                                              "_body",
                                                                                              struct
                                                                                              jvm_symbol,
                                                                                              body){
												NULL,
												NULL,
												NULL,
												0,
												0,
												NULL},
};

static struct jvm_type types[] = {
	{"oopDesc", NULL, 0, 0, 0, 16},
	{"HeapBlock", NULL, 0, 0, 0, sizeof(struct jvm_block)},
	{"ConstMethod", NULL, 0, 0, 0, offsetof(struct jvm_const_method, code)},
	{"ConstantPool", NULL, 0, 0, 0, offsetof(struct jvm_pool, entries)},
	{NULL, NULL, 0, 0, 0, 0},
};

struct jvm jvm = {.fields = fields, .types = types};

#define VARIABLE(name, value) \
	extern const uint64_t name; \
	const uint64_t name = value;

extern struct jvm_field *gHotSpotVMStructs;
extern struct jvm_type *gHotSpotVMTypes;
struct jvm_field *gHotSpotVMStructs = fields;
struct jvm_type *gHotSpotVMTypes = types;
VARIABLE(gHotSpotVMStructEntryArrayStride, sizeof(struct jvm_field))
VARIABLE(gHotSpotVMStructEntryTypeNameOffset, offsetof(struct jvm_field, type))
VARIABLE(gHotSpotVMStructEntryFieldNameOffset, offsetof(struct jvm_field, field))
VARIABLE(gHotSpotVMStructEntryIsStaticOffset, offsetof(struct jvm_field, is_static))
VARIABLE(gHotSpotVMStructEntryOffsetOffset, offsetof(struct jvm_field, offset))
VARIABLE(gHotSpotVMStructEntryAddressOffset, offsetof(struct jvm_field, address))
VARIABLE(gHotSpotVMTypeEntryArrayStride, sizeof(struct jvm_type))
VARIABLE(gHotSpotVMTypeEntryTypeNameOffset, offsetof(struct jvm_type, type))
VARIABLE(gHotSpotVMTypeEntrySizeOffset, offsetof(struct jvm_type, size))

int JNI_CreateJavaVM(struct java_machine **machine, struct java_env **env, void *arguments)
{
	return jvm.create(machine, env, arguments);
}

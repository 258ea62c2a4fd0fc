/* jvm.h: a made-up JVM, with structures like HotSpot's, for the unit tests of
 * libcollector/java. */
#ifndef XER_TESTS_JVM_H
#define XER_TESTS_JVM_H

#include <stdint.h>

struct jvm_space {
	const char *low_bound;
	const char *low, *high;
};

struct jvm_heap {
	uint64_t before;
	struct jvm_space memory;
	int segment_bits, unused;
	struct jvm_space segments;
};

struct jvm_heaps {
	int capacity, count;
	struct jvm_heap **data;
};

struct jvm_block { /* in front of a blob */
	uint64_t length;
	uint8_t is_used, unused[7];
};

struct jvm_blob {
	const char *name;
	int32_t size, frame_words;
	int16_t complete, unused;
	int32_t code_offset;
	const char *code_begin;
};

struct jvm_queue {
	uint64_t before;
	const char *buffer;
	int32_t limit;
};

struct jvm_symbol {
	uint32_t hash;
	uint16_t length;
	char body[1100];
};

struct jvm_class {
	uint64_t before;
	const struct jvm_symbol *name;
};

struct jvm_pool {
	uint64_t before;
	const struct jvm_class *holder;
	int32_t length;
	uint16_t source;
	const struct jvm_symbol *entries[16];
};

struct jvm_const_method {
	const struct jvm_pool *constants;
	uint64_t before;
	uint16_t flags, flags_new, code_size, name, signature, unused[3];
	uint8_t code[64]; /* with the line table after it */
};

struct jvm_method {
	uint64_t before;
	const struct jvm_const_method *constant;
};

/* An entry of gHotSpotVMStructs. */
struct jvm_field {
	const char *type, *field, *of;
	int32_t is_static;
	uint64_t offset;
	void *address;
};

struct jvm_type {
	const char *type, *super;
	int32_t a, b, c;
	uint64_t size;
};

struct java_machine;
struct java_env;

/* What the library contains, as `jvm`. */
struct jvm {
	struct jvm_field *fields; /* the last one has no type */
	struct jvm_type *types;
	struct jvm_heaps *heaps;
	const char *low, *high; /* bounds of the code cache */
	struct jvm_queue *interpreter;
	int32_t release;
	int (*create)(struct java_machine **machine, struct java_env **env, void *arguments);
};

#endif

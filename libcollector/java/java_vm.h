/* java_vm.h: HotSpot's code cache, as a signal handler can read it: which code an address belongs
 * to, and the layout of its frames.
 *
 * For its own debugger, HotSpot describes its data in tables that libjvm exports; java_vm.def names
 * what is used of them. Code and the map of its segments stay mapped while the process lives, so
 * they are read directly. Everything else is read by walk_read. */
#ifndef XER_COLLECTOR_JAVA_VM_H
#define XER_COLLECTOR_JAVA_VM_H

#include "libcollector/unwind/walk.h"

#define JAVA_VM_NONE UINT64_MAX

struct java_vm {
#define FIELD(id, type, name, is_needed) uint64_t id;
#define STATIC FIELD
#define SIZE(id, type) uint64_t id##_bytes;
#include "libcollector/java/java_vm.def"
};

extern struct java_vm java_vm __attribute__((visibility("hidden")));

enum java_code_kind {
	JAVA_CODE_COMPILED, /* frames of a fixed size: compiled methods, stubs that call the VM */
	JAVA_CODE_INTERPRETER,
	JAVA_CODE_STUB /* frames by frame pointer, or none */
};

struct java_code {
	enum java_code_kind kind;
	uint64_t begin, end;  /* of its instructions; end: of the whole */
	uint32_t frame_bytes; /* with the return address */
	uint32_t complete;    /* offset from `begin` from which the frame exists; 0: not known */
};

/* Read the layout from the tables of the object `libjvm`, a handle of dlopen. Returns NULL, or what
 * is missing. Normal context. */
const char *java_vm_open(void *libjvm);

/* Is `pc` in the code cache? Signal-safe. */
static inline int java_vm_is_code(uint64_t pc)
{
	return java_vm.low && pc >= *(const uint64_t *)java_vm.low &&
	       pc < *(const uint64_t *)java_vm.high;
}

/* The code that contains `pc`, which is in the code cache. Returns 0 or -ENOENT. Signal-safe. */
int java_vm_code_at(uint64_t pc, struct java_code *out);

#endif

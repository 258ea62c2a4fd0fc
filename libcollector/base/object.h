/* object.h: the load object of an address, as the loader knows it.
 *
 * The recorder must not walk the loader's own list: another thread may hold its lock, or may have
 * held it when this process was forked. Since glibc 2.35, the C library answers this one question
 * without a lock. For another or an older C library, another implementation goes into object.c. */
#ifndef XER_COLLECTOR_OBJECT_H
#define XER_COLLECTOR_OBJECT_H

#include <stdint.h>

struct link_map;

struct object_found {
	uintptr_t start, end;        /* of its mapping */
	struct link_map *link;       /* the loader's own record of it: <link.h>; not NULL */
	const uint8_t *unwind_table; /* .eh_frame_hdr in memory, NULL: it has none */
};

/* Returns 0, or -ENOENT: the address is in no object, or in one that is not completely loaded, or
 * is being unloaded. Signal-safe; takes no lock. */
int object_find(uintptr_t address, struct object_found *out) __attribute__((visibility("hidden")));

/* Where the loader's own code begins. Signal-safe. */
uintptr_t object_loader(void) __attribute__((visibility("hidden")));

/* Is the address in the few instructions with which the loader begins a process? Constructors of
 * libraries are called from there, and it has no unwinding table. Signal-safe. */
int object_begins_process(uintptr_t address) __attribute__((visibility("hidden")));

#endif

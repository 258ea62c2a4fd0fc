/* object.c: ask the C library for the object of an address. See object.h and
 * doc/decisions/08-object-lookup.md. */
#include "libcollector/base/object.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>

int object_find(uintptr_t address, struct object_found *out)
{
	struct dl_find_object found;

	if (_dl_find_object((void *)address, &found) != 0)
		return -ENOENT;
	*out = (struct object_found){(uintptr_t)found.dlfo_map_start, (uintptr_t)found.dlfo_map_end,
	                             found.dlfo_link_map, found.dlfo_eh_frame};
	return 0;
}

uintptr_t object_loader(void)
{
	return (uintptr_t)_r_debug.r_ldbase;
}

int object_begins_process(uintptr_t address)
{
	enum { FIRST_CODE = 128 };
	const ElfW(Ehdr) *loader = (const void *)object_loader();

	return loader && address - (uintptr_t)loader - loader->e_entry < FIRST_CODE;
}

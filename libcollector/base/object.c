/* object.c: ask the C library for the object of an address. See object.h and
 * doc/decisions/08-object-lookup.md. */
#include "libcollector/base/object.h"

#include "libcollector/base/sys.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <sys/auxv.h>

/* Is the address in one of an object's segments, whole pages of them? */
static int is_in_segment(uintptr_t start, uintptr_t address)
{
	const ElfW(Ehdr) *header = (const void *)start;
	const ElfW(Phdr) *segment = (const void *)(start + header->e_phoff);
	uintptr_t at = address - start;

	for (unsigned i = 0; i < header->e_phnum; i++)
		if (segment[i].p_type == PT_LOAD &&
		    at >= (segment[i].p_vaddr & ~(uintptr_t)(SYS_PAGE - 1)) &&
		    at < ((segment[i].p_vaddr + segment[i].p_memsz + SYS_PAGE - 1) &
		          ~(uintptr_t)(SYS_PAGE - 1)))
			return 1;
	return 0;
}

/* The kernel leaves the gaps between the segments of the loader unmapped, and puts there what the
 * program maps next. (The loader fills those of other objects.) */
static int is_in_gap(uintptr_t start, uintptr_t address)
{
	return start == object_loader() && !is_in_segment(start, address);
}

/* Of a program whose segments have space between them, the C library tells only the segment of the
 * address. The kernel has told where its program headers are. */
static void span_program(struct object_found *out)
{
	const ElfW(Phdr) *segment = (const void *)getauxval(AT_PHDR);
	uintptr_t count = segment ? getauxval(AT_PHNUM) : 0, bias = out->link->l_addr;

	for (uintptr_t i = 0; i < count; i++) {
		uintptr_t start = bias + (segment[i].p_vaddr & ~(uintptr_t)(SYS_PAGE - 1));
		uintptr_t end = bias + segment[i].p_vaddr + segment[i].p_memsz;

		if (segment[i].p_type != PT_LOAD)
			continue;
		if (start < out->start)
			out->start = start;
		if (end > out->end)
			out->end = end;
	}
}

int object_find(uintptr_t address, struct object_found *out)
{
	struct dl_find_object found;

	if (_dl_find_object((void *)address, &found) != 0 ||
	    is_in_gap((uintptr_t)found.dlfo_map_start, address))
		return -ENOENT;
	*out = (struct object_found){(uintptr_t)found.dlfo_map_start, (uintptr_t)found.dlfo_map_end,
	                             found.dlfo_link_map, found.dlfo_eh_frame};
	if (out->link == _r_debug.r_map)
		span_program(out);
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

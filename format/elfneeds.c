/* elfneeds.c: see elfneeds.h. Nothing that is read is trusted. */
#include "format/elfneeds.h"

#include <elf.h>
#include <string.h>

enum { SEGMENTS_MAX = 20, ENTRIES_MAX = 32, NAME_MAX_SIZE = 32 };

static const Elf64_Phdr *find_segment(const Elf64_Phdr *segments, unsigned count, uint32_t type,
                                      uint64_t address)
{
	for (unsigned i = 0; i < count; i++)
		if (segments[i].p_type == type &&
		    (type != PT_LOAD || address - segments[i].p_vaddr < segments[i].p_filesz))
			return &segments[i];
	return NULL;
}

static const Elf64_Dyn *find_entry(const Elf64_Dyn *entries, unsigned count, Elf64_Sxword tag)
{
	for (unsigned i = 0; i < count && entries[i].d_tag != DT_NULL; i++)
		if (entries[i].d_tag == tag)
			return &entries[i];
	return NULL;
}

int elf_needs_first(elf_reader *read, int fd, uint64_t headers, unsigned count, const char *name)
{
	Elf64_Phdr segments[SEGMENTS_MAX];
	Elf64_Dyn entries[ENTRIES_MAX];
	char found[NAME_MAX_SIZE];
	const Elf64_Phdr *dynamic, *names;
	const Elf64_Dyn *needed, *table;
	unsigned entry_count;
	size_t len = strlen(name);
	long got;

	if (count > SEGMENTS_MAX || read(fd, segments, count * sizeof(*segments), headers) !=
	                                    (long)(count * sizeof(*segments)))
		return 0;
	dynamic = find_segment(segments, count, PT_DYNAMIC, 0);
	if (!dynamic)
		return 0;
	got = read(fd, entries, sizeof(entries), dynamic->p_offset);
	if (got < 0)
		return 0;
	entry_count = (unsigned)((size_t)got / sizeof(*entries));
	needed = find_entry(entries, entry_count, DT_NEEDED);
	table = find_entry(entries, entry_count, DT_STRTAB);
	names = table ? find_segment(segments, count, PT_LOAD, table->d_un.d_ptr) : NULL;
	if (!needed || !names || len > sizeof(found))
		return 0;
	got = read(fd, found, len,
	           names->p_offset + (table->d_un.d_ptr - names->p_vaddr) + needed->d_un.d_val);
	return got == (long)len && memcmp(found, name, len) == 0;
}

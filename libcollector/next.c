/* next.c: search the loaded objects for a function. See next.h.
 *
 * dlsym(RTLD_NEXT) alone would not do: it does not find what an object that was loaded by dlopen has brought along (numpy and its
 * libgomp), and where it fails, the program's dlerror() tells of it. */
#include "next.h"

#include "hook.h"

#include <elf.h>
#include <link.h>

enum { HIDDEN_VERSION = 0x8000, NEEDED_MAX = 64 };

struct tables {
	const ElfW(Sym) *symbol;
	const char *text;
	const uint32_t *hash; /* DT_GNU_HASH */
	const ElfW(Half) *version;
	const ElfW(Dyn) *dynamic;
	uint64_t bias;
};

struct search {
	const char *name;
	uint32_t hash;
	const void *own_base;
	const char *needed[NEEDED_MAX]; /* of the caller's object */
	unsigned needed_count;
	unsigned found;
	void *first, *of_needed;
};

/* The loader has turned most, but not all, addresses in a dynamic section into absolute ones. */
static const void *address_in(uint64_t bias, uint64_t value)
{
	return (const void *)(value < bias ? value + bias : value);
}

static int read_tables(struct tables *tables, uint64_t bias, const ElfW(Dyn) *entry)
{
	*tables = (struct tables){.dynamic = entry, .bias = bias};
	for (; entry->d_tag != DT_NULL; entry++) {
		const void *at = address_in(bias, entry->d_un.d_ptr);

		if (entry->d_tag == DT_SYMTAB)
			tables->symbol = at;
		else if (entry->d_tag == DT_STRTAB)
			tables->text = at;
		else if (entry->d_tag == DT_GNU_HASH)
			tables->hash = at;
		else if (entry->d_tag == DT_VERSYM)
			tables->version = at;
	}
	return tables->symbol && tables->text && tables->hash;
}

static uint32_t hash_of(const char *name)
{
	uint32_t hash = 5381;

	for (; *name; name++)
		hash = hash * 33 + (uint8_t)*name;
	return hash;
}

/* The function that the object defines under that name, in the version of today. */
static void *find(const struct tables *tables, const char *name, uint32_t hash)
{
	uint32_t buckets = tables->hash[0], first = tables->hash[1], words = tables->hash[2], shift = tables->hash[3];
	const uint64_t *bloom = (const uint64_t *)(tables->hash + 4);
	const uint32_t *bucket = (const uint32_t *)(bloom + words);
	const uint32_t *chain = bucket + buckets;
	uint64_t word = bloom[hash / 64 % words];
	uint32_t at = bucket[hash % buckets];

	if (!(word >> hash % 64 & word >> (hash >> shift) % 64 & 1) || at < first)
		return NULL;
	for (;; at++) {
		const ElfW(Sym) *symbol = &tables->symbol[at];

		if ((chain[at - first] | 1) == (hash | 1) && symbol->st_shndx != SHN_UNDEF && strcmp(tables->text + symbol->st_name, name) == 0 &&
		    !(tables->version && tables->version[at] & HIDDEN_VERSION))
			return (void *)(tables->bias + symbol->st_value);
		if (chain[at - first] & 1)
			return NULL;
	}
}

static const char *soname(const struct tables *tables)
{
	for (const ElfW(Dyn) *entry = tables->dynamic; entry->d_tag != DT_NULL; entry++)
		if (entry->d_tag == DT_SONAME)
			return tables->text + entry->d_un.d_val;
	return "";
}

static int is_needed(const struct search *search, const char *name)
{
	for (unsigned i = 0; i < search->needed_count; i++)
		if (strcmp(search->needed[i], name) == 0)
			return 1;
	return 0;
}

static int see_object(struct dl_phdr_info *info, size_t size, void *context)
{
	struct search *search = context;
	struct tables tables;
	void *function;

	(void)size;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		if (info->dlpi_phdr[i].p_type != PT_DYNAMIC)
			continue;
		if ((const void *)info->dlpi_addr == search->own_base ||
		    !read_tables(&tables, info->dlpi_addr, (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr)))
			return 0;
		function = find(&tables, search->name, search->hash);
		if (!function)
			return 0;
		search->found++;
		if (!search->first)
			search->first = function;
		if (!search->of_needed && is_needed(search, soname(&tables)))
			search->of_needed = function;
	}
	return 0;
}

static void read_needed(struct search *search, const struct link_map *map)
{
	struct tables tables;

	if (!map->l_ld || !read_tables(&tables, map->l_addr, map->l_ld))
		return;
	for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++)
		if (entry->d_tag == DT_NEEDED && search->needed_count < NEEDED_MAX)
			search->needed[search->needed_count++] = tables.text + entry->d_un.d_val;
}

static void *search_globally(const char *name)
{
	void *found;

	hook_pool_begin();
	found = dlsym(RTLD_NEXT, name);
	if (!found)
		dlerror();
	hook_pool_end();
	return found;
}

void *next_definition(const char *name, const void *caller)
{
	struct search search = {.name = name, .hash = hash_of(name)};
	struct dl_find_object object;
	void *global;

	if (_dl_find_object((void *)(uintptr_t)&next_definition, &object) == 0)
		search.own_base = (const void *)object.dlfo_link_map->l_addr;
	if (_dl_find_object((void *)(uintptr_t)caller, &object) == 0)
		read_needed(&search, object.dlfo_link_map);
	dl_iterate_phdr(see_object, &search);
	if (search.found <= 1)
		return search.first;
	global = search_globally(name);
	return global ? global : search.of_needed ? search.of_needed : search.first;
}

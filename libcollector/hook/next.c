/* next.c: search the loaded objects for a function. See next.h.
 *
 * dlsym(RTLD_NEXT) alone is not enough: it does not find what an object that was loaded by dlopen
 * brought along (numpy and its libgomp), and where it fails, the program sees the failure in
 * dlerror(). */
#include "libcollector/hook/next.h"

#include "libcollector/base/object.h"
#include "libcollector/hook/elftables.h"
#include "libcollector/hook/hook.h"
#include "libcollector/hook/dlsym.h"

#include <link.h>

enum { NEEDED_MAX = 64 };

struct search {
	const char *name;
	uint32_t hash;
	const void *own_base;
	const char *needed[NEEDED_MAX]; /* of the caller's object */
	unsigned needed_count;
	unsigned found;
	void *first, *of_needed;
};

/* Does it have everything that a look-up needs? */
static int read_tables(struct elf_tables *tables, uint64_t bias, const ElfW(Dyn) * dynamic)
{
	elf_tables_read(tables, bias, dynamic);
	return tables->symbol && tables->text && (tables->hash || tables->old_hash);
}

/* The function that the object defines under that name, in the default version. */
static void *find(const struct elf_tables *tables, const char *name, uint32_t hash)
{
	uint32_t index = elf_tables_find(tables, name, hash);

	return index ? (void *)(uintptr_t)(tables->bias + tables->symbol[index].st_value) : NULL;
}

static const char *soname(const struct elf_tables *tables)
{
	for (const ElfW(Dyn) *entry = tables->dynamic; entry->d_tag != DT_NULL; entry++)
		if (entry->d_tag == DT_SONAME)
			return tables->text + entry->d_un.d_val;
	return "";
}

static int is_needed(const struct search *search, const char *name)
{
	for (unsigned i = 0; i < search->needed_count; i++)
		if (elf_tables_is_name(search->needed[i], name))
			return 1;
	return 0;
}

static int see_object(struct dl_phdr_info *info, size_t size, void *context)
{
	struct search *search = context;
	struct elf_tables tables;
	void *function;

	(void)size;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		if (info->dlpi_phdr[i].p_type != PT_DYNAMIC)
			continue;
		if ((const void *)info->dlpi_addr == search->own_base ||
		    !read_tables(&tables, info->dlpi_addr,
		                 (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr)))
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
	struct elf_tables tables;

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
	struct search search = {.name = name, .hash = elf_tables_hash(name)};
	struct object_found object;
	void *global;

	if (object_find((uintptr_t)&next_definition, &object) == 0)
		search.own_base = (const void *)object.link->l_addr;
	if (object_find((uintptr_t)caller, &object) == 0)
		read_needed(&search, object.link);
	dl_iterate_phdr(see_object, &search);
	if (search.found <= 1)
		return search.first;
	global = search_globally(name);
	return global ? global : search.of_needed ? search.of_needed : search.first;
}

void *next_in_order(const char *name)
{
	struct object_found own;
	struct elf_tables tables;
	uint32_t hash = elf_tables_hash(name);

	if (object_find((uintptr_t)&next_in_order, &own) < 0)
		return NULL;
	for (struct link_map *map = own.link->l_next; map; map = map->l_next) {
		uint32_t index = 0;

		if (map->l_ld && read_tables(&tables, map->l_addr, map->l_ld))
			index = elf_tables_find(&tables, name, hash);
		if (index && ELF32_ST_TYPE(tables.symbol[index].st_info) == STT_FUNC)
			return (void *)(uintptr_t)(tables.bias + tables.symbol[index].st_value);
	}
	return NULL;
}

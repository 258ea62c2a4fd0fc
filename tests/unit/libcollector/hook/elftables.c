/* elftables.c: look-ups in the dynamic sections of loaded objects, compared with the loader's. */
#include "libcollector/hook/elftables.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <string.h>

/* The tables of the object that contains `address`. */
static struct elf_tables tables_of(const void *address)
{
	struct dl_find_object found;
	struct elf_tables tables;

	cr_assert(_dl_find_object((void *)(uintptr_t)address, &found) == 0);
	elf_tables_read(&tables, found.dlfo_link_map->l_addr, found.dlfo_link_map->l_ld);
	cr_assert(tables.symbol && tables.text && tables.hash);
	return tables;
}

static uint64_t find(const struct elf_tables *tables, const char *name)
{
	uint32_t index = elf_tables_find(tables, name, elf_tables_hash(name));

	return index != 0 ? tables->bias + tables->symbol[index].st_value : 0;
}

Test(elftables, finds_what_dlsym_finds)
{
	static const char *const names[] = {
		"fopen",    "fclose",  "getpid", "qsort",  "pthread_cond_wait",
		"realpath", "regexec", "open64", "environ"};
	void *libc = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
	struct elf_tables tables = tables_of(dlsym(libc, "fopen"));

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		cr_assert(find(&tables, names[i]) == (uint64_t)dlsym(libc, names[i]), "%s",
		          names[i]);
	dlclose(libc);
}

Test(elftables, finds_nothing_that_the_object_only_needs)
{
	void *libm = dlopen("libm.so.6", RTLD_NOW);
	struct elf_tables tables = tables_of(dlsym(libm, "cos"));

	cr_assert(find(&tables, "tgamma") == (uint64_t)dlsym(libm, "tgamma"));
	cr_assert(find(&tables, "fputs") == 0);
	cr_assert(find(&tables, "") == 0);
	cr_assert(find(&tables, "no_such_function_anywhere") == 0);
	cr_assert(tables.relocations[0].first &&
	          tables.relocations[0].size % sizeof(ElfW(Rela)) == 0);
	dlclose(libm);
}

/* The last symbol of a table that the linker wrote ends at the table of names, which follows. */
Test(elftables, counts_all_symbols)
{
	struct elf_tables tables = tables_of(dlsym(RTLD_DEFAULT, "fopen"));
	uint32_t count = elf_tables_count(&tables);

	cr_assert((const char *)&tables.symbol[count] <= tables.text &&
	          (const char *)&tables.symbol[count + 1] > tables.text);
}

/* elftables.c: look-ups in the dynamic sections of loaded objects, compared with the loader's. */
#include "libcollector/hook/elftables.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <elf.h>
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

/* ---- DT_HASH, which all that linkers write today may lack: tables made by hand */

/* As the System V ABI has it, word by word. */
static uint32_t abi_hash(const char *name)
{
	uint32_t hash = 0, high;

	for (; *name; name++) {
		hash = (hash << 4) + (unsigned char)*name;
		high = hash & 0xf0000000;
		if (high)
			hash ^= high >> 24;
		hash &= ~high;
	}
	return hash;
}

enum { OLD_NAMES = 5, OLD_BUCKETS = 3 };

static const char old_text[] = "\0a\0printf\0a_very_long_name_of_a_function\0hidden\0needed";
static const uint32_t old_names[OLD_NAMES] = {1, 3, 10, 41, 48};

/* Names 1 to 5; chains begin with the last one. */
static void make_old(struct elf_tables *tables, ElfW(Sym) symbols[OLD_NAMES + 1],
                     uint32_t words[2 + OLD_BUCKETS + OLD_NAMES + 1])
{
	memset(symbols, 0, (OLD_NAMES + 1) * sizeof(*symbols));
	memset(words, 0, (2 + OLD_BUCKETS + OLD_NAMES + 1) * sizeof(*words));
	words[0] = OLD_BUCKETS;
	words[1] = OLD_NAMES + 1;
	for (uint32_t i = 1; i <= OLD_NAMES; i++) {
		uint32_t *bucket = &words[2 + abi_hash(old_text + old_names[i - 1]) % OLD_BUCKETS];

		symbols[i] = (ElfW(Sym)){.st_name = old_names[i - 1], .st_shndx = 1};
		words[2 + OLD_BUCKETS + i] = *bucket;
		*bucket = i;
	}
	*tables = (struct elf_tables){.symbol = symbols, .text = old_text, .old_hash = words};
}

Test(elftables, the_older_table_is_read_where_the_newer_one_is_absent)
{
	static const ElfW(Half) versions[OLD_NAMES + 1] = {0, 2, 2, 2, 2 | ELF_TABLES_HIDDEN, 2};
	uint32_t words[2 + OLD_BUCKETS + OLD_NAMES + 1], nothing[2] = {0, 0};
	ElfW(Sym) symbols[OLD_NAMES + 1];
	struct elf_tables tables;

	cr_assert_eq(abi_hash("printf"), 0x77905a6, "the example of the ABI");
	make_old(&tables, symbols, words);
	for (uint32_t i = 1; i <= OLD_NAMES; i++)
		cr_expect_eq(elf_tables_find(&tables, old_text + old_names[i - 1], 0), i, "%u", i);
	cr_expect_eq(elf_tables_find(&tables, "", 0), 0);
	cr_expect_eq(elf_tables_find(&tables, "print", 0), 0);
	cr_expect_eq(elf_tables_find(&tables, "printf_", 0), 0);
	symbols[5].st_shndx = SHN_UNDEF;
	tables.version = versions;
	cr_expect_eq(elf_tables_find(&tables, "needed", 0), 0, "not defined here");
	cr_expect_eq(elf_tables_find(&tables, "hidden", 0), 0, "only with its version");
	cr_expect_eq(elf_tables_find(&tables, "printf", 0), 2);
	tables.old_hash = nothing;
	cr_expect_eq(elf_tables_find(&tables, "printf", 0), 0, "a table without buckets");
}

Test(elftables, a_dynamic_section_is_read_entry_by_entry)
{
	enum { BIAS = 0x10000 };
	static const ElfW(Dyn) dynamic[] = {{.d_tag = DT_SYMTAB, .d_un.d_ptr = 0x100},
	                                    {.d_tag = DT_STRTAB, .d_un.d_ptr = BIAS + 0x200},
	                                    {.d_tag = DT_HASH, .d_un.d_ptr = BIAS},
	                                    {.d_tag = DT_VERSYM, .d_un.d_ptr = BIAS - 1},
	                                    {.d_tag = DT_VERNEED, .d_un.d_ptr = 0x300},
	                                    {.d_tag = DT_VERDEF, .d_un.d_ptr = 0x400},
	                                    {.d_tag = DT_RELA, .d_un.d_ptr = 0x1000},
	                                    {.d_tag = DT_RELASZ, .d_un.d_val = 240},
	                                    {.d_tag = DT_RELACOUNT, .d_un.d_val = 10},
	                                    {.d_tag = DT_JMPREL, .d_un.d_ptr = 0x2000},
	                                    {.d_tag = DT_PLTRELSZ, .d_un.d_val = 48},
	                                    {.d_tag = DT_FLAGS, .d_un.d_val = DF_TEXTREL},
	                                    {.d_tag = DT_NULL},
	                                    {.d_tag = DT_GNU_HASH, .d_un.d_ptr = 0x500}};
	ElfW(Dyn) copy[sizeof(dynamic) / sizeof(dynamic[0])];
	struct elf_tables tables;

	elf_tables_read(&tables, BIAS, dynamic);
	cr_expect_eq((uintptr_t)tables.symbol, BIAS + 0x100);
	cr_expect_eq((uintptr_t)tables.text, BIAS + 0x200, "the loader has added it already");
	cr_expect_eq((uintptr_t)tables.old_hash, BIAS);
	cr_expect_eq((uintptr_t)tables.version, BIAS + BIAS - 1);
	cr_expect_eq((uintptr_t)tables.need, BIAS + 0x300);
	cr_expect_eq((uintptr_t)tables.def, BIAS + 0x400);
	cr_expect_eq((uintptr_t)tables.relocations[0].first, BIAS + 0x1000 + 240);
	cr_expect_eq(tables.relocations[0].size, 0, "all of them are relative");
	cr_expect_eq((uintptr_t)tables.relocations[1].first, BIAS + 0x2000);
	cr_expect_eq(tables.relocations[1].size, 48);
	cr_expect(tables.is_textual);
	cr_expect_null(tables.hash, "it stands behind the end");
	memcpy(copy, dynamic, sizeof(copy));
	copy[8].d_un.d_val = 11;
	copy[11].d_un.d_val = ~(uint64_t)DF_TEXTREL;
	elf_tables_read(&tables, BIAS, copy);
	cr_expect_eq(tables.relocations[0].size, 240, "a count that cannot be is none");
	cr_expect_not(tables.is_textual);
	copy[11] = (ElfW(Dyn)){.d_tag = DT_TEXTREL};
	elf_tables_read(&tables, BIAS, copy);
	cr_expect(tables.is_textual);
}

Test(elftables, beginnings_and_whole_names_are_told_apart)
{
	cr_expect(elf_tables_is_name("abc", "abc"));
	cr_expect(elf_tables_is_name("", ""));
	cr_expect_not(elf_tables_is_name("abc", "ab"));
	cr_expect_not(elf_tables_is_name("ab", "abc"));
	cr_expect_not(elf_tables_is_name("abd", "abc"));
	cr_expect(elf_tables_begins("abc", "ab"));
	cr_expect(elf_tables_begins("abc", "abc"));
	cr_expect(elf_tables_begins("abc", ""));
	cr_expect_not(elf_tables_begins("ab", "abc"));
	cr_expect_not(elf_tables_begins("xbc", "ab"));
	cr_expect_eq(elf_tables_hash(""), 5381);
	cr_expect_eq(elf_tables_hash("a"), 5381 * 33 + 'a');
	cr_expect_eq(elf_tables_hash("ab"), (5381 * 33 + 'a') * 33 + 'b');
}

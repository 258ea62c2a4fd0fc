/* elftables.c: read the dynamic section of a loaded object, and look names up as the loader does.
 * See elftables.h. */
#include "libcollector/hook/elftables.h"

#include <elf.h>

/* The loader has turned most, but not all, addresses in a dynamic section into absolute ones. */
static const void *address_in(uint64_t bias, uint64_t value)
{
	return (const void *)(uintptr_t)(value < bias ? value + bias : value);
}

void elf_tables_read(struct elf_tables *tables, uint64_t bias, const ElfW(Dyn) * dynamic)
{
	size_t relative = 0;

	*tables = (struct elf_tables){.bias = bias, .dynamic = dynamic};
	for (const ElfW(Dyn) *entry = dynamic; entry->d_tag != DT_NULL; entry++) {
		const void *at = address_in(bias, entry->d_un.d_ptr);

		switch (entry->d_tag) {
		case DT_SYMTAB:
			tables->symbol = at;
			break;
		case DT_STRTAB:
			tables->text = at;
			break;
		case DT_GNU_HASH:
			tables->hash = at;
			break;
		case DT_HASH:
			tables->old_hash = at;
			break;
		case DT_VERSYM:
			tables->version = at;
			break;
		case DT_TEXTREL:
			tables->is_textual = 1;
			break;
		case DT_FLAGS:
			tables->is_textual |= (entry->d_un.d_val & DF_TEXTREL) != 0;
			break;
		case DT_VERNEED:
			tables->need = at;
			break;
		case DT_VERDEF:
			tables->def = at;
			break;
		case DT_RELA:
			tables->relocations[0].first = at;
			break;
		case DT_RELASZ:
			tables->relocations[0].size = entry->d_un.d_val;
			break;
		case DT_RELACOUNT:
			relative = entry->d_un.d_val;
			break;
		case DT_JMPREL:
			tables->relocations[1].first = at;
			break;
		case DT_PLTRELSZ:
			tables->relocations[1].size = entry->d_un.d_val;
			break;
		default:
			break;
		}
	}
	if (tables->relocations[0].first &&
	    relative <= tables->relocations[0].size / sizeof(ElfW(Rela))) {
		tables->relocations[0].first += relative;
		tables->relocations[0].size -= relative * sizeof(ElfW(Rela));
	}
}

uint32_t elf_tables_count(const struct elf_tables *tables)
{
	uint32_t buckets = tables->hash[0], first = tables->hash[1], words = tables->hash[2],
		 last = 0;
	const uint32_t *bucket = (const uint32_t *)((const ElfW(Addr) *)(tables->hash + 4) + words);
	const uint32_t *chain = bucket + buckets;

	/* The table is in order of buckets, so the last chain ends it. */
	for (uint32_t i = 0; i < buckets; i++)
		last = bucket[i] > last ? bucket[i] : last;
	while (last >= first && !(chain[last - first] & 1))
		last++;
	return last >= first ? last + 1 : first;
}

uint32_t elf_tables_hash(const char *name)
{
	uint32_t hash = 5381;

	for (; *name; name++)
		hash = hash * 33 + (uint8_t)*name;
	return hash;
}

static int is_definition(const struct elf_tables *tables, uint32_t index, const char *name)
{
	const ElfW(Sym) *symbol = &tables->symbol[index];

	return symbol->st_shndx != SHN_UNDEF &&
	       elf_tables_is_name(tables->text + symbol->st_name, name) &&
	       !(tables->version && tables->version[index] & ELF_TABLES_HIDDEN);
}

/* By the table of the System V ABI. */
static uint32_t find_old(const struct elf_tables *tables, const char *name)
{
	uint32_t buckets = tables->old_hash[0], hash = 0;
	const uint32_t *bucket = tables->old_hash + 2, *chain = bucket + buckets;

	for (const char *at = name; *at; at++) {
		hash = (hash << 4) + (uint8_t)*at;
		hash = (hash ^ (hash >> 24 & 0xf0)) & 0x0fffffff;
	}
	for (uint32_t i = buckets ? bucket[hash % buckets] : 0; i; i = chain[i])
		if (is_definition(tables, i, name))
			return i;
	return 0;
}

static uint32_t find_gnu(const struct elf_tables *tables, const char *name, uint32_t hash)
{
	uint32_t buckets = tables->hash[0], first = tables->hash[1], words = tables->hash[2],
		 shift = tables->hash[3];
	const ElfW(Addr) *bloom = (const ElfW(Addr) *)(tables->hash + 4);
	const uint32_t *bucket = (const uint32_t *)(bloom + words);
	const uint32_t *chain = bucket + buckets;
	const uint32_t bits = 8 * sizeof(*bloom);
	ElfW(Addr) word = bloom[hash / bits % words];
	uint32_t at = bucket[hash % buckets];

	if (!(word >> hash % bits & word >> (hash >> shift) % bits & 1) || at < first)
		return 0;
	for (;; at++) {
		if ((chain[at - first] | 1) == (hash | 1) && is_definition(tables, at, name))
			return at;
		if (chain[at - first] & 1)
			return 0;
	}
}

uint32_t elf_tables_find(const struct elf_tables *tables, const char *name, uint32_t hash)
{
	return tables->hash ? find_gnu(tables, name, hash) : find_old(tables, name);
}

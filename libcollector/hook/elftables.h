/* elftables.h: what the dynamic section of a loaded object says. Nothing is allocated or written;
 * signal-safe. */
#ifndef XER_COLLECTOR_ELFTABLES_H
#define XER_COLLECTOR_ELFTABLES_H

#include <link.h>
#include <stddef.h>
#include <stdint.h>

/* The bit of a symbol's version that means: references without a version do not find it. */
enum { ELF_TABLES_HIDDEN = 0x8000 };

struct elf_tables {
	uint64_t bias; /* what its addresses are more than those in its file */
	const ElfW(Dyn) * dynamic;
	const ElfW(Sym) * symbol;
	const char *text;
	const uint32_t *hash; /* DT_GNU_HASH */
	const uint32_t
		*old_hash; /* DT_HASH, which is all that some linkers and old libraries have */
	const ElfW(Half) * version; /* of each symbol, NULL if there are none */
	const ElfW(Verneed) * need;
	const ElfW(Verdef) * def;
	int is_textual; /* words in pages that are not to be written are bound too */
	struct {
		const ElfW(Rela) * first;
		size_t size; /* bytes */
	} relocations[2];    /* DT_RELA, but for the relative ones, which name no symbol and stand
	                        first; DT_JMPREL */
};

/* Read the dynamic section of an object. What it does not have is NULL or 0. */
void elf_tables_read(struct elf_tables *tables, uint64_t bias, const ElfW(Dyn) * dynamic);

/* The number of symbols: one more than the index of the last that the object defines. Needs hash.
 */
uint32_t elf_tables_count(const struct elf_tables *tables);

/* The hash of a name, as DT_GNU_HASH has it. */
uint32_t elf_tables_hash(const char *name);

/* The index of the symbol that the object defines under a name with that hash, in the default
 * version; 0 if there is none. Needs symbol, text and one of the hash tables; `hash` is that of
 * DT_GNU_HASH. */
uint32_t elf_tables_find(const struct elf_tables *tables, const char *name, uint32_t hash);

/* Are two texts equal, or does one begin with the other? Not by strcmp: a program compiled with
 * AddressSanitizer has one of its own, which does not work before the program has begun, and the
 * recorder begins earlier. Signal-safe. */
static inline int elf_tables_is_name(const char *text, const char *name)
{
	while (*text && *text == *name)
		text++, name++;
	return *text == *name;
}

static inline int elf_tables_begins(const char *text, const char *begin)
{
	while (*begin && *text == *begin)
		text++, begin++;
	return *begin == '\0';
}

#endif

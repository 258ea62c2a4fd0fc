/* symtab.c: the function symbols of a binary, from .symtab (of the file or its separate debug
 * file), .dynsym and .gnu_debugdata, as libdwfl joins them; of a stripped Go program, from its
 * runtime's table. */
#include "experiment/elf/binary.h"
#include "experiment/elf/gopclntab.h"
#include "experiment/table/arena.h"
#include "experiment/table/search.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What makes a name preferred at an address: the lower sum wins. */
enum { RANK_LOCAL = 64, RANK_SIZELESS = 128, UNDERSCORES_MAX = 3 };

static uint8_t rank_of(const GElf_Sym *symbol, const char *name)
{
	size_t underscores = strspn(name, "_");
	unsigned rank = (unsigned)(underscores < UNDERSCORES_MAX ? underscores : UNDERSCORES_MAX);

	if (GELF_ST_BIND(symbol->st_info) == STB_LOCAL)
		rank += RANK_LOCAL;
	if (symbol->st_size == 0)
		rank += RANK_SIZELESS;
	return (uint8_t)rank;
}

/* True for labels in code: hand-written functions often have no type. */
static int is_code_label(const GElf_Sym *symbol, const char *name, Elf *elf, GElf_Word index)
{
	GElf_Shdr header;
	Elf_Scn *section = !elf ? NULL : elf_getscn(elf, index);

	return GELF_ST_TYPE(symbol->st_info) == STT_NOTYPE && name[0] != '.' && name[0] != '$' &&
	       section && gelf_getshdr(section, &header) && (header.sh_flags & SHF_EXECINSTR);
}

static int is_function(const GElf_Sym *symbol, const char *name, Elf *elf, GElf_Word index)
{
	unsigned type = GELF_ST_TYPE(symbol->st_info);

	if (!name || name[0] == '\0' || index == SHN_UNDEF || symbol->st_value == 0)
		return 0;
	return type == STT_FUNC || type == STT_GNU_IFUNC || is_code_label(symbol, name, elf, index);
}

static int compare_symbols(const void *a, const void *b)
{
	const struct exp_symbol *x = a;
	const struct exp_symbol *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (strlen(x->name) != strlen(y->name)) /* free, not cfree */
		return strlen(x->name) < strlen(y->name) ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* The table of a program in Go. Returns 0, or -ENOTSUP: it has none. */
static int open_go_table(const struct exp_binary *binary, struct exp_gopclntab *table)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(binary->elf, &names) != 0)
		return -ENOTSUP;
	while ((section = elf_nextscn(binary->elf, section))) {
		GElf_Shdr header;
		const char *name = !gelf_getshdr(section, &header)
		                           ? NULL
		                           : elf_strptr(binary->elf, names, header.sh_name);
		const Elf_Data *data;

		if (!name || strcmp(name, ".gopclntab") != 0 || header.sh_type == SHT_NOBITS)
			continue;
		data = elf_rawdata(section, NULL);
		return !data || !data->d_buf ? -ENOTSUP
		                             : exp_gopclntab_open(table, data->d_buf, data->d_size);
	}
	return -ENOTSUP;
}

/* What strip(1) has left of a Go program. */
static size_t add_go_functions(struct exp_binary *binary, size_t used,
                               const struct exp_gopclntab *table)
{
	for (uint64_t i = 0; i < table->count; i++) {
		struct exp_symbol *symbol = &binary->symbols[used];

		*symbol = (struct exp_symbol){.rank = RANK_LOCAL};
		used += exp_gopclntab_function(table, i, &symbol->address, &symbol->size,
		                               &symbol->name) != 0;
	}
	return used;
}

int exp_binary_read_symbols(struct exp_binary *binary)
{
	struct exp_gopclntab table = {.count = 0};
	size_t used = 0, kept = 0;
	int count;

	/* If it gets no memory for a debug file, it uses the file itself. */
	errno = 0;
	count = dwfl_module_getsymtab(binary->module);
	exp_memory_note(errno);
	if (count < 0)
		count = 0;
	if (open_go_table(binary, &table) != 0 || (uint64_t)count > table.count)
		table.count = 0; /* the symbols exist, and have more information */
	if (count == 0 && table.count == 0)
		return 0;
	binary->symbols = exp_zeroed((size_t)count + (size_t)table.count, sizeof(*binary->symbols));
	if (!binary->symbols)
		return -ENOMEM;
	for (int i = 0; i < count; i++) {
		GElf_Sym symbol;
		GElf_Addr address;
		GElf_Word index;
		Elf *elf;
		const char *name = dwfl_module_getsym_info(binary->module, i, &symbol, &address,
		                                           &index, &elf, NULL);

		if (!name || !is_function(&symbol, name, elf, index))
			continue;
		binary->symbols[used++] = (struct exp_symbol){.address = address - binary->bias,
		                                              .size = symbol.st_size,
		                                              .name = name,
		                                              .rank = rank_of(&symbol, name)};
	}
	used = add_go_functions(binary, used, &table);
	qsort(binary->symbols, used, sizeof(*binary->symbols), compare_symbols);
	for (size_t i = 0; i < used; i++)
		if (kept == 0 || binary->symbols[i].address != binary->symbols[kept - 1].address)
			binary->symbols[kept++] = binary->symbols[i];
	binary->symbol_count = kept;
	return 0;
}

/* True if a symbol without size reaches an address: no other function is known to begin in
 * between. */
static int sizeless_reaches(struct exp_binary *binary, const struct exp_symbol *symbol,
                            uint64_t address)
{
	struct exp_range range;

	if (exp_binary_unwind_range(binary, address, &range) == 0)
		return range.start <= symbol->address;
	return exp_binary_section_range(binary, address, &range) == 0 &&
	       range.start <= symbol->address;
}

struct exp_symbol *exp_binary_symbol_at(struct exp_binary *binary, uint64_t address)
{
	enum { NESTING_MAX = 8 };
	size_t low = exp_count_up_to(binary->symbols, binary->symbol_count,
	                             sizeof(*binary->symbols), address);

	/* A label or a cold part may be inside a function, so look a few symbols back. */
	for (size_t i = low; i > 0 && low - i < NESTING_MAX; i--) {
		struct exp_symbol *symbol = &binary->symbols[i - 1];

		if (symbol->size != 0 && address - symbol->address < symbol->size)
			return symbol;
		if (symbol->size == 0 && i == low && sizeless_reaches(binary, symbol, address))
			return symbol;
	}
	return NULL;
}

static size_t hash_name(const char *name)
{
	size_t hash = 5381;

	for (; *name != '\0'; name++)
		hash = hash * 33 ^ (unsigned char)*name;
	return hash;
}

/* In an entry of by_name: several symbols have the name. */
#define AMBIGUOUS (UINT32_C(1) << 31)

static int index_names(struct exp_binary *binary)
{
	size_t slots = 16;

	while (slots < binary->symbol_count * 2)
		slots *= 2;
	binary->by_name = exp_zeroed(slots, sizeof(*binary->by_name));
	if (!binary->by_name)
		return -ENOMEM;
	binary->name_mask = slots - 1;
	for (size_t i = 0; i < binary->symbol_count; i++) {
		size_t at = hash_name(binary->symbols[i].name) & binary->name_mask;

		while (binary->by_name[at] != 0 &&
		       strcmp(binary->symbols[(binary->by_name[at] & ~AMBIGUOUS) - 1].name,
		              binary->symbols[i].name) != 0)
			at = (at + 1) & binary->name_mask;
		binary->by_name[at] = binary->by_name[at] == 0 ? (uint32_t)i + 1
		                                               : binary->by_name[at] | AMBIGUOUS;
	}
	return 0;
}

struct exp_symbol *exp_binary_symbol_named(struct exp_binary *binary, const char *name)
{
	size_t at;

	if (binary->symbol_count == 0 || (!binary->by_name && index_names(binary) != 0))
		return NULL;
	for (at = hash_name(name) & binary->name_mask; binary->by_name[at] != 0;
	     at = (at + 1) & binary->name_mask) {
		uint32_t entry = binary->by_name[at];
		struct exp_symbol *symbol = &binary->symbols[(entry & ~AMBIGUOUS) - 1];

		if (strcmp(symbol->name, name) == 0)
			return entry & AMBIGUOUS ? NULL : symbol;
	}
	return NULL;
}

/* got.c: change what the loader has bound. See got.h.
 *
 * Our own symbol table says which wrapper a name has: this library wraps what it exports. A word is
 * changed only if it holds the function that the name leads to in the whole process, or if it is
 * not bound yet. So a function that the program defines itself under such a name is left alone.
 * Other threads run during this: words are stored whole.
 * See doc/decisions/35-attach.md. */
#include "libcollector/hook/got.h"

#include "libcollector/base/object.h"
#include "libcollector/hook/elftables.h"
#include "libcollector/hook/hook.h"
#include "libcollector/hook/dlsym.h"

#include <elf.h>
#include <link.h>

enum { PAGE = 4096 };

extern ElfW(Dyn) _DYNAMIC[] __attribute__((visibility("hidden")));
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

struct loaded {
	struct elf_tables tables;
	uint64_t low, high;          /* addresses of its segments */
	uint64_t sealed, sealed_end; /* pages that are read-only since it was bound (RELRO) */
	int is_open;                 /* they are writable at the moment */
};

static void *find_symbol(void *handle, const char *name);

static struct elf_tables own;
static void **bound; /* by index of our symbols: what the name leads to without us */
static unsigned long long objects_seen; /* how many objects had ever been loaded when we looked
                                           last, and all were ready; else 0 */
static atomic_uint is_patched;

/* ---- our own symbols ---- */

/* The index of the symbol of that name that we export; 0 if there is none. */
static uint32_t own_index(const char *name)
{
	return elf_tables_find(&own, name, elf_tables_hash(name));
}

static uint64_t own_address(uint32_t index)
{
	return own.bias + own.symbol[index].st_value;
}

/* The text of the version that our symbol has, NULL if it has none. */
static const char *own_version(uint32_t index)
{
	unsigned version = own.version ? own.version[index] : 0;
	const char *at = (const char *)own.def;

	while (version > 1 && at) {
		const ElfW(Verdef) *def = (const void *)at;

		if (def->vd_ndx == version)
			return own.text +
			       ((const ElfW(Verdaux) *)(const void *)(at + def->vd_aux))->vda_name;
		at = def->vd_next ? at + def->vd_next : NULL;
	}
	return NULL;
}

static int is_of_program(const void *function)
{
	struct object_found found;

	return object_find((uintptr_t)function, &found) == 0 && found.link->l_name[0] == '\0';
}

static int is_own(const void *function)
{
	struct object_found found, self;

	return object_find((uintptr_t)function, &found) == 0 &&
	       object_find((uintptr_t)&own, &self) == 0 && found.start == self.start;
}

/* What names lead to in the process. A function of the program itself comes before that of a
 * preloaded library, and so before ours. */
static void find_bound(void)
{
	uint32_t first = own.hash[1];
	const uint32_t *bucket = (const uint32_t *)((const uint64_t *)(own.hash + 4) + own.hash[2]);
	const uint32_t *chain = bucket + own.hash[0];

	for (uint32_t k = 0; k < own.hash[0]; k++)
		for (uint32_t i = bucket[k]; i >= first; i++) {
			void *function = dlsym(RTLD_DEFAULT, own.text + own.symbol[i].st_name);

			bound[i] = function && !is_own(function) && !is_of_program(function)
			                   ? function
			                   : NULL;
			if (chain[i - first] & 1)
				break;
		}
}

static int open_own(void)
{
	if (!own.symbol)
		elf_tables_read(&own, (uint64_t)&__ehdr_start, _DYNAMIC);
	if (!bound)
		bound = sys_mmap_anonymous(elf_tables_count(&own) * sizeof(*bound));
	return bound ? 0 : -1;
}

int got_is_preloaded(void)
{
	void *found = dlsym(RTLD_DEFAULT, "quick_exit");

	return found && is_own(found);
}

/* ---- objects ---- */

/* The version that the object wants of a symbol that it does not define, NULL if any. */
static const char *wanted_version(const struct elf_tables *tables, uint32_t index)
{
	unsigned version = tables->version ? tables->version[index] & ~ELF_TABLES_HIDDEN : 0;
	const char *at = (const char *)tables->need;

	while (version > 1 && at) {
		const ElfW(Verneed) *need = (const void *)at;
		const char *aux_at = at + need->vn_aux;

		for (unsigned i = 0; i < need->vn_cnt; i++) {
			const ElfW(Vernaux) *aux = (const void *)aux_at;

			if ((aux->vna_other & ~ELF_TABLES_HIDDEN) == version)
				return tables->text + aux->vna_name;
			aux_at += aux->vna_next;
		}
		at = need->vn_next ? at + need->vn_next : NULL;
	}
	return NULL;
}

static int is_same_version(const struct elf_tables *tables, uint32_t index, uint32_t own_symbol)
{
	const char *ours = own_version(own_symbol);
	const char *wanted = ours ? wanted_version(tables, index) : NULL;

	return !wanted || elf_tables_is_name(ours, wanted);
}

/* What stands for what. */
struct exchange {
	uint32_t index; /* of our symbol, 0 for find_symbol */
	uint64_t wrapper, bound;
};

static int find_exchange(const char *name, struct exchange *out)
{
	if (elf_tables_is_name(name, "dlsym")) {
		*out = (struct exchange){.wrapper = (uint64_t)&find_symbol,
		                         .bound = (uint64_t)dlsym_real()};
		return 0;
	}
	out->index = own_index(name);
	if (out->index == 0 || !bound[out->index])
		return -1;
	out->wrapper = own_address(out->index);
	out->bound = (uint64_t)bound[out->index];
	return 0;
}

static int seal(struct loaded *loaded, int open)
{
	if (SYS3(SYS_mprotect, loaded->sealed, loaded->sealed_end - loaded->sealed,
	         open ? PROT_READ | PROT_WRITE : PROT_READ) < 0)
		return -1;
	loaded->is_open = open;
	return 0;
}

static int put(struct loaded *loaded, uint64_t *word, uint64_t value)
{
	uint64_t at = (uint64_t)word;

	if (at >= loaded->sealed && at < loaded->sealed_end && !loaded->is_open &&
	    seal(loaded, 1) < 0)
		return 0;
	__atomic_store_n(word, value, __ATOMIC_RELEASE);
	return 1;
}

/* Is `value` what an unbound word of the object holds: an address in its own linkage table? */
static int is_unbound(const struct loaded *loaded, const ElfW(Rela) * relocation, uint64_t value)
{
	const ElfW(Sym) *symbol = &loaded->tables.symbol[ELF64_R_SYM(relocation->r_info)];

	return ELF64_R_TYPE(relocation->r_info) == ARCH_RELOC_SLOT &&
	       symbol->st_shndx == SHN_UNDEF && value >= loaded->low && value < loaded->high;
}

/* The table of collectorAPI.h: a program that was not recorded at its start has found none.
 * Afterwards it keeps ours, which then does nothing: a thread may have read it just now. */
static uint64_t unfound_table(const struct loaded *loaded, const ElfW(Sym) * symbol)
{
	uint32_t index = symbol->st_shndx == SHN_UNDEF
	                         ? own_index(loaded->tables.text + symbol->st_name)
	                         : 0;

	return index && ELF64_ST_TYPE(own.symbol[index].st_info) == STT_OBJECT ? own_address(index)
	                                                                       : 0;
}

static unsigned change(struct loaded *loaded, const ElfW(Rela) * relocation, int to_wrappers)
{
	uint32_t type = ELF64_R_TYPE(relocation->r_info), symbol = ELF64_R_SYM(relocation->r_info);
	uint64_t *word = (uint64_t *)(loaded->tables.bias + relocation->r_offset);
	uint64_t value;
	struct exchange names;

	if ((type != ARCH_RELOC_SLOT && type != ARCH_RELOC_GOT && type != ARCH_RELOC_ADDRESS) ||
	    symbol == 0)
		return 0;
	if (type == ARCH_RELOC_ADDRESS && relocation->r_addend != 0)
		return 0;
	value = __atomic_load_n(word, __ATOMIC_ACQUIRE);
	if (value == 0 && to_wrappers) {
		value = unfound_table(loaded, &loaded->tables.symbol[symbol]);
		return value ? (unsigned)put(loaded, word, value) : 0;
	}
	if (find_exchange(loaded->tables.text + loaded->tables.symbol[symbol].st_name, &names) < 0)
		return 0;
	if (!to_wrappers)
		return value == names.wrapper ? (unsigned)put(loaded, word, names.bound) : 0;
	if (value != names.bound && !(is_unbound(loaded, relocation, value) &&
	                              is_same_version(&loaded->tables, symbol, names.index)))
		return 0;
	return (unsigned)put(loaded, word, names.wrapper);
}

static int read_loaded(const struct dl_phdr_info *info, struct loaded *loaded)
{
	const ElfW(Dyn) *dynamic = NULL;

	*loaded = (struct loaded){.low = UINT64_MAX};
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uint64_t at = info->dlpi_addr + segment->p_vaddr, end = at + segment->p_memsz;

		if (segment->p_type == PT_DYNAMIC)
			dynamic = (const ElfW(Dyn) *)at;
		if (segment->p_type == PT_GNU_RELRO) {
			loaded->sealed = at & ~(uint64_t)(PAGE - 1);
			loaded->sealed_end = end & ~(uint64_t)(PAGE - 1);
		}
		if (segment->p_type != PT_LOAD)
			continue;
		loaded->low = at < loaded->low ? at : loaded->low;
		loaded->high = end > loaded->high ? end : loaded->high;
	}
	if (!dynamic)
		return -1;
	elf_tables_read(&loaded->tables, info->dlpi_addr, dynamic);
	return loaded->tables.symbol && loaded->tables.text && !loaded->tables.is_textual ? 0 : -1;
}

/* Our own library, the loader, and the vDSO are left alone. */
static int is_exempt(const struct dl_phdr_info *info, const struct loaded *loaded)
{
	const uint64_t exempt[] = {(uint64_t)&own, object_loader()};

	for (size_t i = 0; i < sizeof(exempt) / sizeof(exempt[0]); i++)
		if (exempt[i] >= loaded->low && exempt[i] < loaded->high)
			return 1;
	return elf_tables_begins(info->dlpi_name, "linux-");
}

/* Is the object ready? While another thread loads it, it is already in the list, and its
 * relocations are being processed: pages that we would make read-only again are still written.
 * _dl_find_object (object.h) finds an object only from the end of that until it is unmapped. */
static int is_ready(const struct loaded *loaded)
{
	struct object_found found;

	return object_find((uintptr_t)loaded->low, &found) == 0;
}

struct walk_objects {
	int to_wrappers;
	int is_early; /* some were not ready */
	unsigned changed;
	unsigned long long adds; /* objects ever loaded */
};

static int see_object(struct dl_phdr_info *info, size_t size, void *argument)
{
	struct walk_objects *walk = argument;
	struct loaded loaded;

	(void)size;
	walk->adds = info->dlpi_adds;
	if (read_loaded(info, &loaded) < 0 || is_exempt(info, &loaded))
		return 0;
	if (!is_ready(&loaded)) {
		walk->is_early = 1;
		return 0;
	}
	for (int t = 0; t < 2; t++)
		for (size_t i = 0; i < loaded.tables.relocations[t].size / sizeof(ElfW(Rela)); i++)
			walk->changed += change(&loaded, &loaded.tables.relocations[t].first[i],
			                        walk->to_wrappers);
	if (loaded.is_open)
		seal(&loaded, 0);
	return 0;
}

/* ---- objects that come later ---- */

static int count_objects(struct dl_phdr_info *info, size_t size, void *adds)
{
	(void)size;
	*(unsigned long long *)adds = info->dlpi_adds;
	return 1;
}

static __attribute__((noinline)) void patch_new_objects(void)
{
	unsigned long long adds = 0;

	dl_iterate_phdr(count_objects, &adds);
	if (adds != __atomic_load_n(&objects_seen, __ATOMIC_RELAXED))
		got_patch();
}

/* Before a program uses what it has loaded, it looks up symbols. The real function checks the
 * address of its caller, so it is reached by a jump. */
static void *find_symbol(void *handle, const char *name)
{
	if (atomic_load_explicit(&is_patched, memory_order_relaxed))
		patch_new_objects();
	return dlsym(handle, name);
}

int got_exports(const char *name)
{
	uint32_t index = own.symbol ? own_index(name) : 0;

	return index && ELF64_ST_TYPE(own.symbol[index].st_info) == STT_FUNC;
}

struct clear {
	int (*is_alone)(const char *name, const void *object);
	unsigned changed;
};

static void clear_word(struct loaded *loaded, const ElfW(Rela) * relocation, struct clear *clear)
{
	uint32_t type = ELF64_R_TYPE(relocation->r_info), index = ELF64_R_SYM(relocation->r_info);
	uint64_t *word = (uint64_t *)(loaded->tables.bias + relocation->r_offset);
	const ElfW(Sym) *symbol = &loaded->tables.symbol[index];
	const char *name = loaded->tables.text + symbol->st_name;

	if ((type == ARCH_RELOC_SLOT || type == ARCH_RELOC_GOT || type == ARCH_RELOC_ADDRESS) &&
	    index && ELF64_ST_BIND(symbol->st_info) == STB_WEAK && symbol->st_shndx == SHN_UNDEF &&
	    got_exports(name) && *word == own_address(own_index(name)) &&
	    clear->is_alone(name, (const void *)loaded->low))
		clear->changed += (unsigned)put(loaded, word, 0);
}

static int clear_object(struct dl_phdr_info *info, size_t size, void *argument)
{
	struct loaded loaded;

	(void)size;
	if (read_loaded(info, &loaded) < 0 || is_exempt(info, &loaded))
		return 0;
	for (int t = 0; t < 2; t++)
		for (size_t i = 0; i < loaded.tables.relocations[t].size / sizeof(ElfW(Rela)); i++)
			clear_word(&loaded, &loaded.tables.relocations[t].first[i], argument);
	if (loaded.is_open)
		seal(&loaded, 0);
	return 0;
}

unsigned got_clear_weak(int (*is_alone)(const char *name, const void *object))
{
	struct clear clear = {.is_alone = is_alone};

	elf_tables_read(&own, (uint64_t)&__ehdr_start, _DYNAMIC);
	dl_iterate_phdr(clear_object, &clear);
	return clear.changed;
}

unsigned got_patch(void)
{
	struct walk_objects walk = {.to_wrappers = 1};

	if (open_own() < 0)
		return 0;
	if (!atomic_load(&is_patched))
		find_bound();
	atomic_store(&is_patched, 1);
	dl_iterate_phdr(see_object, &walk);
	__atomic_store_n(&objects_seen, walk.is_early ? 0 : walk.adds, __ATOMIC_RELAXED);
	return walk.changed;
}

unsigned got_restore(void)
{
	struct walk_objects walk = {.to_wrappers = 0};

	if (!atomic_exchange(&is_patched, 0))
		return 0;
	dl_iterate_phdr(see_object, &walk);
	return walk.changed;
}

/* gdbjit.c: see gdbjit.h.
 *
 * Other threads may change the list, and free what it names, while it is read. So the kernel reads
 * all of it for us (peek), and all of it may be wrong. The variable is looked up when unmapped code
 * is found first, in the symbols of the objects' files, since it is seldom in the dynamic symbols.
 * See doc/decisions/37-jit-code.md. */
#include "libcollector/jit/gdbjit.h"

#include "libcollector/base/collector.h"
#include "libcollector/base/object.h"
#include "libcollector/jit/dynamic.h"
#include "libcollector/object/elffile.h"
#include "libcollector/object/map.h"
#include "libcollector/write/log.h"
#include "libcollector/jit/code_element.h"

#include <link.h>
#include <string.h>

enum {
	DESCRIPTORS = 8,
	FILES_MAX = 4096,
	FILE_PROBES = 64,
	LIST_MAX = 4096,
	LOOKS_A_SECOND = 2000
};
enum { SECTIONS_MAX = 256, FILE_SIZE_MAX = 16 << 20, ALL_SIZE_MAX = 256 << 20, SCRATCH_SIZE = 64 };
enum { ACTION_REGISTER = 1 };

/* The program's structures. */
struct entry {
	uint64_t next, previous, file, size;
};

struct descriptor_words {
	uint32_t version, action;
	uint64_t relevant, first;
};

/* A descriptor, and what was last seen of it. */
static struct {
	uint64_t address;
	struct descriptor_words words;
	struct entry first;
} descriptors[DESCRIPTORS];
static unsigned descriptor_count;
static uint32_t searched; /* objects up to this number */

/* Files that are registered, by the addresses of their entries. */
static struct registered {
	uint64_t entry, file, size; /* entry 0: free; file 0: not registered any more */
	uint32_t owner, turn;       /* which descriptor's list; when it was last seen in it */
} files[FILES_MAX];
static uint32_t turn;
static uint64_t all_size;

static uint64_t scratch; /* offset in dyntext + 1; 0: none yet */
static atomic_uint is_locked;
static atomic_uint_fast64_t next_look; /* event time */

/* Read memory that may not be there. Returns 0 or -1. */
static int peek(void *to, uint64_t from, size_t size)
{
	int fd = dynamic_text_fd();

	if (fd < 0)
		return -1;
	if (!scratch)
		scratch = dynamic_text_reserve(SCRATCH_SIZE) + 1;
	if (sys_pwrite(fd, (const void *)(uintptr_t)from, size, scratch - 1) != (long)size)
		return -1;
	return sys_pread(fd, to, size, scratch - 1) == (long)size ? 0 : -1;
}

/* ---- where the lists begin ---- */

static void take_symbol(uint64_t address)
{
	if (descriptor_count < DESCRIPTORS)
		descriptors[descriptor_count++].address = address;
}

static void search(const struct object_found *found)
{
	static const char name[] = "__jit_debug_descriptor";
	const struct link_map *map = found->link;
	struct elffile_symbols symbols;
	struct elffile file;

	if (elffile_map(map->l_name[0] ? map->l_name : "/proc/self/exe", &file) < 0)
		return;
	if (elffile_symbols_find(&file, &symbols))
		for (const Elf64_Sym *symbol = symbols.at; symbol < symbols.end; symbol++)
			if (symbol->st_size == sizeof(struct descriptor_words) &&
			    ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT &&
			    symbol->st_shndx != SHN_UNDEF && symbol->st_name < symbols.names_size &&
			    symbols.names_size - symbol->st_name >= sizeof(name) &&
			    memcmp(symbols.names + symbol->st_name, name, sizeof(name)) == 0)
				take_symbol(map->l_addr + symbol->st_value);
	elffile_unmap(&file);
}

/* ---- what is registered ---- */

static void put_element(const char *name, const struct registered *registered, uint64_t ticks,
                        uint64_t offset)
{
	char buffer[256];
	struct xml_text text = XML_TEXT(buffer);

	xml_put(&text, name);
	xml_put_hex(&text, "address", registered->entry);
	xml_put_number(&text, "time", ticks);
	if (offset != UINT64_MAX) {
		xml_put_number(&text, "generation", atomic_load(&col.generation));
		xml_put_number(&text, "size", registered->size);
		xml_put_number(&text, "offset", offset);
	}
	xml_put(&text, "/>\n");
	col_xml_append(COL_MAP, &text);
}

static void keep_section(const Elf64_Shdr *section)
{
	const uint64_t wanted = SHF_ALLOC | SHF_EXECINSTR;
	uint64_t at;

	if ((section->sh_flags & wanted) != wanted || section->sh_addr == 0 ||
	    section->sh_size == 0 || section->sh_size > FILE_SIZE_MAX ||
	    all_size + section->sh_size > ALL_SIZE_MAX)
		return;
	if (dynamic_text_write((const void *)(uintptr_t)section->sh_addr, section->sh_size, &at) <
	    0)
		return;
	all_size += section->sh_size;
	code_element_write(section->sh_addr, section->sh_size, section->sh_addr, at);
}

/* The copy of the file is at this offset of dyntext: keep the code that it describes. */
static void keep_code(uint64_t offset, uint64_t size)
{
	int fd = dynamic_text_fd();
	Elf64_Ehdr header;
	Elf64_Shdr section;

	if (fd < 0 || size < sizeof(header) ||
	    sys_pread(fd, &header, sizeof(header), offset) != sizeof(header) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_shentsize != sizeof(section) ||
	    header.e_shoff > size)
		return;
	for (unsigned i = 0; i < header.e_shnum && i < SECTIONS_MAX &&
	                     (i + 1) * sizeof(section) <= size - header.e_shoff;
	     i++)
		if (sys_pread(fd, &section, sizeof(section),
		              offset + header.e_shoff + i * sizeof(section)) == sizeof(section))
			keep_section(&section);
}

/* since: the last moment at which it was certainly not registered. */
static void keep(struct registered *registered, const struct entry *entry, uint64_t since)
{
	uint64_t at;

	registered->file = entry->file;
	registered->size = entry->size;
	if (entry->size > FILE_SIZE_MAX || all_size + entry->size > ALL_SIZE_MAX ||
	    dynamic_text_write((const void *)(uintptr_t)entry->file, entry->size, &at) < 0)
		return;
	all_size += entry->size;
	put_element(" <image", registered, since, at);
	keep_code(at, entry->size);
}

static void drop(struct registered *registered)
{
	if (registered->file)
		put_element(" <image_unload", registered, col_ticks(), UINT64_MAX);
	registered->file = 0;
}

static struct registered *file_of(uint64_t entry)
{
	uint64_t home = (entry >> 4) * 0x9e3779b97f4a7c15u >> 40;

	for (unsigned i = 0; i < FILE_PROBES; i++) {
		struct registered *registered = &files[(home + i) % FILES_MAX];

		if (registered->entry == entry || registered->entry == 0) {
			registered->entry = entry;
			return registered;
		}
	}
	return NULL;
}

/* Returns 1 if the entry was known. */
static int see_entry(uint64_t address, const struct entry *entry, uint32_t owner, uint64_t since)
{
	struct registered *registered = file_of(address);
	int is_known;

	if (!registered)
		return 0;
	is_known = registered->file == entry->file && registered->size == entry->size;
	if (!is_known) {
		drop(registered);
		keep(registered, entry, since);
	}
	registered->owner = owner;
	registered->turn = turn;
	return is_known;
}

/* New entries come first, so after one was registered the rest is as it was. */
static void walk_list(unsigned which, uint64_t since)
{
	const struct descriptor_words *words = &descriptors[which].words;
	uint64_t address = words->first;
	struct entry entry;
	int is_partial = 0;

	turn++;
	for (int i = 0; address != 0 && i < LIST_MAX && !is_partial; i++) {
		if (peek(&entry, address, sizeof(entry)) < 0)
			return;
		is_partial = see_entry(address, &entry, which, since) &&
		             words->action == ACTION_REGISTER;
		address = entry.next;
	}
	for (int i = 0; i < FILES_MAX && !is_partial; i++)
		if (files[i].file && files[i].owner == which && files[i].turn != turn)
			drop(&files[i]);
}

static void look_at(unsigned which, uint64_t since)
{
	struct descriptor_words words;
	struct entry first = {0};

	if (peek(&words, descriptors[which].address, sizeof(words)) < 0 || words.version != 1)
		return;
	if (words.first != 0 && peek(&first, words.first, sizeof(first)) < 0)
		return;
	if (memcmp(&words, &descriptors[which].words, sizeof(words)) == 0 &&
	    memcmp(&first, &descriptors[which].first, sizeof(first)) == 0)
		return;
	descriptors[which].words = words;
	descriptors[which].first = first;
	walk_list(which, since);
}

void gdbjit_look(void)
{
	uint64_t now = col_ticks(), next = atomic_load_explicit(&next_look, memory_order_relaxed);

	if (now < next || atomic_exchange(&is_locked, 1))
		return;
	searched = map_each(searched, search);
	for (unsigned i = 0; i < descriptor_count; i++)
		look_at(i, next); /* until then, no thread has looked and found anything new */
	atomic_store_explicit(&next_look, col_ticks() + col.descriptor.clock_hz / LOOKS_A_SECOND,
	                      memory_order_relaxed);
	atomic_store(&is_locked, 0);
}

void gdbjit_forget(void)
{
	if (turn)
		memset(files, 0, sizeof(files));
	turn = 0;
	memset(descriptors, 0, sizeof(descriptors));
	descriptor_count = 0;
	searched = 0;
	all_size = 0;
	scratch = 0;
	atomic_store(&next_look, 0);
	atomic_store(&is_locked, 0);
}

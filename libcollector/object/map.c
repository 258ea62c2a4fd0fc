/* map.c: write the load objects of the process to map.xml. See map.h.
 *
 * dlopen has no hook, since a hook would change the library search path of its caller. Objects are
 * noticed when the unwinder finds an address in them for the first time, when their code is
 * patched, and by dl_iterate_phdr at the start and at dlclose. Whatever calls the C library's own
 * dlclose, as the library itself does, is noticed when another object stands at the address. See
 * doc/decisions/08-object-lookup.md. */
#include "libcollector/object/map.h"

#include "libcollector/base/collector.h"
#include "libcollector/base/object.h"
#include "libcollector/base/source.h"
#include "libcollector/object/generation.h"
#include "libcollector/object/known.h"
#include "libcollector/hook/hook.h"
#include "libcollector/base/host.h"
#include "libcollector/write/log.h"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <unistd.h>

enum { BUILD_ID_MAX = 64 };

static atomic_uint object_count;
static atomic_uint is_beginning;
static atomic_uint is_begun; /* map.xml is open: until then, objects are only remembered */
static char program[4096];   /* the executable's path, which the loader does not keep */

struct loaded {
	uint64_t start, bias;
	const char *path;
	const ElfW(Phdr) * segment;
	size_t segment_count;
};

/* NULL: it has none, or another thread has unloaded the object since it was found. */
static const uint8_t *header_of(uint64_t start)
{
	const uint8_t *header = (const uint8_t *)(uintptr_t)start;

	if (!sys_page_is_readable((uintptr_t)start))
		return NULL;
	return memcmp(header, ELFMAG, SELFMAG) == 0 ? header : NULL;
}

/* What the file at `start` has that another one at this address hardly has, too: where its section
 * headers and its first instruction stand. */
static uint64_t identity_at(uint64_t start)
{
	const ElfW(Ehdr) *header = (const void *)header_of(start);

	if (!header)
		return 0;
	return ((uint64_t)header->e_shoff * 0x9e3779b97f4a7c15u) ^ header->e_entry ^
	       (uint64_t)header->e_phnum << 48;
}

/* 0: it cannot be read. */
static uint64_t identity_of(const struct loaded *loaded)
{
	for (size_t i = 0; i < loaded->segment_count; i++)
		if (loaded->segment[i].p_type == PT_LOAD && loaded->segment[i].p_flags & PF_R &&
		    ((loaded->bias + loaded->segment[i].p_vaddr) & ~(uint64_t)4095) ==
		            loaded->start)
			return identity_at(loaded->start);
	return 0;
}

static int is_other(const struct object *object, uint64_t identity)
{
	uint64_t known = atomic_load(&object->identity);

	return known != 0 && known != identity;
}

/* Returns the entry that this call has taken, or NULL if the object is known (or the table is
 * full). *is_replaced: another object is known there. */
static struct object *take_entry(uint64_t start, uint64_t identity, int *is_replaced)
{
	unsigned gone = KNOWN_GONE;
	int made;
	struct object *object = known_entry(start, &made);

	*is_replaced = 0;
	if (!object)
		atomic_fetch_add(&col.count.lost_objects, 1);
	if (!object || made)
		return object;
	if (atomic_compare_exchange_strong(&object->gone, &gone, 0)) {
		if (atomic_load(&object->start) == start)
			return object;
		atomic_store(&object->gone, KNOWN_GONE); /* another one had it meanwhile */
		return NULL;
	}
	*is_replaced = is_other(object, identity);
	return NULL;
}

/* The build-id note of a loaded object as hex in out[2 * BUILD_ID_MAX + 1]. */
static void find_build_id(const struct loaded *loaded, char *out)
{
	for (size_t i = 0; i < loaded->segment_count; i++) {
		const ElfW(Phdr) *segment = &loaded->segment[i];
		const char *at = (const char *)(uintptr_t)(loaded->bias + segment->p_vaddr);
		const char *end = at + segment->p_memsz;

		while (segment->p_type == PT_NOTE && (size_t)(end - at) >= sizeof(ElfW(Nhdr))) {
			const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)at;
			const unsigned char *id = (const unsigned char *)(note + 1) +
			                          ((note->n_namesz + 3) & ~3u);

			if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
			    note->n_descsz <= BUILD_ID_MAX) {
				for (unsigned k = 0; k < note->n_descsz; k++) {
					*out++ = "0123456789abcdef"[id[k] >> 4];
					*out++ = "0123456789abcdef"[id[k] & 15];
				}
				*out = '\0';
				return;
			}
			at = (const char *)id + ((note->n_descsz + 3) & ~3u);
		}
	}
	*out = '\0';
}

static void put_segments(struct xml_text *text, const struct loaded *loaded)
{
	for (size_t i = 0; i < loaded->segment_count; i++) {
		const ElfW(Phdr) *segment = &loaded->segment[i];

		if (segment->p_type != PT_LOAD)
			continue;
		xml_put(text, "<segment");
		xml_put_hex(text, "vaddr", segment->p_vaddr);
		xml_put_hex(text, "size", segment->p_memsz);
		xml_put_hex(text, "offset", segment->p_offset);
		xml_put_number(text, "flags", segment->p_flags);
		xml_put(text, "/>");
	}
}

static uint64_t end_of(const struct loaded *loaded)
{
	uint64_t end = 0;

	for (size_t i = 0; i < loaded->segment_count; i++) {
		uint64_t top = loaded->bias + loaded->segment[i].p_vaddr +
		               loaded->segment[i].p_memsz;

		if (loaded->segment[i].p_type == PT_LOAD && top > end)
			end = top;
	}
	return end;
}

/* The end of the page that ends with `end`, or has it inside. */
static uint64_t page_end(uint64_t end)
{
	return (end + SYS_PAGE - 1) & ~(uint64_t)(SYS_PAGE - 1);
}

/* A library may have been loaded by a path relative to the working directory, which readers do not
 * know: write the whole path to whole[COL_TEXT_SIZE], which may be NULL. Returns the path to
 * write. */
static const char *whole_path(const char *path, char *whole)
{
	long len = *path == '/' || *path == '[' || !whole ? -1
	                                                  : SYS2(SYS_getcwd, whole, COL_TEXT_SIZE);
	size_t more = strlen(path) + 1;

	if (len <= 1 || *whole != '/' ||
	    (size_t)len + more > COL_TEXT_SIZE) /* with its NUL; "(unreachable)..." is no path */
		return path;
	whole[len - 1] = '/';
	memcpy(whole + len, path, more);
	return SYS3(SYS_faccessat, AT_FDCWD, whole, F_OK) == 0 ? whole : path;
}

static int write_object(const struct loaded *loaded, uint32_t id)
{
	char build_id[2 * BUILD_ID_MAX + 1];
	char *memory = col_text_borrow();
	char *path;
	struct xml_text text = {.at = memory, .capacity = COL_TEXT_SIZE};
	int error;

	if (!memory)
		return -EBUSY;
	path = col_text_borrow();
	find_build_id(loaded, build_id);
	xml_put(&text, " <object");
	xml_put_number(&text, "id", id);
	xml_put_string(&text, "path", whole_path(loaded->path, path));
	xml_put_string(&text, "build_id", build_id);
	xml_put_hex(&text, "bias", loaded->bias);
	xml_put_hex(&text, "start", loaded->start);
	xml_put_hex(&text, "end", end_of(loaded));
	xml_put_number(&text, "generation",
	               generation_unite(loaded->start, page_end(end_of(loaded))));
	xml_put_number(&text, "time", col_ticks());
	xml_put(&text, ">");
	put_segments(&text, loaded);
	xml_put(&text, "</object>\n");
	error = col_xml_append(COL_MAP, &text);
	col_text_return(path);
	col_text_return(memory);
	return error;
}

/* ---- unloading ---- */

static void write_unload(uint32_t id, uint32_t generation)
{
	char buffer[160];
	struct xml_text text = XML_TEXT(buffer);

	xml_put(&text, " <unload");
	xml_put_number(&text, "id", id);
	xml_put_number(&text, "generation", generation);
	xml_put_number(&text, "time", col_ticks());
	xml_put(&text, "/>\n");
	col_xml_append(COL_MAP, &text);
}

static int is_there(const struct object *object)
{
	uint64_t start = atomic_load(&object->start);
	struct object_found found;

	return object_find((uintptr_t)start, &found) == 0 && found.start == start &&
	       !is_other(object, identity_at(start));
}

/* Its addresses are those of something else from now on. */
static void let_go(struct object *object)
{
	uint64_t start = atomic_load(&object->start), end = atomic_load(&object->end);
	uint32_t generation = generation_renew(start, page_end(end > start ? end : start + 1));
	uint32_t id = object->id; /* once it is gone, another object may get the entry */

	atomic_store(&object->identity, 0);
	atomic_store(&object->end, 0);
	if (atomic_exchange(&object->gone, KNOWN_GONE) == 0 && atomic_load(&is_begun))
		write_unload(id, generation);
}

/* Something was unloaded: write an element for each object that is gone.
 * `is_kept`: not this one, though the C library does not know it. Signal-safe. */
static void note_unloads(int (*is_kept)(const struct object *object))
{
	EACH_SOURCE(unload);
	for (unsigned i = 0; i < known_count(); i++)
		if (known_is_there(&known_objects[i]) && !is_there(&known_objects[i]) &&
		    !is_kept(&known_objects[i]))
			let_go(&known_objects[i]);
}

/* Being loaded, it may be in no table of the C library yet; it has no identity either. */
static int is_new(const struct object *object)
{
	return atomic_load(&object->identity) == 0;
}

/* The object at [start, end) is new: whatever was known there is gone. */
static int covers_known(const struct object *object, uint64_t start, uint64_t end)
{
	for (unsigned i = 0; i < known_count(); i++)
		if (&known_objects[i] != object && known_is_there(&known_objects[i]) &&
		    atomic_load(&known_objects[i].start) < end &&
		    start < atomic_load(&known_objects[i].end))
			return 1;
	return 0;
}

static void add_loaded(const struct loaded *loaded)
{
	uint64_t identity = identity_of(loaded), end;
	int is_replaced;
	struct object *object = take_entry(loaded->start, identity, &is_replaced);

	if (is_replaced) {
		note_unloads(is_new);
		object = take_entry(loaded->start, identity, &is_replaced);
	}
	if (!object)
		return;
	end = end_of(loaded);
	if (covers_known(object, loaded->start, end))
		note_unloads(is_new);
	atomic_store(&object->end, end);
	atomic_store(&object->identity, identity);
	object->id = atomic_fetch_add(&object_count, 1) + 1;
	if (!atomic_load(&is_begun))
		return;
	if (write_object(loaded, object->id) < 0)
		atomic_store(&object->gone, KNOWN_GONE); /* tried again at the next opportunity */
	else
		EACH_SOURCE(listed, loaded->path);
}

static const char *path_of(const char *name)
{
	if (!name || !*name)
		return program;
	return strncmp(name, "linux-vdso", 10) == 0 || strncmp(name, "linux-gate", 10) == 0
	               ? "[vdso]"
	               : name;
}

void map_see(const struct object_found *found)
{
	const ElfW(Ehdr) *header = (const void *)header_of(found->start);
	struct loaded loaded = {
		.start = found->start,
		.bias = found->link->l_addr,
		.path = path_of(found->link->l_name),
	};

	/* The first segment of every linker's output begins with the file's header. */
	if (!header || header->e_phoff > 4096 - sizeof(ElfW(Phdr)))
		return;
	loaded.segment = (const ElfW(Phdr) *)((const char *)header + header->e_phoff);
	loaded.segment_count = header->e_phnum;
	add_loaded(&loaded);
}

static int see_loaded(struct dl_phdr_info *info, size_t size, void *unused)
{
	struct loaded loaded = {
		.start = UINT64_MAX,
		.bias = info->dlpi_addr,
		.path = path_of(info->dlpi_name),
		.segment = info->dlpi_phdr,
		.segment_count = info->dlpi_phnum,
	};

	(void)size;
	(void)unused;
	for (size_t i = 0; i < loaded.segment_count; i++)
		if (loaded.segment[i].p_type == PT_LOAD &&
		    loaded.bias + loaded.segment[i].p_vaddr < loaded.start)
			loaded.start = (loaded.bias + loaded.segment[i].p_vaddr) & ~(uint64_t)4095;
	if (loaded.start != UINT64_MAX)
		add_loaded(&loaded);
	return 0;
}

void map_open_program(void)
{
	long len = SYS4(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", program, sizeof(program) - 1);

	program[len > 0 ? len : 0] = '\0';
}

const char *map_program(void)
{
	return program;
}

void map_open(void)
{
	dl_iterate_phdr(see_loaded, NULL);
}

static void see_again(struct object *object)
{
	uint64_t start = atomic_load(&object->start);
	struct object_found found;
	unsigned there = 0;

	if (start != 0 && atomic_compare_exchange_strong(&object->gone, &there, KNOWN_GONE) &&
	    object_find((uintptr_t)start, &found) == 0)
		map_see(&found);
}

/* The list of the loader is not used: another thread may hold its lock, or may have held it when
 * this process was forked. */
static int make_file(void)
{
	int error = 0;

	col_settle();
	if (col.descriptor.step.lineage[0])
		error = col_host->make_map();
	return error < 0 ? error : col_xml_open(COL_MAP);
}

void map_begin(void)
{
	sys_sigset old;

	if (atomic_exchange(&is_beginning, 1))
		return;
	sys_block_signals(&old);
	if (make_file() == 0) {
		atomic_store(&is_begun, 1);
		for (unsigned i = 0; i < known_count(); i++)
			see_again(&known_objects[i]);
	}
	sys_sigmask(SIG_SETMASK, &old, NULL);
}

void map_restart(void)
{
	generation_restart();
	known_restart();
	atomic_store(&is_beginning, 0);
	atomic_store(&is_begun, 0);
}

uint32_t map_each(uint32_t above, void (*take)(const struct object_found *found))
{
	uint32_t highest = atomic_load(&object_count);
	struct object_found found;

	for (unsigned i = 0; i < known_count() && highest > above; i++)
		if (known_is_there(&known_objects[i]) && known_objects[i].id > above &&
		    object_find((uintptr_t)atomic_load(&known_objects[i].start), &found) == 0)
			take(&found);
	return highest;
}

/* ---- dlclose ---- */

static int count_unloads(struct dl_phdr_info *info, size_t size, void *subs)
{
	(void)size;
	*(unsigned long long *)subs = info->dlpi_subs;
	return 1;
}

struct search {
	const struct object *object;
	uint64_t start;
	int is_found;
};

static int has_segment(struct dl_phdr_info *info, size_t size, void *context)
{
	struct search *search = context;

	(void)size;
	for (size_t i = 0; i < info->dlpi_phnum && !search->is_found; i++)
		search->is_found = info->dlpi_phdr[i].p_type == PT_LOAD &&
		                   ((info->dlpi_addr + info->dlpi_phdr[i].p_vaddr) &
		                    ~(uint64_t)4095) == search->start &&
		                   !is_other(search->object, identity_at(search->start));
	return search->is_found;
}

/* One that another thread is loading is in the loader's list before object_find finds it. */
static int is_being_loaded(const struct object *object)
{
	struct search search = {object, atomic_load(&object->start), 0};

	dl_iterate_phdr(has_segment, &search);
	return search.is_found;
}

EXPORT int dlclose(void *handle)
{
	unsigned long long before = 0, after = 0;
	int result;

	if (!col_is_recording()) { /* wrappers keep the functions behind them all the same */
		result = REAL(dlclose)(handle);
		generation_renew(0, UINT64_MAX);
		return result;
	}
	dl_iterate_phdr(count_unloads, &before);
	dl_iterate_phdr(see_loaded, NULL);
	result = REAL(dlclose)(handle);
	dl_iterate_phdr(count_unloads, &after);
	if (before != after)
		note_unloads(is_being_loaded);
	return result;
}

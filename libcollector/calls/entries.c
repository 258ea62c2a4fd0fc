/* entries.c: patch the entries that an object lists. See entries.h. They stay patched: the code
 * that they call checks whether calls are recorded.
 *
 * Compilers list the addresses of the bytes that they leave in a section of words that the loader
 * relocates, but perhaps not yet. So the words are read from the file and relocated here. N bytes,
 * of which M are before the function, hold nops; M is not recorded, so the beginning of the
 * function is taken from its unwinding table. */
#include "libcollector/calls/entries.h"

#include "libcollector/unwind/cfi.h"
#include "libcollector/object/code.h"
#include "libcollector/calls/functrace_choice.h"
#include "libcollector/write/log.h"
#include "libcollector/calls/nops.h"
#include "libcollector/calls/returns.h"
#include "libcollector/base/sys.h"

#include <errno.h>

enum { RUN_MAX = 4096 /* bytes before a function */ };

/* In order of enum returns_place. */
static void (*const targets[])(void) = {returns_at_entry, returns_inside};

/* An object, and its code as far as it is one section. */
struct object {
	const struct elffile *file;
	uint64_t bias;
	const uint8_t *eh_frame_hdr;
	const uint8_t *stubs;
	uint64_t code, code_end;
	int has_narrow, has_unknown; /* functions: without space; with an unknown beginning */
};

/* ---- addresses that the object lists ---- */

/* Apply the relocations that put an address of the object itself into words[count] at `address`,
 * both without bias. */
static void relocate(const struct elffile *file, uint64_t address, uint64_t *words, size_t count)
{
	unsigned sections_count;
	const Elf64_Shdr *sections = elffile_sections(file, &sections_count);

	for (unsigned i = 0; i < sections_count; i++) {
		const Elf64_Rela *rela = (const Elf64_Rela *)(file->at + sections[i].sh_offset);

		if (sections[i].sh_type != SHT_RELA || !(sections[i].sh_flags & SHF_ALLOC) ||
		    sections[i].sh_offset % 8 != 0 || !elffile_has(file, &sections[i]))
			continue;
		for (size_t k = 0; k < sections[i].sh_size / sizeof(*rela); k++) {
			uint64_t place = rela[k].r_offset - address;

			if (ELF64_R_TYPE(rela[k].r_info) == ARCH_RELOC_RELATIVE &&
			    place / sizeof(*words) < count)
				words[place / sizeof(*words)] = (uint64_t)rela[k].r_addend;
		}
	}
}

/* The words of a section, relocated except for the bias, in memory that the caller unmaps. NULL:
 * there are none, or no memory. */
static uint64_t *read_list(const struct elffile *file, const char *name, size_t *count)
{
	const Elf64_Shdr *section = elffile_find_section(file, name);
	uint64_t *words;

	if (!section || !(section->sh_flags & SHF_ALLOC) || !elffile_has(file, section) ||
	    section->sh_size < sizeof(*words))
		return NULL;
	*count = section->sh_size / sizeof(*words);
	words = sys_mmap_anonymous(*count * sizeof(*words));
	if (!words)
		return NULL;
	memcpy(words, file->at + section->sh_offset, *count * sizeof(*words));
	relocate(file, section->sh_addr, words, *count);
	return words;
}

/* ---- an entry ---- */

/* Make the section of code that contains `address` the current one of the object. Returns 0 or
 * -ENOENT. */
static int enter_code(struct object *object, uint64_t address)
{
	unsigned count;
	const Elf64_Shdr *sections;

	if (address - object->code < object->code_end - object->code)
		return 0;
	sections = elffile_sections(object->file, &count);
	for (unsigned i = 0; i < count; i++) {
		uint64_t start = object->bias + sections[i].sh_addr;

		if (!(sections[i].sh_flags & SHF_EXECINSTR) || sections[i].sh_type == SHT_NOBITS ||
		    address - start >= sections[i].sh_size)
			continue;
		object->code = start;
		object->code_end = start + sections[i].sh_size;
		return 0;
	}
	return -ENOENT;
}

static size_t left_from(const struct object *object, uint64_t address)
{
	return object->code_end - address;
}

/* The function that contains `listed`, or that follows the nops there. Returns 0 or -ENOENT. */
static int find_function(const struct object *object, uint64_t listed, uint64_t *start)
{
	size_t most = left_from(object, listed) < RUN_MAX ? left_from(object, listed) : RUN_MAX;
	uint64_t end;

	if (cfi_function_find(object->eh_frame_hdr, listed, start) == 0)
		return 0;
	end = listed + nops_run((const uint8_t *)listed, most);
	if (end > listed && cfi_function_find(object->eh_frame_hdr, end - 1, start) == 0)
		return 0;
	return cfi_function_find(object->eh_frame_hdr, end, start) == 0 && *start == end ? 0
	                                                                                 : -ENOENT;
}

static void patch(const struct object *object, uint64_t at, size_t room, enum returns_place place)
{
	uint8_t code[NOPS_PATCH_MAX];

	if (nops_make_call(at, (uint64_t)(object->stubs + place * CODE_STUB_SIZE), code, room) == 0)
		code_write(at, code, room);
}

static void see_entry(struct object *object, uint64_t listed)
{
	enum returns_place place = RETURNS_AT_ENTRY;
	uint64_t start, at;
	size_t room;

	if (enter_code(object, listed) < 0)
		return;
	if (find_function(object, listed, &start) < 0 || enter_code(object, start) < 0) {
		object->has_unknown = 1;
		return;
	}
	at = start + arch_mark_length((const uint8_t *)start, left_from(object, start));
	if (listed > at) {
		at = listed;
		place = RETURNS_INSIDE;
	}
	if (!choice_has(start))
		return;
	room = nops_room((const uint8_t *)at, left_from(object, at));
	if (room)
		patch(object, at, room, place);
	else
		object->has_narrow |= !arch_begins_call(
			(const uint8_t *)at); /* of ours or of libc's */
}

static void see_list(struct object *object, const char *name)
{
	size_t count;
	uint64_t *words = read_list(object->file, name, &count);

	if (!words)
		return;
	if (!object->stubs)
		object->stubs = code_make_stubs(object->bias + words[0], targets,
		                                sizeof(targets) / sizeof(targets[0]));
	for (size_t i = 0; i < count && object->stubs; i++)
		if (words[i] != 0)
			see_entry(object, object->bias + words[i]);
	if (!object->stubs)
		col_log_warning("function tracing: the entries of an object could not be patched");
	sys_munmap(words, count * sizeof(*words));
}

/* The unwinding table of the object, which the loader may not know yet. NULL: it has none. */
static const uint8_t *unwind_table(const struct elffile *file, uint64_t bias)
{
	const Elf64_Shdr *section = elffile_find_section(file, ".eh_frame_hdr");

	return section && section->sh_flags & SHF_ALLOC && section->sh_size >= 12
	               ? (const uint8_t *)(bias + section->sh_addr)
	               : NULL;
}

void entries_see(const struct elffile *file, uint64_t bias, int is_idle)
{
	struct object object = {.file = file, .bias = bias};

	if (!returns_is_on || (!elffile_find_section(file, "__patchable_function_entries") &&
	                       !elffile_find_section(file, "__mcount_loc")))
		return;
	if (!is_idle) {
		/* A thread may be between the instructions that would be changed. */
		col_log_warning(
			"function tracing: entries of objects that other threads run already are not patched");
		return;
	}
	object.eh_frame_hdr = unwind_table(file, bias);
	if (object.eh_frame_hdr) {
		see_list(&object, "__patchable_function_entries");
		see_list(&object, "__mcount_loc");
		code_tell_processors();
	}
	if (object.has_narrow)
		col_log_warning(
			"function tracing: some functions have less than 5 bytes at their entries, and are not traced");
	if (!object.eh_frame_hdr || object.has_unknown)
		col_log_warning(
			"function tracing: some functions have no unwind tables, and are not traced");
}

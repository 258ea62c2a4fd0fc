/* objects.c: find and read the target's load objects with libdwfl. See objects.h.
 *
 * Files are opened below /proc/PID/root, as the target sees them; one that has been replaced or
 * deleted since, through /proc/PID/map_files. No separate debugging information is looked for:
 * unwinding needs none, and finding it takes seconds. */
#include "attach/objects.h"

#include "attach/memory.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { READ_TRIES = 20, READ_PAUSE_US = 10 * 1000 };

struct objects {
	Dwfl *dwfl;
	const char *library;
	Dwfl_Module *first[OBJECT_COLLECTOR + 1]; /* of each role */
};

static pid_t target; /* libdwfl's callbacks have no other way to it */

static int open_mapped_file(GElf_Addr start)
{
	char path[64];
	Dwarf_Addr end = 0;
	char line[PATH_MAX + 128];
	FILE *maps;
	int fd = -1;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)target);
	maps = fopen(path, "re");
	while (maps && end == 0 && fgets(line, sizeof(line), maps)) {
		unsigned long from, to;

		if (sscanf(line, "%lx-%lx", &from, &to) == 2 && from == start)
			end = to;
	}
	if (maps)
		fclose(maps);
	if (end) {
		snprintf(path, sizeof(path), "/proc/%d/map_files/%lx-%lx", (int)target,
		         (unsigned long)start, (unsigned long)end);
		fd = open(path, O_RDONLY | O_CLOEXEC);
	}
	return fd;
}

static int find_elf(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr start,
                    char **file, Elf **elf)
{
	char path[PATH_MAX + 32];
	int fd;

	if (name[0] != '/')
		return dwfl_linux_proc_find_elf(module, data, name, start, file, elf);
	snprintf(path, sizeof(path), "/proc/%d/root%s", (int)target, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd >= 0 ? fd : open_mapped_file(start);
}

static int find_no_debuginfo(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr start,
                             const char *file, const char *link, GElf_Word crc, char **found)
{
	(void)module, (void)data, (void)name, (void)start, (void)file, (void)link, (void)crc,
		(void)found;
	return -1;
}

static const Dwfl_Callbacks callbacks = {.find_elf = find_elf, .find_debuginfo = find_no_debuginfo};

static uint64_t find_symbol(Dwfl_Module *module, const char *name, uint64_t *size)
{
	int count = dwfl_module_getsymtab(module);

	for (int i = 1; i < count; i++) {
		GElf_Sym symbol;
		GElf_Addr address;
		GElf_Word section;
		const char *found = dwfl_module_getsym_info(module, i, &symbol, &address, &section,
		                                            NULL, NULL);

		if (found && symbol.st_shndx != SHN_UNDEF && symbol.st_value &&
		    GELF_ST_TYPE(symbol.st_info) == STT_FUNC && strcmp(found, name) == 0) {
			*size = symbol.st_size;
			return address;
		}
	}
	return 0;
}

static uint64_t module_symbol(Dwfl_Module *module, const char *name)
{
	uint64_t size;

	return find_symbol(module, name, &size);
}

static int is_program(Dwfl_Module *module)
{
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(module, &bias);
	size_t count = 0;

	if (!elf || elf_getphdrnum(elf, &count) < 0)
		return 0;
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr segment;

		if (gelf_getphdr(elf, (int)i, &segment) && segment.p_type == PT_INTERP)
			return 1;
	}
	return 0;
}

/* libc.so.6 and ld.so have an interpreter too, so names come first. */
static enum object_role find_role(Dwfl_Module *module, const char *path, const char *library)
{
	const char *base = strrchr(path, '/');

	base = base ? base + 1 : path;
	if (strncmp(base, "ld-linux", 8) == 0)
		return OBJECT_LOADER;
	if (strncmp(base, "libc.so.6", 9) == 0 || strncmp(base, "libc-2.", 7) == 0)
		return OBJECT_LIBC;
	if (strcmp(path, library) == 0)
		return OBJECT_COLLECTOR;
	if (path[0] != '/' || !module_symbol(module, "malloc"))
		return OBJECT_OTHER;
	return is_program(module) ? OBJECT_PROGRAM_ALLOCATOR : OBJECT_ALLOCATOR;
}

static int see_module(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr start,
                      void *argument)
{
	struct objects *objects = argument;
	enum object_role role = find_role(module, name, objects->library);
	Dwarf_Addr bias;

	(void)start;
	/* Reads and keeps what unwinding will need. */
	dwfl_module_eh_cfi(module, &bias);
	*data = (void *)(uintptr_t)role;
	if (!objects->first[role])
		objects->first[role] = module;
	return DWARF_CB_OK;
}

static int open_dwfl(struct objects *objects, pid_t pid)
{
	objects->dwfl = dwfl_begin(&callbacks);
	if (!objects->dwfl)
		return -ENOMEM;
	if (dwfl_linux_proc_report(objects->dwfl, pid) != 0 ||
	    dwfl_report_end(objects->dwfl, NULL, NULL) != 0 ||
	    dwfl_linux_proc_attach(objects->dwfl, pid, true) != 0)
		return -EIO;
	return dwfl_getmodules(objects->dwfl, see_module, objects, 0) == 0 ? 0 : -EIO;
}

int objects_open(pid_t pid, const char *library, struct objects **out)
{
	struct objects *objects = calloc(1, sizeof(*objects));
	int error;

	if (!objects)
		return -ENOMEM;
	target = pid;
	objects->library = library;
	error = open_dwfl(objects, pid);
	if (error < 0) {
		objects_close(objects);
		return error;
	}
	*out = objects;
	return 0;
}

void objects_close(struct objects *objects)
{
	if (objects->dwfl)
		dwfl_end(objects->dwfl);
	free(objects);
}

enum object_role objects_role(struct objects *objects, uint64_t pc)
{
	Dwfl_Module *module = dwfl_addrmodule(objects->dwfl, pc);
	void **data;

	if (!module)
		return OBJECT_NONE;
	dwfl_module_info(module, &data, NULL, NULL, NULL, NULL, NULL, NULL);
	return (enum object_role)(uintptr_t)*data;
}

uint64_t objects_extent(struct objects *objects, enum object_role role, const char *name,
                        uint64_t *size)
{
	*size = 0;
	return objects->first[role] ? find_symbol(objects->first[role], name, size) : 0;
}

const char *objects_name(struct objects *objects, uint64_t pc)
{
	Dwfl_Module *module = dwfl_addrmodule(objects->dwfl, pc);

	return module ? dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, NULL, NULL)
	              : "no object";
}

uint64_t objects_symbol(struct objects *objects, enum object_role role, const char *name)
{
	return objects->first[role] ? module_symbol(objects->first[role], name) : 0;
}

/* Code that is there, but on a busy machine not always at once. */
static int read_code(uint64_t at, void *to, size_t size)
{
	int error = memory_read(at, to, size);

	for (int tries = 0; error < 0 && error != -ESRCH && tries < READ_TRIES; tries++) {
		usleep(READ_PAUSE_US);
		error = memory_read(at, to, size);
	}
	return error;
}

static uint64_t find_in_range(uint64_t from, uint64_t to, const void *code, size_t len)
{
	unsigned char chunk[64 * 1024];

	for (uint64_t at = from; at + len <= to; at += sizeof(chunk) - len) {
		size_t size = to - at < sizeof(chunk) ? (size_t)(to - at) : sizeof(chunk);
		unsigned char *found;

		if (read_code(at, chunk, size) < 0)
			return 0;
		found = memmem(chunk, size, code, len);
		if (found)
			return at + (uint64_t)(found - chunk);
	}
	return 0;
}

uint64_t objects_find_code(struct objects *objects, const void *code, size_t len)
{
	GElf_Addr bias;
	Elf *elf = objects->first[OBJECT_LIBC]
	                   ? dwfl_module_getelf(objects->first[OBJECT_LIBC], &bias)
	                   : NULL;
	size_t count = 0;

	if (!elf || elf_getphdrnum(elf, &count) < 0)
		return 0;
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr segment;
		uint64_t found;

		if (!gelf_getphdr(elf, (int)i, &segment) || segment.p_type != PT_LOAD ||
		    !(segment.p_flags & PF_X))
			continue;
		found = find_in_range(bias + segment.p_vaddr,
		                      bias + segment.p_vaddr + segment.p_filesz, code, len);
		if (found)
			return found;
	}
	return 0;
}

/* ---- call stacks ---- */

struct unwinding {
	struct objects *objects;
	struct object_frame *frames;
	int count, max;
};

static int see_frame(Dwfl_Frame *state, void *argument)
{
	struct unwinding *unwinding = argument;
	struct object_frame *frame = &unwinding->frames[unwinding->count];
	bool is_exact;

	if (unwinding->count == unwinding->max || !dwfl_frame_pc(state, &frame->pc, &is_exact))
		return DWARF_CB_ABORT;
	frame->is_exact = is_exact;
	frame->role = objects_role(unwinding->objects, frame->pc - !is_exact);
	unwinding->count++;
	return DWARF_CB_OK;
}

int objects_unwind(struct objects *objects, pid_t tid, struct object_frame *frames, int max,
                   int *is_whole)
{
	struct unwinding unwinding = {.objects = objects, .frames = frames, .max = max};

	*is_whole = dwfl_getthread_frames(objects->dwfl, tid, see_frame, &unwinding) == 0;
	return unwinding.count > 0 ? unwinding.count : -ENOENT;
}

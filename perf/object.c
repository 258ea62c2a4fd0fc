/* object.c: see object.h. Rules are kept in a table with a place for each hash, as code is sampled
 * at few places again and again. */
#include "perf/object.h"

#include "format/retry.h"
#include "sampler/ring.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	BUCKETS = 1024,
	SEGMENTS_MAX = 16,
	CACHE_BITS = 16,
	BEGIN_BYTES = 64 /* ld.so has 61 */,
	PATH_BYTES = 4096 + 64
};

struct segment {
	uint64_t offset, size, address;
};

struct object {
	struct object *next;
	uint64_t inode, number;
	dev_t device;
	pid_t pid;
	int is_open;
	Elf *elf;
	const void *build_id; /* [build_id_size] */
	size_t build_id_size;
	Dwarf_CFI *cfi; /* NULL: it has no tables, or is not there */
	struct segment segments[SEGMENTS_MAX];
	size_t segment_count;
	uint64_t entry; /* the address where its code begins */
	char path[];
};

const uint8_t rule_kept[RULE_KEPT] = ARCH_KEPT;

static struct object *buckets[BUCKETS];
static uint64_t object_count;
static struct rule cache[1 << CACHE_BITS];

static unsigned bucket_of(const char *path)
{
	unsigned hash = 5381;

	while (*path)
		hash = hash * 33 + (unsigned char)*path++;
	return hash % BUCKETS;
}

struct object *object_of(const char *path, dev_t device, uint64_t inode, pid_t pid)
{
	struct object **bucket = &buckets[bucket_of(path)], *object = *bucket;

	while (object && (object->inode != inode || object->device != device ||
	                  strcmp(object->path, path) != 0))
		object = object->next;
	if (object)
		return object;
	object = calloc(1, sizeof(*object) + strlen(path) + 1);
	if (!object)
		return NULL;
	strcpy(object->path, path);
	object->inode = inode;
	object->device = device;
	object->pid = pid;
	object->number = ++object_count;
	object->next = *bucket;
	*bucket = object;
	return object;
}

/* ---- files */

/* Is a file the one that is mapped? Some file systems show other devices and inode numbers than the
 * kernel tells: then the path has to do. */
static int is_it(const struct object *object, const struct stat *status, int is_path_enough)
{
	if (object->inode == 0 ||
	    (status->st_ino == object->inode && status->st_dev == object->device))
		return 1;
	return is_path_enough && status->st_dev != object->device;
}

static int open_as(const struct object *object, const char *path, int is_path_enough)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat status;

	if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
	    is_it(object, &status, is_path_enough))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* libelf reads on as long as a file answers EINTR, which some file systems do for ever. */
static int is_readable(int fd)
{
	unsigned tries = 0;
	ssize_t got;
	char byte;

	do
		got = pread(fd, &byte, 1, 0);
	while (retry_call(got, &tries));
	return got == 1;
}

/* The process may have another root, and its program may have another name by now, or none. */
static int open_file(const struct object *object)
{
	char inside[PATH_BYTES], program[48];
	const char *const places[] = {object->path, inside, program, inside, object->path};
	int fd = -1;

	snprintf(inside, sizeof(inside), "/proc/%d/root%s", (int)object->pid, object->path);
	snprintf(program, sizeof(program), "/proc/%d/exe", (int)object->pid);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]) && fd < 0; i++)
		fd = object->inode == 0 && places[i] == program ? -1
		                                                : open_as(object, places[i], i > 2);
	return fd;
}

/* The kernel maps the same one into every process of 64 bits. */
static Elf *open_vdso(void)
{
	char *vdso = (char *)getauxval(AT_SYSINFO_EHDR); /* NOLINT */
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)vdso;

	return vdso ? elf_memory(vdso,
	                         header->e_shoff + (size_t)header->e_shnum * header->e_shentsize)
	            : NULL;
}

static void read_segments(struct object *object)
{
	size_t count = 0;
	GElf_Phdr header;

	if (elf_getphdrnum(object->elf, &count) < 0)
		return;
	for (size_t i = 0; i < count && object->segment_count < SEGMENTS_MAX; i++)
		if (gelf_getphdr(object->elf, (int)i, &header) && header.p_type == PT_LOAD)
			object->segments[object->segment_count++] = (struct segment){
				header.p_offset, header.p_filesz, header.p_vaddr};
}

static void read_object(struct object *object)
{
	const void *build_id;
	GElf_Ehdr header;
	ssize_t size;

	if (!gelf_getehdr(object->elf, &header) || header.e_machine != ARCH_MACHINE)
		return;
	read_segments(object);
	object->entry = header.e_entry;
	object->cfi = dwarf_getcfi_elf(object->elf);
	size = dwelf_elf_gnu_build_id(object->elf, &build_id);
	if (size > 0) {
		object->build_id = build_id;
		object->build_id_size = (size_t)size;
	}
}

/* The file is read, not mapped, so that a truncated one raises no signal here. Only the parts that
 * were asked for are in memory. */
static void open_object(struct object *object)
{
	int fd = -1;

	object->is_open = 1;
	elf_version(EV_CURRENT);
	if (strcmp(object->path, "[vdso]") == 0) {
		object->elf = open_vdso();
	} else if (object->path[0] == '/') {
		fd = open_file(object);
		object->elf = fd >= 0 && is_readable(fd) ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
	}
	if (object->elf)
		read_object(object);
	if (object->elf && fd >= 0)
		elf_cntl(object->elf, ELF_C_FDDONE);
	if (fd >= 0)
		close(fd);
}

const char *object_path(const struct object *object)
{
	return object->path;
}

const void *object_build_id(struct object *object, size_t *size)
{
	if (!object->is_open)
		open_object(object);
	*size = object->build_id_size;
	return object->build_id;
}

uint64_t object_address(struct object *object, uint64_t offset)
{
	if (!object->is_open)
		open_object(object);
	for (size_t i = 0; i < object->segment_count; i++)
		if (offset - object->segments[i].offset < object->segments[i].size)
			return offset - object->segments[i].offset + object->segments[i].address;
	return OBJECT_NOWHERE;
}

void *object_frame(struct object *object, uint64_t offset)
{
	Dwarf_Frame *frame = NULL;
	uint64_t address;

	address = object_address(object, offset);
	return address != OBJECT_NOWHERE && object->cfi &&
	                       dwarf_cfi_addrframe(object->cfi, address, &frame) == 0
	               ? frame
	               : NULL;
}

/* ---- rules */

/* Where a register is saved: its offset from the CFA. Returns 0, or -1 if that is said in another
 * way. */
static int saved_at(Dwarf_Frame *frame, int number, int64_t *offset)
{
	Dwarf_Op memory[3], *ops;
	size_t count;

	if (dwarf_frame_register(frame, number, memory, &ops, &count) < 0)
		return -1;
	if (count == 0) { /* it is what it was, or nobody needs it any more */
		*offset = RULE_SAME;
		return 0;
	}
	if (ops[0].atom != DW_OP_call_frame_cfa || count > 2 ||
	    (count == 2 && ops[1].atom != DW_OP_plus_uconst))
		return -1;
	*offset = count == 2 ? (int64_t)ops[1].number : 0;
	if (*offset % 8 != 0 || *offset / 8 <= INT16_MIN || *offset / 8 > INT16_MAX)
		return -1;
	*offset /= 8;
	return 0;
}

static int is_undefined(Dwarf_Frame *frame, int number)
{
	Dwarf_Op memory[3], *ops;
	size_t count;

	return dwarf_frame_register(frame, number, memory, &ops, &count) == 0 && count == 0 &&
	       ops == memory;
}

static enum rule_kind pack(Dwarf_Frame *frame, struct rule *out)
{
	Dwarf_Op *ops;
	size_t count;
	int64_t offset;

	if (is_undefined(frame, RING_PC))
		return RULE_END;
	if (dwarf_frame_cfa(frame, &ops, &count) < 0)
		return RULE_NONE;
	if (count != 1 || ops[0].atom != DW_OP_bregx || ops[0].number >= RING_PC ||
	    (int64_t)ops[0].number2 != (int32_t)ops[0].number2)
		return RULE_COMPLEX;
	if (saved_at(frame, RING_PC, &offset) < 0 || offset != -ARCH_RETURN_WORDS)
		return RULE_COMPLEX;
	out->cfa_register = (uint8_t)ops[0].number;
	out->cfa_offset = (int32_t)ops[0].number2;
	for (int i = 0; i < RULE_KEPT; i++) {
		if (saved_at(frame, rule_kept[i], &offset) < 0)
			return RULE_COMPLEX;
		out->saved[i] = (int16_t)offset;
	}
	return RULE_PLAIN;
}

static void find_rule(struct object *object, uint64_t offset, struct rule *out)
{
	Dwarf_Frame *frame = object_frame(object, offset);
	bool is_signal = false;

	out->kind = RULE_NONE;
	out->is_signal = 0;
	if (!frame && object_address(object, offset) - object->entry < BEGIN_BYTES)
		out->kind = RULE_BEGIN;
	if (!frame)
		return;
	if (dwarf_frame_info(frame, NULL, NULL, &is_signal) == RING_PC)
		out->kind = (uint8_t)pack(frame, out);
	out->is_signal = is_signal;
	free(frame);
}

const struct rule *object_rule(struct object *object, uint64_t offset)
{
	uint64_t key = (object->number << 40 ^ offset) + 1;
	struct rule *rule = &cache[key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - CACHE_BITS)];

	if (rule->key != key) {
		rule->key = key;
		find_rule(object, offset, rule);
	}
	return rule;
}

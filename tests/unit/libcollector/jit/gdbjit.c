/* The list of object files in memory that JIT compilers make for gdb. */
#include "libcollector/jit/gdbjit.h"
#include "tests/unit/libcollector/scratch.h"

#include "libcollector/base/collector.h"
#include "libcollector/object/map.h"

#include <criterion/criterion.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As in gdb's manual ("JIT Compilation Interface"). */
struct jit_code_entry {
	struct jit_code_entry *next, *previous;
	const char *file;
	uint64_t size;
};

struct jit_descriptor {
	uint32_t version, action;
	struct jit_code_entry *relevant, *first;
};
extern struct jit_descriptor __jit_debug_descriptor;
struct jit_descriptor __jit_debug_descriptor = {1, 0, NULL, NULL};

enum { NOTHING, REGISTER, UNREGISTER };

/* A file with a header and two sections, of which the second one is code. */
static struct file {
	Elf64_Ehdr header;
	Elf64_Shdr section[2];
} files[3];
static struct jit_code_entry entries[3];
static uint8_t code[3][64];

static void setup(void)
{
	struct object_found own;

	scratch_open();
	map_open_program();
	map_begin();
	cr_assert_eq(object_find((uintptr_t)&setup, &own), 0);
	map_see(&own);
	col.descriptor.clock_hz = 0; /* look at once */
	for (int i = 0; i < 3; i++) {
		memset(code[i], 'a' + i, sizeof(code[i]));
		files[i].header = (Elf64_Ehdr){.e_shoff = sizeof(Elf64_Ehdr),
		                               .e_shnum = 2,
		                               .e_shentsize = sizeof(Elf64_Shdr)};
		memcpy(files[i].header.e_ident, ELFMAG, SELFMAG);
		files[i].section[0] = (Elf64_Shdr){
			.sh_flags = SHF_ALLOC, .sh_addr = (uint64_t)code[i], .sh_size = 64};
		files[i].section[1] = (Elf64_Shdr){.sh_flags = SHF_ALLOC | SHF_EXECINSTR,
		                                   .sh_addr = (uint64_t)code[i],
		                                   .sh_size = 64};
		entries[i] = (struct jit_code_entry){.file = (const char *)&files[i],
		                                     .size = sizeof(files[i])};
	}
}

TestSuite(gdbjit, .init = setup, .fini = scratch_remove);

static void add(int which)
{
	entries[which].next = __jit_debug_descriptor.first;
	__jit_debug_descriptor = (struct jit_descriptor){1, REGISTER, &entries[which],
	                                                 &entries[which]};
}

static int images(void)
{
	return scratch_count("map.xml", " <image address=");
}

static int unloads(int which)
{
	char wanted[64];

	snprintf(wanted, sizeof(wanted), " <image_unload address=\"%#lx\" time=\"",
	         (unsigned long)(uintptr_t)&entries[which]);
	return scratch_count("map.xml", wanted);
}

/* The bytes of dyntext that the first element with this text refers to. */
static void has_copy(const char *element, const void *bytes, size_t size)
{
	size_t len;
	char *text = scratch_read("map.xml", &len), *at = strstr(text, element), *end;
	char *copy;
	uint64_t offset;

	cr_assert_not_null(at, "%s", element);
	end = strchr(at, '>');
	at = strstr(at, " offset=\"");
	cr_assert(at && at < end);
	offset = strtoull(at + 9, NULL, 10);
	copy = scratch_read("dyntext", &len);
	cr_assert_leq(offset + size, len);
	cr_assert_eq(memcmp(copy + offset, bytes, size), 0);
	free(text);
	free(copy);
}

Test(gdbjit, a_registered_file_is_kept_with_its_code)
{
	char wanted[128];

	gdbjit_look();
	cr_assert_eq(images(), 0);
	add(0);
	gdbjit_look();
	cr_assert_eq(images(), 1);
	snprintf(wanted, sizeof(wanted), " <image address=\"%#lx\" time=\"",
	         (unsigned long)(uintptr_t)&entries[0]);
	has_copy(wanted, &files[0], sizeof(files[0]));
	cr_assert_eq(scratch_count("map.xml", " generation=\"0\" size=\"192\" offset="), 1);
	snprintf(wanted, sizeof(wanted), " <code address=\"%#lx\" size=\"64\" start=\"%#lx\" ",
	         (unsigned long)(uintptr_t)code[0], (unsigned long)(uintptr_t)code[0]);
	has_copy(wanted, code[0], 64);
	cr_assert_eq(scratch_count("map.xml", "<code "), 1, "not that of data");
	gdbjit_look();
	cr_assert_eq(images(), 1);
}

Test(gdbjit, files_that_come_and_go_are_told_of)
{
	add(0);
	add(1);
	gdbjit_look();
	cr_assert_eq(images(), 2);
	add(2);
	gdbjit_look();
	cr_assert_eq(images(), 3);
	entries[2].next = &entries[0]; /* without 1 */
	__jit_debug_descriptor.action = UNREGISTER;
	__jit_debug_descriptor.relevant = &entries[1];
	gdbjit_look();
	cr_assert(unloads(0) == 0 && unloads(1) == 1 && unloads(2) == 0);
	cr_assert_eq(images(), 3);
	__jit_debug_descriptor.first = NULL;
	gdbjit_look();
	cr_assert(unloads(0) == 1 && unloads(1) == 1 && unloads(2) == 1);
	add(1);
	gdbjit_look();
	cr_assert_eq(images(), 4, "it is there again");
}

/* The entry's memory is used for another file. */
Test(gdbjit, an_entry_with_another_file_is_another_one)
{
	add(0);
	gdbjit_look();
	entries[0].file = (const char *)&files[1];
	gdbjit_look();
	cr_assert_eq(unloads(0), 1);
	cr_assert_eq(images(), 2);
	entries[0].size -= 8;
	gdbjit_look();
	cr_assert_eq(unloads(0), 2);
	cr_assert_eq(images(), 3);
	cr_assert_eq(scratch_count("map.xml", " size=\"184\" offset="), 1);
}

Test(gdbjit, damaged_lists_do_no_harm)
{
	add(0);
	__jit_debug_descriptor.version = 2;
	gdbjit_look();
	cr_assert_eq(images(), 0, "another version");
	__jit_debug_descriptor.version = 1;
	__jit_debug_descriptor.first = (struct jit_code_entry *)16;
	gdbjit_look();
	cr_assert_eq(images(), 0, "no memory");
	__jit_debug_descriptor.first = &entries[0];
	entries[0].file = (const char *)16;
	gdbjit_look();
	cr_assert_eq(images(), 0, "no file");
	entries[0].file = (const char *)&files[0];
	entries[0].size = (uint64_t)1 << 40;
	gdbjit_look();
	cr_assert_eq(images(), 0, "a size that cannot be");
	entries[0].size = sizeof(files[0]);
	entries[0].next = &entries[0];
	gdbjit_look();
	cr_assert_eq(images(), 1, "a circle");
	entries[0].next = (struct jit_code_entry *)16;
	gdbjit_look();
	cr_assert_eq(images(), 1);
}

static int codes_of(void)
{
	int before = scratch_count("map.xml", "<code ");

	add(0);
	entries[0].next = NULL;
	entries[0].size ^= 8; /* so that something has changed */
	gdbjit_look();
	return scratch_count("map.xml", "<code ") - before;
}

Test(gdbjit, damaged_files_tell_of_no_code)
{
	entries[0].size += 64;
	cr_assert_eq(codes_of(), 1);
	files[0].header.e_ident[1] = 'e';
	cr_assert_eq(codes_of(), 0);
	files[0].header.e_ident[1] = 'E';
	files[0].header.e_shentsize++;
	cr_assert_eq(codes_of(), 0);
	files[0].header.e_shentsize--;
	files[0].header.e_shoff = 10000;
	cr_assert_eq(codes_of(), 0);
	files[0].header.e_shoff = sizeof(Elf64_Ehdr);
	files[0].header.e_shnum = 60000;
	cr_assert_eq(codes_of(), 1, "as many as there are");
	files[0].section[1].sh_addr = 0;
	cr_assert_eq(codes_of(), 0);
	files[0].section[1].sh_addr = (uint64_t)code[0];
	files[0].section[1].sh_size = 0;
	cr_assert_eq(codes_of(), 0);
	files[0].section[1].sh_size = (16 << 20) + 1;
	cr_assert_eq(codes_of(), 0);
	files[0].section[1].sh_size = 64;
	files[0].section[1].sh_flags = SHF_EXECINSTR;
	cr_assert_eq(codes_of(), 0);
	files[0].section[1].sh_flags = SHF_ALLOC | SHF_EXECINSTR;
	cr_assert_eq(codes_of(), 1);
}

Test(gdbjit, it_does_not_look_all_the_time)
{
	col.descriptor.clock_hz = (uint64_t)1 << 62;
	gdbjit_look();
	add(0);
	gdbjit_look();
	cr_assert_eq(images(), 0);
	gdbjit_forget();
	gdbjit_look();
	cr_assert_eq(images(), 1);
}

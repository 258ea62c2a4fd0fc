/* elfneeds.c: tests of what a program needs before it can start. */
#include "format/elfneeds.h"

#include <criterion/criterion.h>
#include <elf.h>
#include <stddef.h>
#include <string.h>

static struct file {
	Elf64_Phdr segments[2];
	Elf64_Dyn entries[4];
	char names[32];
} file;
static size_t size; /* its size, as far as it exists */

static long read_memory(int fd, void *to, size_t len, uint64_t at)
{
	(void)fd;
	if (at >= size)
		return 0;
	len = len < size - at ? len : size - at;
	memcpy(to, (const char *)&file + at, len);
	return (long)len;
}

static void make(const char *library)
{
	file = (struct file){
		.segments = {{.p_type = PT_LOAD, .p_vaddr = 0x1000, .p_filesz = sizeof(file)},
	                     {.p_type = PT_DYNAMIC,
	                      .p_offset = offsetof(struct file, entries),
	                      .p_filesz = sizeof(file.entries)}},
		.entries = {{.d_tag = DT_NEEDED, .d_un.d_val = 1},
	                    {.d_tag = DT_NEEDED, .d_un.d_val = 30},
	                    {.d_tag = DT_STRTAB,
	                     .d_un.d_ptr = 0x1000 + offsetof(struct file, names)}},
	};
	strcpy(file.names + 1, library);
	size = sizeof(file);
}

static int needs(const char *name)
{
	return elf_needs_first(read_memory, 3, 0, 2, name);
}

Test(elfneeds, the_first_library_is_known_by_the_beginning_of_its_name)
{
	make("libasan.so.8");
	cr_assert(needs("libasan.so"));
	cr_assert(!needs("libasan.so.9"));
	make("libc.so.6");
	cr_assert(!needs("libasan.so"));
	cr_assert(needs("libc."));
}

Test(elfneeds, what_is_cut_off_is_not_needed)
{
	make("libasan.so.8");
	for (size = 0; size < offsetof(struct file, names) + 1 + strlen("libasan.so"); size++)
		cr_assert(!needs("libasan.so"), "%zu bytes", size);
	cr_assert(needs("libasan.so"));
}

Test(elfneeds, wild_numbers_do_no_harm)
{
	make("libasan.so.8");
	file.entries[2].d_un.d_ptr = ~0ull;
	cr_assert(!needs("libasan.so"));
	make("libasan.so.8");
	file.entries[0].d_un.d_val = ~0ull - 100;
	cr_assert(!needs("libasan.so"));
	make("libasan.so.8");
	file.segments[1].p_offset = ~0ull;
	cr_assert(!needs("libasan.so"));
	cr_assert(!elf_needs_first(read_memory, 3, 0, 65535, "libasan.so"));
	cr_assert(!elf_needs_first(read_memory, 3, ~0ull, 2, "libasan.so"));
	cr_assert(!elf_needs_first(read_memory, 3, 0, 0, "libasan.so"));
}

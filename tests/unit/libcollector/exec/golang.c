/* The note by which Go programs are recognized. */
#include "libcollector/exec/golang.h"

#include <criterion/criterion.h>
#include <string.h>

/* A program in memory, at address 0x1000 by its headers. */
static struct image {
	ElfW(Phdr) headers[3];
	struct {
		ElfW(Nhdr) header;
		char owner[4];
		char text[8];
	} notes[2];
} image;

enum { ADDRESS = 0x1000 };

static void make(void)
{
	memset(&image, 0, sizeof(image));
	image.headers[0] = (ElfW(Phdr)){.p_type = PT_PHDR, .p_vaddr = ADDRESS};
	image.headers[1] = (ElfW(Phdr)){.p_type = PT_NOTE,
	                                .p_vaddr = ADDRESS + offsetof(struct image, notes),
	                                .p_filesz = sizeof(image.notes)};
	image.headers[2] = (ElfW(Phdr)){
		.p_type = PT_LOAD, .p_flags = PF_R, .p_vaddr = ADDRESS, .p_filesz = sizeof(image)};
	for (int i = 0; i < 2; i++)
		image.notes[i].header = (ElfW(Nhdr)){.n_namesz = 4, .n_descsz = 7, .n_type = 4};
	memcpy(image.notes[0].owner, "GNU", 4);
	memcpy(image.notes[1].owner, "Go\0", 4);
}

static int has(void)
{
	return golang_has_note(image.headers, 3);
}

TestSuite(golang, .init = make);

Test(golang, any_of_the_notes_may_be_it)
{
	cr_expect_eq(has(), 1);
	memcpy(image.notes[1].owner, "GNU", 4);
	cr_expect_eq(has(), 0);
	memcpy(image.notes[0].owner, "Go\0", 4);
	cr_expect_eq(has(), 1);
}

Test(golang, this_is_none)
{
	cr_expect_eq(golang_is_program(), 0);
}

Test(golang, what_is_not_loaded_is_not_read)
{
	image.headers[2].p_filesz = offsetof(struct image, notes);
	cr_expect_eq(has(), 0);
	make();
	image.headers[1].p_vaddr = (ElfW(Addr)) - 16;
	cr_expect_eq(has(), 0);
	make();
	image.headers[1].p_filesz = SIZE_MAX;
	cr_expect_eq(has(), 0);
	make();
	image.headers[2].p_flags = PF_X;
	cr_expect_eq(has(), 0);
}

Test(golang, sizes_that_cannot_be_end_it)
{
	static const uint32_t sizes[] = {UINT32_MAX, UINT32_MAX - 3, 1 << 20, 60};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		make();
		image.notes[0].header.n_namesz = sizes[i];
		cr_expect_eq(has(), 0, "%u", sizes[i]);
		make();
		image.notes[0].header.n_descsz = sizes[i];
		cr_expect_eq(has(), 0, "%u", sizes[i]);
	}
	make();
	image.headers[1].p_filesz = sizeof(image.notes[0]) + 11; /* not even the second header */
	cr_expect_eq(has(), 0);
	cr_expect_eq(golang_has_note(image.headers, 65), 0);
}

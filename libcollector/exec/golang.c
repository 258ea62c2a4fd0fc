/* golang.c: is this a Go program? Go's linker leaves a note with its name as owner, which other
 * linkers keep. See golang.h.
 * See doc/decisions/56-go.md. */
#include "libcollector/exec/golang.h"

#include <string.h>
#include <sys/auxv.h>

enum { SEGMENTS_MAX = 64, NOTES_MAX = 64, ALIGNMENT = 4 };

static const char owner[4] = "Go";

struct segments {
	const ElfW(Phdr) * at; /* at[count] */
	size_t count;
	uintptr_t bias;
};

/* The headers are in the memory of the program, and may be wrong: only loaded memory is read. */
static int is_loaded(const struct segments *segments, uintptr_t start, size_t size)
{
	for (size_t i = 0; i < segments->count; i++) {
		const ElfW(Phdr) *segment = &segments->at[i];

		if (segment->p_type == PT_LOAD && (segment->p_flags & PF_R) &&
		    start >= segment->p_vaddr && start - segment->p_vaddr <= segment->p_filesz &&
		    size <= segment->p_filesz - (start - segment->p_vaddr))
			return 1;
	}
	return 0;
}

static size_t padded(size_t size)
{
	return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static int has_owner(const char *at, size_t size)
{
	for (int i = 0; i < NOTES_MAX && size >= sizeof(ElfW(Nhdr)); i++) {
		const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)at;
		size_t whole = sizeof(*note) + padded(note->n_namesz) + padded(note->n_descsz);

		if (note->n_namesz > size || note->n_descsz > size || whole > size)
			return 0;
		if (note->n_namesz == sizeof(owner) && memcmp(note + 1, owner, sizeof(owner)) == 0)
			return 1;
		at += whole;
		size -= whole;
	}
	return 0;
}

int golang_is_program(void)
{
	const void *headers = (const void *)getauxval(AT_PHDR); /* NOLINT */

	return headers && getauxval(AT_PHENT) == sizeof(ElfW(Phdr)) &&
	       golang_has_note(headers, getauxval(AT_PHNUM));
}

int golang_has_note(const ElfW(Phdr) * headers, size_t count)
{
	struct segments segments = {.at = headers, .count = count};

	if (count > SEGMENTS_MAX)
		return 0;
	for (size_t i = 0; i < segments.count; i++)
		if (segments.at[i].p_type == PT_PHDR)
			segments.bias = (uintptr_t)segments.at - segments.at[i].p_vaddr;
	for (size_t i = 0; i < segments.count; i++) {
		const ElfW(Phdr) *segment = &segments.at[i];

		if (segment->p_type == PT_NOTE && segment->p_vaddr % ALIGNMENT == 0 &&
		    is_loaded(&segments, segment->p_vaddr, segment->p_filesz) &&
		    has_owner((const char *)(segments.bias + segment->p_vaddr),
		              segment->p_filesz)) /* NOLINT */
			return 1;
	}
	return 0;
}

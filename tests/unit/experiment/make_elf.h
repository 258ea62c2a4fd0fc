/* make_elf.h: 64-bit ELF files for tests, made section by section. */
#ifndef XER_TESTS_UNIT_EXPERIMENT_MAKE_ELF_H
#define XER_TESTS_UNIT_EXPERIMENT_MAKE_ELF_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>

struct made_section {
	const char *name;
	const void *bytes;
	size_t size;
	uint32_t type, link, info;
	uint64_t flags, address, entry_size;
};

/* Put a file of type ET_DYN with sections[count], which have the numbers from 1 on, into out[room].
 * Those with SHF_ALLOC are mapped at their addresses. Returns its size. */
size_t made_elf(void *out, size_t room, const struct made_section *sections, size_t count);

/* The same as an open binary, which the caller closes. */
struct exp_binary *made_binary(const struct made_section *sections, size_t count);

enum { MADE_NOTE_SIZE = 32 };

/* Put a note with a build-id of 16 bytes into out[MADE_NOTE_SIZE]. */
void made_build_id(uint8_t *out, const uint8_t *id);

#endif

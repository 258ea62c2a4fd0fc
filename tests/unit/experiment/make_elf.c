/* make_elf.c: see make_elf.h. */
#include "tests/unit/experiment/make_elf.h"

#include "experiment/base/internal.h"
#include "experiment/elf/binary.h"

#include <assert.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SECTIONS_MAX = 30, ALIGNMENT = 16 };

static size_t put(uint8_t *out, size_t room, size_t at, const void *bytes, size_t size)
{
	assert(at + size + ALIGNMENT <= room);
	memcpy(out + at, bytes, size);
	return (at + size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Program headers of the mapped sections. Returns their number. */
static size_t map(Elf64_Phdr *out, const struct made_section *sections, const Elf64_Shdr *headers,
                  size_t count)
{
	size_t used = 0;

	for (size_t i = 0; i < count; i++) {
		Elf64_Phdr header = {.p_type = PT_LOAD,
		                     .p_flags = PF_R | PF_X,
		                     .p_offset = headers[i].sh_offset,
		                     .p_vaddr = headers[i].sh_addr,
		                     .p_paddr = headers[i].sh_addr,
		                     .p_filesz = headers[i].sh_size,
		                     .p_memsz = headers[i].sh_size,
		                     .p_align = 1};

		if (!(headers[i].sh_flags & SHF_ALLOC))
			continue;
		out[used++] = header;
		header.p_type = PT_GNU_EH_FRAME;
		if (strcmp(sections[i].name, ".eh_frame_hdr") == 0)
			out[used++] = header;
	}
	return used;
}

size_t made_elf(void *out, size_t room, const struct made_section *sections, size_t count)
{
	Elf64_Shdr headers[SECTIONS_MAX] = {0};
	Elf64_Phdr segments[SECTIONS_MAX];
	char names[1024] = "\0.shstrtab";
	size_t names_size = sizeof("\0.shstrtab"), at = sizeof(Elf64_Ehdr);
	Elf64_Ehdr header = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
	                    EV_CURRENT},
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = (uint16_t)(count + 2),
		.e_shstrndx = (uint16_t)(count + 1),
	};

	assert(count + 2 <= SECTIONS_MAX);
	memset(out, 0, room);
	for (size_t i = 0; i < count; i++) {
		headers[i + 1] = (Elf64_Shdr){.sh_name = (uint32_t)names_size,
		                              .sh_type = sections[i].type,
		                              .sh_flags = sections[i].flags,
		                              .sh_addr = sections[i].address,
		                              .sh_offset = at,
		                              .sh_size = sections[i].size,
		                              .sh_link = sections[i].link,
		                              .sh_info = sections[i].info,
		                              .sh_addralign = 1,
		                              .sh_entsize = sections[i].entry_size};
		assert(names_size + strlen(sections[i].name) < sizeof(names));
		strcpy(names + names_size, sections[i].name);
		names_size += strlen(sections[i].name) + 1;
		if (sections[i].type != SHT_NOBITS)
			at = put(out, room, at, sections[i].bytes, sections[i].size);
	}
	headers[count + 1] = (Elf64_Shdr){
		.sh_name = 1, .sh_type = SHT_STRTAB, .sh_offset = at, .sh_size = names_size};
	at = put(out, room, at, names, names_size);
	header.e_shoff = at;
	at = put(out, room, at, headers, (count + 2) * sizeof(headers[0]));
	header.e_phnum = (uint16_t)map(segments, sections, headers + 1, count);
	header.e_phoff = header.e_phnum == 0 ? 0 : at;
	at = put(out, room, at, segments, header.e_phnum * sizeof(segments[0]));
	memcpy(out, &header, sizeof(header));
	return at;
}

struct exp_binary *made_binary(const struct made_section *sections, size_t count)
{
	static uint8_t file[1 << 16];
	static const struct experiment nowhere = {.founder = (char *)"/nonexistent"};
	size_t size = made_elf(file, sizeof(file), sections, count);
	int fd = memfd_create("made", MFD_CLOEXEC);
	struct exp_binary *binary;

	assert(fd >= 0 && write(fd, file, size) == (ssize_t)size);
	assert(exp_binary_open(&nowhere, fd, "made", "/nonexistent/made", "", &binary) == 0);
	return binary;
}

void made_build_id(uint8_t *out, const uint8_t *id)
{
	static const Elf64_Nhdr header = {4, 16, NT_GNU_BUILD_ID};

	memcpy(out, &header, sizeof(header));
	memcpy(out + sizeof(header), "GNU", 4);
	memcpy(out + sizeof(header) + 4, id, 16);
}

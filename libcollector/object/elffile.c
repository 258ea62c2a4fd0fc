/* elffile.c: files of load objects in memory. See elffile.h. */
#include "libcollector/object/elffile.h"

#include "libcollector/base/file.h"
#include "libcollector/base/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

int elffile_map(const char *path, struct elffile *out)
{
	long fd = col_file_open(AT_FDCWD, path, O_RDONLY, 0);
	struct stat status;
	int error = -EIO;

	if (fd < 0)
		return (int)fd;
	if (sys_fstat((int)fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
		out->size = (uint64_t)status.st_size;
		out->at = sys_mmap(out->size, PROT_READ, MAP_PRIVATE, (int)fd, 0);
		error = out->at ? 0 : -ENOMEM;
	}
	sys_close((int)fd);
	return error;
}

void elffile_unmap(const struct elffile *file)
{
	sys_munmap((void *)(uintptr_t)file->at, file->size);
}

const Elf64_Shdr *elffile_sections(const struct elffile *file, unsigned *count)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)file->at;

	if (file->size < sizeof(*header) || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
	    header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_shentsize != sizeof(Elf64_Shdr) ||
	    header->e_shoff > file->size || header->e_shoff % 8 != 0 ||
	    (file->size - header->e_shoff) / sizeof(Elf64_Shdr) < header->e_shnum ||
	    header->e_shstrndx >= header->e_shnum)
		return NULL;
	*count = header->e_shnum;
	return (const Elf64_Shdr *)(file->at + header->e_shoff);
}

const Elf64_Shdr *elffile_find_section(const struct elffile *file, const char *name)
{
	unsigned count;
	const Elf64_Shdr *sections = elffile_sections(file, &count), *names;
	size_t name_size = strlen(name) + 1;

	if (!sections)
		return NULL;
	names = &sections[((const Elf64_Ehdr *)file->at)->e_shstrndx];
	if (names->sh_type != SHT_STRTAB || !elffile_has(file, names))
		return NULL;
	for (unsigned i = 0; i < count; i++)
		if (sections[i].sh_name <= names->sh_size &&
		    names->sh_size - sections[i].sh_name >= name_size &&
		    memcmp(file->at + names->sh_offset + sections[i].sh_name, name, name_size) == 0)
			return &sections[i];
	return NULL;
}

int elffile_range(const struct elffile *file, uint64_t *start, uint64_t *end)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)file->at;
	const Elf64_Phdr *segment;

	*start = UINT64_MAX;
	*end = 0;
	if (file->size < sizeof(*header) || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
	    header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_phentsize != sizeof(*segment) ||
	    header->e_phoff > file->size || header->e_phoff % 8 != 0 ||
	    (file->size - header->e_phoff) / sizeof(*segment) < header->e_phnum)
		return -ENOEXEC;
	segment = (const Elf64_Phdr *)(file->at + header->e_phoff);
	for (unsigned i = 0; i < header->e_phnum; i++)
		if (segment[i].p_type == PT_LOAD) {
			*start = segment[i].p_vaddr < *start ? segment[i].p_vaddr : *start;
			*end = segment[i].p_vaddr + segment[i].p_memsz > *end
			               ? segment[i].p_vaddr + segment[i].p_memsz
			               : *end;
		}
	return *start < *end ? 0 : -ENOEXEC;
}

int elffile_has(const struct elffile *file, const Elf64_Shdr *section)
{
	return section->sh_type != SHT_NOBITS && section->sh_offset <= file->size &&
	       section->sh_size <= file->size - section->sh_offset;
}

static int find_symbols(const struct elffile *file, uint32_t type, struct elffile_symbols *out)
{
	unsigned count;
	const Elf64_Shdr *sections = elffile_sections(file, &count);

	for (unsigned i = 0; sections && i < count; i++) {
		const Elf64_Shdr *section = &sections[i], *names;

		if (section->sh_type != type || section->sh_link >= count ||
		    section->sh_offset % 8 != 0)
			continue;
		names = &sections[section->sh_link];
		if (!elffile_has(file, section) || !elffile_has(file, names))
			continue;
		out->at = (const Elf64_Sym *)(file->at + section->sh_offset);
		out->end = out->at + section->sh_size / sizeof(*out->at);
		out->names = (const char *)file->at + names->sh_offset;
		out->names_size = names->sh_size;
		return 1;
	}
	return 0;
}

int elffile_symbols_find(const struct elffile *file, struct elffile_symbols *out)
{
	return find_symbols(file, SHT_SYMTAB, out) || find_symbols(file, SHT_DYNSYM, out);
}

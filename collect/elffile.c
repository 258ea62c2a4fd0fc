/* elffile.c: reads just enough of an ELF file to know whether glibc's loader will preload a library into
 * it. Nothing read is trusted. */
#include "elffile.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PROGRAM_HEADERS_MAX = 512 };

/* Name of the loader that the library is made for; others (musl's) have another C library. */
#define LOADER_PREFIX "/ld-linux"

__attribute__((format(printf, 3, 4))) static int refuse(char *reason, size_t size, const char *format, ...)
{
	__builtin_va_list arguments;

	__builtin_va_start(arguments, format);
	vsnprintf(reason, size, format, arguments);
	__builtin_va_end(arguments);
	return -ENOEXEC;
}

static int check_loader(int fd, const Elf64_Phdr *interp, char *reason, size_t size)
{
	char loader[128] = "";
	size_t len = interp->p_filesz < sizeof(loader) ? interp->p_filesz : sizeof(loader) - 1;
	const char *base;

	if (pread(fd, loader, len, (off_t)interp->p_offset) != (ssize_t)len)
		return refuse(reason, size, "its ELF headers are damaged");
	base = strrchr(loader, '/');
	if (!base || strncmp(base, LOADER_PREFIX, strlen(LOADER_PREFIX)) != 0)
		return refuse(reason, size, "its loader is '%s', not that of the GNU C library", loader);
	return 0;
}

static int check_segments(int fd, const Elf64_Ehdr *head, char *reason, size_t size)
{
	for (unsigned i = 0; i < head->e_phnum; i++) {
		Elf64_Phdr segment;
		off_t at = (off_t)(head->e_phoff + (uint64_t)i * head->e_phentsize);

		if (pread(fd, &segment, sizeof(segment), at) != sizeof(segment))
			return refuse(reason, size, "its ELF headers are damaged");
		if (segment.p_type == PT_INTERP)
			return check_loader(fd, &segment, reason, size);
	}
	return refuse(reason, size, "it is statically linked");
}

int elffile_check(int fd, char *reason, size_t size)
{
	Elf64_Ehdr head;

	if (pread(fd, &head, sizeof(head), 0) != sizeof(head))
		return refuse(reason, size, "its ELF headers are damaged");
	if (head.e_ident[EI_CLASS] == ELFCLASS32)
		return refuse(reason, size, "it is a 32-bit program");
	if (head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_ident[EI_DATA] != ELFDATA2LSB || head.e_machine != EM_X86_64)
		return refuse(reason, size, "it is for another machine (ELF machine %u)", head.e_machine);
	if (head.e_type != ET_EXEC && head.e_type != ET_DYN)
		return refuse(reason, size, "it is not an executable ELF file");
	if (head.e_phentsize != sizeof(Elf64_Phdr) || head.e_phnum > PROGRAM_HEADERS_MAX)
		return refuse(reason, size, "its ELF headers are damaged");
	return check_segments(fd, &head, reason, size);
}

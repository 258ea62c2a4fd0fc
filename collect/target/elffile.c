/* elffile.c: reads just enough of an ELF file to know whether glibc's loader will preload a library
 * into it. Nothing read is trusted. */
#include "collect/target/elffile.h"

#include "collect/arch/arch.h"
#include "format/elfneeds.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PROGRAM_HEADERS_MAX = 512 };

/* Name of the loader that the library is made for; others (musl's) have another C library. */
#define LOADER_PREFIX "/ld-linux"

__attribute__((format(printf, 3, 4))) static int refuse(char *reason, size_t size,
                                                        const char *format, ...)
{
	__builtin_va_list arguments;

	__builtin_va_start(arguments, format);
	vsnprintf(reason, size, format, arguments);
	__builtin_va_end(arguments);
	return -ENOEXEC;
}

/* Of the headers, what is needed of either class. */
struct program {
	uint64_t headers_at;
	unsigned type, machine, header_size, header_count;
	int bits;
};

struct segment {
	uint32_t type;
	uint64_t offset, file_size;
};

static int check_loader(int fd, const struct segment *interp, char *reason, size_t size,
                        int *can_run)
{
	char loader[128] = "";
	size_t len = interp->file_size < sizeof(loader) ? interp->file_size : sizeof(loader) - 1;
	const char *base;

	if (pread(fd, loader, len, (off_t)interp->offset) != (ssize_t)len)
		return refuse(reason, size, "its ELF headers are damaged");
	base = strrchr(loader, '/');
	*can_run = 1;
	if (!base || strncmp(base, LOADER_PREFIX, strlen(LOADER_PREFIX)) != 0)
		return refuse(reason, size, "its loader is '%s', not that of the GNU C library",
		              loader);
	return 0;
}

static int read_segment(int fd, const struct program *program, unsigned number, struct segment *out)
{
	off_t at = (off_t)(program->headers_at + (uint64_t)number * program->header_size);
	Elf64_Phdr wide;
	Elf32_Phdr narrow;

	if (program->bits == 64) {
		if (pread(fd, &wide, sizeof(wide), at) != sizeof(wide))
			return -1;
		*out = (struct segment){wide.p_type, wide.p_offset, wide.p_filesz};
		return 0;
	}
	if (pread(fd, &narrow, sizeof(narrow), at) != sizeof(narrow))
		return -1;
	*out = (struct segment){narrow.p_type, narrow.p_offset, narrow.p_filesz};
	return 0;
}

static int check_segments(int fd, const struct program *program, char *reason, size_t size,
                          int *can_run)
{
	for (unsigned i = 0; i < program->header_count; i++) {
		struct segment segment;

		if (read_segment(fd, program, i, &segment) < 0)
			return refuse(reason, size, "its ELF headers are damaged");
		if (segment.type == PT_INTERP)
			return check_loader(fd, &segment, reason, size, can_run);
	}
	*can_run = 1;
	return refuse(reason, size, "it is statically linked");
}

static int read_program(int fd, struct program *out)
{
	Elf64_Ehdr wide;
	Elf32_Ehdr narrow;

	if (pread(fd, &narrow, sizeof(narrow), 0) != sizeof(narrow))
		return -1;
	if (narrow.e_ident[EI_CLASS] == ELFCLASS32) {
		*out = (struct program){narrow.e_phoff,     narrow.e_type,  narrow.e_machine,
		                        narrow.e_phentsize, narrow.e_phnum, 32};
		return 0;
	}
	if (pread(fd, &wide, sizeof(wide), 0) != sizeof(wide))
		return -1;
	*out = (struct program){wide.e_phoff,     wide.e_type,  wide.e_machine,
	                        wide.e_phentsize, wide.e_phnum, 64};
	return 0;
}

static long read_at(int fd, void *to, size_t size, uint64_t at)
{
	return pread(fd, to, size, (off_t)at);
}

int elffile_check(int fd, char *reason, size_t size, int *can_run)
{
	unsigned char ident[EI_NIDENT];
	struct program program;
	int status;

	*can_run = 0;
	if (pread(fd, ident, sizeof(ident), 0) != sizeof(ident) || read_program(fd, &program) < 0)
		return refuse(reason, size, "its ELF headers are damaged");
	if (ident[EI_DATA] != ELFDATA2LSB ||
	    program.machine != (program.bits == 64 ? ARCH_MACHINE_64 : ARCH_MACHINE_32))
		return refuse(reason, size, "it is for another machine (ELF machine %u)",
		              program.machine);
	if (program.type != ET_EXEC && program.type != ET_DYN)
		return refuse(reason, size, "it is not an executable ELF file");
	if (program.header_size != (program.bits == 64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr)) ||
	    program.header_count > PROGRAM_HEADERS_MAX)
		return refuse(reason, size, "its ELF headers are damaged");
	if (program.bits == 64 && elf_needs_first(read_at, fd, program.headers_at,
	                                          program.header_count, ELF_ADDRESS_SANITIZER)) {
		*can_run = 1;
		return refuse(reason, size, ELF_ADDRESS_SANITIZER_REASON);
	}
	status = check_segments(fd, &program, reason, size, can_run);
	*can_run &= program.bits == 64;
	return status < 0 ? status : program.bits;
}

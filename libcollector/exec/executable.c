/* executable.c: look into a file that is about to be executed. See executable.h.
 *
 * A preload library gets into dynamically linked programs of its own architecture that run with the
 * rights of their parent. For all others, the loader would ignore it, or print a message on the
 * program's standard error. There is one library for each class of ELF files, if that for 32 bits
 * was built.
 * See doc/decisions/47-32-bit.md. */
#include "libcollector/exec/executable.h"

#include "libcollector/base/sys.h"
#include "libcollector/exec/environment.h"

#include "format/elfneeds.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/prctl.h>

/* The kernel follows as many #! lines; a line is cut at 256 bytes. */
enum { SCRIPT_DEPTH = 4, HEAD = 256, SEGMENTS_MAX = 64 };

static const struct executable_obstacle is_static = {"it is statically linked", 1, 1};
static const struct executable_obstacle is_privileged = {
	"it gets other rights (set-user-id, set-group-id or file capabilities)", 0, 0};
static const struct executable_obstacle is_foreign = {"it is of another architecture", 0, 0};
static const struct executable_obstacle is_sanitized = {ELF_ADDRESS_SANITIZER_REASON, 0, 1};
static const struct executable_obstacle is_narrow = {
	"it is a 32-bit program, for which there is no collector in this installation", 0, 0};

/* The loader itself has no interpreter, but it preloads libraries. */
static int is_loader(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;

	return strncmp(base, "ld-", 3) == 0 || strncmp(base, "ld.so", 5) == 0;
}

/* The program headers of a file. */
struct segments {
	uint64_t at;
	unsigned count, size;
};

static int has_interpreter(int fd, const struct segments *segments)
{
	for (unsigned i = 0; i < segments->count && i < SEGMENTS_MAX; i++) {
		uint32_t type; /* begins the header of either class */

		if (sys_pread(fd, &type, sizeof(type),
		              segments->at + (uint64_t)i * segments->size) != (long)sizeof(type))
			return 1;
		if (type == PT_INTERP)
			return 1;
	}
	return 0;
}

/* Of a program that could be recorded. Returns 32 or 64, 0: it is of another architecture. */
static int bits_of(const Elf32_Ehdr *header)
{
	if (header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_machine == ARCH_MACHINE_64)
		return 64;
	return header->e_ident[EI_CLASS] == ELFCLASS32 && header->e_machine == ARCH_MACHINE_32 ? 32
	                                                                                       : 0;
}

static long read_at(int fd, void *to, size_t size, uint64_t at)
{
	return sys_pread(fd, to, size, at);
}

static const struct executable_obstacle *check_elf(int fd, const char *path, const char *header,
                                                   long len, int *bits)
{
	const Elf64_Ehdr *wide = (const Elf64_Ehdr *)header;
	const Elf32_Ehdr *narrow = (const Elf32_Ehdr *)
		header; /* up to e_version they are the same */
	struct segments segments = {wide->e_phoff, wide->e_phnum, wide->e_phentsize};
	int is_wide = narrow->e_ident[EI_CLASS] == ELFCLASS64;

	if (len < (long)(is_wide ? sizeof(*wide) : sizeof(*narrow)))
		return NULL;
	if (!bits_of(narrow))
		return &is_foreign;
	*bits = bits_of(narrow);
	if (*bits == 32 && !environment_library(32))
		return &is_narrow;
	if (!is_wide)
		segments = (struct segments){narrow->e_phoff, narrow->e_phnum, narrow->e_phentsize};
	if (is_wide && segments.size == sizeof(Elf64_Phdr) &&
	    elf_needs_first(read_at, fd, segments.at, segments.count, ELF_ADDRESS_SANITIZER))
		return &is_sanitized;
	if (segments.size != (is_wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr)) ||
	    has_interpreter(fd, &segments) || is_loader(path))
		return NULL;
	return &is_static;
}

static int changes_rights(int fd)
{
	struct stat status;
	char capability[64];

	if (sys_fstat(fd, &status) < 0 || SYS5(SYS_prctl, PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1)
		return 0;
	if ((status.st_mode & S_ISUID) && status.st_uid != (uid_t)SYS0(SYS_getuid))
		return 1;
	if ((status.st_mode & S_ISGID) && (status.st_mode & S_IXGRP) &&
	    status.st_gid != (gid_t)SYS0(SYS_getgid))
		return 1;
	return SYS0(SYS_geteuid) != 0 &&
	       SYS4(SYS_fgetxattr, fd, "security.capability", capability, sizeof(capability)) > 0;
}

/* The interpreter in a #! line, NUL-terminated in place. NULL if there is none. */
static char *interpreter_of(char *line)
{
	char *at = line + 2;

	at += strspn(at, " \t");
	at[strcspn(at, " \t\n")] = '\0';
	return *at ? at : NULL;
}

static const struct executable_obstacle *check(int fd, const char *path, int depth, int *bits);

static const struct executable_obstacle *check_path(int directory, const char *path, int depth,
                                                    int *bits)
{
	const struct executable_obstacle *obstacle;
	long fd = sys_openat(directory, path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);

	if (fd < 0)
		return NULL;
	obstacle = check((int)fd, path, depth, bits);
	sys_close((int)fd);
	return obstacle;
}

static const struct executable_obstacle *check(int fd, const char *path, int depth, int *bits)
{
	char header[HEAD + 1] __attribute__((aligned(8))) = "";
	long len = sys_pread(fd, header, HEAD, 0);
	const char *interpreter;

	if (len >= 4 && memcmp(header, ELFMAG, SELFMAG) == 0)
		return changes_rights(fd) ? &is_privileged : check_elf(fd, path, header, len, bits);
	if (len < 2 || header[0] != '#' || header[1] != '!' || depth == SCRIPT_DEPTH)
		return NULL;
	interpreter = interpreter_of(header);
	return interpreter ? check_path(AT_FDCWD, interpreter, depth + 1, bits) : NULL;
}

const struct executable_obstacle *executable_obstacle(int directory, const char *path, int *bits)
{
	const struct executable_obstacle *obstacle;
	long fd;

	*bits = ARCH_BITS;
	if (*path)
		return check_path(directory, path, 0, bits);
	fd = SYS3(SYS_fcntl, directory, F_DUPFD_CLOEXEC, 0);
	if (fd < 0)
		return NULL;
	obstacle = check((int)fd, path, 0, bits);
	sys_close((int)fd);
	return obstacle;
}

void executable_put_obstacle(struct xml_text *event, const struct executable_obstacle *obstacle)
{
	if (!obstacle)
		return;
	xml_put_string(event, "reason", obstacle->reason);
	if (obstacle->has_samples)
		xml_put_number(event, "outside", 1);
}

int image_search(const char *name, char *out, unsigned size)
{
	const char *entry = strchr(name, '/') ? NULL : environment_get("PATH");
	size_t name_len = strlen(name);
	int missing = -ENOENT;

	if (strchr(name, '/')) {
		if (name_len >= size)
			return -ENAMETOOLONG;
		memcpy(out, name, name_len + 1);
		return 0;
	}
	if (!entry)
		entry = "/bin:/usr/bin";
	for (;;) {
		size_t len = strcspn(entry, ":");

		if (len + name_len + 2 <= size) {
			memcpy(out, entry, len);
			out[len] = '/';
			memcpy(out + len + (len > 0), name, name_len + 1);
			if (SYS3(SYS_faccessat, AT_FDCWD, out, X_OK) == 0)
				return 0;
		} else {
			missing = -ENAMETOOLONG;
		}
		if (!entry[len])
			return missing;
		entry += len + 1;
	}
}

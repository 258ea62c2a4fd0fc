/* image.c: look into a file that is about to be executed. See image.h.
 *
 * The preload library enters dynamically linked programs of its own architecture that run with the rights of their
 * maker. For all others the loader would ignore it, or complain on the target's standard error. */
#include "image.h"

#include "environment.h"
#include "sys.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/prctl.h>

/* The kernel follows as many #! lines; a line is cut at 256 bytes. */
enum { SCRIPT_DEPTH = 4, HEAD = 256, SEGMENTS_MAX = 64 };

static const struct image_obstacle is_static = {"it is statically linked", 1};
static const struct image_obstacle is_privileged = {"it gets other rights (set-user-id, set-group-id or file capabilities)", 0};
static const struct image_obstacle is_foreign = {"it is of another architecture", 0};

/* The loader itself has no interpreter, but preloads. */
static int is_loader(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;

	return strncmp(base, "ld-", 3) == 0 || strncmp(base, "ld.so", 5) == 0;
}

static int has_interpreter(int fd, const Elf64_Ehdr *header)
{
	for (unsigned i = 0; i < header->e_phnum && i < SEGMENTS_MAX; i++) {
		Elf64_Phdr segment;

		if (sys_pread(fd, &segment, sizeof(segment), header->e_phoff + i * sizeof(segment)) != (long)sizeof(segment))
			return 1;
		if (segment.p_type == PT_INTERP)
			return 1;
	}
	return 0;
}

static const struct image_obstacle *check_elf(int fd, const char *path, const char *head, long len)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)head;

	if (len < (long)sizeof(*header))
		return NULL;
	if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_machine != ARCH_ELF_MACHINE)
		return &is_foreign;
	if (header->e_phentsize != sizeof(Elf64_Phdr) || has_interpreter(fd, header) || is_loader(path))
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
	if ((status.st_mode & S_ISGID) && (status.st_mode & S_IXGRP) && status.st_gid != (gid_t)SYS0(SYS_getgid))
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

static const struct image_obstacle *check(int fd, const char *path, int depth);

static const struct image_obstacle *check_path(int directory, const char *path, int depth)
{
	const struct image_obstacle *obstacle;
	long fd = sys_openat(directory, path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);

	if (fd < 0)
		return NULL;
	obstacle = check((int)fd, path, depth);
	sys_close((int)fd);
	return obstacle;
}

static const struct image_obstacle *check(int fd, const char *path, int depth)
{
	char head[HEAD + 1] __attribute__((aligned(8))) = "";
	long len = sys_pread(fd, head, HEAD, 0);
	const char *interpreter;

	if (len >= 4 && memcmp(head, ELFMAG, SELFMAG) == 0)
		return changes_rights(fd) ? &is_privileged : check_elf(fd, path, head, len);
	if (len < 2 || head[0] != '#' || head[1] != '!' || depth == SCRIPT_DEPTH)
		return NULL;
	interpreter = interpreter_of(head);
	return interpreter ? check_path(AT_FDCWD, interpreter, depth + 1) : NULL;
}

const struct image_obstacle *image_obstacle(int directory, const char *path)
{
	const struct image_obstacle *obstacle;
	long fd;

	if (*path)
		return check_path(directory, path, 0);
	fd = SYS3(SYS_fcntl, directory, F_DUPFD_CLOEXEC, 0);
	if (fd < 0)
		return NULL;
	obstacle = check((int)fd, path, 0);
	sys_close((int)fd);
	return obstacle;
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

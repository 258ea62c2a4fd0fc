/* object.c: finds the files of load objects. A file counts only if its build-id is the recorded
 * one: the names from another build of a library would look right and be wrong. */
#include "experiment/elf/object.h"

#include "experiment/base/internal.h"
#include "experiment/packed/unpack.h"
#include "experiment/table/arena.h"
#include "format/layout.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_MAX_KEPT = 200, VDSO_MAX = 1 << 20 };

/* FNV-1a, 64 bits: names files of objects without build-id, so it is part of the format. */
static uint64_t hash_path(const char *path)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (; *path != '\0'; path++)
		hash = (hash ^ (unsigned char)*path) * 0x100000001b3u;
	return hash;
}

static int is_hex(const char *text)
{
	return text[strspn(text, "0123456789abcdef")] == '\0';
}

void exp_archive_name(char name[EXP_ARCHIVE_NAME_MAX], const char *path, const char *build_id,
                      const char *suffix)
{
	const char *slash = strrchr(path, '/');
	const char *base = !slash ? path : slash + 1;

	if (build_id[0] != '\0' && is_hex(build_id))
		snprintf(name, EXP_ARCHIVE_NAME_MAX, "%.*s_%.16s%s", NAME_MAX_KEPT, base, build_id,
		         suffix);
	else
		snprintf(name, EXP_ARCHIVE_NAME_MAX, "%.*s_%016llx%s", NAME_MAX_KEPT, base,
		         (unsigned long long)hash_path(path), suffix);
}

void exp_build_id_text(Elf *elf, char *text)
{
	const void *bytes;
	ssize_t len = dwelf_elf_gnu_build_id(elf, &bytes);

	text[0] = '\0';
	for (ssize_t i = 0; i < len && i < EXP_BUILD_ID_MAX; i++)
		sprintf(text + 2 * i, "%02x", ((const unsigned char *)bytes)[i]);
}

int exp_descriptor_path(int fd, char *place)
{
	char link[64];
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = readlink(link, place, EXP_PLACE_MAX - 1);
	if (len <= 0)
		return len < 0 ? -errno : -ENOENT;
	place[len] = '\0';
	return 0;
}

int exp_path_open(const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0)
		return fd;
	close(fd);
	return -ENOENT;
}

Elf *exp_elf_begin(int fd)
{
	Elf *elf;

	elf_version(EV_CURRENT);
	errno = 0;
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (!elf)
		exp_memory_note(errno);
	return elf;
}

int exp_object_matches(int fd, const char *build_id)
{
	char text[2 * EXP_BUILD_ID_MAX + 1] = "";
	Elf *elf = exp_elf_begin(fd);
	GElf_Ehdr header;
	int is_elf = elf && elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, &header) &&
	             header.e_type != ET_CORE;

	if (is_elf)
		exp_build_id_text(elf, text);
	elf_end(elf);
	return is_elf && (build_id[0] == '\0' || strcmp(text, build_id) == 0);
}

int exp_object_if_matches(int fd, const char *build_id)
{
	if (fd < 0)
		return -ENOENT;
	if (exp_object_matches(fd, build_id))
		return fd;
	close(fd);
	return -ENOENT;
}

static const char *packed_name(char packed[EXP_ARCHIVE_NAME_MAX + 8], const char *name)
{
	snprintf(packed, EXP_ARCHIVE_NAME_MAX + 8, "%s" FMT_PACKED_SUFFIX, name);
	return packed;
}

static int exists(int directory, const char *name)
{
	struct stat st;

	return fstatat(directory, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode);
}

int exp_archived_exists(int directory, const char *name)
{
	char packed[EXP_ARCHIVE_NAME_MAX + 8];

	return exists(directory, name) || exists(directory, packed_name(packed, name));
}

static int open_packed(int directory, const char *name)
{
	char packed[EXP_ARCHIVE_NAME_MAX + 8];
	int file = exp_file_open(directory, packed_name(packed, name)), fd;

	if (file < 0)
		return file;
	fd = exp_unpack_file(file);
	exp_memory_note(fd == -ENOMEM ? ENOMEM : 0);
	close(file);
	return fd;
}

/* Open a file by name in an archive directory, without following links out of it. */
static int open_archived(const char *directory, const char *name, unsigned forms, char *path)
{
	int archive = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const char *suffix = "";
	int fd = -ENOENT;

	if (archive < 0)
		return -ENOENT;
	if (forms & EXP_ARCHIVED_PLAIN)
		fd = exp_file_open(archive, name);
	if (fd < 0 && forms & EXP_ARCHIVED_PACKED) {
		fd = open_packed(archive, name);
		suffix = FMT_PACKED_SUFFIX;
	}
	close(archive);
	if (fd >= 0)
		snprintf(path, EXP_PLACE_MAX, "%.3800s/%s%s", directory, name, suffix);
	return fd;
}

/* The common archive that archives/common names. Returns 0 or -ENOENT. */
static int read_common(const char *archives, char *directory, size_t size)
{
	char path[EXP_PLACE_MAX];
	int fd = open_archived(archives, EXP_ARCHIVE_COMMON, EXP_ARCHIVED_PLAIN, path);
	ssize_t len;

	if (fd < 0)
		return -ENOENT;
	len = read(fd, directory, size - 1);
	close(fd);
	if (len <= 0)
		return -ENOENT;
	directory[len] = '\0';
	directory[strcspn(directory, "\n")] = '\0';
	return directory[0] == '/' ? 0 : -ENOENT;
}

static int find_archived(const struct experiment *experiment, const char *name,
                         const char *build_id, unsigned forms, char *path)
{
	char archives[EXP_PLACE_MAX], common[EXP_PLACE_MAX];
	int fd;

	snprintf(archives, sizeof(archives), "%.3800s/" FMT_DIR_ARCHIVES, experiment->founder);
	fd = open_archived(archives, name, forms, path);
	if (fd < 0 && read_common(archives, common, sizeof(common)) == 0)
		fd = open_archived(common, name, forms, path);
	return exp_object_if_matches(fd, build_id);
}

int exp_object_is_vdso(const char *path)
{
	return strcmp(path, "[vdso]") == 0;
}

/* The vdso of this very process as a file: a descriptor, or -ENOENT. */
static int open_vdso(void)
{
	const char *binary = (const char *)getauxval(AT_SYSINFO_EHDR);
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)binary;
	uint64_t size;
	int fd;

	if (!binary || memcmp(binary, ELFMAG, SELFMAG) != 0)
		return -ENOENT;
	size = header->e_shoff + (uint64_t)header->e_shnum * header->e_shentsize;
	if (size < sizeof(*header) || size > VDSO_MAX)
		return -ENOENT;
	fd = memfd_create("vdso", MFD_CLOEXEC);
	if (fd < 0)
		return -ENOENT;
	if (write(fd, binary, size) == (ssize_t)size)
		return fd;
	close(fd);
	return -ENOENT;
}

int exp_object_open_recorded(const char *path, const char *build_id)
{
	int is_vdso = exp_object_is_vdso(path);
	int fd = -ENOENT;

	if (is_vdso)
		fd = open_vdso();
	else if (path[0] == '/')
		fd = exp_path_open(path);
	if (fd < 0)
		return -ENOENT;
	if (exp_object_matches(fd, build_id))
		return fd;
	close(fd);
	return is_vdso ? -ENOENT : -ESTALE;
}

static int find_form(const struct experiment *experiment, const char *path, const char *build_id,
                     unsigned forms, struct exp_object_file *out)
{
	char name[EXP_ARCHIVE_NAME_MAX];

	*out = (struct exp_object_file){.fd = -1};
	exp_archive_name(name, path, build_id, "");
	out->fd = find_archived(experiment, name, build_id, forms, out->path);
	out->archived = out->fd >= 0;
	return out->archived ? 0 : -ENOENT;
}

int exp_object_find_archived(const struct experiment *experiment, const char *path,
                             const char *build_id, struct exp_object_file *out)
{
	return find_form(experiment, path, build_id, EXP_ARCHIVED_PLAIN | EXP_ARCHIVED_PACKED, out);
}

static int find_recorded(const char *path, const char *build_id, struct exp_object_file *out)
{
	*out = (struct exp_object_file){.fd = exp_object_open_recorded(path, build_id)};
	snprintf(out->path, sizeof(out->path), "%.4000s", path);
	out->mismatch = out->fd == -ESTALE;
	return out->fd < 0 ? -ENOENT : 0;
}

int exp_object_find(const struct experiment *experiment, const char *path, const char *build_id,
                    struct exp_object_file *out)
{
	int mismatch;

	if (find_form(experiment, path, build_id, EXP_ARCHIVED_PLAIN, out) == 0)
		return 0;
	/* What has the same build-id is the same file, and need not be decompressed. */
	if (build_id[0] != '\0' && find_recorded(path, build_id, out) == 0)
		return 0;
	mismatch = out->mismatch;
	if (find_form(experiment, path, build_id, EXP_ARCHIVED_PACKED, out) == 0)
		return 0;
	if (build_id[0] == '\0')
		return find_recorded(path, build_id, out);
	out->mismatch = mismatch;
	return -ENOENT;
}

int exp_object_find_archived_debug(const struct experiment *experiment, const char *object,
                                   const char *build_id, unsigned forms, char *path)
{
	char name[EXP_ARCHIVE_NAME_MAX];

	exp_archive_name(name, object, build_id, ".debug");
	return find_archived(experiment, name, build_id, forms, path);
}

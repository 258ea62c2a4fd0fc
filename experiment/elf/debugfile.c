/* debugfile.c: finds separate debug files as debuggers do: /usr/lib/debug/.build-id, then the name
 * in .gnu_debuglink beside the object, in .debug beside it, and below /usr/lib/debug.
 *
 * libdwfl could do the same, but waits forever at a FIFO of such a name.
 * See doc/decisions/69-untrusted-values.md. */
#include "experiment/elf/debugfile.h"

#include "experiment/elf/object.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define DEBUG_ROOT "/usr/lib/debug"

static int open_matching(const char *path, const char *build_id)
{
	return exp_object_if_matches(exp_path_open(path), build_id);
}

static int open_by_build_id(const char *build_id)
{
	char path[2 * EXP_BUILD_ID_MAX + 64];

	if (strlen(build_id) < 4 || strlen(build_id) > 2 * EXP_BUILD_ID_MAX ||
	    strchr(build_id, '/'))
		return -ENOENT;
	snprintf(path, sizeof(path), DEBUG_ROOT "/.build-id/%.2s/%s.debug", build_id, build_id + 2);
	return open_matching(path, build_id);
}

/* Is the checksum of a file that in the link to it (zlib's CRC)? Returns fd; or -ENOENT, and closes
 * it. A sparse file may be so large that the checksum would never be finished. */
static int if_has_sum(int fd, GElf_Word wanted)
{
	const off_t most = (off_t)4 << 30;
	uint8_t bytes[1 << 14];
	uLong sum = crc32(0, NULL, 0);
	struct stat st;
	ssize_t got = fd < 0 || fstat(fd, &st) != 0 || st.st_size > most
	                      ? -1
	                      : pread(fd, bytes, sizeof(bytes), 0);

	for (off_t at = 0; got > 0 && at <= most; got = pread(fd, bytes, sizeof(bytes), at)) {
		sum = crc32(sum, bytes, (uInt)got);
		at += got;
	}
	if (got == 0 && sum == wanted)
		return fd;
	if (fd >= 0)
		close(fd);
	return -ENOENT;
}

struct debug_link {
	const char *name;
	GElf_Word sum;
};

/* A file without build-id is identified by its checksum. */
static int open_by_link(const char *path, const struct debug_link *link, const char *build_id)
{
	static const char *const places[] = {"%.*s/%s", "%.*s/.debug/%s", DEBUG_ROOT "%.*s/%s"};
	const char *slash = strrchr(path, '/');
	int fd = -ENOENT;

	if (!slash || path[0] != '/' || strchr(link->name, '/'))
		return -ENOENT;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]) && fd < 0; i++) {
		char file[EXP_PLACE_MAX];
		int len = snprintf(file, sizeof(file), places[i], (int)(slash - path), path,
		                   link->name);

		/* The link of a file may name the file itself. */
		if (len >= (int)sizeof(file) || strcmp(file, path) == 0)
			continue;
		fd = build_id[0] != '\0' ? open_matching(file, build_id)
		                         : if_has_sum(exp_path_open(file), link->sum);
	}
	return fd;
}

int exp_debug_file_open(int object, const char *path, const char *build_id)
{
	int fd = open_by_build_id(build_id);
	struct debug_link link;
	Elf *elf;

	if (fd >= 0)
		return fd;
	elf = exp_elf_begin(object);
	link.name = !elf ? NULL : dwelf_elf_gnu_debuglink(elf, &link.sum);
	fd = !link.name ? -ENOENT : open_by_link(path, &link, build_id);
	elf_end(elf);
	return fd;
}

/* The link is a name, a NUL, and the build-id of the other file. */
static int parse_link(const Elf_Data *data, struct exp_shared_file *out)
{
	const char *text = data->d_buf;
	const char *nul = !text ? NULL : memchr(text, '\0', data->d_size);
	size_t len = !nul ? 0 : (size_t)(nul - text), id_len = !nul ? 0 : data->d_size - len - 1;

	if (len == 0 || len >= sizeof(out->name) || id_len == 0 || id_len > EXP_BUILD_ID_MAX)
		return -ENOENT;
	memcpy(out->name, text, len + 1);
	for (size_t i = 0; i < id_len; i++)
		sprintf(out->build_id + 2 * i, "%02x", (unsigned char)nul[1 + i]);
	return 0;
}

int exp_shared_file_link(int file, struct exp_shared_file *out)
{
	Elf_Scn *section = NULL;
	Elf *elf;
	size_t names;
	int rc = -ENOENT;

	elf = exp_elf_begin(file);
	if (elf && elf_getshdrstrndx(elf, &names) == 0)
		while (rc != 0 && (section = elf_nextscn(elf, section)) != NULL) {
			GElf_Shdr header;
			const char *name = !gelf_getshdr(section, &header)
			                           ? NULL
			                           : elf_strptr(elf, names, header.sh_name);
			Elf_Data *data = !name || strcmp(name, ".gnu_debugaltlink") != 0
			                         ? NULL
			                         : elf_rawdata(section, NULL);

			if (data)
				rc = parse_link(data, out);
		}
	elf_end(elf);
	return rc;
}

int exp_shared_file_open(const char *path, const struct exp_shared_file *shared)
{
	const char *slash = strrchr(path, '/');
	char file[EXP_PLACE_MAX + EXP_SHARED_NAME_MAX];
	int fd = open_by_build_id(shared->build_id);

	if (fd >= 0)
		return fd;
	if (shared->name[0] == '/' || !slash)
		return open_matching(shared->name, shared->build_id);
	snprintf(file, sizeof(file), "%.*s/%s", (int)(slash - path), path, shared->name);
	return open_matching(file, shared->build_id);
}

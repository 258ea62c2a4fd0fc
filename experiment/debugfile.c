/* debugfile.c: finds separate debug files as debuggers do: /usr/lib/debug/.build-id, then the
 * name in .gnu_debuglink beside the object, in .debug beside it, and below /usr/lib/debug. */
#include "experiment/debugfile.h"

#include "experiment/object.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define DEBUG_ROOT "/usr/lib/debug"

static int open_matching(const char *path, const char *build_id)
{
	int fd = exp_path_open(path);

	if (fd < 0)
		return -ENOENT;
	if (exp_object_matches(fd, build_id))
		return fd;
	close(fd);
	return -ENOENT;
}

static int open_by_build_id(const char *build_id)
{
	char path[2 * EXP_BUILD_ID_MAX + 64];

	if (strlen(build_id) < 4 || strlen(build_id) > 2 * EXP_BUILD_ID_MAX ||
	    strchr(build_id, '/') != NULL)
		return -ENOENT;
	snprintf(path, sizeof(path), DEBUG_ROOT "/.build-id/%.2s/%s.debug", build_id, build_id + 2);
	return open_matching(path, build_id);
}

static int open_by_link(const char *path, const char *link, const char *build_id)
{
	static const char *const places[] = {"%.*s/%s", "%.*s/.debug/%s", DEBUG_ROOT "%.*s/%s"};
	const char *slash = strrchr(path, '/');
	int fd = -ENOENT;

	if (slash == NULL || path[0] != '/' || strchr(link, '/') != NULL)
		return -ENOENT;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]) && fd < 0; i++) {
		char file[4096 + 512];
		int len = snprintf(file, sizeof(file), places[i], (int)(slash - path), path, link);

		/* The link of a file may name the file itself. */
		if (len < (int)sizeof(file) && strcmp(file, path) != 0)
			fd = open_matching(file, build_id);
	}
	return fd;
}

int exp_debug_file_open(int object, const char *path, const char *build_id)
{
	int fd = open_by_build_id(build_id);
	const char *link;
	GElf_Word crc;
	Elf *elf;

	/* Without a build-id nothing says that a file of the linked name belongs to the object. */
	if (fd >= 0 || build_id[0] == '\0')
		return fd;
	elf_version(EV_CURRENT);
	elf = elf_begin(object, ELF_C_READ_MMAP, NULL);
	link = elf == NULL ? NULL : dwelf_elf_gnu_debuglink(elf, &crc);
	fd = link == NULL ? -ENOENT : open_by_link(path, link, build_id);
	elf_end(elf);
	return fd;
}

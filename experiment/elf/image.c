/* image.c: opens ELF files by libdwfl, which also brings in separate debug files and
 * .gnu_debugdata. */
#include "experiment/elf/image.h"

#include "experiment/base/arena.h"
#include "experiment/elf/debugfile.h"
#include "experiment/elf/debuginfod.h"
#include "experiment/elf/object.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What a server has of this build-id. */
static int open_served(const char *build_id)
{
	char *place = build_id[0] == '\0' ? NULL : exp_debuginfod_debug(build_id);
	int fd = !place ? -ENOENT : exp_object_if_matches(exp_path_open(place), build_id);

	free(place);
	return fd;
}

/* What the file with the debug information shares parts of it with. */
static int open_shared(const struct exp_image *image, char *path)
{
	int from = image->debug_fd >= 0 ? image->debug_fd : image->fd, fd;
	struct exp_shared_file shared;

	if (exp_shared_file_link(from, &shared) != 0)
		return -ENOENT;
	fd = exp_object_find_archived_debug(image->experiment, shared.name, shared.build_id, path);
	if (fd < 0 && exp_descriptor_path(from, path) == 0)
		fd = exp_shared_file_open(path, &shared);
	return fd >= 0 ? fd : open_served(shared.build_id);
}

/* The separate debug file: archived, beside the file that is read, where it was when it was
 * recorded, of a server. */
static int open_debug(const struct exp_image *image, const char *file, char *path)
{
	int fd = -ENOENT;

	if (image->build_id[0] != '\0')
		fd = exp_object_find_archived_debug(image->experiment, image->path, image->build_id,
		                                    path);
	if (fd < 0 && file)
		fd = exp_debug_file_open(image->fd, file, image->build_id);
	if (fd < 0 && (!file || strcmp(file, image->path) != 0))
		fd = exp_debug_file_open(image->fd, image->path, image->build_id);
	return fd >= 0 ? fd : open_served(image->build_id);
}

/* Called by libdwfl for two things: the separate debug file of an object, by the name and checksum
 * of its link; and then for what that file shares with others, by a name without checksum. It is
 * told no path: it would lose it where the file is damaged. */
static int find_debug_file(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
                           const char *file, const char *link, GElf_Word crc, char **debug_file)
{
	struct exp_image *image = *userdata;
	char path[EXP_PLACE_MAX];
	int is_shared = link && crc == 0;
	int fd = !image ? -1 : is_shared ? open_shared(image, path) : open_debug(image, file, path);

	(void)module;
	(void)name;
	(void)base;
	*debug_file = NULL;
	if (fd >= 0 && image->debug_fd < 0 && !is_shared)
		image->debug_fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	return fd;
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = find_debug_file,
	.section_address = dwfl_offline_section_address,
};

/* libdw has refused a file: one that is damaged, or for want of memory, of which errno is not
 * always left. */
static int unusable(void)
{
	const char *why = dwfl_errmsg(dwfl_errno());
	int is_memory = errno == ENOMEM || (why && strstr(why, "out of memory"));

	exp_memory_note(is_memory ? ENOMEM : 0);
	return is_memory ? -ENOMEM : -EBADMSG;
}

static int open_module(struct exp_image *image, int fd, const char *file)
{
	void **userdata;

	image->dwfl = dwfl_begin(&callbacks);
	if (!image->dwfl)
		return -ENOMEM;
	errno = 0;
	image->module = dwfl_report_offline(image->dwfl, file, file, fd);
	if (!image->module)
		return unusable();
	dwfl_report_end(image->dwfl, NULL, NULL);
	dwfl_module_info(image->module, &userdata, NULL, NULL, NULL, NULL, NULL, NULL);
	*userdata = image;
	errno = 0;
	image->elf = dwfl_module_getelf(image->module, &image->bias);
	return !image->elf ? unusable() : 0;
}

int exp_image_open(const struct experiment *experiment, int fd, const char *file, const char *path,
                   const char *build_id, struct exp_image **out)
{
	struct exp_image *image = exp_zeroed(1, sizeof(*image));
	int rc;

	if (!image) {
		close(fd);
		return -ENOMEM;
	}
	image->experiment = experiment;
	image->path = path;
	image->build_id = build_id;
	image->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	image->debug_fd = -1;
	rc = open_module(image, fd, file);
	if (rc != 0 && !image->module)
		close(fd);
	if (rc == 0)
		rc = exp_image_read_symbols(image);
	if (rc != 0) {
		exp_image_close(image);
		return rc;
	}
	*out = image;
	return 0;
}

void exp_image_close(struct exp_image *image)
{
	if (!image)
		return;
	dwfl_end(image->dwfl);
	if (image->fd >= 0)
		close(image->fd);
	if (image->debug_fd >= 0)
		close(image->debug_fd);
	free(image->symbols);
	free(image->variables);
	free(image->by_name);
	free(image);
}

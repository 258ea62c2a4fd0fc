/* binary.c: opens ELF files by libdwfl, which also brings in separate debug files and
 * .gnu_debugdata. */
#include "experiment/elf/binary.h"

#include "experiment/elf/debugfile.h"
#include "experiment/elf/debuginfod.h"
#include "experiment/elf/object.h"
#include "experiment/table/arena.h"

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

/* The file with which the debug file shares parts of its information. */
static int open_shared(const struct exp_binary *binary, char *path)
{
	int from = binary->debug_fd >= 0 ? binary->debug_fd : binary->fd, fd;
	struct exp_shared_file shared;

	if (exp_shared_file_link(from, &shared) != 0)
		return -ENOENT;
	fd = exp_object_find_archived_debug(binary->experiment, shared.name, shared.build_id,
	                                    EXP_ARCHIVED_PLAIN, path);
	if (fd < 0 && exp_descriptor_path(from, path) == 0)
		fd = exp_shared_file_open(path, &shared);
	if (fd < 0)
		fd = exp_object_find_archived_debug(binary->experiment, shared.name,
		                                    shared.build_id, EXP_ARCHIVED_PACKED, path);
	return fd >= 0 ? fd : open_served(shared.build_id);
}

static int open_archived_debug(const struct exp_binary *binary, unsigned form, char *path)
{
	return binary->build_id[0] == '\0'
	               ? -ENOENT
	               : exp_object_find_archived_debug(binary->experiment, binary->path,
	                                                binary->build_id, form, path);
}

/* The separate debug file: archived, beside the file that is read, at its recorded place, archived
 * and compressed, or from a server. */
static int open_debug(const struct exp_binary *binary, const char *file, char *path)
{
	int fd = open_archived_debug(binary, EXP_ARCHIVED_PLAIN, path);

	if (fd < 0 && file)
		fd = exp_debug_file_open(binary->fd, file, binary->build_id);
	if (fd < 0 && (!file || strcmp(file, binary->path) != 0))
		fd = exp_debug_file_open(binary->fd, binary->path, binary->build_id);
	if (fd < 0)
		fd = open_archived_debug(binary, EXP_ARCHIVED_PACKED, path);
	return fd >= 0 ? fd : open_served(binary->build_id);
}

/* libdwfl calls this for two things: first for the separate debug file of an object, by the name
 * and checksum in its link; then for the file with which that shares information, by a name without
 * checksum. It gets no path back, because it would lose it if the file is damaged. */
static int find_debug_file(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
                           const char *file, const char *link, GElf_Word crc, char **debug_file)
{
	struct exp_binary *binary = *userdata;
	char path[EXP_PLACE_MAX];
	int is_shared = link && crc == 0;
	int fd = !binary     ? -1
	         : is_shared ? open_shared(binary, path)
	                     : open_debug(binary, file, path);

	(void)module;
	(void)name;
	(void)base;
	*debug_file = NULL;
	if (fd >= 0 && binary->debug_fd < 0 && !is_shared)
		binary->debug_fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	return fd;
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = find_debug_file,
	.section_address = dwfl_offline_section_address,
};

/* libdw has refused a file: a damaged one, or for lack of memory, of which errno does not always
 * have a trace. */
static int unusable(void)
{
	const char *why = dwfl_errmsg(dwfl_errno());
	int is_memory = errno == ENOMEM || (why && strstr(why, "out of memory"));

	exp_memory_note(is_memory ? ENOMEM : 0);
	return is_memory ? -ENOMEM : -EBADMSG;
}

static int open_module(struct exp_binary *binary, int fd, const char *file)
{
	void **userdata;

	binary->dwfl = dwfl_begin(&callbacks);
	if (!binary->dwfl)
		return -ENOMEM;
	errno = 0;
	binary->module = dwfl_report_offline(binary->dwfl, file, file, fd);
	if (!binary->module)
		return unusable();
	dwfl_report_end(binary->dwfl, NULL, NULL);
	dwfl_module_info(binary->module, &userdata, NULL, NULL, NULL, NULL, NULL, NULL);
	*userdata = binary;
	errno = 0;
	binary->elf = dwfl_module_getelf(binary->module, &binary->bias);
	return !binary->elf ? unusable() : 0;
}

int exp_binary_open(const struct experiment *experiment, int fd, const char *file, const char *path,
                    const char *build_id, struct exp_binary **out)
{
	struct exp_binary *binary = exp_zeroed(1, sizeof(*binary));
	int rc;

	if (!binary) {
		close(fd);
		return -ENOMEM;
	}
	binary->experiment = experiment;
	binary->path = path;
	binary->build_id = build_id;
	binary->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	binary->debug_fd = -1;
	rc = open_module(binary, fd, file);
	if (rc != 0 && !binary->module)
		close(fd);
	if (rc == 0)
		rc = exp_binary_read_symbols(binary);
	if (rc != 0) {
		exp_binary_close(binary);
		return rc;
	}
	*out = binary;
	return 0;
}

void exp_binary_close(struct exp_binary *binary)
{
	if (!binary)
		return;
	dwfl_end(binary->dwfl);
	if (binary->fd >= 0)
		close(binary->fd);
	if (binary->debug_fd >= 0)
		close(binary->debug_fd);
	free(binary->symbols);
	free(binary->variables);
	free(binary->by_name);
	free(binary);
}

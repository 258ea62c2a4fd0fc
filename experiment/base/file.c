/* file.c: opens the directories and files of experiments, which may be untrusted: no link is
 * followed, and nothing blocks.
 * See doc/decisions/109-many-processes.md. */
#include "experiment/base/internal.h"

#include "experiment/table/hash.h"
#include "format/retry.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int exp_file_open(int directory, const char *name)
{
	int fd = directory < 0
	                 ? -1
	                 : openat(directory, name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (directory < 0) /* a foreign log has no files around it */
		return -ENOENT;
	if (fd < 0)
		return errno == ELOOP ? -EBADMSG : -errno;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		return fd;
	close(fd);
	return -EBADMSG;
}

int exp_bytes_write(int fd, const void *from, size_t len)
{
	const char *bytes = from;
	unsigned tries = 0;

	while (len > 0) {
		ssize_t put = write(fd, bytes, len);

		if (retry_call(put, &tries))
			continue;
		if (put < 0)
			return -errno;
		bytes += put;
		len -= (size_t)put;
	}
	return 0;
}

int exp_path_is_recorder(const char *path)
{
	static const char *const tails[] = {"/xer/libcollector.so", "/xer/32/libcollector.so"};
	size_t len = strlen(path);

	for (size_t i = 0; i < sizeof(tails) / sizeof(tails[0]); i++) {
		size_t tail = strlen(tails[i]);

		if (len >= tail && strcmp(path + len - tail, tails[i]) == 0)
			return 1;
	}
	return 0;
}

/* ---- directories */

struct exp_place {
	atomic_uint owners;
	int directory; /* of the founder; -1: not open */
	struct exp_arena arena;
	const struct exp_info *lent; /* NULL: nothing */
};

struct exp_place *exp_place_share(struct exp_place *place)
{
	if (!place) {
		place = exp_zeroed(1, sizeof(*place));
		if (!place)
			return NULL;
		atomic_init(&place->owners, 0);
		place->directory = -1;
	}
	atomic_fetch_add(&place->owners, 1);
	return place;
}

void exp_place_release(struct exp_place *place)
{
	if (!place || atomic_fetch_sub(&place->owners, 1) > 1)
		return;
	if (place->directory >= 0)
		close(place->directory);
	exp_arena_fini(&place->arena);
	free(place);
}

struct exp_arena *exp_place_arena(struct exp_place *place)
{
	return &place->arena;
}

void exp_place_lend(struct exp_place *place, const struct exp_info *lent)
{
	place->lent = lent;
}

const struct exp_info *exp_place_lent(const struct exp_place *place)
{
	return !place ? NULL : place->lent;
}

void exp_place_offer(struct exp_place *place, int directory)
{
	if (place->directory < 0)
		place->directory = directory;
}

int exp_place_is(const struct exp_place *place, int directory)
{
	return place && place->directory == directory;
}

/* It was opened once: another directory of that name is none of ours. */
static int open_again(const struct experiment *experiment)
{
	const struct exp_info *info = &experiment->info;
	int fd = openat(experiment->place->directory, info->name,
	                O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) == 0 && st.st_dev == info->device && st.st_ino == info->inode)
		return fd;
	close(fd);
	return -ENOENT;
}

int exp_directory_get(const struct experiment *experiment)
{
	if (experiment->directory >= 0)
		return experiment->directory;
	return experiment->is_resting ? open_again(experiment) : -ENOENT;
}

void exp_directory_put(const struct experiment *experiment, int directory)
{
	if (directory >= 0 && directory != experiment->directory)
		close(directory);
}

int exp_directory_hold(struct experiment *experiment)
{
	int fd = experiment->is_resting && experiment->directory < 0 ? open_again(experiment) : -1;

	if (!experiment->is_resting || experiment->directory >= 0)
		return 0;
	if (fd < 0)
		return fd;
	experiment->directory = fd;
	return 1;
}

void exp_directory_let_go(struct experiment *experiment, int held)
{
	if (held <= 0)
		return;
	close(experiment->directory);
	experiment->directory = -1;
}

void exp_directory_rest(struct experiment *experiment)
{
	if (experiment->directory < 0)
		return;
	experiment->is_resting = 1;
	exp_directory_let_go(experiment, 1);
}

/* A file has the same bit when it is packed. */
static uint64_t bit_of(const char *name)
{
	size_t len = strlen(name), suffix = strlen(FMT_PACKED_SUFFIX);
	uint64_t hash = EXP_HASH_START;

	if (len > suffix && strcmp(name + len - suffix, FMT_PACKED_SUFFIX) == 0)
		len -= suffix;
	for (size_t i = 0; i < len; i++)
		hash = exp_hash_number(hash, (unsigned char)name[i]);
	return UINT64_C(1) << (hash & 63);
}

void exp_directory_list(struct experiment *experiment)
{
	int fd = openat(experiment->directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!directory) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((entry = readdir(directory)) != NULL)
		experiment->files |= bit_of(entry->d_name);
	closedir(directory);
}

int exp_directory_lacks(const struct experiment *experiment, const char *name)
{
	return experiment->files != 0 && !(experiment->files & bit_of(name));
}

int exp_own_file_open(const struct experiment *experiment, const char *name)
{
	int directory = exp_directory_lacks(experiment, name) ? -ENOENT
	                                                      : exp_directory_get(experiment);
	int fd = directory < 0 ? directory : exp_file_open(directory, name);

	exp_directory_put(experiment, directory);
	return fd;
}

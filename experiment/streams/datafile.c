/* datafile.c: see datafile.h. */
#include "experiment/streams/datafile.h"

#include "experiment/base/internal.h"
#include "experiment/packed/frame.h"
#include "experiment/packed/packed.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int refuse(int error, char *why)
{
	if (error == -ENOENT || error == -ENOMEM)
		return error;
	snprintf(why, EXP_DATA_FILE_WHY, "%.150s",
	         error == -EBADMSG ? "not a regular file" : strerror(-error));
	return -EBADMSG;
}

/* Open what is in out->fd, a compressed file. */
static int open_packed(const char *packed_name, struct exp_data_file *out, char *why)
{
	const char *what;
	struct stat st;
	int rc;

	if (!exp_frames_are_known()) {
		snprintf(why, EXP_DATA_FILE_WHY,
		         "it is compressed, and this program was built without libzstd: "
		         "'zstd -d %.40s' makes the plain file",
		         packed_name);
		return -EBADMSG;
	}
	if (fstat(out->fd, &st) != 0)
		return refuse(-errno, why);
	rc = exp_packed_open(out->fd, (uint64_t)st.st_size, &out->packed, &what);
	if (rc == -EBADMSG)
		snprintf(why, EXP_DATA_FILE_WHY, "%.40s: %.100s", packed_name, what);
	else if (rc != 0)
		return refuse(rc, why);
	else
		out->size = exp_packed_size(out->packed);
	return rc;
}

int exp_data_file_open(int directory, const char *name, struct exp_data_file *out,
                       char why[EXP_DATA_FILE_WHY])
{
	struct exp_data_file file = {.fd = exp_file_open(directory, name)};
	char packed_name[NAME_MAX];
	struct stat st;
	int rc = 0;

	if (file.fd == -ENOENT) {
		snprintf(packed_name, sizeof(packed_name), "%.200s" FMT_PACKED_SUFFIX, name);
		file.fd = exp_file_open(directory, packed_name);
		if (file.fd >= 0)
			rc = open_packed(packed_name, &file, why);
	} else if (file.fd >= 0) {
		rc = fstat(file.fd, &st) != 0 ? refuse(-errno, why) : 0;
		file.size = rc == 0 ? (uint64_t)st.st_size : 0;
	}
	if (file.fd < 0)
		return refuse(file.fd, why);
	if (rc != 0)
		close(file.fd);
	else
		*out = file;
	return rc;
}

void exp_data_file_close(struct exp_data_file *file)
{
	exp_packed_close(file->packed);
	close(file->fd);
}

ssize_t exp_data_file_read(const struct exp_data_file *file, void *to, size_t size, uint64_t at)
{
	return file->packed ? exp_packed_read(file->packed, to, size, at)
	                    : pread(file->fd, to, size, (off_t)at);
}

uint64_t exp_data_file_data(const struct exp_data_file *file, uint64_t at)
{
	off_t data;

	if (file->packed)
		return exp_packed_data(file->packed, at);
	data = lseek(file->fd, (off_t)at, SEEK_DATA);
	if (data >= 0)
		return (uint64_t)data;
	return errno == ENXIO ? file->size : at;
}

int exp_data_file_find(int directory, const char *name, uint64_t *size, int *is_packed)
{
	char packed_name[NAME_MAX];
	struct stat st;

	*is_packed = 0;
	if (fstatat(directory, name, &st, AT_SYMLINK_NOFOLLOW) != 0) {
		snprintf(packed_name, sizeof(packed_name), "%.200s" FMT_PACKED_SUFFIX, name);
		if (fstatat(directory, packed_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
			return 0;
		*is_packed = 1;
	}
	*size = (uint64_t)st.st_size;
	return 1;
}

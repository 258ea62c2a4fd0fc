/* keepfile.c: see keepfile.h.
 * See doc/decisions/103-keep.md. */
#include "collect/experiment/keepfile.h"

#include "format/keep.h"
#include "format/layout.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

/* Give a page behind the end of the file back. Returns 0 or -errno. */
static int try_to_give_back(int fd, uint64_t size)
{
	int status = ftruncate(fd, (off_t)(size + FMT_KEEP_PAGE)) < 0 ? -errno : 0;
	void *map = status < 0 ? MAP_FAILED
	                       : mmap(NULL, FMT_KEEP_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
	                              (off_t)size);

	if (map != MAP_FAILED) {
		status = madvise(map, FMT_KEEP_PAGE, MADV_REMOVE) < 0 ? -errno : 0;
		munmap(map, FMT_KEEP_PAGE);
	}
	if (ftruncate(fd, (off_t)size) < 0)
		status = -errno;
	return status;
}

static int fill(int fd, uint64_t bytes)
{
	const uint64_t size = fmt_keep_file_size(bytes);
	struct fmt_keep head = {.bytes = size};
	int status = -posix_fallocate(fd, 0, (off_t)size);

	if (status == 0 && pwrite(fd, &head, sizeof(head), 0) != (ssize_t)sizeof(head))
		status = -ENOSPC;
	return status < 0 ? status : try_to_give_back(fd, size);
}

static void limit_instead(struct request *request)
{
	if (request->keep_bytes)
		fprintf(stderr,
		        "xcollect: warning: the file system cannot give parts of files back: recording of events ends at the size of --keep, as with -L\n");
	else
		fprintf(stderr,
		        "xcollect: warning: the file system cannot give parts of files back: everything is kept\n");
	request->limit_bytes = request->keep_bytes;
	request->keep_bytes = request->keep_ms = 0;
}

int keepfile_make(struct request *request, const struct experiment_directory *experiment)
{
	int fd, status;

	if (!request->keep_bytes && !request->keep_ms)
		return 0;
	fd = openat(experiment->fd, FMT_FILE_ACCOUNT, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC,
	            FMT_FILE_MODE);
	if (fd < 0)
		return -errno;
	status = fill(fd, request->keep_bytes);
	close(fd);
	if (status == -EOPNOTSUPP || status == -ENOSYS) {
		unlinkat(experiment->fd, FMT_FILE_ACCOUNT, 0);
		limit_instead(request);
		status = 0;
	}
	return status;
}

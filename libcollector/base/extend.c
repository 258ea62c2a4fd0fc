/* extend.c: make files of the experiment longer and map them. See extend.h.
 *
 * Room on the disk is reserved by the descriptor, but behind the end of the file: that changes
 * neither the size nor the contents of any file. Then the end is moved by the path. A mapping is
 * not touched before it is known whose it is. */
#include "libcollector/base/extend.h"

#include "libcollector/base/collector.h"
#include "libcollector/base/sys.h"

#include "format/retry.h"

#include <errno.h>
#include <linux/falloc.h>

enum { TRIES = 100 /* to have the number for the time of one call */ };

static int allocate(int fd, int mode, uint64_t at, uint64_t len)
{
	unsigned tries = 0;
	long error;

	do
		error = sys_fallocate(fd, mode, at, len);
	while (retry(error == -EINTR, &tries));
	return error == -ENOSYS ? -EOPNOTSUPP : (int)error;
}

/* Some file systems cannot allocate: there, writing zeros does the same. */
static int allocate_by_writing(struct col_file *file, const char *name, uint64_t at, uint64_t len)
{
	static const char zeros[SYS_PAGE];
	unsigned tries = 0;

	while (len > 0) {
		size_t step = len < sizeof(zeros) ? (size_t)len : sizeof(zeros);
		int fd = col_file_get(file, name);
		long done = fd < 0 ? fd : sys_pwrite(fd, zeros, step, at);

		if (retry(done == -EINTR, &tries))
			continue;
		if (done <= 0)
			return done < 0 ? (int)done : -ENOSPC;
		at += (uint64_t)done;
		len -= (uint64_t)done;
	}
	return 0;
}

/* Reserve the disk space. Returns 0 or -errno. */
static int reserve(struct col_file *file, const char *name, uint64_t at, uint64_t len)
{
	for (int i = 0; i < TRIES; i++) {
		int fd = col_file_get(file, name), error;

		if (fd < 0)
			return fd;
		error = allocate(fd, FALLOC_FL_KEEP_SIZE, at, len);
		if (col_file_is_ours(file))
			return error;
	}
	return -EMFILE;
}

/* By its path. Returns 0, or -errno if it cannot be reached by that. */
static int move_end(const struct col_file *file, const char *name, uint64_t end)
{
	char space[COL_FILE_PATH];
	const char *path = col_file_path(name, space);
	uint64_t size;

	if (!path || col_file_is_at(file, path, &size) != 1)
		return -ENOENT;
	return size >= end ? 0 : (int)sys_truncate(path, end);
}

/* After a change of the root directory or of the user, or when the experiment was moved, there is
 * only the descriptor. */
static int move_end_by_number(struct col_file *file, const char *name, uint64_t at, uint64_t len)
{
	int fd = col_file_get(file, name);

	return fd < 0 ? fd : allocate(fd, 0, at, len);
}

int col_file_extend(struct col_file *file, const char *name, uint64_t at, uint64_t len)
{
	int error = col_file_may_grow(at + len);

	if (error == 0)
		error = reserve(file, name, at, len);
	/* NFS reserves no room behind the end, but makes files longer. */
	if (error == -EOPNOTSUPP)
		error = move_end_by_number(file, name, at, len);
	if (error == -EOPNOTSUPP)
		return allocate_by_writing(file, name, at, len);
	if (error == 0 && move_end(file, name, at + len) < 0)
		error = move_end_by_number(file, name, at, len);
	return error;
}

static uint8_t *map(uint8_t *there, int fd, uint64_t at, size_t size)
{
	const int protection = PROT_READ | PROT_WRITE;

	return there ? sys_mmap_over(there, size, protection, MAP_SHARED, fd, at)
	             : sys_mmap(size, protection, MAP_SHARED, fd, at);
}

/* It is not the file that was wanted. */
static void give_back(uint8_t *there, uint8_t *map, size_t size)
{
	if (there)
		sys_mmap_over(there, size, PROT_READ | PROT_WRITE,
		              MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	else
		sys_munmap(map, size);
}

uint8_t *col_file_map(struct col_file *file, const char *name, uint8_t *there, uint64_t at,
                      size_t size, int *error)
{
	for (int i = 0; i < TRIES; i++) {
		int fd = *error = col_file_get(file, name);
		uint8_t *memory = fd < 0 ? NULL : map(there, fd, at, size);

		if (!memory) {
			*error = fd < 0 ? fd : -ENOMEM;
			return NULL;
		}
		if (col_file_is_ours(file))
			return memory;
		give_back(there, memory, size);
	}
	*error = -EMFILE;
	return NULL;
}

int col_file_give_back(uint8_t *map, size_t size)
{
	long error = sys_madvise(map, size, MADV_REMOVE);

	/* The program may lock all of its memory. */
	if (unlikely(error == -EINVAL) && SYS2(SYS_munlock, map, size) == 0)
		error = sys_madvise(map, size, MADV_REMOVE);
	sys_munmap(map, size);
	return (int)error;
}

int col_file_is_named(int fd, int directory, const char *name)
{
	struct stat open, named;
	int other = (int)sys_openat(directory, name, O_PATH | O_NOFOLLOW, 0);
	int same = other >= 0 && sys_fstat(fd, &open) == 0 && sys_fstat(other, &named) == 0 &&
	           S_ISREG(named.st_mode) && open.st_dev == named.st_dev &&
	           open.st_ino == named.st_ino;

	if (other >= 0)
		sys_close(other);
	return same;
}

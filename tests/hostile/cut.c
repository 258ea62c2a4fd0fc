/* cut: a preloaded library that truncates a file while it is read.
 *
 * Environment: CUT_FILE, its path; CUT_AT=N: the file is truncated to CUT_SIZE bytes right after
 * the Nth time that the program maps or reads it by mmap, pread or read; CUT_FD, a descriptor to
 * which a byte is written then. */
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static long left;

static __attribute__((constructor)) void begin(void)
{
	const char *at = getenv("CUT_AT");

	left = at && getenv("CUT_FILE") ? atol(at) : 0;
}

static void met(int fd)
{
	const char *path = getenv("CUT_FILE"), *size = getenv("CUT_SIZE"), *tell = getenv("CUT_FD");
	struct stat named, met;
	int error = errno;

	if (left > 0 && fd >= 0 && fstat(fd, &met) == 0 && stat(path, &named) == 0 &&
	    named.st_ino == met.st_ino && named.st_dev == met.st_dev && --left == 0) {
		if (truncate(path, size ? atol(size) : 0) != 0 ||
		    (tell && write(atoi(tell), "", 1) != 1))
			abort();
	}
	errno = error;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

void *mmap(void *at, size_t size, int rights, int flags, int fd, off_t offset)
{
	void *map = REAL(mmap)(at, size, rights, flags, fd, offset);

	met(fd);
	return map;
}

void *mmap64(void *at, size_t size, int rights, int flags, int fd, off64_t offset)
{
	return mmap(at, size, rights, flags, fd, offset);
}

ssize_t pread(int fd, void *bytes, size_t size, off_t offset)
{
	ssize_t got = REAL(pread)(fd, bytes, size, offset);

	met(fd);
	return got;
}

ssize_t pread64(int fd, void *bytes, size_t size, off64_t offset)
{
	return pread(fd, bytes, size, offset);
}

ssize_t read(int fd, void *bytes, size_t size)
{
	ssize_t got = REAL(read)(fd, bytes, size);

	met(fd);
	return got;
}

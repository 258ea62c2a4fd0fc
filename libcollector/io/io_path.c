/* io_path.c: wrappers of the calls that open files and work on names, directories and attributes.
 */
#include "libcollector/io/io_files.h"
#include "libcollector/io/io_record.h"

/* clang-format off */

/* ---- open ---- */

/* The file behind a descriptor that a call made, or the path that it could not open. */
#define OPENED(opened_path) IO_DONE(OPEN, got), .path = (opened_path)

#define OPEN_WRAP(name, parameters, arguments) \
	IO_WRAP_AROUND(int, name, parameters, arguments, (void)0, io_file_forget(got), OPENED(path))

OPEN_WRAP(creat, (const char *path, mode_t mode), (path, mode))
OPEN_WRAP(creat64, (const char *path, mode_t mode), (path, mode))
OPEN_WRAP(__open_2, (const char *path, int flags), (path, flags))
OPEN_WRAP(__open64_2, (const char *path, int flags), (path, flags))
OPEN_WRAP(__openat_2, (int directory, const char *path, int flags), (directory, path, flags))
OPEN_WRAP(__openat64_2, (int directory, const char *path, int flags), (directory, path, flags))

/* Functions with a mode after the flags, if the flags ask for one: a macro for them cannot end in a
 * jump. */
#define OPEN_VARIADIC(name, parameters, ...) \
	EXPORT int name parameters \
	{ \
		struct wall_start start = io_is_on() ? wall_now() : (struct wall_start){0}; \
		mode_t mode = 0; \
		va_list more; \
		int got; \
\
		if (__OPEN_NEEDS_MODE(flags)) { \
			va_start(more, flags); \
			mode = va_arg(more, mode_t); \
			va_end(more); \
		} \
		got = REAL(name)(__VA_ARGS__, mode); \
		if (unlikely(start.before)) { \
			io_file_forget(got); \
			io_record(&(struct io_call){.start = start, OPENED(path)}, CALLER); \
		} \
		return got; \
	}

OPEN_VARIADIC(open, (const char *path, int flags, ...), path, flags)
OPEN_VARIADIC(open64, (const char *path, int flags, ...), path, flags)
OPEN_VARIADIC(openat, (int directory, const char *path, int flags, ...), directory, path, flags)
OPEN_VARIADIC(openat64, (int directory, const char *path, int flags, ...), directory, path, flags)

/* ---- attributes ---- */

#define STAT_OF(name, type) \
	IO_WRAP(int, name, (const char *path, type *out), (path, out), IO_PATH(STAT, path))
STAT_OF(stat, struct stat)
STAT_OF(stat64, struct stat64)
STAT_OF(lstat, struct stat)
STAT_OF(lstat64, struct stat64)

#define FSTAT(name, type) IO_WRAP(int, name, (int fd, type *out), (fd, out), IO_DONE(STAT, fd))
FSTAT(fstat, struct stat)
FSTAT(fstat64, struct stat64)

#define FSTATAT(name, type) \
	IO_WRAP(int, name, (int directory, const char *path, type *out, int flags), (directory, path, out, flags), \
	        IO_AT(STAT))

FSTATAT(fstatat, struct stat)
FSTATAT(fstatat64, struct stat64)

IO_WRAP(int, statx, (int directory, const char *path, int flags, unsigned mask, struct statx *out),
        (directory, path, flags, mask, out), IO_AT(STAT))

/* Of programs compiled before glibc 2.33. */
#define XSTAT(name, type) \
	IO_WRAP(int, name, (int version, const char *path, type *out), (version, path, out), IO_PATH(STAT, path))
XSTAT(__xstat, struct stat)
XSTAT(__xstat64, struct stat64)
XSTAT(__lxstat, struct stat)
XSTAT(__lxstat64, struct stat64)

#define FXSTAT(name, type) \
	IO_WRAP(int, name, (int version, int fd, type *out), (version, fd, out), IO_DONE(STAT, fd))
FXSTAT(__fxstat, struct stat)
FXSTAT(__fxstat64, struct stat64)

#define FXSTATAT(name, type) \
	IO_WRAP(int, name, (int version, int directory, const char *path, type *out, int flags), \
	        (version, directory, path, out, flags), \
	        IO_AT(STAT))
FXSTATAT(__fxstatat, struct stat)
FXSTATAT(__fxstatat64, struct stat64)

IO_WRAP(int, access, (const char *path, int mode), (path, mode), IO_PATH(STAT, path))
IO_WRAP(int, euidaccess, (const char *path, int mode), (path, mode), IO_PATH(STAT, path))
IO_WRAP(int, eaccess, (const char *path, int mode), (path, mode), IO_PATH(STAT, path))
IO_WRAP(int, faccessat, (int directory, const char *path, int mode, int flags), (directory, path, mode, flags),
        IO_PATH(STAT, path))

/* ---- names ---- */

IO_WRAP(int, unlink, (const char *path), (path), IO_PATH(METADATA, path))
IO_WRAP(int, unlinkat, (int directory, const char *path, int flags), (directory, path, flags), IO_PATH(METADATA, path))
IO_WRAP(int, rename, (const char *path, const char *to), (path, to), IO_PATH(METADATA, path))
IO_WRAP(int, renameat, (int directory, const char *path, int to_directory, const char *to),
        (directory, path, to_directory, to), IO_PATH(METADATA, path))
IO_WRAP(int, renameat2, (int directory, const char *path, int to_directory, const char *to, unsigned flags),
        (directory, path, to_directory, to, flags), IO_PATH(METADATA, path))
IO_WRAP(int, mkdir, (const char *path, mode_t mode), (path, mode), IO_PATH(METADATA, path))
IO_WRAP(int, rmdir, (const char *path), (path), IO_PATH(METADATA, path))
IO_WRAP(int, mkdirat, (int directory, const char *path, mode_t mode), (directory, path, mode), IO_PATH(METADATA, path))
IO_WRAP(int, remove, (const char *path), (path), IO_PATH(METADATA, path))
IO_WRAP(int, mkfifo, (const char *path, mode_t mode), (path, mode), IO_PATH(METADATA, path))
IO_WRAP(int, mkfifoat, (int directory, const char *path, mode_t mode), (directory, path, mode), IO_PATH(METADATA, path))
IO_WRAP(int, mknod, (const char *path, mode_t mode, dev_t device), (path, mode, device), IO_PATH(METADATA, path))
IO_WRAP(int, mknodat, (int directory, const char *path, mode_t mode, dev_t device), (directory, path, mode, device),
        IO_PATH(METADATA, path))
IO_WRAP(int, __xmknod, (int version, const char *path, mode_t mode, dev_t *device), (version, path, mode, device),
        IO_PATH(METADATA, path))
IO_WRAP(int, __xmknodat, (int version, int directory, const char *path, mode_t mode, dev_t *device),
        (version, directory, path, mode, device), IO_PATH(METADATA, path))
IO_WRAP(int, link, (const char *path, const char *to), (path, to), IO_PATH(METADATA, path))
IO_WRAP(int, linkat, (int directory, const char *path, int to_directory, const char *to, int flags),
        (directory, path, to_directory, to, flags), IO_AT(METADATA))

/* An empty text, which is ENOENT, is detected before the name of the link itself is read. */
static const char *link_named(const char *path, int result)
{
	return result < 0 && errno == ENOENT ? NULL : path;
}

IO_WRAP(int, symlink, (const char *text, const char *path), (text, path), IO_PATH(METADATA, link_named(path, got)))
IO_WRAP(int, symlinkat, (const char *text, int directory, const char *path), (text, directory, path),
        IO_PATH(METADATA, link_named(path, got)))

#define READLINK(name, more, ...) \
	IO_WRAP(ssize_t, name, (const char *path, char *to, size_t size more), (path, to, size __VA_ARGS__), IO_PATH(STAT, path))
#define READLINKAT(name, more, ...) \
	IO_WRAP(ssize_t, name, (int directory, const char *path, char *to, size_t size more), (directory, path, to, size __VA_ARGS__), \
	        IO_AT(STAT))
#define ROOM , size_t room
READLINK(readlink, )
READLINK(__readlink_chk, ROOM, , room)
READLINKAT(readlinkat, )
READLINKAT(__readlinkat_chk, ROOM, , room)

#define TRUNCATE(name, offset) \
	IO_WRAP(int, name, (const char *path, offset size), (path, size), IO_PATH(METADATA, path))
TRUNCATE(truncate, off_t)
TRUNCATE(truncate64, off64_t)

#define FTRUNCATE(name, offset) IO_WRAP(int, name, (int fd, offset size), (fd, size), IO_DONE(METADATA, fd))
FTRUNCATE(ftruncate, off_t)
FTRUNCATE(ftruncate64, off64_t)

#define FALLOCATE(name, offset) \
	IO_WRAP(int, name, (int fd, int mode, offset at, offset size), (fd, mode, at, size), IO_DONE(METADATA, fd))
FALLOCATE(fallocate, off_t)
FALLOCATE(fallocate64, off64_t)

#define POSIX_FALLOCATE(name, offset) \
	IO_WRAP(int, name, (int fd, offset at, offset size), (fd, at, size), IO_FUNC(METADATA), .fd = fd, .error = got)
POSIX_FALLOCATE(posix_fallocate, off_t)
POSIX_FALLOCATE(posix_fallocate64, off64_t)

/* ---- directories ---- */

static int descriptor_of(DIR *directory)
{
	MAY_BE_NULL(directory);
	if (!directory)
		return IO_NO_FD;
	return dirfd(directory);
}

IO_WRAP_AROUND(DIR *, opendir, (const char *path), (path), (void)0, io_file_forget(descriptor_of(got)),
               IO_FUNC(DIRECTORY), .fd = descriptor_of(got), .path = path, .error = got ? 0 : errno)

IO_WRAP(DIR *, fdopendir, (int fd), (fd), IO_FUNC(DIRECTORY), .fd = fd, .error = got ? 0 : errno)
IO_WRAP(ssize_t, getdents64, (int fd, void *to, size_t size), (fd, to, size), IO_DONE(DIRECTORY, fd))

#define READDIR_R(name, type) \
	IO_WRAP(int, name, (DIR *directory, type *entry, type **result), (directory, entry, result), \
	        IO_FUNC(DIRECTORY), .fd = descriptor_of(directory), .error = got)
READDIR_R(readdir_r, struct dirent)
READDIR_R(readdir64_r, struct dirent64)

/* A failed read looks like the end: to tell them apart, errno would have to be set first. */
IO_WRAP(struct dirent *, readdir, (DIR *directory), (directory), IO_FUNC(DIRECTORY), .fd = descriptor_of(directory))
IO_WRAP(struct dirent64 *, readdir64, (DIR *directory), (directory), IO_FUNC(DIRECTORY), .fd = descriptor_of(directory))

IO_WRAP_AROUND(int, closedir, (DIR *directory), (directory), int fd = descriptor_of(directory);
               uint32_t file = io_file_known(fd); io_file_forget(fd), io_file_forget(fd), IO_DONE(DIRECTORY, fd),
               .file = file, .is_closed = 1)

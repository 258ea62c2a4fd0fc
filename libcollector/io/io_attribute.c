/* io_attribute.c: wrappers of the calls that change owners, rights and times of files, and of those
 * on extended attributes. */
#include "libcollector/io/io_record.h"

/* clang-format off */

/* ---- owners and rights ---- */

IO_WRAP(int, chmod, (const char *path, mode_t mode), (path, mode), IO_PATH(METADATA, path))
IO_WRAP(int, lchmod, (const char *path, mode_t mode), (path, mode), IO_PATH(METADATA, path))
IO_WRAP(int, fchmod, (int fd, mode_t mode), (fd, mode), IO_DONE(METADATA, fd))
IO_WRAP(int, fchmodat, (int directory, const char *path, mode_t mode, int flags), (directory, path, mode, flags),
        IO_AT(METADATA))

IO_WRAP(int, chown, (const char *path, uid_t user, gid_t group), (path, user, group), IO_PATH(METADATA, path))
IO_WRAP(int, lchown, (const char *path, uid_t user, gid_t group), (path, user, group), IO_PATH(METADATA, path))
IO_WRAP(int, fchown, (int fd, uid_t user, gid_t group), (fd, user, group), IO_DONE(METADATA, fd))
IO_WRAP(int, fchownat, (int directory, const char *path, uid_t user, gid_t group, int flags),
        (directory, path, user, group, flags), IO_AT(METADATA))

/* ---- times ---- */

IO_WRAP(int, utime, (const char *path, const struct utimbuf *times), (path, times), IO_PATH(METADATA, path))
IO_WRAP(int, utimes, (const char *path, const struct timeval times[2]), (path, times), IO_PATH(METADATA, path))
IO_WRAP(int, lutimes, (const char *path, const struct timeval times[2]), (path, times), IO_PATH(METADATA, path))
IO_WRAP(int, futimes, (int fd, const struct timeval times[2]), (fd, times), IO_DONE(METADATA, fd))
IO_WRAP(int, futimens, (int fd, const struct timespec times[2]), (fd, times), IO_DONE(METADATA, fd))
IO_WRAP(int, futimesat, (int directory, const char *path, const struct timeval times[2]), (directory, path, times),
        IO_AT(METADATA))
IO_WRAP(int, utimensat, (int directory, const char *path, const struct timespec times[2], int flags),
        (directory, path, times, flags), IO_AT(METADATA))

/* ---- extended attributes ---- */

#define SETXATTR(name, type, of, io) \
	IO_WRAP(int, name, (type of, const char *key, const void *value, size_t size, int flags), (of, key, value, size, flags), \
	        io(METADATA, of))
#define GETXATTR(name, type, of, io) \
	IO_WRAP(ssize_t, name, (type of, const char *key, void *to, size_t size), (of, key, to, size), io(STAT, of))
#define LISTXATTR(name, type, of, io) IO_WRAP(ssize_t, name, (type of, char *to, size_t size), (of, to, size), io(STAT, of))
#define REMOVEXATTR(name, type, of, io) IO_WRAP(int, name, (type of, const char *key), (of, key), io(METADATA, of))

#define PATH const char *, path, IO_PATH
#define FD int, fd, IO_DONE
#define EACH(name, ...) name(__VA_ARGS__)
EACH(SETXATTR, setxattr, PATH)
EACH(SETXATTR, lsetxattr, PATH)
EACH(SETXATTR, fsetxattr, FD)
EACH(GETXATTR, getxattr, PATH)
EACH(GETXATTR, lgetxattr, PATH)
EACH(GETXATTR, fgetxattr, FD)
EACH(LISTXATTR, listxattr, PATH)
EACH(LISTXATTR, llistxattr, PATH)
EACH(LISTXATTR, flistxattr, FD)
EACH(REMOVEXATTR, removexattr, PATH)
EACH(REMOVEXATTR, lremovexattr, PATH)
EACH(REMOVEXATTR, fremovexattr, FD)

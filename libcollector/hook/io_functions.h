/* io_functions.h: declarations of the input/output functions that the collector wraps.
 *
 * The C library declares some of them to nobody, or only to programs that are compiled with
 * _FORTIFY_SOURCE (the __*_chk and __*_2 ones) or were compiled for it long ago (the __*xstat
 * ones). */
#ifndef XER_COLLECTOR_IO_FUNCTIONS_H
#define XER_COLLECTOR_IO_FUNCTIONS_H

#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <utime.h>

extern int __open_2(const char *path, int flags);
extern int __open64_2(const char *path, int flags);
extern int __openat_2(int directory, const char *path, int flags);
extern int __openat64_2(int directory, const char *path, int flags);

extern ssize_t __read_chk(int fd, void *to, size_t size, size_t room);
extern ssize_t __pread_chk(int fd, void *to, size_t size, off_t at, size_t room);
extern ssize_t __pread64_chk(int fd, void *to, size_t size, off64_t at, size_t room);
extern ssize_t __recv_chk(int fd, void *to, size_t size, size_t room, int flags);
extern ssize_t __recvfrom_chk(int fd, void *to, size_t size, size_t room, int flags,
                              struct sockaddr *from, socklen_t *from_size);

extern char *__fgets_chk(char *to, size_t room, int size, FILE *stream);
extern char *__fgets_unlocked_chk(char *to, size_t room, int size, FILE *stream);
extern size_t __fread_chk(void *to, size_t room, size_t size, size_t count, FILE *stream);
extern size_t __fread_unlocked_chk(void *to, size_t room, size_t size, size_t count, FILE *stream);
extern int __printf_chk(int flag, const char *format, ...);
extern int __fprintf_chk(FILE *stream, int flag, const char *format, ...);
extern int __dprintf_chk(int fd, int flag, const char *format, ...);
extern int __vprintf_chk(int flag, const char *format, va_list values);
extern int __vfprintf_chk(FILE *stream, int flag, const char *format, va_list values);
extern int __vdprintf_chk(int fd, int flag, const char *format, va_list values);

extern int __xstat(int version, const char *path, struct stat *out);
extern int __xstat64(int version, const char *path, struct stat64 *out);
extern int __lxstat(int version, const char *path, struct stat *out);
extern int __lxstat64(int version, const char *path, struct stat64 *out);
extern int __fxstat(int version, int fd, struct stat *out);
extern int __fxstat64(int version, int fd, struct stat64 *out);
extern int __fxstatat(int version, int fd, const char *path, struct stat *out, int flags);
extern int __fxstatat64(int version, int fd, const char *path, struct stat64 *out, int flags);

extern int __xmknod(int version, const char *path, mode_t mode, dev_t *device);
extern int __xmknodat(int version, int directory, const char *path, mode_t mode, dev_t *device);

extern ssize_t __readlink_chk(const char *path, char *to, size_t size, size_t room);
extern ssize_t __readlinkat_chk(int directory, const char *path, char *to, size_t size,
                                size_t room);

#endif

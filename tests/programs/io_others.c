/* io_others: the functions for input and output that io_known does not call, once each, with
 * results that are the same on every file system. Usage: io_others ABSENT
 *
 * Facts: the path ABSENT and paths below it do not exist, and -1 is no descriptor.
 * Of functions that read attributes, 12 calls fail with ENOENT and 4 with EBADF;
 * of those that change them, 10 fail with ENOENT and 2 with EBADF; dup3 fails with EBADF;
 *   opendir, readdir64_r and closedir of "/" 1 each;
 *   putc 1 byte; 6 functions of printf(3) that take a va_list, 3 bytes each.
 * Functions that took a version argument before glibc 2.33 are called by their old names. It exits
 * 0 if all results are right, else with the line number & 255. */
#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <fcntl.h>
#include <utime.h>

#define OLD(name, version) __asm__(".symver old" #name "," #name "@" version)
OLD(__xstat, "GLIBC_2.2.5");
OLD(__xstat64, "GLIBC_2.2.5");
OLD(__lxstat, "GLIBC_2.2.5");
OLD(__lxstat64, "GLIBC_2.2.5");
OLD(__fxstat, "GLIBC_2.2.5");
OLD(__fxstat64, "GLIBC_2.2.5");
OLD(__fxstatat, "GLIBC_2.4");
OLD(__fxstatat64, "GLIBC_2.4");
OLD(__xmknod, "GLIBC_2.2.5");
OLD(__xmknodat, "GLIBC_2.4");
int old__xstat(int version, const char *path, struct stat *out);
int old__xstat64(int version, const char *path, struct stat64 *out);
int old__lxstat(int version, const char *path, struct stat *out);
int old__lxstat64(int version, const char *path, struct stat64 *out);
int old__fxstat(int version, int fd, struct stat *out);
int old__fxstat64(int version, int fd, struct stat64 *out);
int old__fxstatat(int version, int fd, const char *path, struct stat *out, int flags);
int old__fxstatat64(int version, int fd, const char *path, struct stat64 *out, int flags);
int old__xmknod(int version, const char *path, mode_t mode, dev_t *device);
int old__xmknodat(int version, int fd, const char *path, mode_t mode, dev_t *device);

/* Functions that a compiler uses instead of the plain ones to check formats. */
int __vprintf_chk(int flag, const char *format, va_list values);
int __vfprintf_chk(FILE *file, int flag, const char *format, va_list values);
int __vdprintf_chk(int fd, int flag, const char *format, va_list values);

enum { STAT_VERSION = 1, MKNOD_VERSION = 0 };

#define MUST(what) \
	do { \
		if (!(what)) \
			_exit((__LINE__ & 255) ? __LINE__ & 255 : 1); \
	} while (0)
#define FAILS(call, error) MUST((errno = 0, call) == -1 && errno == (error))

static void ask(const char *absent)
{
	struct stat status;
	struct stat64 status64;
	char value[8];

	FAILS(lstat(absent, &status), ENOENT);
	FAILS(lstat64(absent, &status64), ENOENT);
	FAILS(old__xstat(STAT_VERSION, absent, &status), ENOENT);
	FAILS(old__xstat64(STAT_VERSION, absent, &status64), ENOENT);
	FAILS(old__lxstat(STAT_VERSION, absent, &status), ENOENT);
	FAILS(old__lxstat64(STAT_VERSION, absent, &status64), ENOENT);
	FAILS(old__fxstatat(STAT_VERSION, AT_FDCWD, absent, &status, 0), ENOENT);
	FAILS(old__fxstatat64(STAT_VERSION, AT_FDCWD, absent, &status64, 0), ENOENT);
	FAILS(getxattr(absent, "user.a", value, sizeof(value)), ENOENT);
	FAILS(lgetxattr(absent, "user.a", value, sizeof(value)), ENOENT);
	FAILS(listxattr(absent, value, sizeof(value)), ENOENT);
	FAILS(llistxattr(absent, value, sizeof(value)), ENOENT);
	FAILS(old__fxstat(STAT_VERSION, -1, &status), EBADF);
	FAILS(old__fxstat64(STAT_VERSION, -1, &status64), EBADF);
	FAILS(fgetxattr(-1, "user.a", value, sizeof(value)), EBADF);
	FAILS(flistxattr(-1, value, sizeof(value)), EBADF);
}

static void change(const char *absent)
{
	char below[4200];
	dev_t device = 0;

	snprintf(below, sizeof(below), "%s/below", absent);
	FAILS(lchmod(absent, 0600), ENOENT);
	FAILS(utime(absent, NULL), ENOENT);
	FAILS(setxattr(absent, "user.a", "", 0, 0), ENOENT);
	FAILS(lsetxattr(absent, "user.a", "", 0, 0), ENOENT);
	FAILS(removexattr(absent, "user.a"), ENOENT);
	FAILS(lremovexattr(absent, "user.a"), ENOENT);
	FAILS(mknod(below, S_IFIFO | 0600, 0), ENOENT);
	FAILS(mknodat(AT_FDCWD, below, S_IFIFO | 0600, 0), ENOENT);
	FAILS(old__xmknod(MKNOD_VERSION, below, S_IFIFO | 0600, &device), ENOENT);
	FAILS(old__xmknodat(MKNOD_VERSION, AT_FDCWD, below, S_IFIFO | 0600, &device), ENOENT);
	FAILS(fremovexattr(-1, "user.a"), EBADF);
	FAILS(futimes(-1, NULL), EBADF);
}

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static void list(void)
{
	struct dirent64 entry, *found;
	DIR *root = opendir("/");

	MUST(root && readdir64_r(root, &entry, &found) == 0 && found == &entry);
	MUST(closedir(root) == 0);
}

/* `form` is a function of printf(3) that takes a va_list, with the arguments before the format. */
#define PRINTS(name, form, ...) \
	static int name(FILE *file, int fd, const char *format, ...) \
	{ \
		va_list values; \
		int len; \
\
		(void)file; \
		(void)fd; \
		va_start(values, format); \
		len = form(__VA_ARGS__ format, values); \
		va_end(values); \
		return len; \
	}
#define AND ,
PRINTS(print_out, vprintf, )
PRINTS(print_file, vfprintf, file AND)
PRINTS(print_fd, vdprintf, fd AND)
PRINTS(check_out, __vprintf_chk, 0 AND)
PRINTS(check_file, __vfprintf_chk, file AND 0 AND)
PRINTS(check_fd, __vdprintf_chk, fd AND 0 AND)

static void print(void)
{
	FILE *file = fopen("/dev/null", "w");

	MUST(file && putc('a', file) == 'a');
	MUST(print_out(file, 1, "%d", 123) == 3 && check_out(file, 1, "%d", 123) == 3);
	MUST(print_file(file, 1, "%d", 123) == 3 && check_file(file, 1, "%d", 123) == 3);
	MUST(print_fd(file, 1, "%d", 123) == 3 && check_fd(file, 1, "%d", 123) == 3);
	MUST(fclose(file) == 0);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	ask(argv[1]);
	change(argv[1]);
	FAILS(dup3(-1, 5, 0), EBADF);
	list();
	print();
	return 0;
}

/* io_known: exact numbers of input and output calls, and of their bytes.
 * Usage: io_known DIRECTORY THREADS
 *
 * Facts: each thread calls, on its own files in DIRECTORY (bytes where they are not 0):
 *   open 1; fails with ENOENT 4         write 100 x 7, 1 x 5 to a pipe      writev 5 x (3 + 4)
 *   read 50 x 10, 1 x 0, 1 x 5 from a pipe; fails with EBADF 3              readv 5 x (3 + 4)
 *   pwrite 10 x 16, pread 20 x 8        lseek 7, fsync 1, fdatasync 1       dup 1, close 7
 *   pipe 1, socketpair 1                send 6 x 9, recv 6 x 9              sendfile 1 x 100 + read
 *   mmap 1 of a file, 5 without one     fopen 2; fails with ENOENT 1        fclose 2, fflush 1
 *   fputs 10 x 5, fputc 10 x 1          fwrite 10 x (2 * 4)                 fprintf 10 x 6
 *   fgets 10 x 5, 1 at the file's end   getc 10 x 1, fread 1 x 140          stat 3, fstat 1
 *   access fails with ENOENT 2          ftruncate 1, mkdir 1, rmdir 1       unlink 2
 *   opendir 1, readdir 3, closedir 1
 * and in its own directory: 21 calls that change names and attributes, one that fails with EEXIST
 * and one with ENOENT; 5 that read them, one that fails with ENOENT; fdopendir 1, readdir_r 1,
 * getdents64 1, closedir 1; open 2, close 1. Once, in main: a read that fails with EINTR; a read
 * that is cancelled and one that is left by siglongjmp, which never return; a write of 11 bytes
 * after them; pipe 1 and close 2 for these. At the end closefrom, one close more. Calls that do
 * nothing: fread 1, fgets 2 of no stream, fwrite 1, all without an error. From popen: 3 x 4 by the
 * other name of getdelim, 1 at the end; then, on the descriptor that pclose has closed, write 1 x
 * 9, to a file in memory, and close 1. And calls with pointers to nothing: access fails with
 * EFAULT, closedir and truncate with EINVAL.
 *
 * The program checks results and errno: it exits 0 if all are as they should be, else with the line
 * number & 255. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

/* The condition must hold, and errno stays UNTOUCHED, unless the call is to fail. */
enum { UNTOUCHED = 7777 };
#define MUST(what) \
	do { \
		errno = UNTOUCHED; \
		if (!(what) || errno != UNTOUCHED) \
			_exit((__LINE__ & 255) ? __LINE__ & 255 : 1); \
	} while (0)
#define MUST_FAIL(what, error) \
	do { \
		errno = UNTOUCHED; \
		if (!(what) || errno != (error)) \
			_exit((__LINE__ & 255) ? __LINE__ & 255 : 1); \
	} while (0)

static const char *directory;

static NOINLINE void use_descriptor(const char *path)
{
	char buffer[64] = "0123456789012345678901234567890123456789";
	struct iovec vector[2] = {{buffer, 3}, {buffer + 3, 4}};
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	int twin;

	for (int i = 0; i < 100; i++)
		MUST(write(fd, buffer, 7) == 7);
	for (int i = 0; i < 10; i++)
		MUST(pwrite(fd, buffer, 16, i * 16) == 16);
	for (int i = 0; i < 5; i++)
		MUST(writev(fd, vector, 2) == 7);
	for (int i = 0; i < 20; i++)
		MUST(pread(fd, buffer, 8, i) == 8);
	for (int i = 0; i < 5; i++)
		MUST(lseek(fd, 0, SEEK_SET) == 0);
	for (int i = 0; i < 50; i++)
		MUST(read(fd, buffer, 10) == 10);
	for (int i = 0; i < 5; i++)
		MUST(readv(fd, vector, 2) == 7);
	MUST(lseek(fd, 0, SEEK_END) == 735);
	MUST(read(fd, buffer, 10) == 0);
	MUST(fsync(fd) == 0);
	MUST(fdatasync(fd) == 0);
	MUST(ftruncate(fd, 1000) == 0);
	twin = dup(fd);
	MUST(close(twin) == 0);
	MUST(close(fd) == 0);
	for (int i = 0; i < 3; i++)
		MUST_FAIL(read(-1, buffer, 10) == -1, EBADF);
	for (int i = 0; i < 4; i++)
		MUST_FAIL(open("/nowhere/at/all", O_RDONLY) == -1, ENOENT);
}

static NOINLINE void use_pair(const char *path)
{
	int pipes[2], sockets[2], fd;
	char buffer[16] = "123456789";

	MUST(pipe(pipes) == 0);
	MUST(write(pipes[1], buffer, 5) == 5);
	MUST(read(pipes[0], buffer, sizeof(buffer)) == 5);
	MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);
	for (int i = 0; i < 6; i++) {
		MUST(send(sockets[0], buffer, 9, 0) == 9);
		MUST(recv(sockets[1], buffer, 9, 0) == 9);
	}
	/* A descriptor that was opened without a wrapper. */
	fd = (int)syscall(2 /* open */, path, O_RDONLY);
	MUST(lseek(fd, 0, SEEK_SET) == 0);
	MUST(sendfile(sockets[0], fd, NULL, 100) == 100);
	MUST(close(fd) == 0);
	for (int i = 0; i < 2; i++) {
		MUST(close(pipes[i]) == 0);
		MUST(close(sockets[i]) == 0);
	}
}

static NOINLINE void use_stream(const char *path)
{
	FILE *stream = fopen(path, "w");
	char buffer[256];

	for (int i = 0; i < 10; i++)
		MUST(fputs("abcd\n", stream) >= 0);
	for (int i = 0; i < 10; i++)
		MUST(fputc('x', stream) == 'x');
	for (int i = 0; i < 10; i++)
		MUST(fwrite("ABCDEFGH", 2, 4, stream) == 4);
	for (int i = 0; i < 10; i++)
		MUST(fprintf(stream, "%05d\n", i) == 6);
	MUST(fflush(stream) == 0);
	fclose(stream);
	stream = fopen(path, "r");
	for (int i = 0; i < 10; i++)
		MUST(fgets(buffer, sizeof(buffer), stream) && strlen(buffer) == 5);
	for (int i = 0; i < 10; i++)
		MUST(getc(stream) == 'x');
	MUST(fread(buffer, 1, 140, stream) == 140);
	MUST(!fgets(buffer, sizeof(buffer), stream));
	fclose(stream);
	MUST_FAIL(!fopen("/nowhere/at/all", "r"), ENOENT);
}

static NOINLINE void use_names(const char *path)
{
	struct stat status;
	char name[512];
	DIR *entries;
	void *map;
	int fd = (int)syscall(2 /* open */, path, O_RDONLY);

	MUST(fstat(fd, &status) == 0 && status.st_size == 1000);
	map = mmap(NULL, 1000, PROT_READ, MAP_PRIVATE, fd, 0);
	MUST(munmap(map, 1000) == 0);
	syscall(3 /* close */, fd);
	for (int i = 0; i < 5; i++)
		munmap(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 4096);
	for (int i = 0; i < 3; i++)
		MUST(stat(path, &status) == 0 && status.st_size == 1000);
	for (int i = 0; i < 2; i++)
		MUST_FAIL(access("/nowhere/at/all", R_OK) == -1, ENOENT);
	snprintf(name, sizeof(name), "%s.d", path);
	MUST(mkdir(name, 0700) == 0);
	entries = opendir(name);
	MUST(readdir(entries) && readdir(entries) && !readdir(entries));
	MUST(closedir(entries) == 0);
	MUST(rmdir(name) == 0);
}

/* The functions that take the descriptor of a directory, and others like those in use_names(). */
static NOINLINE void use_more_names(const char *path)
{
	const struct timespec times[2] = {{.tv_sec = 1}, {.tv_sec = 2}};
	const struct timeval old_times[2] = {{.tv_sec = 3}, {.tv_sec = 4}};
	struct dirent entry, *found;
	char name[512], text[64];
	DIR *entries;
	int at, fd;

	snprintf(name, sizeof(name), "%s.more", path);
	MUST(mkdirat(AT_FDCWD, name, 0700) == 0);
	at = open(name, O_RDONLY | O_DIRECTORY);
	fd = openat(at, "a", O_RDWR | O_CREAT, 0600);
	MUST(posix_fallocate(fd, 0, 20) == 0);
	MUST(fchmod(fd, 0644) == 0);
	MUST(fchown(fd, (uid_t)-1, (gid_t)-1) == 0);
	MUST(futimens(fd, times) == 0);
	MUST(close(fd) == 0);
	MUST(fchmodat(at, "a", 0600, 0) == 0);
	MUST(fchownat(at, "a", (uid_t)-1, (gid_t)-1, 0) == 0);
	MUST(utimensat(at, "a", times, 0) == 0);
	MUST(futimesat(at, "a", old_times) == 0);
	MUST(linkat(at, "a", at, "b", 0) == 0);
	MUST_FAIL(linkat(at, "a", at, "b", 0) == -1, EEXIST);
	MUST(symlinkat("b", at, "c") == 0);
	MUST_FAIL(symlinkat("", at, "d") == -1, ENOENT);
	MUST(readlinkat(at, "c", text, sizeof(text)) == 1 && text[0] == 'b');
	MUST(mkfifoat(at, "d", 0600) == 0);
	MUST(renameat2(at, "d", at, "e", RENAME_NOREPLACE) == 0);
	MUST(faccessat(at, "e", R_OK, 0) == 0);
	MUST_FAIL(euidaccess("/nowhere/at/all", R_OK) == -1, ENOENT);
	snprintf(name, sizeof(name), "%s.more/c", path);
	MUST(readlink(name, text, sizeof(text)) == 1 && text[0] == 'b');
	MUST(lchown(name, (uid_t)-1, (gid_t)-1) == 0);
	MUST(lutimes(name, old_times) == 0);
	MUST(utimes(name, old_times) == 0);
	MUST(fstatat(at, "", &(struct stat){0}, AT_EMPTY_PATH) == 0);
	MUST(eaccess(name, R_OK) == 0);
	MUST(remove(name) == 0);
	MUST(unlinkat(at, "e", 0) == 0);
	MUST(unlinkat(at, "b", 0) == 0);
	MUST(unlinkat(at, "a", 0) == 0);
	entries = fdopendir(at);
	MUST(entries != NULL);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
	MUST(readdir_r(entries, &entry, &found) == 0 && found);
#pragma GCC diagnostic pop
	rewinddir(entries);
	MUST(getdents64(at, &(char[512]){0}, 512) > 0);
	MUST(closedir(entries) == 0);
	*strrchr(name, '/') = '\0';
	MUST(rmdir(name) == 0);
}

static void *work(void *number)
{
	char path[256], other[256];

	snprintf(path, sizeof(path), "%s/file%ld", directory, (long)number);
	snprintf(other, sizeof(other), "%s/stream%ld", directory, (long)number);
	use_descriptor(path);
	use_pair(path);
	use_stream(other);
	use_names(path);
	use_more_names(path);
	MUST(unlink(path) == 0);
	MUST(unlink(other) == 0);
	return NULL;
}

static int blocking[2];
static sigjmp_buf out;
static int jump;

static void *block(void *unused)
{
	char byte;

	(void)unused;
	return read(blocking[0], &byte, 1) == 1 ? NULL : NULL;
}

static void on_alarm(int signal)
{
	(void)signal;
	if (jump)
		siglongjmp(out, 1);
}

static void alarm_soon(void)
{
	struct itimerval soon = {.it_value = {.tv_usec = 20000}};

	setitimer(ITIMER_REAL, &soon, NULL);
}

static NOINLINE void leave_early(void)
{
	struct sigaction action = {.sa_handler = on_alarm};
	void *result = NULL;
	pthread_t thread;
	char byte;

	MUST(pipe(blocking) == 0);
	sigaction(SIGALRM, &action, NULL);
	alarm_soon();
	MUST_FAIL(read(blocking[0], &byte, 1) == -1, EINTR);
	jump = 1;
	if (sigsetjmp(out, 1) == 0) {
		alarm_soon();
		read(blocking[0], &byte, 1);
		_exit(1);
	}
	pthread_create(&thread, NULL, block, NULL);
	usleep(20000);
	MUST(pthread_cancel(thread) == 0);
	MUST(pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED);
	MUST(write(blocking[1], "eleven byte", 11) == 11);
	MUST(close(blocking[0]) == 0);
	MUST(close(blocking[1]) == 0);
}

static NOINLINE void point_nowhere(void)
{
	const char *volatile nowhere = (const char *)8;
	DIR *volatile none = NULL;

	MUST_FAIL(access(nowhere, R_OK) == -1, EFAULT);
	MUST_FAIL(truncate(nowhere, -1) == -1, EINVAL);
	MUST_FAIL(closedir(none) == -1, EINVAL);
}

static NOINLINE void ask_for_nothing(void)
{
	char byte[1];
	FILE *volatile none = NULL;
	volatile size_t no_size = 0;
	volatile int no_room = 0;
	size_t size = 0;

	MUST(fread(byte, no_size, 5, none) == 0);
	MUST(fwrite("text", no_size, 5, stdout) == 0);
	MUST(!fgets(byte, no_room, none));
#if __GLIBC_PREREQ(2, 39)
	(void)size; /* getdelim does not check its arguments there: fgets again */
	MUST(!fgets(byte, no_room, none));
#else
	MUST_FAIL(getdelim(NULL, &size, 'x', none) == -1, EINVAL);
#endif
}

static NOINLINE void use_process(void)
{
	FILE *stream = popen("printf 'one\ntwo\nsix\n'", "r");
	char *line = NULL;
	size_t size = 0;
	int fd;

	for (int i = 0; i < 3; i++)
		MUST(__getdelim(&line, &size, '\n', stream) == 4);
	MUST(__getdelim(&line, &size, '\n', stream) == -1);
	free(line);
	fd = fileno(stream);
	MUST(pclose(stream) == 0);
	MUST(memfd_create("after", 0) == fd);
	MUST(write(fd, "nine byte", 9) == 9);
	MUST(close(fd) == 0);
}

static NOINLINE void close_rest(void)
{
	closefrom(200);
	errno = 0;
}

int main(int argc, char **argv)
{
	long threads = argc > 2 ? atol(argv[2]) : 0;
	pthread_t thread[64];

	if (threads < 1 || threads > 64)
		return 2;
	directory = argv[1];
	for (long i = 0; i < threads; i++)
		pthread_create(&thread[i], NULL, work, (void *)i);
	for (long i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	leave_early();
	ask_for_nothing();
	use_process();
	point_nowhere();
	close_rest();
	return 0;
}

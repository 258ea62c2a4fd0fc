/* exec.c: the process is about to become another program, which is not recorded: say so, and close the totals.
 *
 * Forms that search PATH are noted with the name as given. When the call fails, recording goes on. */
#include "hook.h"
#include "log.h"
#include "process.h"

#include <alloca.h>
#include <errno.h>
#include <stdarg.h>

enum { PATH_SHOWN = 1024 };

static void log_event(const char *kind, const char *path, int error)
{
	char *memory = col_text_borrow();
	struct xml_text text = {.at = memory, .capacity = COL_TEXT_SIZE};

	if (!memory)
		return;
	col_event_begin(&text, kind);
	if (error)
		xml_put_number(&text, "errno", (uint64_t)error);
	xml_put_attribute(&text, "path", path, strnlen(path, PATH_SHOWN));
	col_event_end(&text);
	col_text_return(memory);
}

/* Before the call. `directory` and `path` as for openat, -1: it will be searched. Returns 1 if it was noted. */
static int begin(int directory, const char *path)
{
	if (!path || !process_is_recorded())
		return 0;
	/* Shells try every directory of PATH: those calls fail, and are not worth a word. */
	if (directory != -1 && *path && SYS3(SYS_faccessat, directory, path, X_OK) < 0)
		return 0;
	process_account();
	log_event("exec", path, 0);
	return 1;
}

/* After a call that failed. */
static int failed(int noted, const char *path)
{
	int error = errno;

	if (noted)
		log_event("exec_error", path, error);
	errno = error;
	return -1;
}

EXPORT int execve(const char *path, char *const argv[], char *const envp[])
{
	int noted = begin(AT_FDCWD, path);

	REAL(execve)(path, argv, envp);
	return failed(noted, path);
}

EXPORT int execv(const char *path, char *const argv[])
{
	int noted = begin(AT_FDCWD, path);

	REAL(execv)(path, argv);
	return failed(noted, path);
}

EXPORT int execvp(const char *file, char *const argv[])
{
	int noted = begin(-1, file);

	REAL(execvp)(file, argv);
	return failed(noted, file);
}

EXPORT int execvpe(const char *file, char *const argv[], char *const envp[])
{
	int noted = begin(-1, file);

	REAL(execvpe)(file, argv, envp);
	return failed(noted, file);
}

EXPORT int fexecve(int fd, char *const argv[], char *const envp[])
{
	int noted = begin(-1, "(descriptor)");

	REAL(fexecve)(fd, argv, envp);
	return failed(noted, "(descriptor)");
}

EXPORT int execveat(int directory, const char *path, char *const argv[], char *const envp[], int flags)
{
	int noted = begin(directory, path);

	REAL(execveat)(directory, path, argv, envp, flags);
	return failed(noted, path);
}

/* The forms with a list of arguments, made into those with an array. */
#define COLLECT(first, more) \
	({ \
		size_t count_ = 1, at_ = 0; \
		va_list counting_; \
		va_copy(counting_, more); \
		while (va_arg(counting_, char *)) \
			count_++; \
		va_end(counting_); \
		char **argv_ = alloca((count_ + 1) * sizeof(char *)); \
		argv_[at_++] = (char *)(first); \
		while ((argv_[at_++] = va_arg(more, char *))) \
			continue; \
		argv_; \
	})

EXPORT int execl(const char *path, const char *argument, ...)
{
	va_list more;
	char **argv;

	va_start(more, argument);
	argv = COLLECT(argument, more);
	va_end(more);
	return execv(path, argv);
}

EXPORT int execlp(const char *file, const char *argument, ...)
{
	va_list more;
	char **argv;

	va_start(more, argument);
	argv = COLLECT(argument, more);
	va_end(more);
	return execvp(file, argv);
}

EXPORT int execle(const char *path, const char *argument, ...)
{
	va_list more;
	char **argv, **envp;

	va_start(more, argument);
	argv = COLLECT(argument, more);
	envp = va_arg(more, char **);
	va_end(more);
	return execve(path, argv, envp);
}

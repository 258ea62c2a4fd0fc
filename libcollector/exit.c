/* exit.c: ways to end a process other than exit(3); and daemon, whose parent uses one of them. */
#include "libcollector/exit.h"

#include "libcollector/hook/hook.h"
#include "libcollector/close.h"

#include <errno.h>
#include <paths.h>
#include <sys/sysmacros.h>

static atomic_int quick_status = -1;

void exit_at_quick_end(void)
{
	process_close(atomic_load(&quick_status));
}

EXPORT void _exit(int status)
{
	process_close(status & 255);
	REAL(_exit)(status);
	__builtin_unreachable();
}

/* Only stores the status: the functions that the program registered for this exit run first. */
EXPORT void quick_exit(int status)
{
	atomic_store(&quick_status, status & 255);
	REAL(quick_exit)(status);
	__builtin_unreachable();
}

/* The older version also runs destructors of thread-local C++ objects. */
EXPORT void quick_exit_old(int status);
EXPORT void quick_exit_old(int status)
{
	atomic_store(&quick_status, status & 255);
	REAL(quick_exit_old)(status);
	__builtin_unreachable();
}
HOOK_VERSION(quick_exit, quick_exit, "@@GLIBC_2.24");
HOOK_VERSION(quick_exit_old, quick_exit, "@GLIBC_2.10");

EXPORT void _Exit(int status)
{
	process_close(status & 255);
	REAL(_Exit)(status);
	__builtin_unreachable();
}

/* Descriptors 0 to 2 become the null device. Returns 0 or -errno. As in the C library, nothing here
 * is a cancellation point. */
static int close_standard(void)
{
	struct stat status;
	long null = SYS4(SYS_openat, AT_FDCWD, _PATH_DEVNULL, O_RDWR, 0);
	int error = null < 0 ? (int)null : (int)sys_fstat((int)null, &status);

	if (error == 0 && (!S_ISCHR(status.st_mode) || status.st_rdev != makedev(1, 3)))
		error = -ENODEV; /* where /dev is a directory of somebody's */
	for (int fd = 0; error == 0 && fd < 3; fd++)
		SYS2(SYS_dup2, null, fd);
	if (null > 2 || (error < 0 && null >= 0))
		sys_close((int)null);
	return error;
}

/* The C library's own function would end the parent without our noticing. */
EXPORT int daemon(int keep_directory, int keep_files)
{
	pid_t pid = fork();
	int error;

	if (pid < 0)
		return -1;
	if (pid > 0)
		_exit(0);
	if (setsid() < 0)
		return -1;
	if (!keep_directory)
		SYS1(SYS_chdir, "/");
	error = keep_files ? 0 : close_standard();
	if (error < 0)
		errno = -error;
	return error < 0 ? -1 : 0;
}

/* timers.c: see timers.h. A recorded process holds a lock on its log (experiment(5)). */
#include "perf/timers.h"

#include "perf/log.h"

#include "format/layout.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PAUSE_MS = 100, PAUSE_MAX_MS = 2000 };

static int is_recording(int experiment, const char *log)
{
	struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
	int fd = openat(experiment, log, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	int is_locked;

	if (fd < 0)
		return 0;
	is_locked = fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
	close(fd);
	return is_locked;
}

static int is_anybody_recording(int experiment)
{
	int again = openat(experiment, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC),
	    found = is_recording(experiment, FMT_FILE_LOG);
	DIR *directory = again >= 0 ? fdopendir(again) : NULL;
	const struct dirent *entry;

	while (!found && directory && (entry = readdir(directory)) != NULL) {
		size_t len = strlen(entry->d_name), suffix = strlen(FMT_EXPERIMENT_SUFFIX);
		char log[NAME_MAX + sizeof("/" FMT_FILE_LOG)];

		if (entry->d_name[0] != '_' || len < suffix ||
		    strcmp(entry->d_name + len - suffix, FMT_EXPERIMENT_SUFFIX) != 0)
			continue;
		snprintf(log, sizeof(log), "%s/" FMT_FILE_LOG, entry->d_name);
		found = is_recording(experiment, log);
	}
	if (directory)
		closedir(directory);
	return found;
}

static void pause_for(int ms)
{
	nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L}, NULL);
}

/* Where a descriptor of the process, or waiting for it, is refused, it is asked for now and then.
 */
static void wait_for_end(pid_t pid)
{
	struct pollfd process = {.fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN};

	while ((process.fd < 0 || poll(&process, 1, -1) <= 0) &&
	       !(kill(pid, 0) < 0 && errno == ESRCH))
		pause_for(PAUSE_MS);
	if (process.fd >= 0)
		close(process.fd);
}

static int export(int experiment, char **argv)
{
	char *environment[] = {"PATH=/usr/bin:/bin", NULL};
	char reason[PATH_MAX + 64];
	int error, status = 0;
	pid_t child;

	error = argv[0][0] ? posix_spawn(&child, argv[0], NULL, NULL, argv, environment) : ENOENT;
	while (error == 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		continue;
	if (error != 0)
		snprintf(reason, sizeof(reason), "%s cannot be run: %s",
		         argv[0][0] ? argv[0] : "xer_print", strerror(error));
	else if (WIFSIGNALED(status))
		snprintf(reason, sizeof(reason), "%s was ended by signal %d", argv[0],
		         WTERMSIG(status));
	else if (WEXITSTATUS(status) != 0)
		snprintf(reason, sizeof(reason), "%s failed with exit status %d", argv[0],
		         WEXITSTATUS(status));
	else
		return 0;
	log_lost_files(experiment, reason);
	return 1;
}

int timers_wait_and_export(int experiment, pid_t pid, char *exporter)
{
	char link[32], path[PATH_MAX];
	char *argv[] = {exporter, "-export", "sampler", NULL, path, NULL};
	char to[PATH_MAX + sizeof("/" FMT_DIR_SAMPLER)];
	ssize_t len;
	int ms = PAUSE_MS;

	if (pid > 0)
		wait_for_end(pid);
	/* No process twice in a row: a new child has its lock a moment after its parent has
	 * gone. */
	for (int looks = 2; looks > 0; looks--) {
		while (is_anybody_recording(experiment)) {
			pause_for(ms);
			ms = 2 * ms < PAUSE_MAX_MS ? 2 * ms : PAUSE_MAX_MS;
			looks = 2;
		}
		if (looks > 1)
			pause_for(PAUSE_MS);
	}
	snprintf(link, sizeof(link), "/proc/self/fd/%d", experiment);
	len = readlink(link, path, sizeof(path) - 1);
	if (len < 0)
		return 1;
	path[len] = '\0';
	snprintf(to, sizeof(to), "%s/" FMT_DIR_SAMPLER, path);
	argv[3] = to;
	return export(experiment, argv);
}

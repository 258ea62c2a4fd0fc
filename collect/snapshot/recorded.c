/* recorded.c: see recorded.h.
 *
 * A recorded process has its log.xml open, or, if its descriptors are few, mapped. A child that is
 * not recorded, or another program that reads the log, may have it, too: so the log must name the
 * process. */
#include "collect/snapshot/recorded.h"

#include "format/layout.h"
#include "format/lineage.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LOG_HEAD = 64 * 1024, SPACES = 32 };

static const char log_end[] = "/" FMT_FILE_LOG;
static const char deleted[] = " (deleted)";

struct search {
	pid_t pid;
	long pids[SPACES]; /* its numbers in all name spaces that it is in */
	size_t pid_count;
	int is_deleted; /* its log is no longer there */
	struct recorded *out;
};

static int ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), end_len = strlen(end);

	return len >= end_len && strcmp(text + len - end_len, end) == 0;
}

/* ---- the process */

static void read_pids(struct search *search, const char *line)
{
	char *end;

	for (const char *at = line; search->pid_count < SPACES; at = end) {
		long pid = strtol(at, &end, 10);

		if (end == at)
			break;
		search->pids[search->pid_count++] = pid;
	}
}

static int check_process(struct search *search, struct cause *cause)
{
	char path[64], line[256], state = '?';
	long group = search->pid;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)search->pid);
	file = fopen(path, "re");
	if (!file)
		return cause_set(cause, CAUSE_NOT_FOUND, "there is no process %d",
		                 (int)search->pid);
	while (fgets(line, sizeof(line), file)) {
		sscanf(line, "State: %c", &state);
		sscanf(line, "Tgid: %ld", &group);
		if (strncmp(line, "NSpid:", 6) == 0)
			read_pids(search, line + 6);
	}
	fclose(file);
	if (state == 'Z' || state == 'X')
		return cause_set(cause, CAUSE_NOT_FOUND,
		                 "process %d has ended: its experiment is there already",
		                 (int)search->pid);
	if (group != search->pid)
		return cause_set(cause, CAUSE_REFUSED,
		                 "%d is a thread of process %ld: give that number",
		                 (int)search->pid, group);
	return 0;
}

/* ---- its log */

static int names_process(const struct search *search, int directory)
{
	static const char word[] = "<process pid=\"";
	static char head[LOG_HEAD + 1];
	int fd = openat(directory, FMT_FILE_LOG, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : pread(fd, head, LOG_HEAD, 0);
	const char *at;
	long pid;

	if (fd >= 0)
		close(fd);
	if (got <= 0)
		return 0;
	head[got] = '\0';
	at = strstr(head, word);
	if (!at)
		return 0;
	pid = strtol(at + sizeof(word) - 1, NULL, 10);
	for (size_t i = 0; i < search->pid_count; i++)
		if (search->pids[i] == pid)
			return 1;
	return pid == search->pid;
}

/* A descendant's directory is in that of the founder. Returns the founder's, open; `directory` is
 * closed. */
static int founder_of(int directory, char *path)
{
	char *slash = strrchr(path, '/');
	int above;

	if (!slash || slash == path || !lineage_is_experiment(slash + 1))
		return directory;
	above = openat(directory, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (above < 0 || faccessat(above, FMT_FILE_LOG, F_OK, 0) < 0) {
		if (above >= 0)
			close(above);
		return directory;
	}
	*slash = '\0';
	close(directory);
	return above;
}

/* The process may have another root directory than we have. */
static int open_as_seen(const struct search *search, const char *path)
{
	char theirs[PATH_MAX + 64];
	int fd = -1;

	if (snprintf(theirs, sizeof(theirs), "/proc/%d/root%s", (int)search->pid, path) <
	    (int)sizeof(theirs))
		fd = open(theirs, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd >= 0 ? fd : open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* Is it the log of the process? Returns 1 with what was searched. */
static int try_log(struct search *search, char *path)
{
	struct recorded *out = search->out;
	int directory;

	if (ends_with(path, deleted)) {
		path[strlen(path) - strlen(deleted)] = '\0';
		search->is_deleted |= ends_with(path, log_end);
		return 0;
	}
	if (!ends_with(path, log_end))
		return 0;
	path[strlen(path) - strlen(log_end)] = '\0';
	directory = open_as_seen(search, path);
	if (directory < 0)
		return 0;
	if (!names_process(search, directory)) {
		close(directory);
		return 0;
	}
	out->founder = founder_of(directory, path);
	snprintf(out->path, sizeof(out->path), "%.*s", PATH_MAX - 1, path);
	return 1;
}

/* Returns 1, 0, or -errno: it may not be looked at. */
static int look_at_descriptors(struct search *search)
{
	char path[PATH_MAX];
	struct dirent *entry;
	DIR *directory;
	int found = 0;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)search->pid);
	directory = opendir(path);
	if (!directory)
		return -errno;
	while (!found && (entry = readdir(directory)) != NULL) {
		ssize_t len = readlinkat(dirfd(directory), entry->d_name, path, sizeof(path) - 1);

		if (len <= 0)
			continue;
		path[len] = '\0';
		found = try_log(search, path);
	}
	closedir(directory);
	return found;
}

static int look_at_mappings(struct search *search)
{
	char line[PATH_MAX + 256];
	FILE *file;
	int found = 0;

	snprintf(line, sizeof(line), "/proc/%d/maps", (int)search->pid);
	file = fopen(line, "re");
	if (!file)
		return -errno;
	while (!found && fgets(line, sizeof(line), file)) {
		char *path = strchr(line, '/');

		line[strcspn(line, "\n")] = '\0';
		found = path && try_log(search, path);
	}
	fclose(file);
	return found;
}

int recorded_find(pid_t pid, struct recorded *out, struct cause *cause)
{
	struct search search = {.pid = pid, .out = out};
	int status = check_process(&search, cause);

	if (status)
		return status;
	status = look_at_descriptors(&search);
	if (status == 0)
		status = look_at_mappings(&search);
	if (status == 1)
		return 0;
	if (status == -EACCES || status == -EPERM)
		return cause_set(
			cause, CAUSE_REFUSED,
			"process %d may not be looked at: it belongs to another user, or is protected",
			(int)pid);
	if (status < 0)
		return cause_set(cause, CAUSE_NOT_FOUND, "process %d has ended", (int)pid);
	if (search.is_deleted)
		return cause_set(cause, CAUSE_FAILED,
		                 "process %d is recorded into an experiment that was deleted",
		                 (int)pid);
	return cause_set(cause, CAUSE_FAILED,
	                 "process %d is not being recorded; xcollect -P %d records it from now on",
	                 (int)pid, (int)pid);
}

int recorded_is_live(int directory)
{
	struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
	int fd = openat(directory, FMT_FILE_LOG, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	int is_locked;

	if (fd < 0)
		return 0;
	is_locked = fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
	close(fd);
	return is_locked;
}

/* process.c: looks at a running process from outside, in /proc, and refuses one that cannot be
 * entered, with the reason and what would help. See process.h. */
#include "collect/record/process.h"

#include "collect/target/elffile.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* Lines of /proc/PID/status. */
struct status {
	char state;
	long group, parent, threads, tracer, uid, gid, seccomp, filters;
};

enum { ARGUMENTS_MAX = 1 << 20 };

static const struct status_line {
	const char *name;
	size_t at;
} status_lines[] = {
	{"Tgid:", offsetof(struct status, group)},
	{"PPid:", offsetof(struct status, parent)},
	{"Threads:", offsetof(struct status, threads)},
	{"TracerPid:", offsetof(struct status, tracer)},
	{"Seccomp:", offsetof(struct status, seccomp)},
	{"Seccomp_filters:", offsetof(struct status, filters)},
};

static int read_status(const char *process, struct status *out)
{
	char path[64], line[256];
	FILE *file;

	*out = (struct status){.state = '?'};
	snprintf(path, sizeof(path), "/proc/%s/status", process);
	file = fopen(path, "re");
	if (!file)
		return -errno;
	while (fgets(line, sizeof(line), file)) {
		sscanf(line, "State: %c", &out->state);
		/* The effective ones: files are made by them. */
		sscanf(line, "Uid: %*d %ld", &out->uid);
		sscanf(line, "Gid: %*d %ld", &out->gid);
		for (size_t i = 0; i < sizeof(status_lines) / sizeof(status_lines[0]); i++)
			if (strncmp(line, status_lines[i].name, strlen(status_lines[i].name)) == 0)
				*(long *)((char *)out + status_lines[i].at) = strtol(
					line + strlen(status_lines[i].name), NULL, 10);
	}
	fclose(file);
	return 0;
}

static int read_link(pid_t pid, const char *name, char *out, size_t size)
{
	char path[64];
	ssize_t len;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	len = readlink(path, out, size - 1);
	if (len < 0)
		return -errno;
	out[len] = '\0';
	return 0;
}

/* The contents of cmdline as an argv. */
static char **read_arguments(pid_t pid)
{
	char path[64];
	char *text = malloc(ARGUMENTS_MAX + 1);
	size_t len = 0, count = 0;
	char **argv;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)pid);
	file = text ? fopen(path, "re") : NULL;
	if (file) {
		len = fread(text, 1, ARGUMENTS_MAX, file);
		fclose(file);
	}
	for (size_t i = 0; i < len; i++)
		count += text[i] == '\0';
	argv = text ? malloc((count + 2) * sizeof(*argv) + len + 1) : NULL;
	if (argv) {
		char *at = memcpy(argv + count + 2, text, len);
		char *end = at + len;

		*end = '\0';
		for (count = 0; at < end; at += strlen(at) + 1)
			argv[count++] = at;
		argv[count] = NULL;
	}
	free(text);
	return argv;
}

/* ---- rights ---- */

/* May we trace it? Reading its memory asks the kernel the same question, and does nothing: the
 * address is in no process. */
static int may_trace(pid_t pid)
{
	char byte;
	struct iovec local = {&byte, 1}, remote = {(void *)4096, 1};

	return process_vm_readv(pid, &local, 1, &remote, 1, 0) >= 0 || errno != EPERM;
}

static long yama_scope(void)
{
	FILE *file = fopen("/proc/sys/kernel/yama/ptrace_scope", "re");
	long scope = 0;

	if (!file)
		return 0;
	if (fscanf(file, "%ld", &scope) != 1)
		scope = 0;
	fclose(file);
	return scope;
}

static int refuse_rights(pid_t pid, const struct status *status, struct cause *cause)
{
	long scope = yama_scope();

	if (scope == 3)
		return cause_set(
			cause, CAUSE_REFUSED,
			"process %d cannot be traced: this system forbids it until it is booted again (kernel.yama.ptrace_scope is 3)",
			(int)pid);
	if (geteuid() == 0)
		return cause_set(
			cause, CAUSE_REFUSED,
			"process %d cannot be traced: root lacks the capability SYS_PTRACE here; in a container, start it with --cap-add SYS_PTRACE",
			(int)pid);
	if ((uid_t)status->uid != geteuid())
		return cause_set(
			cause, CAUSE_REFUSED,
			"process %d cannot be traced: it belongs to user %ld; run xcollect as that user or as root",
			(int)pid, status->uid);
	if (scope > 0)
		return cause_set(
			cause, CAUSE_REFUSED,
			"process %d cannot be traced: kernel.yama.ptrace_scope is %ld; run xcollect as root, or as root: sysctl kernel.yama.ptrace_scope=0",
			(int)pid, scope);
	return cause_set(
		cause, CAUSE_REFUSED,
		"process %d cannot be traced: it has more rights than its user, or forbids it (prctl PR_SET_DUMPABLE); run xcollect as root",
		(int)pid);
}

static int check_status(pid_t pid, const struct status *status, struct cause *cause)
{
	struct status self;

	if (status->group != pid)
		return cause_set(cause, CAUSE_REFUSED,
		                 "%d is a thread of process %ld: give that number", (int)pid,
		                 status->group);
	if (status->state == 'Z' && status->threads > 1)
		return cause_set(
			cause, CAUSE_REFUSED,
			"process %d cannot be recorded: its main thread has ended, so /proc does not describe the others",
			(int)pid);
	if (status->state == 'Z' || status->state == 'X')
		return cause_set(cause, CAUSE_NOT_FOUND, "process %d has ended", (int)pid);
	if (status->tracer)
		return cause_set(cause, CAUSE_REFUSED,
		                 "process %d is traced by process %ld already (a debugger, strace)",
		                 (int)pid, status->tracer);
	if (status->state == 'T')
		return cause_set(
			cause, CAUSE_REFUSED,
			"process %d is stopped by a signal; continue it first: kill -CONT %d",
			(int)pid, (int)pid);
	if (pid == getpid())
		return cause_set(cause, CAUSE_REFUSED, "process %d is xcollect itself", (int)pid);
	if (!may_trace(pid))
		return refuse_rights(pid, status, cause);
	if (status->seccomp == 2 && read_status("self", &self) == 0 &&
	    (self.seccomp != 2 || status->filters > self.filters))
		return cause_set(
			cause, CAUSE_REFUSED,
			"process %d cannot be recorded: it runs under a seccomp filter of its own, which could end it for what the collector does",
			(int)pid);
	return 0;
}

/* ---- what it runs ---- */

/* Is `path` the same file to the process as to us? */
static int sees(pid_t pid, const char *path)
{
	char theirs[PATH_MAX + 32];
	struct stat here, there;

	snprintf(theirs, sizeof(theirs), "/proc/%d/root%s", (int)pid, path);
	return stat(path, &here) == 0 && stat(theirs, &there) == 0 && here.st_dev == there.st_dev &&
	       here.st_ino == there.st_ino;
}

static int check_program(struct target *target, struct cause *cause)
{
	char path[64], reason[sizeof(target->outside)];
	int pid = (int)target->pid;
	int fd, status, can_run;

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return cause_set(cause, CAUSE_REFUSED, "process %d cannot be recorded: %s", pid,
		                 errno == ENOENT ? "it is a thread of the kernel"
		                                 : strerror(errno));
	status = elffile_check(fd, reason, sizeof(reason), &can_run);
	close(fd);
	if (status == 32)
		return cause_set(
			cause, CAUSE_REFUSED,
			"process %d cannot be recorded: it is a 32-bit program, which is to be started by xcollect",
			pid);
	if (status < 0 && !can_run)
		return cause_set(cause, CAUSE_REFUSED, "process %d cannot be recorded: %s", pid,
		                 reason);
	snprintf(target->outside, sizeof(target->outside), "%s", status < 0 ? reason : "");
	return 0;
}

int process_find(pid_t pid, const struct installation *installation, struct target *out,
                 struct cause *cause)
{
	char name[24];
	struct status status;
	int error;

	*out = (struct target){.pid = pid};
	snprintf(name, sizeof(name), "%d", (int)pid);
	if (read_status(name, &status) < 0)
		return cause_set(cause, CAUSE_NOT_FOUND, "there is no process %d", (int)pid);
	error = check_status(pid, &status, cause);
	if (error == 0)
		error = check_program(out, cause);
	if (error)
		return error;
	if (!out->outside[0] && !sees(pid, installation->library))
		return cause_set(
			cause, CAUSE_REFUSED,
			"process %d does not see %s: it is in another file system (a container); run xcollect in there",
			(int)pid, installation->library);
	out->parent = (pid_t)status.parent;
	read_link(pid, "cwd", out->directory, sizeof(out->directory));
	read_link(pid, "exe", out->path, sizeof(out->path));
	strcpy(out->file, out->path);
	strcpy(out->object, out->path);
	out->own_argv = out->argv = read_arguments(pid);
	return out->argv ? 0 : cause_set(cause, CAUSE_FAILED, "out of memory");
}

/* Give a directory with all that is in it, one level deep, to a user. */
static int give(const char *directory, uid_t uid, gid_t gid)
{
	DIR *list = opendir(directory);
	struct dirent *entry;
	int error = 0;

	if (!list)
		return -errno;
	while (error == 0 && (entry = readdir(list)))
		if (strcmp(entry->d_name, "..") != 0 &&
		    fchownat(dirfd(list), entry->d_name, uid, gid, AT_SYMLINK_NOFOLLOW) < 0)
			error = -errno;
	closedir(list);
	return error;
}

int process_hand_over(const struct target *target, const char *directory, struct cause *cause)
{
	char name[24];
	struct status status;
	int error = 0;

	if (!sees(target->pid, directory))
		return cause_set(
			cause, CAUSE_REFUSED,
			"process %d does not see %s; use -d with a directory that it sees under the same path",
			(int)target->pid, directory);
	snprintf(name, sizeof(name), "%d", (int)target->pid);
	if (read_status(name, &status) == 0 && geteuid() == 0 && status.uid != 0)
		error = give(directory, (uid_t)status.uid, (gid_t)status.gid);
	return error < 0 ? cause_set(cause, CAUSE_FAILED, "cannot give %s to user %ld: %s",
	                             directory, status.uid, strerror(-error))
	                 : 0;
}

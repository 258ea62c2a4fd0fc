/* target.c: finds the program to record, follows #! lines, and refuses with the reason what the
 * preload library could not enter: static, privileged, foreign and unreadable programs. */
#include "collect/target/target.h"

#include "collect/target/elffile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

/* The kernel follows as many #! lines; a line is cut at 256 bytes. */
enum { SCRIPT_DEPTH = 4, SCRIPT_LINE = 256 };

#define SHELL "/bin/sh"
#define DEFAULT_PATH "/bin:/usr/bin"

/* Write directory[len]/name to out[PATH_MAX], only `name` if len is 0. */
static int join_path(const char *directory, size_t len, const char *name, char *out)
{
	const char *slash = len > 0 && directory[len - 1] != '/' ? "/" : "";
	int written = snprintf(out, PATH_MAX, "%.*s%s%s", (int)len, directory, slash, name);

	return written < PATH_MAX ? 0 : -ENAMETOOLONG;
}

static int make_absolute(const char *file, char *out)
{
	char cwd[PATH_MAX];

	if (file[0] == '/')
		return join_path("", 0, file, out);
	if (!getcwd(cwd, sizeof(cwd)))
		return -errno;
	return join_path(cwd, strlen(cwd), file, out);
}

/* 0 if `path` is a file that may be executed, else -errno. */
static int check_executable(const char *path)
{
	struct stat status;

	if (stat(path, &status) < 0)
		return -errno;
	if (S_ISDIR(status.st_mode))
		return -EISDIR;
	return S_ISREG(status.st_mode) && access(path, X_OK) == 0 ? 0 : -EACCES;
}

/* Look `name` up in PATH. Returns 0 or -errno: -ENOENT, or why the best match cannot be executed.
 */
static int search_path(const char *name, char *out)
{
	const char *entry = getenv("PATH");
	int result = -ENOENT;

	if (!entry)
		entry = DEFAULT_PATH;
	for (;;) {
		size_t len = strcspn(entry, ":");
		int status = join_path(entry, len, name, out);

		if (status == 0)
			status = check_executable(out);
		if (status == 0)
			return 0;
		/* In a directory that cannot be searched there is nothing, to a shell. */
		if (status == -EACCES && access(out, F_OK) == 0)
			result = -EACCES;
		if (!entry[len])
			return result;
		entry += len + 1;
	}
}

static int find_program(const char *name, char *out, struct cause *cause)
{
	int status;

	if (!*name)
		return cause_set(cause, CAUSE_NOT_FOUND, "'': not found");
	if (strchr(name, '/')) {
		status = join_path("", 0, name, out);
		if (status == 0)
			status = check_executable(out);
	} else {
		status = search_path(name, out);
	}
	if (status == -ENOENT || status == -ENOTDIR)
		return cause_set(cause, CAUSE_NOT_FOUND, "%s: not found%s", name,
		                 strchr(name, '/') ? "" : " in PATH");
	if (status < 0)
		return cause_set(cause, CAUSE_REFUSED, "%s: cannot be executed: %s", name,
		                 strerror(-status));
	return 0;
}

/* True if executing the file changes the rights of the process, which makes the loader ignore
 * LD_PRELOAD. */
static int is_privileged(int fd, const char **what)
{
	struct stat status;
	struct statvfs mount;
	char capability[64];

	if (fstat(fd, &status) < 0 || prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1)
		return 0;
	if (fstatvfs(fd, &mount) == 0 && (mount.f_flag & ST_NOSUID))
		return 0;
	*what = "set-user-id";
	if ((status.st_mode & S_ISUID) && status.st_uid != getuid())
		return 1;
	*what = "set-group-id";
	if ((status.st_mode & S_ISGID) && (status.st_mode & S_IXGRP) && status.st_gid != getgid())
		return 1;
	*what = "a program with file capabilities";
	return geteuid() != 0 &&
	       fgetxattr(fd, "security.capability", capability, sizeof(capability)) > 0;
}

static int check_elf(struct target *target, int fd, const char *path, struct cause *cause)
{
	const char *what = NULL;
	char reason[sizeof(target->outside)];
	int can_run;

	target->outside[0] = '\0';
	target->bits = elffile_check(fd, reason, sizeof(reason), &can_run);
	if (target->bits < 0 && can_run) {
		target->bits = 64;
		snprintf(target->outside, sizeof(target->outside), "%s", reason);
	}
	if (target->bits < 0)
		return cause_set(cause, CAUSE_REFUSED, "%s cannot be recorded: %s", path, reason);
	if (is_privileged(fd, &what))
		return cause_set(
			cause, CAUSE_REFUSED,
			"%s cannot be recorded: it is %s, and the loader would not let us in", path,
			what);
	if (!realpath(path, target->object))
		target->object[0] = '\0';
	return 0;
}

/* Split the text behind #! into the interpreter and its one argument ("" if there is none). */
static void split_script_line(char *line, char **interpreter, char **argument)
{
	line[strcspn(line, "\n")] = '\0';
	for (size_t len = strlen(line); len > 0 && strchr(" \t", line[len - 1]); len--)
		line[len - 1] = '\0';
	*interpreter = line + strspn(line, " \t");
	*argument = *interpreter + strcspn(*interpreter, " \t");
	if (**argument)
		*(*argument)++ = '\0';
	*argument += strspn(*argument, " \t");
}

static int is_env_of_program(const char *interpreter, const char *argument)
{
	const char *base = strrchr(interpreter, '/');

	return base && strcmp(base, "/env") == 0 && *argument && *argument != '-' &&
	       !strpbrk(argument, "= \t");
}

/* Make `name` the target, with the arguments {name, script, the script's own}. */
static int run_by(struct target *target, const char *name, struct cause *cause)
{
	const char *script = target->file;
	size_t count = 0;
	char **argv;

	while (target->argv[count])
		count++;
	argv = malloc((count + 2) * sizeof(*argv) + strlen(name) + strlen(script) + 2);
	if (!argv)
		return cause_set(cause, CAUSE_FAILED, "out of memory");
	argv[0] = (char *)(argv + count + 2);
	argv[1] = stpcpy(argv[0], name) + 1;
	strcpy(argv[1], script);
	memcpy(argv + 2, target->argv + 1, count * sizeof(*argv));
	target->own_argv = argv;
	target->argv = argv;
	return find_program(name, target->file, cause);
}

/* Check the file at `path`, and what its #! line names, `depth` levels deep. */
static int check_file(struct target *target, const char *path, int depth, struct cause *cause)
{
	char header[SCRIPT_LINE + 1] = "";
	char *interpreter, *argument;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? -1 : pread(fd, header, SCRIPT_LINE, 0);
	int status;

	if (len < 0) {
		cause_set(cause, CAUSE_REFUSED, "%s cannot be recorded: it cannot be read: %s",
		          path, strerror(errno));
		if (fd >= 0)
			close(fd);
		return cause->exit_code;
	}
	status = len >= 4 && memcmp(header, "\177ELF", 4) == 0 ? check_elf(target, fd, path, cause)
	                                                       : -1;
	close(fd);
	if (status >= 0)
		return status;
	if (len < 2 || memcmp(header, "#!", 2) != 0) {
		/* As execvp and shells do with a text file. */
		if (target->own_argv || depth > 0)
			return cause_set(cause, CAUSE_REFUSED, "%s is not a program", path);
		status = run_by(target, SHELL, cause);
		return status ? status : check_file(target, target->file, depth + 1, cause);
	}
	if (depth >= SCRIPT_DEPTH)
		return cause_set(cause, CAUSE_REFUSED, "%s: too many levels of #!", path);
	split_script_line(header + 2, &interpreter, &argument);
	if (depth == 0 && is_env_of_program(interpreter, argument)) {
		status = run_by(target, argument, cause);
		return status ? status : check_file(target, target->file, depth + 1, cause);
	}
	status = check_executable(interpreter);
	if (status < 0)
		return cause_set(cause, CAUSE_REFUSED,
		                 "%s: its interpreter '%s' cannot be executed: %s", path,
		                 interpreter, strerror(-status));
	return check_file(target, interpreter, depth + 1, cause);
}

int target_find(char **argv, struct target *out, struct cause *cause)
{
	int status;

	*out = (struct target){.argv = argv, .pid = getpid(), .parent = getppid()};
	if (!getcwd(out->directory, sizeof(out->directory)))
		out->directory[0] = '\0';
	status = find_program(argv[0], out->file, cause);
	if (status == 0)
		status = check_file(out, out->file, 0, cause);
	if (status == 0 && make_absolute(out->file, out->path) < 0)
		status = cause_set(cause, CAUSE_FAILED,
		                   "%s: its path is too long or cannot be found out", out->file);
	if (status)
		target_fini(out);
	return status;
}

void target_fini(struct target *target)
{
	free(target->own_argv);
	target->own_argv = NULL;
}

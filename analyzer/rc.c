/* rc.c: finds the rc files, and makes sure that they belong to the user: a file in the current
 * directory may be that of another user, and a command can write files. */
#include "analyzer/rc.h"

#include "analyzer/base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What is wrong with a file or directory that must belong to `owner`; NULL: nothing. */
static const char *judge(const struct stat *st, uid_t owner)
{
	if (st->st_uid != owner)
		return "belongs to someone else";
	return st->st_mode & S_IWOTH ? "can be written by everybody" : NULL;
}

static void run(struct analysis *analysis, script_line *run_line, FILE *file, const char *path)
{
	analysis->output.is_rc = 1;
	script_run_file(analysis, run_line, file, path);
	analysis->output.is_rc = 0;
	analysis->output.is_quit = 0;
}

/* Open the rc file of a directory. Returns its descriptor, or -1: there is none, or it was refused
 * with a message. */
static int open_rc(struct analysis *analysis, int directory, const char *name, uid_t owner,
                   const char *path)
{
	int fd = openat(directory, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	const char *what = "it", *wrong = "cannot be looked at";
	struct stat of_directory, of_file;

	if (fd < 0) {
		if (errno != ENOENT)
			output_say(&analysis->output, "%s: %s", path, strerror(errno));
		return -1;
	}
	if (fstat(directory, &of_directory) == 0 && fstat(fd, &of_file) == 0) {
		wrong = judge(&of_directory, owner);
		if (wrong)
			what = "its directory";
		else
			wrong = S_ISREG(of_file.st_mode) ? judge(&of_file, owner) : "is no file";
	}
	if (!wrong)
		return fd;
	output_say(&analysis->output, "%s: not read: %s %s", path, what, wrong);
	close(fd);
	return -1;
}

struct seen {
	dev_t device;
	ino_t inode;
};

/* Studio's file may hold what is no command here; that is said, but is no failure. */
static void run_named(struct analysis *analysis, script_line *run_line, FILE *file,
                      const char *path, const char *name)
{
	int before = analysis->output.status;

	run(analysis, run_line, file, path);
	if (strcmp(name, RC_STUDIO_NAME) == 0)
		analysis->output.status = before;
}

/* Read the rc file of a directory, unless it is the one in `seen`, the file before. */
static void read_from(struct analysis *analysis, script_line *run_line, const char *directory_path,
                      const char *name, uid_t owner, struct seen *seen)
{
	int directory = open(directory_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), fd;
	char *path;
	struct stat st;
	FILE *file;

	if (directory < 0)
		return;
	if (strcmp(name, RC_NAME) == 0)
		name = faccessat(directory, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0 ? name
		                                                                  : RC_STUDIO_NAME;
	path = memory_format("%s/%s", directory_path, name);
	fd = open_rc(analysis, directory, name, owner, path);
	close(directory);
	if (fd >= 0 && fstat(fd, &st) == 0 &&
	    (st.st_dev != seen->device || st.st_ino != seen->inode)) {
		*seen = (struct seen){st.st_dev, st.st_ino};
		file = fdopen(fd, "r");
		if (file) {
			run_named(analysis, run_line, file, path, name);
			fclose(file);
			fd = -1;
		}
	}
	if (fd >= 0)
		close(fd);
	free(path);
}

void rc_read_usual(struct analysis *analysis, script_line *run_line)
{
	const char *home = getenv("HOME");
	struct seen seen = {0, 0};

	read_from(analysis, run_line, RC_SYSTEM_DIRECTORY, RC_SYSTEM_NAME, 0, &seen);
	if (home && home[0] == '/')
		read_from(analysis, run_line, home, RC_NAME, geteuid(), &seen);
	read_from(analysis, run_line, ".", RC_NAME, geteuid(), &seen);
}

void rc_read(struct analysis *analysis, script_line *run_line, const char *path)
{
	FILE *file = fopen(path, "re");

	if (!file) {
		output_fail(&analysis->output, EXIT_TROUBLE, "rc: %s: %s", path, strerror(errno));
		return;
	}
	run(analysis, run_line, file, path);
	fclose(file);
}

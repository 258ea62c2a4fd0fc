/* outfile.c: owns the list of open output files, and removes those that are not completed. See
 * outfile.h. */
#include "analyzer/base/outfile.h"

#include "analyzer/base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct outfile {
	struct outfile *next;
	FILE *out; /* NULL: something else writes `name` */
	char *path, *name;
	off_t kept; /* bytes that were there before; -1: not a regular file */
};

static struct outfile *open_outputs;

/* A link that led to the file is kept. */
static void remove_file(const struct outfile *output, const struct stat *opened)
{
	struct stat named;

	if (lstat(output->path, &named) == 0 && named.st_dev == opened->st_dev &&
	    named.st_ino == opened->st_ino)
		unlink(output->path);
}

static void take_back(const struct outfile *output)
{
	struct stat st;

	if (!output->out) {
		unlink(output->name);
		return;
	}
	__fpurge(output->out); /* what exit would write then */
	if (output->kept < 0 || fstat(fileno(output->out), &st) != 0 ||
	    ftruncate(fileno(output->out), output->kept) != 0)
		return;
	if (output->kept == 0)
		remove_file(output, &st);
}

void outfile_take_all_back(void)
{
	for (const struct outfile *output = open_outputs; output; output = output->next)
		take_back(output);
}

/* Add it to the list of those that are undone when the program ends. */
static void add_open(struct outfile *output)
{
	static int is_registered;

	output->next = open_outputs;
	open_outputs = output;
	if (!is_registered)
		atexit(outfile_take_all_back);
	is_registered = 1;
}

static void remove_open(const struct outfile *output)
{
	struct outfile **at = &open_outputs;

	while (*at && *at != output)
		at = &(*at)->next;
	if (*at)
		*at = output->next;
}

static FILE *open_as(const char *path, const char *mode)
{
	struct outfile *output = memory_take(1, sizeof(*output));
	struct stat st;

	output->path = memory_text(path, strlen(path));
	output->out = fopen(path, mode);
	if (!output->out) {
		int error = errno;

		free(output->path);
		free(output);
		errno = error;
		return NULL;
	}
	output->kept = fstat(fileno(output->out), &st) == 0 && S_ISREG(st.st_mode) ? st.st_size
	                                                                           : -1;
	add_open(output);
	return output->out;
}

FILE *outfile_open(const char *path)
{
	return open_as(path, "we");
}

FILE *outfile_append(const char *path)
{
	return open_as(path, "ae");
}

int outfile_close(FILE *out, int is_whole)
{
	struct outfile *output = open_outputs;
	int error = 0;

	while (output && output->out != out)
		output = output->next;
	errno = 0;
	if (fflush(out) != 0 || ferror(out))
		error = errno != 0 ? -errno : -EIO;
	if (output && (error != 0 || !is_whole))
		take_back(output);
	if (out != stdout && out != stderr && fclose(out) != 0 && error == 0)
		error = -errno;
	if (output) {
		remove_open(output);
		free(output->path);
		free(output);
	}
	return error;
}

/* Signals by which a user ends the program; if they end it, nothing is left. */
static const int endings[] = {SIGINT, SIGTERM, SIGHUP};

static void on_ending(int signal)
{
	outfile_take_all_back();
	raise(signal); /* when this returns, it does what it does by default */
}

static void watch_endings(void (*from)(int), void (*to)(int), int flags)
{
	const struct sigaction action = {.sa_handler = to, .sa_flags = flags};
	struct sigaction old;

	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++)
		if (sigaction(endings[i], NULL, &old) == 0 && old.sa_handler == from)
			sigaction(endings[i], &action, NULL);
}

/* The rights of the file that is replaced, or those of any new file. */
static mode_t rights_of(const struct stat *there)
{
	mode_t mask;

	if (there)
		return there->st_mode & 0777;
	mask = umask(0);
	umask(mask);
	return 0666 & ~mask;
}

/* Make a file for output->name, which becomes its name. Returns 0 or -errno. */
static int make_beside(const struct outfile *output, const struct stat *there)
{
	int fd = mkostemp(output->name, O_CLOEXEC), error = 0;

	if (fd < 0)
		return -errno;
	if (fchmod(fd, rights_of(there)) != 0)
		error = -errno;
	close(fd);
	if (error != 0)
		unlink(output->name);
	return error;
}

static void free_output(struct outfile *output)
{
	free(output->path);
	free(output->name);
	free(output);
}

struct outfile *outfile_begin(const char *path, const char **name)
{
	struct outfile *output = memory_take(1, sizeof(*output));
	struct stat st;
	int is_there = stat(path, &st) == 0, error;

	output->path = is_there ? realpath(path, NULL) : memory_text(path, strlen(path));
	if (!output->path)
		memory_fail();
	output->name = memory_format("%s.XXXXXX", output->path);
	error = is_there && !S_ISREG(st.st_mode) ? -ENOTSUP
	                                         : make_beside(output, is_there ? &st : NULL);
	if (error != 0) {
		free_output(output);
		errno = -error;
		return NULL;
	}
	add_open(output);
	watch_endings(SIG_DFL, on_ending, (int)SA_RESETHAND);
	*name = output->name;
	return output;
}

int outfile_end(struct outfile *output, int is_whole)
{
	int error = 0;

	if (is_whole && rename(output->name, output->path) != 0)
		error = -errno;
	if (!is_whole || error != 0)
		unlink(output->name);
	remove_open(output);
	watch_endings(on_ending, SIG_DFL, 0);
	free_output(output);
	return error;
}

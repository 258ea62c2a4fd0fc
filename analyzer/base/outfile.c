/* outfile.c: owns the list of open output files, and removes those that are not completed. See
 * outfile.h. */
#include "analyzer/base/outfile.h"

#include "analyzer/base/memory.h"

#include <errno.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct outfile {
	struct outfile *next;
	FILE *out;
	char *path;
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

static FILE *open_as(const char *path, const char *mode)
{
	static int is_registered;
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
	output->next = open_outputs;
	open_outputs = output;
	if (!is_registered)
		atexit(outfile_take_all_back);
	is_registered = 1;
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
	struct outfile **at = &open_outputs, *output;
	int error = 0;

	while (*at && (*at)->out != out)
		at = &(*at)->next;
	output = *at;
	errno = 0;
	if (fflush(out) != 0 || ferror(out))
		error = errno != 0 ? -errno : -EIO;
	if (output && (error != 0 || !is_whole))
		take_back(output);
	if (out != stdout && out != stderr && fclose(out) != 0 && error == 0)
		error = -errno;
	if (output) {
		*at = output->next;
		free(output->path);
		free(output);
	}
	return error;
}

/* kernelfile.c: see kernelfile.h. Each sampler has a file of its own; the functions of all of them
 * are one table, since it is one kernel. */
#include "experiment/fxt/kernelfile.h"

#include "experiment/base/addressmap.h"
#include "experiment/fxt/samplers.h"
#include "format/layout.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BYTES_MAX = 64 << 20 };

/* The whole text, *size bytes; NULL: it cannot be read, or there is no memory, which is noted. */
static char *read_text(int fd, size_t *size)
{
	struct stat st;
	ssize_t got = 0;
	char *text;

	*size = 0;
	if (fstat(fd, &st) != 0)
		return NULL;
	if (st.st_size > BYTES_MAX)
		st.st_size = BYTES_MAX;
	text = exp_zeroed(1, (size_t)st.st_size + 1);
	while (text && *size < (size_t)st.st_size &&
	       (got = pread(fd, text + *size, (size_t)st.st_size - *size, (off_t)*size)) > 0)
		*size += (size_t)got;
	return text;
}

static int take_file(struct experiment *experiment, const char *where, int fd)
{
	size_t size;
	char *text = read_text(fd, &size);
	int rc = !text ? -ENOMEM : exp_kernel_take(experiment, text, size);

	free(text);
	if (rc == -EBADMSG)
		exp_warn(experiment, "%s/" FMT_FILE_SAMPLER_KERNEL ": lines that say no function",
		         where);
	return rc == -ENOMEM ? rc : 0;
}

/* *found: there is such a file. Returns 0 or -ENOMEM. */
static int read_file(struct experiment *experiment, const char *where, int *found)
{
	int directory = exp_sampler_open(experiment, where), rc = 0;
	int fd = exp_file_open(directory, FMT_FILE_SAMPLER_KERNEL);

	if (fd >= 0) {
		*found = 1;
		rc = take_file(experiment, where, fd);
		close(fd);
	} else if (fd != -ENOENT) {
		exp_warn(experiment, "%s/" FMT_FILE_SAMPLER_KERNEL ": %s", where,
		         fd == -EBADMSG ? "not a regular file" : strerror(-fd));
	}
	if (directory >= 0)
		close(directory);
	return rc;
}

int exp_kernelfiles_read(struct experiment *experiment)
{
	struct exp_sampler sampler;
	int found = 0, rc = 0;

	for (unsigned n = 0; n < EXP_SAMPLERS && rc == 0; n++)
		if (exp_sampler_get(experiment, n, &sampler) == 0)
			rc = read_file(experiment, sampler.directory, &found);
	if (rc == 0 && experiment->clock.start_mono_ns != 0)
		rc = read_file(experiment, FMT_DIR_KERNEL, &found);
	return rc == 0 && found ? exp_kernel_finish(experiment) : rc;
}

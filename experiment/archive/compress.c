/* compress.c: compresses data files. See compress.h.
 * See doc/decisions/107-compressed-files.md. */
#include "experiment/archive/compress.h"

#include "experiment/archive/copy.h"
#include "experiment/base/boot.h"
#include "experiment/base/internal.h"
#include "experiment/packed/frame.h"
#include "experiment/packed/pack.h"
#include "experiment/streams/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	BLOCK = 512, /* the unit of st_blocks */
	HOLES = 16   /* a file that is so often as long as what is in it is left as it is */
};

static int is_worth_it(const struct stat *st)
{
	uint64_t there = (uint64_t)st->st_blocks * BLOCK;

	return there >= EXP_COMPRESS_LEAST && (uint64_t)st->st_size / HOLES <= there;
}

/* Compress the file in `from`, which has this name in the directory. */
static int compress(int directory, const char *name, int from, const struct stat *st)
{
	const struct timespec times[2] = {st->st_atim, st->st_mtim};
	struct exp_plain_file plain = {from, (uint64_t)st->st_size, EXP_PACK_DATA};
	char packed_name[NAME_MAX];
	int rc;

	snprintf(packed_name, sizeof(packed_name), "%.200s" FMT_PACKED_SUFFIX, name);
	rc = exp_copy_made(directory, packed_name, st->st_mode & 0777, exp_pack_file, &plain);
	if (rc == 0) {
		utimensat(directory, packed_name, times, AT_SYMLINK_NOFOLLOW);
		rc = unlinkat(directory, name, 0) != 0 && errno != ENOENT ? -errno : 0;
	}
	return rc == EXP_PACK_NOT_WORTH ? 0 : rc;
}

static int compress_stream(int directory, const char *name)
{
	int from = exp_file_open(directory, name), rc = 0;
	struct stat st;

	if (from < 0)
		return from == -ENOENT || from == -EBADMSG ? 0 : from;
	if (fstat(from, &st) != 0)
		rc = -errno;
	else if (is_worth_it(&st))
		rc = compress(directory, name, from, &st);
	close(from);
	return rc;
}

static int fail(const struct experiment *experiment, struct exp_cause *cause, const char *name,
                int error)
{
	const char *what = error == -EBUSY    ? "still being recorded"
	                   : error == -ENOSYS ? "not compressed: built without libzstd"
	                                      : NULL;

	if (what)
		snprintf(cause->text, sizeof(cause->text), "%.250s: %s", experiment->info.path,
		         what);
	else
		snprintf(cause->text, sizeof(cause->text), "%.250s: cannot compress %.20s: %s",
		         experiment->info.path, name, strerror(-error));
	return error;
}

/* A process that has not told its end, and has closed all of its descriptors, has no lock on its
 * log. Numbers are used again: then the files are left alone, too. */
static int may_live(const struct experiment *experiment)
{
	return experiment->info.status == EXP_DIED && exp_is_of_this_boot(experiment) &&
	       experiment->info.pid > 0 &&
	       (kill((pid_t)experiment->info.pid, 0) == 0 || errno == EPERM);
}

int exp_compress(const struct experiment *experiment, struct exp_cause *cause)
{
	int rc = 0, directory;

	if (experiment->directory < 0 && !experiment->is_resting)
		return 0;
	if (experiment->info.status == EXP_RUNNING || may_live(experiment))
		return fail(experiment, cause, NULL, -EBUSY);
	if (!exp_frames_are_known())
		return fail(experiment, cause, NULL, -ENOSYS);
	directory = exp_directory_get(experiment);
	if (directory < 0)
		return fail(experiment, cause, "its directory", directory);
	exp_copy_sweep(directory);
	for (size_t i = 0; i < FMT_STREAMS && rc == 0; i++) {
		rc = compress_stream(directory, exp_stream_names[i]);
		if (rc != 0)
			rc = fail(experiment, cause, exp_stream_names[i], rc);
	}
	exp_directory_put(experiment, directory);
	return rc;
}

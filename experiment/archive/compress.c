/* compress.c: compresses data files into independent frames. See compress.h.
 * See doc/decisions/107-compressed-files.md. */
#include "experiment/archive/compress.h"

#include "experiment/archive/copy.h"
#include "experiment/base/boot.h"
#include "experiment/base/internal.h"
#include "experiment/streams/frame.h"
#include "experiment/streams/packed.h"
#include "experiment/streams/stream.h"
#include "format/retry.h"
#include "format/seekable.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	BLOCK = 512,  /* the unit of st_blocks */
	HOLES = 16,   /* a file that is so often as long as what is in it is left as it is */
	NOT_WORTH = 1 /* what write_packed returns then */
};

/* A file that is being compressed. */
struct work {
	int from;
	uint64_t size;
	struct exp_packer *packer;
	uint8_t *plain, *packed; /* a frame */
	struct seekable_entry *entries;
	size_t count, capacity;
	uint64_t put; /* bytes written */
};

/* Read up to a frame at `at`. Returns how many bytes, or -errno. */
static ssize_t read_frame(struct work *work, uint64_t at)
{
	uint64_t left = work->size - at;
	size_t size = left < EXP_FRAME ? (size_t)left : EXP_FRAME, done = 0;
	unsigned tries = 0;

	while (done < size) {
		ssize_t got = pread(work->from, work->plain + done, size - done,
		                    (off_t)(at + done));

		if (retry_call(got, &tries))
			continue;
		if (got <= 0)
			return got < 0 ? -errno : -ESTALE;
		done += (size_t)got;
	}
	return (ssize_t)size;
}

static int put_frame(struct work *work, int to, size_t size)
{
	ssize_t packed = exp_pack(work->packer, work->packed, exp_packed_most(EXP_FRAME),
	                          work->plain, size);

	if (packed < 0)
		return (int)packed;
	if (exp_array_reserve(&work->entries, &work->capacity, work->count,
	                      sizeof(*work->entries)) != 0)
		return -ENOMEM;
	work->entries[work->count++] = (struct seekable_entry){(uint32_t)packed, (uint32_t)size};
	work->put += (uint64_t)packed;
	return exp_copy_bytes(to, work->packed, (size_t)packed);
}

static int put_table(struct work *work, int to)
{
	size_t size = SEEKABLE_HEAD + work->count * SEEKABLE_ENTRY + SEEKABLE_FOOTER;
	uint8_t *table = malloc(size);
	int rc;

	if (!table)
		return -ENOMEM;
	seekable_head_put(table, (uint32_t)work->count);
	for (size_t i = 0; i < work->count; i++)
		seekable_entry_put(table + SEEKABLE_HEAD + i * SEEKABLE_ENTRY, &work->entries[i]);
	seekable_footer_put(table + size - SEEKABLE_FOOTER, (uint32_t)work->count);
	rc = exp_copy_bytes(to, table, size);
	work->put += size;
	free(table);
	return rc;
}

static int write_packed(void *context, int to)
{
	struct work *work = context;
	int rc = 0;

	for (uint64_t at = 0; rc == 0 && at < work->size; at += EXP_FRAME) {
		ssize_t size = read_frame(work, at);

		rc = size < 0 ? (int)size : put_frame(work, to, (size_t)size);
	}
	if (rc == 0)
		rc = put_table(work, to);
	/* What readers would refuse, and what is hardly smaller, stays plain. */
	if (rc == 0 &&
	    (work->size / EXP_PACKED_RATIO > work->put || work->put > work->size - work->size / 8))
		rc = NOT_WORTH;
	return rc;
}

static int is_worth_it(const struct stat *st)
{
	uint64_t there = (uint64_t)st->st_blocks * BLOCK;

	return there >= EXP_COMPRESS_LEAST && (uint64_t)st->st_size / HOLES <= there;
}

/* Compress the file in `from`, which has this name in the directory. */
static int compress(int directory, const char *name, int from, const struct stat *st)
{
	const struct timespec times[2] = {st->st_atim, st->st_mtim};
	struct work work = {.from = from,
	                    .size = (uint64_t)st->st_size,
	                    .packer = exp_packer_create(),
	                    .plain = malloc(EXP_FRAME),
	                    .packed = malloc(exp_packed_most(EXP_FRAME))};
	char packed_name[NAME_MAX];
	int rc = !work.packer || !work.plain || !work.packed ? -ENOMEM : 0;

	snprintf(packed_name, sizeof(packed_name), "%.200s" FMT_PACKED_SUFFIX, name);
	if (rc == 0)
		rc = exp_copy_made(directory, packed_name, st->st_mode & 0777, write_packed, &work);
	if (rc == 0) {
		utimensat(directory, packed_name, times, AT_SYMLINK_NOFOLLOW);
		rc = unlinkat(directory, name, 0) != 0 && errno != ENOENT ? -errno : 0;
	}
	exp_packer_destroy(work.packer);
	free(work.plain);
	free(work.packed);
	free(work.entries);
	return rc == NOT_WORTH ? 0 : rc;
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

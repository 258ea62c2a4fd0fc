/* pack.c: see pack.h. */
#include "experiment/packed/pack.h"

#include "experiment/base/internal.h"
#include "experiment/packed/frame.h"
#include "experiment/packed/packed.h"
#include "format/retry.h"
#include "format/seekable.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

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
	return exp_bytes_write(to, work->packed, (size_t)packed);
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
	rc = exp_bytes_write(to, table, size);
	work->put += size;
	free(table);
	return rc;
}

/* All frames, and the table. */
static int put_all(struct work *work, int to)
{
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
		rc = EXP_PACK_NOT_WORTH;
	return rc;
}

int exp_pack_file(void *plain_file, int to)
{
	const struct exp_plain_file *file = plain_file;
	struct work work = {.from = file->fd,
	                    .size = file->size,
	                    .packer = exp_packer_create(file->level),
	                    .plain = malloc(EXP_FRAME),
	                    .packed = malloc(exp_packed_most(EXP_FRAME))};
	int rc = !work.packer || !work.plain || !work.packed ? -ENOMEM : put_all(&work, to);

	exp_packer_destroy(work.packer);
	free(work.plain);
	free(work.packed);
	free(work.entries);
	return rc;
}

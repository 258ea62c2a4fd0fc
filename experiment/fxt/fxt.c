/* fxt.c: owns the chunk on an FXT file and finds its records. See fxt.h. */
#include "experiment/fxt/fxt_internal.h"
#include "experiment/table/arena.h"
#include "format/retry.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { AHEAD_WORDS = 2048 /* behind a seek */ };

struct exp_fxt *exp_fxt_open(int fd)
{
	struct exp_fxt *fxt = calloc(1, sizeof(*fxt));

	if (!fxt)
		return NULL;
	fxt->fd = fd;
	fxt->ahead = FXT_CHUNK_WORDS;
	fxt->chunk = malloc((FXT_CHUNK_WORDS + 1) * sizeof(*fxt->chunk));
	if (!fxt->chunk || fxt_tables_add_provider(fxt, 0) != 0) {
		exp_fxt_close(fxt);
		return NULL;
	}
	/* It has no id that a record could name. */
	exp_index_fini(&fxt->by_id);
	memset(&fxt->by_id, 0, sizeof(fxt->by_id));
	return fxt;
}

void exp_fxt_close(struct exp_fxt *fxt)
{
	if (!fxt)
		return;
	fxt_tables_fini(fxt);
	free(fxt->chunk);
	free(fxt);
}

/* Read what fits, or so much as is read at once, but `need` words. Returns 0 or -errno. */
static int fill(struct exp_fxt *fxt, uint64_t need)
{
	size_t left = fxt->filled - fxt->at, wanted = need > fxt->ahead ? (size_t)need : fxt->ahead;
	unsigned tries = 0;

	if (fxt->is_end)
		return 0;
	memmove(fxt->chunk, fxt->chunk + fxt->at, left * sizeof(uint64_t) + fxt->tail);
	fxt->at = 0;
	fxt->filled = left;
	while (fxt->filled < wanted) {
		char *end = (char *)(fxt->chunk + fxt->filled) + fxt->tail;
		ssize_t got = read(fxt->fd, end,
		                   (wanted - fxt->filled) * sizeof(uint64_t) - fxt->tail);

		if (retry_call(got, &tries))
			continue;
		if (got < 0)
			return -errno;
		if (got == 0) {
			fxt->is_end = 1;
			return 0;
		}
		fxt->tail += (size_t)got;
		fxt->filled += fxt->tail / sizeof(uint64_t);
		fxt->tail %= sizeof(uint64_t);
	}
	return 0;
}

/* Have `need` words of the record in the chunk, need <= FXT_CHUNK_WORDS. Returns 0, -errno; a
 * file that ends before is no error here. */
static int want(struct exp_fxt *fxt, uint64_t need)
{
	return fxt->filled - fxt->at < need ? fill(fxt, need) : 0;
}

/* The chunk is used up, and holes of the file follow, which read as zeros: go on behind them. What
 * cannot seek is read. */
static void pass_hole(struct exp_fxt *fxt)
{
	off_t from = fxt->tail == 0 ? lseek(fxt->fd, 0, SEEK_CUR) : -1, to;

	if (from < 0)
		return;
	to = lseek(fxt->fd, from, SEEK_DATA);
	if (to < 0 && errno == ENXIO)
		to = lseek(fxt->fd, 0, SEEK_END);
	to = to > from ? from + (to - from) / FXT_WORD_SIZE * FXT_WORD_SIZE : from;
	if (lseek(fxt->fd, to, SEEK_SET) != to)
		return;
	fxt->offset += (uint64_t)(to - from);
	fxt->unused += (uint64_t)(to - from);
}

/* The words from here to the end of the file are zero: count them. Returns 0, -EBADMSG or -errno.
 */
static int pass_zeros(struct exp_fxt *fxt)
{
	for (;;) {
		int rc;

		if (fxt->at == fxt->filled)
			pass_hole(fxt);
		rc = want(fxt, 1);
		if (rc != 0)
			return rc;
		if (fxt->at == fxt->filled)
			return fxt->tail != 0 ? fxt_fault(fxt, "the file ends within a word") : 0;
		if (fxt->chunk[fxt->at] != 0)
			return fxt_fault(fxt, "a record behind unused space");
		fxt->at++;
		fxt->offset += sizeof(uint64_t);
		fxt->unused += sizeof(uint64_t);
	}
}

/* The chunk is used up within a record, of which `left` words are left. If they are many, and are
 * there, go on behind them unread; 1 if that was done. */
static int pass_payload(struct exp_fxt *fxt, uint64_t left)
{
	uint64_t bytes = left * FXT_WORD_SIZE - fxt->tail;
	struct stat st;
	off_t from;

	if (left <= FXT_CHUNK_WORDS || fstat(fxt->fd, &st) != 0 || !S_ISREG(st.st_mode))
		return 0;
	from = lseek(fxt->fd, 0, SEEK_CUR);
	if (from < 0 || from > st.st_size || (uint64_t)(st.st_size - from) < bytes ||
	    lseek(fxt->fd, (off_t)bytes, SEEK_CUR) < 0)
		return 0;
	fxt->tail = 0;
	fxt->offset += left * FXT_WORD_SIZE;
	return 1;
}

/* Go over the last record. */
static int pass_record(struct exp_fxt *fxt)
{
	uint64_t left = fxt->record.size;
	int rc;

	while (left > 0) {
		uint64_t there = fxt->filled - fxt->at;

		if (there > left)
			there = left;
		fxt->at += there;
		left -= there;
		fxt->offset += there * sizeof(uint64_t);
		if (left > 0 && pass_payload(fxt, left))
			break;
		rc = left > 0 ? want(fxt, 1) : 0;
		if (rc != 0)
			return rc;
		if (left > 0 && fxt->at == fxt->filled)
			return fxt_fault(fxt, "the file ends within a record");
	}
	fxt->record.size = 0;
	return 0;
}

/* Begin the record at the cursor. Returns 0, -EBADMSG or -errno. */
static int take(struct exp_fxt *fxt)
{
	struct exp_fxt_record *record = &fxt->record;
	uint64_t header = fxt->chunk[fxt->at], size = fxt_size(header), held;
	const struct fxt_record *type = fxt_record_find(header);
	int rc;

	record->size = 0;
	if (size == 0)
		return fxt_fault(fxt, "a record of 0 words");
	if (!type)
		return fxt_fault(fxt, "a record of no known type");
	held = size < FXT_CHUNK_WORDS ? size : FXT_CHUNK_WORDS;
	rc = want(fxt, held);
	if (rc != 0)
		return rc;
	if (fxt->filled - fxt->at < held)
		return fxt_fault(fxt, "the file ends within a record");
	record->kind = (enum fxt_kind)(type - fxt_records);
	record->offset = fxt->offset;
	record->words = fxt->chunk + fxt->at;
	record->size = size;
	return fxt_parts_decode(fxt, held);
}

int exp_fxt_next(struct exp_fxt *fxt, const struct exp_fxt_record **out)
{
	int rc = fxt->rc != 0 ? fxt->rc : pass_record(fxt);

	if (rc == 0)
		rc = want(fxt, 1);
	if (rc == 0 && fxt->at == fxt->filled) {
		if (fxt->tail == 0)
			return 0;
		rc = fxt_fault(fxt, "the file ends within a word");
	}
	if (rc == 0 && fxt->offset == 0)
		fxt->has_magic = fxt->chunk[0] == FXT_MAGIC;
	if (rc == 0 && fxt->chunk[fxt->at] == 0) {
		rc = pass_zeros(fxt);
		fxt->rc = rc;
		return rc;
	}
	if (rc == 0)
		rc = take(fxt);
	fxt->rc = rc;
	if (rc != 0)
		return rc;
	*out = &fxt->record;
	return 1;
}

uint64_t exp_fxt_at(const struct exp_fxt *fxt)
{
	return fxt->offset + fxt->record.size * FXT_WORD_SIZE;
}

int exp_fxt_seek(struct exp_fxt *fxt, uint64_t offset)
{
	if (lseek(fxt->fd, (off_t)offset, SEEK_SET) != (off_t)offset)
		return -errno;
	fxt->record.size = 0;
	fxt->at = fxt->filled = fxt->tail = 0;
	fxt->is_end = 0;
	fxt->offset = offset;
	fxt->ahead = AHEAD_WORDS;
	return 0;
}

const char *exp_fxt_fault(const struct exp_fxt *fxt)
{
	return fxt->fault;
}

uint64_t exp_fxt_bytes(const struct exp_fxt *fxt)
{
	return fxt->offset - fxt->unused;
}

uint64_t exp_fxt_unused(const struct exp_fxt *fxt)
{
	return fxt->unused;
}

int exp_fxt_has_magic(const struct exp_fxt *fxt)
{
	return fxt->has_magic;
}

uint64_t exp_fxt_provider(const struct exp_fxt *fxt)
{
	return fxt->provider;
}

uint64_t exp_fxt_hz(const struct exp_fxt *fxt)
{
	return fxt->providers[fxt->provider].hz;
}

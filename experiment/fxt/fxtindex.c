/* fxtindex.c: see fxtindex.h. A part is some KiB of whole records, and a set of the processes that
 * they are of, which may have more than there are. Records that others rely on, of strings and
 * providers, may stand in the first part alone, which everybody reads: else, and where processes
 * are known by other numbers too, a file has no index.
 * See doc/decisions/68-sampler-index.md. */
#include "experiment/fxt/fxtindex.h"

#include "experiment/fxt/sampled_image.h"
#include "experiment/table/arena.h"
#include "experiment/table/index.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PART_BYTES = 8192, SET_WORDS = 8, FILES_MAX = 4096 };

struct part {
	uint64_t offset;
	uint64_t processes[SET_WORDS]; /* a Bloom filter of one hash */
};

enum state { STATE_MAKING, STATE_READY, STATE_USELESS };

struct exp_fxtindex {
	struct exp_fxtindex *next;
	char *file;
	uint64_t size; /* of the file, in bytes */
	enum state state;
	struct part *parts;
	size_t count, capacity;
};

struct exp_fxtindexes {
	pthread_mutex_t lock;
	unsigned owners, files;
	struct exp_fxtindex *first;
};

struct exp_fxtindexes *exp_fxtindexes_share(struct exp_fxtindexes *indexes)
{
	if (!indexes) {
		indexes = exp_zeroed(1, sizeof(*indexes));
		if (!indexes)
			return NULL;
		pthread_mutex_init(&indexes->lock, NULL);
	}
	pthread_mutex_lock(&indexes->lock);
	indexes->owners++;
	pthread_mutex_unlock(&indexes->lock);
	return indexes;
}

static void destroy(struct exp_fxtindex *index)
{
	free(index->parts);
	free(index->file);
	free(index);
}

void exp_fxtindexes_release(struct exp_fxtindexes *indexes)
{
	unsigned owners;

	if (!indexes)
		return;
	pthread_mutex_lock(&indexes->lock);
	owners = --indexes->owners;
	pthread_mutex_unlock(&indexes->lock);
	if (owners > 0)
		return;
	while (indexes->first) {
		struct exp_fxtindex *index = indexes->first;

		indexes->first = index->next;
		destroy(index);
	}
	pthread_mutex_destroy(&indexes->lock);
	free(indexes);
}

/* ---- sets */

static void set_add(uint64_t *set, uint64_t process)
{
	size_t bit = exp_index_hash(process) % (64 * SET_WORDS);

	set[bit / 64] |= UINT64_C(1) << bit % 64;
}

static int set_has(const uint64_t *set, uint64_t process)
{
	size_t bit = exp_index_hash(process) % (64 * SET_WORDS);

	return set[bit / 64] >> bit % 64 & 1;
}

/* ---- making one */

/* Does this one change the meaning of later records? */
static int is_relied_on(const struct exp_fxt_record *record)
{
	switch (record->kind) {
	case FXT_provider:
	case FXT_section:
	case FXT_initialization:
	case FXT_string:
	case FXT_thread:
		return 1;
	default:
		return 0;
	}
}

/* A process that has another number besides: whoever looks for the one is to have the records of
 * the other. */
static int has_two_numbers(const struct exp_fxt *fxt, const struct exp_fxt_record *record)
{
	struct exp_sampled_image image;

	return exp_sampled_take(fxt, record, &image) && image.inner != 0;
}

static uint64_t process_of(const struct exp_fxt_record *record)
{
	switch (record->kind) {
	case FXT_backtrace:
		return record->values[FXT_AT(backtrace, thread)].process;
	case FXT_large_blob_event:
		return record->values[FXT_AT(large_blob_event, thread)].process;
	case FXT_module:
		return record->values[FXT_AT(module, thread)].process;
	case FXT_mmap:
		return record->values[FXT_AT(mmap, thread)].process;
	case FXT_kernel_object:
		return record->values[FXT_AT(kernel_object, koid)].number;
	default:
		return 0;
	}
}

/* Others look at the state meanwhile: it is changed at the end, under the lock. */
static void note(struct exp_fxtwalk *walk, const struct exp_fxt_record *record)
{
	struct exp_fxtindex *index = walk->index;
	struct part *last = index->count == 0 ? NULL : &index->parts[index->count - 1];
	uint64_t process = process_of(record);

	if (walk->is_useless)
		return;
	if (!last || record->offset - last->offset >= PART_BYTES) {
		if (exp_array_reserve(&index->parts, &index->capacity, index->count,
		                      sizeof(*last)) != 0) {
			walk->is_useless = 1;
			return;
		}
		last = &index->parts[index->count++];
		*last = (struct part){.offset = record->offset};
	}
	if ((index->count > 1 && is_relied_on(record)) || has_two_numbers(walk->fxt, record))
		walk->is_useless = 1;
	if (process != 0)
		set_add(last->processes, process);
	else
		memset(last->processes, 0xff, sizeof(last->processes));
}

/* ---- walks */

/* Returns that of a file, or a new one that the caller makes, or NULL: none is of use now. The lock
 * is held. */
static struct exp_fxtindex *find(struct exp_fxtindexes *indexes, const char *file, uint64_t size,
                                 int *is_making)
{
	struct exp_fxtindex *index = indexes->first;

	while (index && strcmp(index->file, file) != 0)
		index = index->next;
	if (index)
		return index->state == STATE_READY && index->size == size ? index : NULL;
	index = indexes->files < FILES_MAX ? exp_zeroed(1, sizeof(*index)) : NULL;
	if (!index || !(index->file = strdup(file))) {
		free(index);
		return NULL;
	}
	index->size = size;
	index->next = indexes->first;
	indexes->first = index;
	indexes->files++;
	*is_making = 1;
	return index;
}

void exp_fxtwalk_begin(struct exp_fxtwalk *walk, struct exp_fxtindexes *indexes, const char *where,
                       const char *name, int fd)
{
	char file[512];
	struct stat st;

	if (!indexes || fstat(fd, &st) != 0 ||
	    snprintf(file, sizeof(file), "%s/%s", where, name) >= (int)sizeof(file))
		return;
	pthread_mutex_lock(&indexes->lock);
	walk->index = find(indexes, file, (uint64_t)st.st_size, &walk->is_making);
	pthread_mutex_unlock(&indexes->lock);
}

/* The next record is behind the present part: go to the next one that has the process. Returns 0 if
 * there is none. */
static int go_on(struct exp_fxtwalk *walk)
{
	const struct exp_fxtindex *index = walk->index;
	size_t next = walk->part + 1;

	if (next >= index->count || exp_fxt_at(walk->fxt) < index->parts[next].offset)
		return 1;
	while (next < index->count && !set_has(index->parts[next].processes, walk->process))
		next++;
	if (next == index->count)
		return 0;
	if (next != walk->part + 1 && exp_fxt_seek(walk->fxt, index->parts[next].offset) != 0)
		return 1; /* it cannot be sought in: all is read */
	walk->part = next;
	return 1;
}

int exp_fxtwalk_next(struct exp_fxtwalk *walk, const struct exp_fxt_record **out)
{
	int rc;

	if (walk->index && !walk->is_making && walk->process != 0 && !go_on(walk))
		return 0;
	rc = exp_fxt_next(walk->fxt, out);
	if (rc == 1 && walk->index && walk->is_making)
		note(walk, *out);
	return rc;
}

void exp_fxtwalk_end(struct exp_fxtwalk *walk, struct exp_fxtindexes *indexes, int rc)
{
	if (!walk->is_making)
		return;
	pthread_mutex_lock(&indexes->lock);
	walk->index->state = rc == 0 && !walk->is_useless ? STATE_READY : STATE_USELESS;
	pthread_mutex_unlock(&indexes->lock);
}

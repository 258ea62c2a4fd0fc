/* fxt_nesting.c: a stack of open durations for each thread of an FXT file. Of a duration the hash
 * of its category and name is kept. See fxt_nesting.h. */
#include "experiment/fxt/fxt_nesting.h"

#include "experiment/table/arena.h"
#include "experiment/table/hash.h"
#include "experiment/table/index.h"

#include <errno.h>
#include <stdlib.h>

enum { OPEN_MAX = 1 << 22, THREADS_MAX = 1 << 20 }; /* of a file that means harm */

#define NOT_OPEN UINT32_MAX

struct duration {
	uint64_t hash;
	uint32_t below; /* index of the one that it is in, or of the next free one */
};

struct fxt_nesting {
	struct exp_index threads; /* hash of provider, process and thread -> index of `tops` */
	uint32_t *tops;           /* the innermost duration of each thread, NOT_OPEN: none */
	size_t thread_count, thread_capacity;
	struct duration *durations;
	size_t count, capacity;
	uint32_t free;
	uint64_t open;
};

struct fxt_nesting *fxt_nesting_create(void)
{
	struct fxt_nesting *nesting = calloc(1, sizeof(*nesting));

	if (nesting)
		nesting->free = NOT_OPEN;
	return nesting;
}

void fxt_nesting_destroy(struct fxt_nesting *nesting)
{
	if (!nesting)
		return;
	exp_index_fini(&nesting->threads);
	free(nesting->tops);
	free(nesting->durations);
	free(nesting);
}

static uint64_t hash_bytes(uint64_t hash, const struct exp_fxt_value *text)
{
	for (uint64_t i = 0; i < text->number; i++)
		hash = (hash ^ (unsigned char)text->text[i]) * UINT64_C(0x100000001b3);
	return exp_hash_number(hash, text->number);
}

/* Index of the thread; THREADS_MAX if there are too many, or -ENOMEM. */
static long find_thread(struct fxt_nesting *nesting, uint64_t key)
{
	uint32_t known = exp_index_find(&nesting->threads, key);

	if (known != EXP_INDEX_NONE)
		return known;
	if (nesting->thread_count == THREADS_MAX)
		return THREADS_MAX;
	if (exp_array_reserve(&nesting->tops, &nesting->thread_capacity, nesting->thread_count,
	                      sizeof(*nesting->tops)) != 0 ||
	    exp_index_add(&nesting->threads, key, (uint32_t)nesting->thread_count) != 0)
		return -ENOMEM;
	nesting->tops[nesting->thread_count] = NOT_OPEN;
	return (long)nesting->thread_count++;
}

static int begin(struct fxt_nesting *nesting, uint32_t *top, uint64_t hash)
{
	uint32_t made = nesting->free;

	if (made != NOT_OPEN) {
		nesting->free = nesting->durations[made].below;
	} else {
		if (nesting->count == OPEN_MAX)
			return -EBADMSG;
		if (exp_array_reserve(&nesting->durations, &nesting->capacity, nesting->count,
		                      sizeof(*nesting->durations)) != 0)
			return -ENOMEM;
		made = (uint32_t)nesting->count++;
	}
	nesting->durations[made] = (struct duration){hash, *top};
	*top = made;
	nesting->open++;
	return 0;
}

static const char *end(struct fxt_nesting *nesting, uint32_t *top, uint64_t hash)
{
	struct duration *ended;
	uint32_t at = *top;

	if (at == NOT_OPEN)
		return "it ends a duration, and none is open in its thread";
	ended = &nesting->durations[at];
	if (ended->hash != hash)
		return "it ends a duration, but another one was begun last in its thread";
	*top = ended->below;
	ended->below = nesting->free;
	nesting->free = at;
	nesting->open--;
	return NULL;
}

int fxt_nesting_take(struct fxt_nesting *nesting, const struct exp_fxt *fxt,
                     const struct exp_fxt_record *record, const char **fault)
{
	const struct exp_fxt_value *thread = &record->values[FXT_AT(event, thread)];
	uint64_t kind, key, hash;
	long index;

	if (record->kind != FXT_event)
		return 0;
	kind = EXP_FXT_FIELD(record, event, kind);
	if (kind != FXT_EVENT_BEGIN && kind != FXT_EVENT_END)
		return 0;
	key = exp_hash_number(
		exp_hash_number(exp_hash_number(EXP_HASH_START, exp_fxt_provider(fxt)),
	                        thread->process),
		thread->thread);
	index = find_thread(nesting, key);
	if (index < 0)
		return -ENOMEM;
	*fault = "too many threads and open durations to check them";
	if (index == THREADS_MAX)
		return -EBADMSG;
	hash = hash_bytes(hash_bytes(EXP_HASH_START, &record->values[FXT_AT(event, category)]),
	                  &record->values[FXT_AT(event, name)]);
	if (kind == FXT_EVENT_BEGIN)
		return begin(nesting, &nesting->tops[index], hash);
	*fault = end(nesting, &nesting->tops[index], hash);
	return !*fault ? 0 : -EBADMSG;
}

uint64_t fxt_nesting_open(const struct fxt_nesting *nesting)
{
	return nesting->open;
}

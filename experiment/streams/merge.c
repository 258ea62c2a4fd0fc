/* merge.c: walks a stream in order of the file, or streams in order of time. For the order of time,
 * extents wait sorted by their first time; those begun stand in a binary heap by the time of their
 * next event. A thread has one extent at a time, so the heap is as large as there are threads at
 * once, not as the file is long. */
#include "experiment/streams/stream.h"

#include <errno.h>
#include <stdlib.h>

/* Bytes of a cursor's chunk, by how many cursors there are. */
enum { CHUNK_ALONE = 256 << 10, CHUNK_FEW = 32 << 10, CHUNK_MANY = 4 << 10, FEW = 256 };

struct active {
	struct exp_cursor cursor;
	size_t order; /* of its extent: breaks ties */
};

/* A place in the heap. The time stands in it, so that comparing touches no cursor. */
struct slot {
	uint64_t key; /* of the cursor's next event */
	struct active *active;
};

/* An extent of one of the streams. */
struct source {
	struct exp_stream *stream;
	const struct exp_extent *extent;
};

struct merge {
	struct source *sources; /* sources[source_count] in order of time */
	size_t source_count;
	struct slot *heap; /* heap[0] is the earliest */
	size_t count, capacity;
	size_t next;          /* extent to begin next */
	struct active *spare; /* kept for its chunk, which is costly to make */
};

static inline int is_before(const struct slot *a, const struct slot *b)
{
	return a->key != b->key ? a->key < b->key : a->active->order < b->active->order;
}

static void sift_up(struct merge *merge, size_t at)
{
	struct slot moved = merge->heap[at];

	for (; at > 0 && is_before(&moved, &merge->heap[(at - 1) / 2]); at = (at - 1) / 2)
		merge->heap[at] = merge->heap[(at - 1) / 2];
	merge->heap[at] = moved;
}

/* The first one may be later than before. */
static void sift_down(struct merge *merge)
{
	struct slot *heap = merge->heap, moved = heap[0];
	size_t at = 0, child;

	for (; (child = 2 * at + 1) < merge->count; at = child) {
		if (child + 1 < merge->count && is_before(&heap[child + 1], &heap[child]))
			child++;
		if (!is_before(&heap[child], &moved))
			break;
		heap[at] = heap[child];
	}
	heap[at] = moved;
}

static void destroy(struct active *active)
{
	if (!active)
		return;
	exp_cursor_fini(&active->cursor);
	free(active);
}

static struct active *take_active(struct merge *merge)
{
	struct active *active = merge->spare;

	if (!active)
		return calloc(1, sizeof(*active));
	merge->spare = NULL;
	return active;
}

static void give_active(struct merge *merge, struct active *active)
{
	destroy(merge->spare);
	merge->spare = active;
}

/* Begin the next extent; one without events leaves no trace. */
static int begin_extent(struct merge *merge)
{
	size_t chunk = merge->count == 0    ? CHUNK_ALONE
	               : merge->count < FEW ? CHUNK_FEW
	                                    : CHUNK_MANY;
	struct active *active = take_active(merge);
	int rc = !active ? -ENOMEM : 0;

	if (rc == 0)
		rc = exp_array_reserve(&merge->heap, &merge->capacity, merge->count,
		                       sizeof(*merge->heap));
	if (rc == 0)
		rc = exp_cursor_open(&active->cursor, merge->sources[merge->next].stream,
		                     merge->sources[merge->next].extent, chunk);
	if (rc != 0) {
		destroy(active);
		return rc;
	}
	active->order = merge->next++;
	if (!exp_cursor_first(&active->cursor)) {
		rc = active->cursor.failed;
		give_active(merge, active);
		return rc;
	}
	merge->heap[merge->count++] = (struct slot){active->cursor.key, active};
	sift_up(merge, merge->count - 1);
	return 0;
}

/* Up to which time the earliest cursor is alone. */
static uint64_t horizon(const struct merge *merge)
{
	uint64_t until = UINT64_MAX;

	for (size_t child = 1; child <= 2 && child < merge->count; child++)
		if (merge->heap[child].key < until)
			until = merge->heap[child].key;
	if (merge->next < merge->source_count && merge->sources[merge->next].extent->tsc < until)
		until = merge->sources[merge->next].extent->tsc;
	return until;
}

static int compare_sources(const void *a, const void *b)
{
	const struct source *x = a;
	const struct source *y = b;

	if (x->extent->tsc != y->extent->tsc)
		return x->extent->tsc < y->extent->tsc ? -1 : 1;
	if (x->stream != y->stream)
		return x->stream < y->stream ? -1 : 1;
	return (x->extent->at > y->extent->at) - (x->extent->at < y->extent->at);
}

static int begin_due(struct merge *merge)
{
	int rc = 0;

	while (rc == 0 && merge->next < merge->source_count &&
	       (merge->count == 0 || merge->sources[merge->next].extent->tsc <= merge->heap[0].key))
		rc = begin_extent(merge);
	return rc;
}

/* All extents of the streams, sorted. Returns 0 or -ENOMEM. */
static int find_sources(struct merge *merge, struct exp_stream *streams, size_t count)
{
	size_t total = 0;

	for (size_t i = 0; i < count; i++)
		total += streams[i].extent_count;
	merge->sources = malloc((total + 1) * sizeof(*merge->sources));
	if (!merge->sources)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < streams[i].extent_count; k++)
			merge->sources[merge->source_count++] = (struct source){
				&streams[i], &streams[i].extents[k]};
	qsort(merge->sources, merge->source_count, sizeof(*merge->sources), compare_sources);
	return 0;
}

int exp_streams_merge(struct exp_stream *streams, size_t count,
                      int (*run)(void *context, struct exp_cursor *cursor, uint64_t until),
                      void *context)
{
	struct merge merge = {.source_count = 0};
	int rc = find_sources(&merge, streams, count);

	while (rc == 0 && (rc = begin_due(&merge)) == 0 && merge.count > 0) {
		struct active *first = merge.heap[0].active;

		if (!run(context, &first->cursor, horizon(&merge))) {
			rc = first->cursor.failed;
			if (rc != 0)
				break;
			merge.heap[0] = merge.heap[--merge.count];
			give_active(&merge, first);
		} else {
			merge.heap[0].key = first->cursor.key;
		}
		if (merge.count > 0)
			sift_down(&merge);
	}
	while (merge.count > 0)
		destroy(merge.heap[--merge.count].active);
	destroy(merge.spare);
	free(merge.heap);
	free(merge.sources);
	return rc;
}

int exp_stream_each(struct exp_stream *stream,
                    void (*event)(void *context, struct exp_cursor *cursor), void *context)
{
	struct exp_cursor cursor = {0};
	int rc = 0;

	for (size_t i = 0; i < stream->extent_count && rc == 0; i++) {
		int more;

		rc = exp_cursor_open(&cursor, stream, &stream->extents[i], CHUNK_ALONE);
		for (more = rc == 0 && exp_cursor_first(&cursor); more;
		     more = exp_cursor_next(&cursor))
			event(context, &cursor);
		if (rc == 0)
			rc = cursor.failed;
	}
	exp_cursor_fini(&cursor);
	return rc;
}

/* sorter.c: sort more than memory should hold. See sorter.h.
 * See doc/decisions/29-xray-logs.md. */
#include "analyzer/base/sorter.h"

#include "analyzer/base/memory.h"

#include "format/retry.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* In memory and in the file; the payload follows, up to a multiple of 8. */
struct header {
	uint64_t major, minor;
	uint32_t size, zero;
};

/* Items in order: [from, to) of the file, read through bytes[at .. end). */
struct run {
	uint64_t from, to, next; /* next: offset of what is to be read into bytes */
	uint8_t *bytes;
	size_t capacity, at, end;
};

struct sorter {
	size_t memory;
	uint8_t *items; /* items[used], headers and payloads, of which `order` has the offsets */
	size_t used, capacity;
	size_t *order;
	size_t count, order_capacity, next;
	int fd; /* -1: all items are in memory */
	uint64_t written;
	struct run *runs;
	size_t run_count, run_capacity;
	size_t *heap; /* heap[heap_count] of runs, the one with the first item first */
	size_t heap_count;
	int has_given; /* the first run's item was given last */
};

enum { RUN_BUFFER_MIN = 16 * 1024 };

__attribute__((noreturn)) static void fail(const char *what)
{
	fprintf(stderr, "xer_print: a temporary file %s: %s\n", what, strerror(errno));
	exit(1);
}

static size_t size_of(const struct header *header)
{
	return sizeof(*header) + (header->size + (size_t)7) / 8 * 8;
}

static int compare_headers(const struct header *a, const struct header *b)
{
	if (a->major != b->major)
		return a->major < b->major ? -1 : 1;
	return (a->minor > b->minor) - (a->minor < b->minor);
}

static int by_key(const void *left, const void *right, void *items)
{
	const uint8_t *at = items;

	return compare_headers((const struct header *)(at + *(const size_t *)left),
	                       (const struct header *)(at + *(const size_t *)right));
}

struct sorter *sorter_new(size_t memory)
{
	struct sorter *sorter = memory_take(1, sizeof(*sorter));

	sorter->memory = memory;
	sorter->fd = -1;
	return sorter;
}

void sorter_free(struct sorter *sorter)
{
	for (size_t i = 0; i < sorter->run_count; i++)
		free(sorter->runs[i].bytes);
	if (sorter->fd >= 0)
		close(sorter->fd);
	free(sorter->items);
	free(sorter->order);
	free(sorter->runs);
	free(sorter->heap);
	free(sorter);
}

/* ---- the file ---- */

static int open_file(void)
{
	const char *directory = getenv("TMPDIR");
	char *name;
	int fd;

	if (!directory || *directory == '\0')
		directory = "/tmp";
	fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd >= 0)
		return fd;
	name = memory_format("%s/xer_print.XXXXXX",
	                     directory); /* a file system without nameless files */
	fd = mkostemp(name, O_CLOEXEC);
	if (fd < 0)
		fail("cannot be made");
	unlink(name);
	free(name);
	return fd;
}

static void write_all(struct sorter *sorter, const uint8_t *bytes, size_t size)
{
	unsigned tries = 0;

	while (size > 0) {
		ssize_t done = pwrite(sorter->fd, bytes, size, (off_t)sorter->written);

		if (retry_call(done, &tries))
			continue;
		if (done <= 0)
			fail("cannot be written");
		bytes += done;
		size -= (size_t)done;
		sorter->written += (uint64_t)done;
	}
}

static void sort_items(struct sorter *sorter)
{
	if (sorter->count > 1)
		qsort_r(sorter->order, sorter->count, sizeof(*sorter->order), by_key,
		        sorter->items);
}

/* What is in memory becomes a run. Items go out through a buffer, since each is a small one. */
static void write_run(struct sorter *sorter)
{
	enum { BUFFER = 256 * 1024 };
	uint8_t *buffer = memory_take(BUFFER, 1);
	uint64_t from;
	size_t len = 0;

	if (sorter->fd < 0)
		sorter->fd = open_file();
	from = sorter->written;
	sort_items(sorter);
	for (size_t i = 0; i < sorter->count; i++) {
		const uint8_t *item = sorter->items + sorter->order[i];
		size_t size = size_of((const struct header *)item);

		if (size > BUFFER - len) {
			write_all(sorter, buffer, len);
			len = 0;
		}
		if (size > BUFFER) {
			write_all(sorter, item, size);
			continue;
		}
		memcpy(buffer + len, item, size);
		len += size;
	}
	write_all(sorter, buffer, len);
	free(buffer);
	sorter->runs = memory_grow(sorter->runs, sorter->run_count, &sorter->run_capacity,
	                           sizeof(*sorter->runs));
	sorter->runs[sorter->run_count++] = (struct run){.from = from, .to = sorter->written};
	sorter->used = sorter->count = 0;
}

void sorter_add(struct sorter *sorter, uint64_t major, uint64_t minor, const void *payload,
                uint32_t size)
{
	struct header header = {.major = major, .minor = minor, .size = size};
	size_t need = size_of(&header);

	if (sorter->count > 0 &&
	    sorter->used + need + (sorter->count + 1) * sizeof(*sorter->order) > sorter->memory)
		write_run(sorter);
	if (sorter->used + need > sorter->capacity) {
		size_t wanted = sorter->capacity * 2 < sorter->memory ? sorter->capacity * 2
		                                                      : sorter->memory;

		sorter->capacity = wanted > sorter->used + need ? wanted : sorter->used + need;
		sorter->items = memory_resize(sorter->items, sorter->capacity, 1);
	}
	sorter->order = memory_grow(sorter->order, sorter->count, &sorter->order_capacity,
	                            sizeof(*sorter->order));
	sorter->order[sorter->count++] = sorter->used;
	memcpy(sorter->items + sorter->used, &header, sizeof(header));
	if (size > 0)
		memcpy(sorter->items + sorter->used + sizeof(header), payload, size);
	memset(sorter->items + sorter->used + sizeof(header) + size, 0,
	       need - sizeof(header) - size);
	sorter->used += need;
}

/* ---- merging ---- */

/* Have `need` bytes of the run in its buffer. */
static void fill(const struct sorter *sorter, struct run *run, size_t need)
{
	size_t left = run->end - run->at;
	unsigned tries = 0;

	if (left >= need)
		return;
	if (need > run->capacity) {
		run->bytes = memory_resize(run->bytes, need, 1);
		run->capacity = need;
	}
	memmove(run->bytes, run->bytes + run->at, left);
	run->at = 0;
	run->end = left;
	while (run->end < run->capacity && run->next < run->to) {
		uint64_t rest = run->to - run->next;
		size_t room = run->capacity - run->end;
		ssize_t got = pread(sorter->fd, run->bytes + run->end,
		                    rest < room ? (size_t)rest : room, (off_t)run->next);

		if (retry_call(got, &tries))
			continue;
		if (got <= 0)
			fail("cannot be read");
		run->end += (size_t)got;
		run->next += (uint64_t)got;
	}
}

static const struct header *first_of(const struct run *run)
{
	return (const struct header *)(run->bytes + run->at);
}

/* Have the whole next item of the run in its buffer. Returns 0 after the last. */
static int load(const struct sorter *sorter, struct run *run)
{
	if (run->at == run->end && run->next == run->to)
		return 0;
	fill(sorter, run, sizeof(struct header));
	fill(sorter, run, size_of(first_of(run)));
	return 1;
}

static int is_before(const struct sorter *sorter, size_t a, size_t b)
{
	return compare_headers(first_of(&sorter->runs[a]), first_of(&sorter->runs[b])) < 0;
}

static void sift_down(struct sorter *sorter, size_t at)
{
	size_t run = sorter->heap[at], child;

	while ((child = 2 * at + 1) < sorter->heap_count) {
		if (child + 1 < sorter->heap_count &&
		    is_before(sorter, sorter->heap[child + 1], sorter->heap[child]))
			child++;
		if (!is_before(sorter, sorter->heap[child], run))
			break;
		sorter->heap[at] = sorter->heap[child];
		at = child;
	}
	sorter->heap[at] = run;
}

static void begin_merge(struct sorter *sorter)
{
	size_t share = sorter->memory / sorter->run_count;

	/* The items' memory is the runs' now. */
	free(sorter->items);
	free(sorter->order);
	sorter->items = NULL;
	sorter->order = NULL;
	sorter->capacity = sorter->order_capacity = 0;
	if (share < RUN_BUFFER_MIN)
		share = RUN_BUFFER_MIN;
	sorter->heap = memory_resize(sorter->heap, sorter->run_count, sizeof(*sorter->heap));
	sorter->heap_count = sorter->run_count;
	for (size_t i = 0; i < sorter->run_count; i++) {
		struct run *run = &sorter->runs[i];

		run->next = run->from;
		run->at = run->end = 0;
		if (!run->bytes)
			run->bytes = memory_take(share, 1);
		run->capacity = run->capacity > share ? run->capacity : share;
		load(sorter, run);
		sorter->heap[i] = i;
	}
	for (size_t i = sorter->heap_count; i-- > 0;)
		sift_down(sorter, i);
}

void sorter_begin(struct sorter *sorter)
{
	sorter->next = 0;
	sorter->has_given = 0;
	if (sorter->fd < 0) {
		sort_items(sorter);
		return;
	}
	if (sorter->count > 0)
		write_run(sorter);
	begin_merge(sorter);
}

static int next_of_runs(struct sorter *sorter, const struct header **header)
{
	if (sorter->has_given && sorter->heap_count > 0) {
		struct run *run = &sorter->runs[sorter->heap[0]];

		run->at += size_of(first_of(run));
		if (!load(sorter, run))
			sorter->heap[0] = sorter->heap[--sorter->heap_count];
		if (sorter->heap_count > 0)
			sift_down(sorter, 0);
	}
	sorter->has_given = 1;
	if (sorter->heap_count == 0)
		return 0;
	*header = first_of(&sorter->runs[sorter->heap[0]]);
	return 1;
}

int sorter_next(struct sorter *sorter, struct sorter_item *out)
{
	const struct header *header;

	if (sorter->fd >= 0) {
		if (!next_of_runs(sorter, &header))
			return 0;
	} else {
		if (sorter->next == sorter->count)
			return 0;
		header = (const struct header *)(sorter->items + sorter->order[sorter->next++]);
	}
	*out = (struct sorter_item){header->major, header->minor, header + 1, header->size};
	return 1;
}

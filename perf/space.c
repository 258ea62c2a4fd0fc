/* space.c: see space.h. The kernel reports mappings, executed programs, forks and ends, in order of
 * time if the caller reads the rings in that order. It does not report unmapping: later mappings
 * replace the old ones, or there are no samples there.
 * See doc/decisions/52-copied-stacks.md. */
#include "perf/space.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>

enum { BUCKETS = 4096, MAPPINGS_MAX = 1 << 16, LINE_BYTES = 4096 + 256 };

/* Threads end in any order, and a thread that ends after the first one may have a sample: so this
 * many ended processes are kept. */
enum { OVER_KEPT = 64 };

struct space {
	struct space *next;
	struct mapping *list; /* in order of addresses, which do not overlap */
	size_t count, capacity;
	size_t told; /* list[0, told) are told */
	struct image *image;
	int was_told; /* the image before this one */
	int is_over;
};

static struct space *buckets[BUCKETS];
static pid_t over[OVER_KEPT];
static unsigned over_next;

/* ---- images */

static void let_go(struct image *image)
{
	while (image && --image->holders == 0) {
		struct image *parent_image = image->parent_image;

		free(image);
		image = parent_image;
	}
}

/* `parent_image` NULL: nobody knows; so it is where names of descendants would be too long anyway.
 */
static struct image *make_image(pid_t pid, struct image *parent_image)
{
	struct image *image = calloc(1, sizeof(*image));

	if (!image)
		return NULL;
	image->pid = pid;
	image->holders = 1;
	if (parent_image && parent_image->depth < IMAGE_DEPTH_MAX) {
		image->parent_image = parent_image;
		image->depth = parent_image->depth + 1;
		parent_image->holders++;
	}
	return image;
}

struct image *space_image(const struct space *space)
{
	return space->image;
}

/* ---- spaces */

static struct space *find(pid_t pid)
{
	struct space *space = buckets[(unsigned)pid % BUCKETS];

	while (space && space->image->pid != pid)
		space = space->next;
	return space;
}

/* An empty one, or that of the process's past made empty. Takes the image, NULL: there is no
 * memory. */
static struct space *make(struct image *image)
{
	struct space **bucket, *space = image ? find(image->pid) : NULL;

	if (!image)
		return NULL;
	bucket = &buckets[(unsigned)image->pid % BUCKETS];
	if (!space) {
		space = calloc(1, sizeof(*space));
		if (!space) {
			let_go(image);
			return NULL;
		}
		space->next = *bucket;
		*bucket = space;
	}
	space->count = space->told = 0;
	space->was_told = space->image && space->image->is_told;
	space->is_over = 0;
	let_go(space->image);
	space->image = image;
	return space;
}

static void drop(pid_t pid)
{
	struct space **at = &buckets[(unsigned)pid % BUCKETS], *space;

	while (*at && (*at)->image->pid != pid)
		at = &(*at)->next;
	space = *at;
	if (!space || !space->is_over)
		return;
	*at = space->next;
	let_go(space->image);
	free(space->list);
	free(space);
}

/* ---- mappings */

/* The first one that ends behind the address. */
static size_t index_of(const struct space *space, uint64_t address)
{
	size_t low = 0, high = space->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (space->list[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int reserve(struct space *space, size_t count)
{
	size_t capacity = space->capacity > 0 ? 2 * space->capacity : 32;
	struct mapping *list;

	if (count <= space->capacity)
		return 0;
	list = count <= MAPPINGS_MAX ? realloc(space->list, capacity * sizeof(*list)) : NULL;
	if (!list)
		return -1;
	space->list = list;
	space->capacity = capacity;
	return 0;
}

/* The new one takes the place of what it covers; what goes on before and behind it stays. */
static void add(struct space *space, struct mapping added)
{
	struct mapping *list, rest = {0};
	size_t at = index_of(space, added.start), end = at;

	if (added.start >= added.end || reserve(space, space->count + 2) < 0)
		return;
	list = space->list;
	if (at < space->count && list[at].start < added.start) {
		rest = list[at];
		list[at].end = added.start;
		end = ++at;
	}
	while (end < space->count && list[end].start < added.end) {
		rest = list[end];
		end++;
	}
	if (rest.end > added.end) {
		rest.offset += added.end - rest.start;
		rest.start = added.end;
	} else {
		rest.end = 0;
	}
	memmove(&list[at + 1 + (rest.end > 0)], &list[end], (space->count - end) * sizeof(*list));
	space->count = space->count - (end - at) + 1 + (rest.end > 0);
	list[at] = added;
	if (space->told > at)
		space->told = at;
	if (rest.end > 0)
		list[at + 1] = rest;
}

const struct mapping *space_at(const struct space *space, uint64_t address)
{
	size_t at = index_of(space, address);

	return at < space->count && space->list[at].start <= address ? &space->list[at] : NULL;
}

const struct mapping *space_tell(struct space *space)
{
	while (space->told < space->count) {
		struct mapping *next = &space->list[space->told++];

		if (!next->is_told) {
			next->is_told = 1;
			return next;
		}
	}
	return NULL;
}

struct space *space_of_end(const struct ring_record *record)
{
	return record->type == PERF_RECORD_EXIT && record->count > 1 &&
	                       (uint32_t)record->words[0] == (uint32_t)record->words[1]
	               ? find((pid_t)(uint32_t)record->words[0])
	               : NULL;
}

struct space *space_of_next(const struct ring_record *record)
{
	struct space *space = record->type == PERF_RECORD_COMM && record->count > 0
	                              ? find((pid_t)(uint32_t)record->words[0])
	                              : NULL;

	return space && space->was_told ? space : NULL;
}

/* ---- processes */

static void read_name(const struct space *space)
{
	char path[48], *name = space->image->name;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)space->image->pid);
	file = fopen(path, "re");
	if (file && fgets(name, IMAGE_NAME, file))
		name[strcspn(name, "\n")] = '\0';
	if (file)
		fclose(file);
}

static void read_maps(struct space *space)
{
	char path[48], line[LINE_BYTES];
	pid_t pid = space->image->pid;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	maps = fopen(path, "re");
	while (maps && fgets(line, sizeof(line), maps)) {
		unsigned long start, end, offset, inode;
		unsigned major, minor;
		char rights[5];
		int name = 0;

		if (sscanf(line, "%lx-%lx %4s %lx %x:%x %lu %n", &start, &end, rights, &offset,
		           &major, &minor, &inode, &name) != 7 ||
		    name == 0 || rights[2] != 'x')
			continue;
		line[strcspn(line, "\n")] = '\0';
		add(space,
		    (struct mapping){start, end, offset,
		                     object_of(line + name, makedev(major, minor), inode, pid), 0});
	}
	if (maps)
		fclose(maps);
}

struct space *space_of(pid_t pid)
{
	struct space *space = find(pid);

	if (space)
		return space;
	space = make(make_image(pid, NULL));
	if (!space)
		return NULL;
	read_name(space);
	read_maps(space);
	if (space->count > 0)
		space->image->program = space->list[0].object; /* where the kernel puts programs:
		                                                  below all else */
	return space;
}

/* A process without a record had mappings before this one. */
static void take_mapping(const struct ring_record *record)
{
	/* pid, tid; address; length; offset in the file; device; inode; its generation; protection,
	 * flags; name */
	enum { RIGHTS_AT = 7, NAME_AT, ID_WORDS = 3 };
	const uint64_t *words = record->words;
	size_t room;
	struct object *object;
	struct space *space;

	if (record->count <= NAME_AT + ID_WORDS)
		return;
	room = (record->count - NAME_AT - ID_WORDS) * sizeof(*words);
	if (!memchr(&words[NAME_AT], '\0', room) || !((uint32_t)words[RIGHTS_AT] & PROT_EXEC) ||
	    words[2] > UINT64_MAX - words[1])
		return;
	space = space_of((pid_t)(uint32_t)words[0]);
	if (!space)
		return;
	object = object_of((const char *)&words[NAME_AT],
	                   makedev((uint32_t)words[4], (uint32_t)(words[4] >> 32)), words[5],
	                   space->image->pid);
	if (!space->image->program)
		space->image->program = object; /* the kernel maps it first, before its loader */
	add(space, (struct mapping){words[1], words[1] + words[2], words[3], object, 0});
}

static void take_fork(const struct ring_record *record)
{
	pid_t child = (pid_t)(uint32_t)record->words[0], parent = (pid_t)(record->words[0] >> 32);
	struct space *to, *from;

	if (child == parent)
		return; /* a thread */
	from = space_of(parent);
	to = make(make_image(child, from ? from->image : NULL));
	if (!to)
		return;
	to->image->forked_ns = to->image->began_ns = ring_time(record);
	to->image->parent = parent;
	if (!from)
		return;
	memcpy(to->image->name, from->image->name, sizeof(to->image->name));
	to->image->program = from->image->program;
	for (size_t i = 0; i < from->count && reserve(to, i + 1) == 0; i++) {
		to->list[to->count] = from->list[i];
		to->list[to->count++].is_told = 0;
	}
}

/* The new image is one of the same process, whose parent is that of all of them. */
static void take_program(const struct ring_record *record)
{
	pid_t pid = (pid_t)(uint32_t)record->words[0];
	const struct space *before = find(pid);
	struct image *image = make_image(pid, before ? before->image->parent_image : NULL);
	size_t room = (record->count - 1) * sizeof(*record->words);

	if (!image)
		return;
	if (before) {
		image->parent = before->image->parent;
		image->forked_ns = before->image->forked_ns;
		image->executed = before->image->executed;
	}
	image->executed++;
	image->began_ns = ring_time(record);
	memcpy(image->name, &record->words[1],
	       room < sizeof(image->name) - 1 ? room : sizeof(image->name) - 1);
	make(image);
}

static void take_exit(const struct ring_record *record)
{
	pid_t pid = (pid_t)(uint32_t)record->words[0];
	struct space *space = space_of_end(record);

	if (!space)
		return;
	space->is_over = 1;
	if (over[over_next] != 0)
		drop(over[over_next]);
	over[over_next] = pid;
	over_next = (over_next + 1) % OVER_KEPT;
}

void space_take(const struct ring_record *record)
{
	if (record->count < 2)
		return;
	switch (record->type) {
	case PERF_RECORD_MMAP2:
		take_mapping(record);
		break;
	case PERF_RECORD_COMM:
		if (record->misc & PERF_RECORD_MISC_COMM_EXEC)
			take_program(record);
		break;
	case PERF_RECORD_FORK:
		take_fork(record);
		break;
	case PERF_RECORD_EXIT:
		take_exit(record);
		break;
	default:
		break;
	}
}

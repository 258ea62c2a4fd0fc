/* mapfile.c: see mapfile.h. The records are those of Fuchsia's profiler: a module, then its
 * mapping; before the first ones of a program is the process, as a kernel object. Only processes
 * with samples, and their ancestors, are written; of thousands of short processes, few have
 * samples. */
#include "perf/mapfile.h"

#include "format/fxt.h"
#include "format/layout.h"
#include "sampler/region.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	PROVIDER = 65537 /* behind those of CPUs */,
	TICKS_PER_SECOND = 1000000000,
	READ_EXECUTE = 5,
	BYTES_MAX = 256 << 20
};
enum { RECORD_WORDS = 16 + 2 * ((FXT_NAME_MAX + 7) / 8), COMMAND_MAX = 2048 };

#define COLLECTOR "libcollector.so"

/* The table of strings: what is told of processes. */
enum {
	STRING_NONE,
#define IMAGE_NUMBER(name, meaning) STRING_##name,
#include "format/image.def"
	STRINGS
};
static const char *const strings[STRINGS] = {
	NULL,
#define IMAGE_NUMBER(name, meaning) #name,
#include "format/image.def"
};

static struct region region;
static const char *experiment, *archiver;
static uint64_t
	outsiders; /* images with samples, without the collector's library as far as is told */

int mapfile_begin(int directory, const char *experiment_path, const char *archiver_path)
{
	static const char name[] = "map";
	uint64_t words[FXT_FILE_HEAD_WORDS + STRINGS * 4];
	size_t count;
	int fd = openat(directory, FMT_FILE_SAMPLER_MAP, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
	                FMT_FILE_MODE);

	if (fd < 0)
		return -errno;
	experiment = experiment_path;
	archiver = archiver_path;
	count = fxt_put_file_header(words, PROVIDER, name, strlen(name), TICKS_PER_SECOND);
	for (unsigned i = 1; i < STRINGS; i++)
		count += fxt_put_string(words + count, (uint16_t)i, strings[i], strlen(strings[i]));
	region_init(&region, fd, 0, BYTES_MAX);
	region_put(&region, words, count, 0);
	return region_flush(&region);
}

/* The two records together, or none: then it is counted, if it is code that has no room in them. */
static void put(const struct mapping *at, uint16_t number, uint32_t pid, uint64_t time_ns)
{
	uint64_t words[2 * RECORD_WORDS], address = object_address(at->object, at->offset);
	const char *path = object_path(at->object);
	struct fxt_module module = {.id = number, .name = path, .name_size = strlen(path)};
	struct fxt_mapping mapping = {.module = number,
	                              .flags = READ_EXECUTE,
	                              .start = at->start,
	                              .size = at->end - at->start,
	                              .address = address};
	size_t count;

	if (address == OBJECT_NOWHERE)
		return;
	if (module.name_size > FXT_NAME_MAX) {
		region.lost++;
		return;
	}
	module.build_id = object_build_id(at->object, &module.build_id_size);
	count = fxt_put_module(words, time_ns, pid, pid, &module);
	count += fxt_put_mapping(words + count, time_ns, pid, pid, &mapping);
	(void)region_put(&region, words, count,
	                 1); /* a failure has ended the file, and is counted */
}

/* ---- processes */

/* The arguments that a process was started with, NULs between, while it executes what the image
 * says. Returns their bytes. */
static size_t read_command(const struct image *image, char *out)
{
	const char *program = image->program ? object_path(image->program) : "";
	char path[48], link[PATH_MAX + 1];
	ssize_t size;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)image->pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	size = fd < 0 ? 0 : read(fd, out, COMMAND_MAX);
	if (fd >= 0)
		close(fd);
	snprintf(path, sizeof(path), "/proc/%d/exe", (int)image->pid);
	if (size <= 0 || readlink(path, link, sizeof(link) - 1) < (ssize_t)strlen(program) ||
	    strncmp(link, program, strlen(program)) != 0)
		return 0;
	return (size_t)size - (out[size - 1] == '\0');
}

/* Its pid in its own namespace, if that is another one, and it is still there; else 0. */
static uint64_t inner_pid(pid_t pid)
{
	char path[48], line[256];
	const char *last;
	uint64_t inner = 0;
	FILE *status;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	status = fopen(path, "re");
	while (status && fgets(line, sizeof(line), status))
		if (strncmp(line, "NSpid:", 6) == 0 &&
		    (last = strrchr(line, '\t')) != strchr(line, '\t'))
			inner = strtoull(last + 1, NULL, 10);
	if (status)
		fclose(status);
	return inner;
}

/* The process that archives the experiment is no part of the program. */
static int is_archiver(const struct image *image, const char *command, size_t size)
{
	const char *last = memrchr(command, '\0', size);

	return archiver && image->program && strcmp(object_path(image->program), archiver) == 0 &&
	       (!last || strncmp(last + 1, experiment, size - (size_t)(last + 1 - command)) == 0);
}

struct record {
	uint64_t words[64 + (COMMAND_MAX + PATH_MAX) / FXT_WORD_SIZE];
	size_t count;
	unsigned arguments;
};

static void put_number(struct record *record, uint16_t name, uint64_t value)
{
	if (value == 0)
		return;
	record->count += fxt_put_number(record->words + record->count, FXT_ARGUMENT_UINT64, name,
	                                value);
	record->arguments++;
}

static void put_text(struct record *record, uint16_t name, const char *text, size_t size)
{
	if (size == 0)
		return;
	record->count += fxt_put_text(record->words + record->count, name, text, size);
	record->arguments++;
}

/* What follows for this process belongs to this image, not to an earlier one. */
static void put_image(struct image *image)
{
	const char *program = image->program ? object_path(image->program) : "";
	size_t size = strnlen(image->name, IMAGE_NAME), command_size;
	struct record record = {.count = 2};
	char command[COMMAND_MAX];

	record.count += fxt_put_bytes(record.words + record.count, image->name, size);
	put_number(&record, STRING_began, image->began_ns);
	put_number(&record, STRING_forked, image->forked_ns);
	put_number(&record, STRING_parent, (uint64_t)image->parent);
	put_number(&record, STRING_inner, inner_pid(image->pid));
	put_number(&record, STRING_executed, image->executed);
	put_number(&record, STRING_sampled, (uint64_t)image->is_sampled);
	if (image->is_sampled) {
		command_size = read_command(image, command);
		image->is_archiver = is_archiver(image, command, command_size);
		put_number(&record, STRING_archiver, (uint64_t)image->is_archiver);
		put_text(&record, STRING_program, program, strnlen(program, PATH_MAX));
		put_text(&record, STRING_command, command, command_size);
	}
	record.words[0] = FXT_HEAD(kernel_object, record.count) |
	                  FXT_BITS(kernel_object, object, FXT_OBJECT_PROCESS) |
	                  FXT_BITS(kernel_object, arguments, record.arguments) |
	                  FXT_BITS(kernel_object, name, size > 0 ? FXT_STRING_INLINE | size : 0);
	record.words[1] = (uint64_t)image->pid;
	(void)region_put(&region, record.words, record.count, 1);
}

/* Its ancestors come before it, the oldest first. */
static void tell_image(struct image *image)
{
	struct image *line[IMAGE_DEPTH_MAX + 1];
	unsigned count = 0;

	for (; image && (count == 0 || !image->is_told) && count <= IMAGE_DEPTH_MAX;
	     image = image->parent_image)
		line[count++] = image;
	while (count > 0) {
		line[--count]->is_told = 1;
		put_image(line[count]);
	}
}

void mapfile_tell_program(struct space *space)
{
	if (!space_image(space)->is_told)
		tell_image(space_image(space));
}

void mapfile_tell_end(const struct space *space, uint64_t time_ns)
{
	const struct image *image = space_image(space);
	struct record record = {.count = 2};

	if (!image->is_sampled)
		return;
	put_number(&record, STRING_began, image->began_ns);
	put_number(&record, STRING_forked, image->forked_ns);
	put_number(&record, STRING_executed, image->executed);
	put_number(&record, STRING_ended, time_ns);
	record.words[0] = FXT_HEAD(kernel_object, record.count) |
	                  FXT_BITS(kernel_object, object, FXT_OBJECT_PROCESS) |
	                  FXT_BITS(kernel_object, arguments, record.arguments);
	record.words[1] = (uint64_t)image->pid;
	(void)region_put(&region, record.words, record.count, 1);
}

static int is_collector(const struct object *object)
{
	const char *slash = strrchr(object_path(object), '/');

	return slash && strcmp(slash + 1, COLLECTOR) == 0;
}

void mapfile_tell(struct space *space, uint32_t pid, uint64_t time_ns)
{
	struct image *image = space_image(space);
	const struct mapping *at;
	uint16_t number = 0;

	if (!image->is_sampled) {
		image->is_sampled = 1;
		tell_image(image);
		image->is_outsider = !image->is_archiver;
		outsiders += !image->is_archiver;
	}
	while ((at = space_tell(space))) {
		if (!at->object)
			continue;
		put(at, number++, pid, time_ns);
		if (image->is_outsider && is_collector(at->object)) {
			image->is_outsider = 0; /* the loader maps it after the program, and may be
			                           sampled before */
			outsiders--;
		}
	}
}

int mapfile_has_outsiders(void)
{
	return outsiders > 0;
}

void mapfile_flush(void)
{
	(void)region_flush(&region);
}

uint64_t mapfile_end(void)
{
	mapfile_flush();
	(void)!ftruncate(region.fd, (off_t)region.end);
	close(region.fd);
	return region.lost;
}

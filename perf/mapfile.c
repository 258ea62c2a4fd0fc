/* mapfile.c: see mapfile.h. The records are those of Fuchsia's profiler: a module, then where it is mapped; before the first ones of a
 * program stands the process as a kernel object. Only processes with samples are
 * written down, and those that begin and end in thousands have few. */
#include "mapfile.h"

#include "format/fxt.h"
#include "format/layout.h"
#include "sampler/region.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { PROVIDER = 65537 /* behind those of CPUs */, TICKS_PER_SECOND = 1000000000, READ_EXECUTE = 5, BYTES_MAX = 256 << 20 };
enum { RECORD_WORDS = 16 + 2 * ((FXT_NAME_MAX + 7) / 8), STRING_BEGAN = 1 };

static struct region region;

int mapfile_begin(int directory)
{
	static const char name[] = "map";
	uint64_t words[FXT_FILE_HEAD_WORDS + 2];
	size_t count;
	int fd = openat(directory, FMT_FILE_SAMPLER_MAP, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

	if (fd < 0)
		return -errno;
	count = fxt_put_file_head(words, PROVIDER, name, strlen(name), TICKS_PER_SECOND);
	count += fxt_put_string(words + count, STRING_BEGAN, FMT_SAMPLER_BEGAN, strlen(FMT_SAMPLER_BEGAN));
	region_init(&region, fd, 0, BYTES_MAX);
	region_put(&region, words, count, 0);
	return region_flush(&region);
}

/* The two records together, or none. */
static void put(const struct mapping *at, uint16_t number, uint32_t pid, uint64_t time_ns)
{
	uint64_t words[2 * RECORD_WORDS], address = object_address(at->object, at->offset);
	const char *path = object_path(at->object);
	struct fxt_module module = {.id = number, .name = path, .name_size = strlen(path)};
	struct fxt_mapping mapping = {.module = number, .flags = READ_EXECUTE, .start = at->start, .size = at->end - at->start, .address = address};
	size_t count;

	if (address == 0 || module.name_size > FXT_NAME_MAX)
		return;
	module.build_id = object_build_id(at->object, &module.build_id_size);
	count = fxt_put_module(words, time_ns, pid, pid, &module);
	count += fxt_put_mapping(words + count, time_ns, pid, pid, &mapping);
	(void)region_put(&region, words, count, 1); /* a failure has ended the file, and is counted */
}

/* What follows of this process is of another program than what came before. */
static void put_program(uint32_t pid, const char *name, uint64_t began_ns)
{
	size_t size = strnlen(name, FXT_NAME_MAX), count = 2;
	uint64_t words[4 + (FXT_NAME_MAX + 7) / 8];

	count += fxt_put_bytes(words + count, name, size);
	if (began_ns != 0)
		count += fxt_put_number(words + count, FXT_ARGUMENT_UINT64, STRING_BEGAN, began_ns);
	words[0] = FXT_HEAD(kernel_object, count) | FXT_BITS(kernel_object, object, FXT_OBJECT_PROCESS) |
	           FXT_BITS(kernel_object, arguments, began_ns != 0) |
	           FXT_BITS(kernel_object, name, size > 0 ? FXT_STRING_INLINE | size : 0);
	words[1] = pid;
	(void)region_put(&region, words, count, 1);
}

void mapfile_tell_program(struct space *space, uint32_t pid)
{
	uint64_t began_ns = 0;
	const char *program = space_tell_program(space, &began_ns);

	if (program)
		put_program(pid, program, began_ns);
}

void mapfile_tell(struct space *space, uint32_t pid, uint64_t time_ns)
{
	const struct mapping *at;
	uint16_t number = 0;

	mapfile_tell_program(space, pid);
	while ((at = space_tell(space)) != NULL)
		if (at->object)
			put(at, number++, pid, time_ns);
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

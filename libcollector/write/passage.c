/* passage.c: parts of event data files, mapped and read. See stream.h. */
#include "libcollector/write/stream.h"

#include "libcollector/base/extend.h"
#include "libcollector/base/memory.h"
#include "libcollector/write/stream_state.h"

#include <errno.h>

/* [at, at + size) of a file, and where it is in memory, or shall be. */
struct passage {
	struct stream *stream;
	uint64_t at;
	size_t size;
	uint8_t *memory;
};

static int map_now(void *argument)
{
	struct passage *it = argument;
	int error = 0;

	it->memory = col_file_map(&it->stream->file, it->stream->name, it->memory, it->at, it->size,
	                          &error);
	if (it->memory)
		memory_keep_apart(it->memory, it->size);
	return error < 0 ? error : 0;
}

static int read_now(void *argument)
{
	struct passage *it = argument;
	int fd = col_file_get(&it->stream->file, it->stream->name);
	long got = fd < 0 ? fd : sys_pread(fd, it->memory, it->size, it->at);

	if (got >= 0 && ((size_t)got != it->size || !col_file_is_ours(&it->stream->file)))
		return -EIO;
	return got < 0 ? (int)got : 0;
}

static int use_passage(struct passage *it, int (*use)(void *passage))
{
	sys_sigset old;
	int error;

	sys_block_signals(&old);
	error = col_lock_take(&it->stream->lock);
	if (error == 0) {
		error = col_file_use(&it->stream->file, it->stream->name, use, it);
		col_lock_give(&it->stream->lock);
	}
	sys_sigmask(SIG_SETMASK, &old, NULL);
	return error;
}

uint8_t *col_stream_map(enum fmt_stream which, uint8_t *there, uint64_t at, size_t size)
{
	struct passage it = {&streams[which], at, size, there};

	return use_passage(&it, map_now) < 0 ? NULL : it.memory;
}

int col_stream_read(enum fmt_stream which, uint64_t at, void *to, size_t size)
{
	struct passage it = {&streams[which], at, size, to};

	return use_passage(&it, read_now);
}

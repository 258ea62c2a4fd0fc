/* io_record.c: begin input/output tracing, and write its records. */
#include "libcollector/io/io_record.h"

#include "libcollector/io/io.h"
#include "libcollector/io/io_epoll.h"
#include "libcollector/io/io_files.h"
#include "libcollector/io/io_kinds.h"

#define U48_MAX (((uint64_t)1 << 48) - 1)

void io_start(void)
{
	if (io_files_open() == 0)
		atomic_store(&col.switches->on[SOURCE_IO], 1);
}

void io_start_waits(void)
{
	if (!col.descriptor.io)
		(void)io_files_open(); /* without it, files have no names */
	io_epoll_open();
}

/* Does this result of a call prove that it read its path? A call that failed for other reasons may
 * not have looked at it. */
static int has_read_path(int error)
{
	switch (error) {
	case 0:
	case ENOENT:
	case EACCES:
	case EEXIST:
	case ENOTDIR:
	case EISDIR:
	case ELOOP:
	case EROFS:
	case ENOTEMPTY:
	case ETXTBSY:
	case EXDEV:
	case ENXIO:
	case ENODATA:
		return 1;
	default:
		return 0;
	}
}

static uint32_t file_of(struct col_thread *thread, const struct io_call *call, uint64_t ticks)
{
	if (call->is_closed)
		return call->file;
	if (call->fd >= 0)
		return io_file_of(thread, call->fd, ticks);
	return call->path && has_read_path(call->error) ? io_file_named(thread, call->path, ticks)
	                                                : 0;
}

static uint64_t clip(uint64_t value)
{
	return likely(value <= U48_MAX) ? value : U48_MAX;
}

/* Returns the file. */
static uint32_t put(struct col_thread *thread, const struct io_call *call, uint32_t stack,
                    uint64_t ticks)
{
	uint32_t tid = atomic_load_explicit(&thread->tid, memory_order_relaxed);
	struct fmt_io record = {
		.kind = FMT_KIND_io,
		.func = (uint8_t)call->func,
		.error = (uint16_t)call->error,
		.stack = stack,
		.file = file_of(thread, call, ticks),
		.fd = call->fd >= 0 ? (uint32_t)call->fd : UINT32_MAX,
	};

	if (call->bytes > 0)
		fmt_u48_put(&record.bytes, clip((uint64_t)call->bytes));
	if (ticks > call->start.before)
		fmt_ticks_put(&record.wait_high, &record.wait, ticks - call->start.before);
	col_slot_write(&thread->slot[COL_NORMAL][FMT_STREAM_IOTRACE], FMT_STREAM_IOTRACE, tid,
	               &record, sizeof(record), ticks);
	return record.file;
}

int64_t io_bytes_of(const struct mmsghdr *messages, int count)
{
	int64_t bytes = count < 0 ? -1 : 0;

	for (int i = 0; i < count; i++)
		bytes += messages[i].msg_len;
	return bytes;
}

/* ---- waits */

struct wall_start io_begin(enum fmt_io_func func, int fd, struct caller caller)
{
	struct wall_call call = {.family = FMT_wait_family_IO, .func = (uint8_t)func};

	if (!wall_is_on() || !io_kind_blocks(fd, &call.state))
		return wall_now();
	call.object = io_file_now(fd);
	return wall_begin(&call, caller);
}

enum fmt_wall_state io_state_of(int fd)
{
	return io_kind_state(fd);
}

uint64_t io_file_now(int fd)
{
	uint32_t file = io_file_known(fd);
	struct col_thread *thread = file || fd < 0 ? NULL : scope_enter();

	if (!thread)
		return file;
	file = io_file_of(thread, fd, col_ticks());
	scope_leave(thread);
	return file;
}

void io_name_pair(const int fds[2])
{
	struct col_thread *thread = scope_enter();

	if (!thread)
		return;
	io_files_pair(thread, fds, col_ticks());
	scope_leave(thread);
}

/* What the call waited for: an open of a FIFO waits for the other end. */
static enum fmt_wall_state state_of(const struct io_call *call)
{
	return call->fd >= 0 && !call->is_closed ? io_kind_state(call->fd) : FMT_wall_state_FILE;
}

/* Is it worth looking the file up? Of short calls, if it tells who wrote what another thread waits
 * for. */
static int wants_file(const struct io_call *call, enum fmt_wall_state state, uint64_t ticks)
{
	return state == FMT_wall_state_PIPE || state == FMT_wall_state_SOCKET ||
	       !wall_is_short(&call->start, ticks);
}

/* file: as of the record of the call, 0: it has none. */
static void put_wait(struct col_thread *thread, const struct io_call *call, uint32_t stack,
                     uint32_t file, uint64_t ticks, const struct caller *caller)
{
	struct wall_call wait = {.state = state_of(call),
	                         .family = FMT_wait_family_IO,
	                         .func = (uint8_t)call->func,
	                         .error = call->error,
	                         .object = file};

	if (!wall_is_due(&call->start, wait.state, ticks))
		return;
	if (!file && wants_file(call, wait.state, ticks))
		wait.object = file_of(thread, call, ticks);
	wall_close(thread, &wait, &call->start, ticks, stack, caller);
}

/* ---- calls */

void io_record(const struct io_call *call, struct caller caller)
{
	uint64_t ticks = col_ticks();
	int is_traced = col_on(SOURCE_IO) != 0;
	int is_wait = call->start.before && wall_is_due(&call->start, FMT_wall_state_OTHER, ticks);
	struct col_thread *thread = is_traced || is_wait ? scope_enter() : NULL;
	uint32_t stack = 0, file = 0;

	if (!thread)
		return;
	if (is_traced) {
		stack = stack_of(thread, &caller);
		file = put(thread, call, stack, ticks);
	}
	if (is_wait)
		put_wait(thread, call, stack, file, ticks, &caller);
	scope_leave(thread);
}

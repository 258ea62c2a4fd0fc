/* io_record.c: begin input/output tracing, and write its records. */
#include "libcollector/io/io_record.h"

#include "libcollector/io/io.h"
#include "libcollector/io/io_files.h"

#define U48_MAX (((uint64_t)1 << 48) - 1)

void io_start(void)
{
	if (io_files_open() == 0)
		atomic_store(&col.switches->on[SOURCE_IO], 1);
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

static void put(struct col_thread *thread, const struct io_call *call, uint32_t stack,
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
	if (ticks > call->start)
		fmt_u48_put(&record.wait, clip(ticks - call->start));
	col_slot_write(&thread->slot[COL_NORMAL][FMT_STREAM_IOTRACE], FMT_STREAM_IOTRACE, tid,
	               &record, sizeof(record), ticks);
}

void io_record(const struct io_call *call, struct caller caller)
{
	uint64_t ticks = col_ticks();
	struct col_thread *thread;

	if (!io_is_on())
		return;
	thread = scope_enter();
	if (!thread)
		return;
	put(thread, call, stack_of(thread, &caller), ticks);
	scope_leave(thread);
}

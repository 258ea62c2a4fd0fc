/* stream.c: create the event data files, and make them longer. See stream.h.
 * See doc/decisions/12-live-files.md. */
#include "libcollector/write/stream.h"

#include "libcollector/write/extent.h"
#include "libcollector/write/stream_state.h"

#include "libcollector/base/host.h"
#include "libcollector/base/extend.h"
#include "libcollector/base/lock.h"
#include "libcollector/write/account.h"
#include "libcollector/write/keep.h"
#include "libcollector/write/log.h"

#include "format/retry.h"

#include <errno.h>
#include <linux/futex.h>

enum { MANY = 16 /* buffers */ };
enum { WAIT_NS = 10000000, WHOLE_WAIT = 100, MAKING_WAITS = 3000 * WHOLE_WAIT }; /* half a minute */

struct stream streams[FMT_STREAMS] = {
#define STREAM(id, title, role) \
	{.name = (title), .temporary = "." title ".new", .file = {.fd = -1}},
#include "format/datakind.def"
};

/* User events: all traces share one counter. */
void col_stream_count_lost(enum fmt_stream stream)
{
	int is_user = stream >= FMT_STREAM_USERTRACE &&
	              (int)stream <= (int)FMT_STREAM_USERTRACE_LAST;

	col_count(&col.count.lost[is_user ? FMT_STREAM_USERTRACE : stream], 1);
}

void col_stream_stop(enum fmt_stream which, int error)
{
	struct stream *stream = &streams[which];

	if (atomic_exchange(&stream->state, STOPPED) != STOPPED)
		col_log_loss(stream->name, error);
}

void col_stream_lose(enum fmt_stream which)
{
	if (atomic_exchange(&streams[which].state, STOPPED) != STOPPED)
		col_log_loss_reason(streams[which].name, "pages of the file cannot be had");
}

void col_stream_prologue(enum fmt_stream which, uint8_t *at, uint32_t left, uint32_t tid)
{
	struct fdr_prologue prologue = {
		.tid = tid,
		.ordinal = atomic_fetch_add(&streams[which].ordinal, 1) + 1,
		.extent_left = left,
		.cpu = col_cpu(),
		.tsc = col_ticks(),
	};

	/* llvm-xray puts the buffers of traced functions in order by it, which times would not do.
	 */
	if (which != FMT_STREAM_FUNCTRACE)
		prologue.wall_ns = col_ns_of(prologue.tsc);

	fdr_prologue_put(at, &prologue);
}

/* A file must be valid from the moment it has its name: a first page with an empty buffer. */
static int write_first_page(enum fmt_stream which, uint32_t size)
{
	struct stream *stream = &streams[which];
	struct fdr_header header = {
		.version = FDR_VERSION,
		.type = FDR_TYPE,
		.constant_tsc = 1,
		.nonstop_tsc = 1,
		.cycle_frequency = col.descriptor.clock_hz,
		.buffer_size = size - FDR_HEADER_SIZE,
	};
	int error = col_file_extend(&stream->file, stream->temporary, 0, size);
	uint8_t *page;

	if (error < 0)
		return error;
	page = col_file_map(&stream->file, stream->temporary, NULL, 0, FDR_PAGE, &error);
	if (!page)
		return error;
	fdr_header_put(page, &header);
	col_stream_prologue(which, page + FDR_HEADER_SIZE, size - FDR_HEADER_SIZE,
	                    (uint32_t)sys_gettid());
	sys_munmap(page, FDR_PAGE);
	return 0;
}

/* If a file with the temporary name exists already, it was planted in a directory where everybody
 * may write: it is not written to. */
static int make_file_in(int directory, enum fmt_stream which, uint32_t size)
{
	struct stream *stream = &streams[which];
	long fd = col_file_open(directory, stream->temporary,
	                        O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, FMT_FILE_MODE);
	int error;

	if (fd < 0)
		return (int)fd;
	col_file_make_usable((int)fd);
	error = col_file_take(&stream->file, stream->temporary, (int)fd);
	if (error < 0) { /* it is tried again */
		SYS3(SYS_unlinkat, directory, stream->temporary, 0);
		return error;
	}
	error = write_first_page(which, size);
	if (error < 0) {
		col_file_close(&stream->file);
		SYS3(SYS_unlinkat, directory, stream->temporary, 0);
		return error;
	}
	return (int)SYS4(SYS_renameat, directory, stream->temporary, directory, stream->name);
}

struct request {
	enum fmt_stream which;
	uint32_t size;
	uint64_t at;
};

static int make_now(void *argument)
{
	const struct request *wanted = argument;
	struct stream *stream = &streams[wanted->which];
	int directory = col_directory_get();
	int error = directory < 0 ? directory
	                          : make_file_in(directory, wanted->which, wanted->size);

	col_place_done(directory);
	if (stream->file.is_brief)
		col_file_close(&stream->file);
	return error;
}

static int make_file(enum fmt_stream which, uint32_t size)
{
	struct request wanted = {.which = which, .size = size};

	return col_file_with_free(make_now, &wanted);
}

enum { WAITS_A_SECOND = 1000 };

/* An error of the stream's file: does it end the stream? If not, the next look is a moment later.
 * Returns it. */
static int judge(enum fmt_stream which, int error)
{
	if (retry_later(error))
		atomic_store(&streams[which].wait_until,
		             col_ticks() + col.descriptor.clock_hz / WAITS_A_SECOND);
	else
		col_stream_stop(which, error);
	return error;
}

static int is_waiting(const struct stream *stream)
{
	uint64_t until = atomic_load_explicit(&stream->wait_until, memory_order_relaxed);

	return unlikely(until) && col_ticks() < until;
}

static int make_and_open(enum fmt_stream which, uint32_t size)
{
	struct stream *stream = &streams[which];
	unsigned state = MAKING;
	int error = make_file(which, size);

	if (error < 0) {
		judge(which, error);
		atomic_compare_exchange_strong(&stream->state, &state, ABSENT);
		return error;
	}
	stream->claimed = size; /* nobody else looks at it before the file is open */
	atomic_compare_exchange_strong(&stream->state, &state, OPEN);
	return 1;
}

/* Another thread creates the file: its disk may be slow, and it may have to wait for a processor.
 * It fails to finish only if it was killed there, as may happen to a vfork child. Returns the state
 * that there is then. */
static unsigned wait_for_file(enum fmt_stream which)
{
	const struct timespec moment = {.tv_nsec = WAIT_NS};
	struct stream *stream = &streams[which];
	unsigned state;
	int waits = 0;

	while ((state = atomic_load(&stream->state)) == MAKING && waits < MAKING_WAITS)
		waits += SYS4(SYS_futex, &stream->state, FUTEX_WAIT_PRIVATE, MAKING, &moment) ==
		                         -EINTR
		                 ? 1
		                 : WHOLE_WAIT;
	if (state == MAKING)
		col_stream_stop(which, -ETIMEDOUT);
	return state;
}

/* Returns 1 if this call created the file, 0 if it exists, -errno if the stream has stopped. A tick
 * during the creation would wait for us in vain, so ticks are blocked. */
static int ensure_file(enum fmt_stream which, uint32_t size)
{
	struct stream *stream = &streams[which];
	unsigned state = ABSENT;
	sys_sigset old;
	int result = 0;

	sys_block_signals(&old);
	if (atomic_compare_exchange_strong(&stream->state, &state, MAKING)) {
		result = make_and_open(which, size);
		SYS3(SYS_futex, &stream->state, FUTEX_WAKE_PRIVATE, INT32_MAX);
	}
	sys_sigmask(SIG_SETMASK, &old, NULL);
	if (result != 0)
		return result;
	if (state == MAKING)
		state = wait_for_file(which);
	return state == OPEN ? 0 : -EIO;
}

void col_stream_make(enum fmt_stream which)
{
	if (!is_waiting(&streams[which]))
		ensure_file(which, FDR_PAGE);
}

/* Usage samples and call stacks count, but go on, the latter for events in progress. */
static int exceeds_limit(enum fmt_stream which, uint32_t size)
{
	enum { CONTEXT, EVENTS };
	static const uint8_t roles[] = {
#define STREAM(id, name, role) role,
#include "format/datakind.def"
	};

	if (keep_is_on() || account_add(size) || roles[which] == CONTEXT)
		return 0;
	col_stop_events("the size limit is reached: events end here");
	return 1;
}

/* A stream that ends when it is full has ended. */
static int is_full(enum fmt_stream which, uint64_t size)
{
	struct stream *stream = &streams[which];

	if (!stream->limit || size <= stream->limit)
		return 0;
	if (atomic_exchange(&stream->state, STOPPED) != STOPPED)
		col_log_loss_reason(stream->name, "full");
	return 1;
}

int stream_get_ready(enum fmt_stream which, uint32_t size)
{
	struct stream *stream = &streams[which];
	int error;

	col_settle();
	col_check_time();
	if (is_waiting(stream))
		return -EMFILE;
	if (exceeds_limit(which, size))
		return -EDQUOT;
	if (atomic_load_explicit(&stream->state, memory_order_acquire) == OPEN)
		return 0;
	error = ensure_file(which, size);
	if (error < 0)
		account_give_back(size);
	return error;
}

int stream_claim(enum fmt_stream which, uint32_t size, uint64_t *at)
{
	struct stream *stream = &streams[which];
	int error;

	if (is_full(which, stream->claimed + size))
		return -ENOSPC;
	error = col_file_extend(&stream->file, stream->name, stream->claimed, size);
	if (error < 0)
		return judge(which, error);
	*at = stream->claimed;
	stream->claimed += size;
	return 0;
}

static int claim_now(void *argument)
{
	struct request *wanted = argument;

	return stream_claim(wanted->which, wanted->size, &wanted->at);
}

static int claim(struct request *wanted)
{
	struct stream *stream = &streams[wanted->which];
	int error = col_lock_take(&stream->lock);

	if (error == 0) {
		error = col_file_use(&stream->file, stream->name, claim_now, wanted);
		col_lock_give(&stream->lock);
	}
	if (error < 0)
		account_give_back(wanted->size);
	return error;
}

static int claim_kept(struct request *wanted)
{
	struct keep_room room;
	int error = keep_make_room(wanted->which, wanted->size, &room);

	if (error < 0)
		return error;
	error = claim(wanted);
	keep_settle(&room, error, wanted->at);
	return error;
}

int col_stream_claim(enum fmt_stream which, uint32_t size, uint64_t *at)
{
	struct request wanted = {.which = which, .size = size};
	sys_sigset old;
	int error = stream_get_ready(which, size);

	*at = 0;
	if (error == 1)
		return keep_count(size), 0;
	if (error < 0)
		return error;
	sys_block_signals(&old);
	error = claim_kept(&wanted);
	sys_sigmask(SIG_SETMASK, &old, NULL);
	*at = wanted.at;
	return error;
}

int col_stream_has_many(enum fmt_stream which)
{
	return atomic_load_explicit(&streams[which].ordinal, memory_order_relaxed) >= MANY;
}

int col_stream_is_stopped(enum fmt_stream which)
{
	return atomic_load(&streams[which].state) == STOPPED;
}

uint64_t col_stream_limit_of(enum fmt_stream which)
{
	return streams[which].limit;
}

/* ---- limits */

int col_stream_limit(enum fmt_stream which, uint64_t bytes, int is_ring)
{
	struct stream *stream = &streams[which];

	if (is_ring)
		return ring_init(&stream->ring, bytes);
	stream->limit = bytes;
	return 0;
}

/* Space for all of a ring, mapped. Under the lock. */
static int open_ring_now(void *argument)
{
	enum fmt_stream which = *(enum fmt_stream *)argument;
	struct stream *stream = &streams[which];
	uint64_t size = (uint64_t)stream->ring.count * stream->ring.part_size;
	struct window *window;
	int error = 0;

	if (atomic_load(&stream->ring.window)) /* another thread has come here before */
		return 0;
	error = col_file_extend(&stream->file, stream->name, FDR_PAGE, size);
	if (error < 0)
		return judge(which, error);
	window = window_open(which, &stream->file, stream->name, FDR_PAGE, size, &error);
	if (!window)
		return judge(which, error);
	atomic_store(&stream->ring.window, window);
	return 0;
}

/* Create the file of a ring, with space for all of it, and map it. */
static int open_ring(enum fmt_stream which)
{
	struct stream *stream = &streams[which];
	int error = ensure_file(which, FDR_PAGE);
	sys_sigset old;

	if (error < 0)
		return error;
	sys_block_signals(&old);
	error = col_lock_take(&stream->lock);
	if (error == 0) {
		error = col_file_use(&stream->file, stream->name, open_ring_now, &which);
		col_lock_give(&stream->lock);
	}
	sys_sigmask(SIG_SETMASK, &old, NULL);
	return error;
}

int col_stream_open_ring(enum fmt_stream which, struct ring **ring)
{
	*ring = &streams[which].ring;
	if (is_waiting(&streams[which]))
		return -EMFILE;
	return atomic_load(&(*ring)->window) ? 0 : open_ring(which);
}

int col_stream_is_ring(enum fmt_stream which)
{
	return streams[which].ring.parts != NULL;
}

/* Begin again without windows; they are left to those who have extents in them. */
static void leave_windows(struct stream *stream)
{
	if (stream->small.window)
		window_let_go(stream->small.window);
	if (stream->window)
		window_let_go(stream->window);
	stream->small.window = stream->window = NULL;
	stream->small.at = stream->small.end = stream->dropped = 0;
}

static void forget(struct stream *stream)
{
	col_file_close(&stream->file);
	atomic_store(&stream->state, ABSENT);
	atomic_store(&stream->ordinal, 0);
	atomic_store(&stream->wait_until, 0);
	ring_restart(&stream->ring);
	col_lock_give(&stream->lock);
	stream->claimed = 0;
	leave_windows(stream);
}

void col_streams_forget(void)
{
	for (int i = 0; i < FMT_STREAMS; i++)
		forget(&streams[i]);
	keep_begin_child();
	account_begin_child();
}

void col_streams_unlimit(void)
{
	account_close();
	for (int i = 0; i < FMT_STREAMS; i++) {
		streams[i].limit = 0;
		ring_fini(&streams[i].ring);
	}
}

void col_streams_stop(void)
{
	for (int i = 0; i < FMT_STREAMS; i++)
		atomic_store(&streams[i].state, STOPPED);
}

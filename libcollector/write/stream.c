/* stream.c: reserve, map and fill the extents of the event data files. See stream.h.
 * See doc/decisions/12-live-files.md. */
#include "libcollector/write/stream.h"

#include "libcollector/base/host.h"
#include "libcollector/base/file.h"
#include "libcollector/write/log.h"

#include "format/retry.h"

#include <errno.h>
#include <linux/futex.h>

enum { EXTENT_MIN = FDR_EXTENT_UNIT, EXTENT_MAX = 256 * 1024, TRACE_EXTENT_MAX = 1024 * 1024 };
enum { WAIT_NS = 10000000, WHOLE_WAIT = 100, MAKING_WAITS = 3000 * WHOLE_WAIT }; /* half a minute */

enum state { ABSENT, MAKING, OPEN, STOPPED };

struct stream {
	const char *name;
	const char *temporary;
	struct col_file file;
	atomic_uint state;
	atomic_uint ordinal;
	atomic_uint_fast64_t claimed;
	uint64_t limit;                  /* of claimed bytes, 0: none */
	atomic_uint_fast64_t wait_until; /* event time: the program has taken all descriptors */
	struct ring ring;
};

static struct stream streams[FMT_STREAMS] = {
#define STREAM(id, title, role) \
	{.name = (title), .temporary = "." title ".new", .file = {.fd = -1}},
#include "format/datakind.def"
};

/* User events: all traces share one. */
static atomic_uint_fast64_t *lost_counter(enum fmt_stream stream)
{
	int is_user = stream >= FMT_STREAM_USERTRACE &&
	              (int)stream <= (int)FMT_STREAM_USERTRACE_LAST;

	return &col.count.lost[is_user ? FMT_STREAM_USERTRACE : stream];
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

	fdr_prologue_put(at, &prologue);
}

/* A file must be valid from the moment it has its name: a first page with an empty buffer. */
static int write_first_page(enum fmt_stream which, int fd, uint32_t size)
{
	uint8_t page[FDR_HEADER_SIZE + FDR_PROLOGUE_SIZE + FDR_METADATA_SIZE]
		__attribute__((aligned(8))) = {0};
	struct fdr_header header = {
		.version = FDR_VERSION,
		.type = FDR_TYPE,
		.constant_tsc = 1,
		.nonstop_tsc = 1,
		.cycle_frequency = col.descriptor.clock_hz,
		.buffer_size = size - FDR_HEADER_SIZE,
	};
	int error = col_file_allocate(fd, 0, size);

	if (error < 0)
		return error;
	fdr_header_put(page, &header);
	col_stream_prologue(which, page + FDR_HEADER_SIZE, size - FDR_HEADER_SIZE,
	                    (uint32_t)sys_gettid());
	return sys_pwrite(fd, page, sizeof(page), 0) == sizeof(page) ? 0 : -EIO;
}

/* If a file with the temporary name exists already, it was planted in a directory where everybody
 * may write: it is not written to. */
static int make_file_in(int directory, enum fmt_stream which, uint32_t size)
{
	struct stream *stream = &streams[which];
	long fd = col_file_open(directory, stream->temporary,
	                        O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0644);
	int error;

	if (fd < 0)
		return (int)fd;
	col_file_make_usable((int)fd);
	error = col_file_take(&stream->file, (int)fd);
	if (error < 0)
		return error;
	error = write_first_page(which, stream->file.fd, size);
	if (error < 0)
		return error;
	return (int)SYS4(SYS_renameat, directory, stream->temporary, directory, stream->name);
}

static int make_file(enum fmt_stream which, uint32_t size)
{
	int directory = col_directory_get();
	int error = directory < 0 ? directory : make_file_in(directory, which, size);

	col_place_done(directory);
	return error;
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
	int error;

	atomic_store(&stream->claimed, size);
	error = make_file(which, size);
	if (error < 0) {
		judge(which, error);
		atomic_compare_exchange_strong(&stream->state, &state, ABSENT);
		return error;
	}
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
		ensure_file(which, EXTENT_MIN);
}

static atomic_uint_fast64_t total; /* bytes of event data */

/* Usage samples and call stacks go on, the latter for events in progress. */
static int exceeds_limit(enum fmt_stream which, uint32_t size)
{
	enum { CONTEXT, EVENTS };
	static const uint8_t roles[] = {
#define STREAM(id, name, role) role,
#include "format/datakind.def"
	};

	if (!col.descriptor.limit_bytes || roles[which] == CONTEXT)
		return 0;
	if (atomic_fetch_add(&total, size) + size <= col.descriptor.limit_bytes)
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

int col_stream_claim(enum fmt_stream which, uint32_t size, uint64_t *at)
{
	struct stream *stream = &streams[which];
	int made = 0;
	int fd, error;

	col_settle();
	col_check_time();
	if (is_waiting(stream))
		return -EMFILE;
	if (exceeds_limit(which, size))
		return -EDQUOT;
	if (atomic_load_explicit(&stream->state, memory_order_acquire) != OPEN)
		made = ensure_file(which, size);
	if (made != 0) {
		*at = 0;
		return made < 0 ? made : 0;
	}
	fd = col_file_get(&stream->file, stream->name);
	if (fd < 0)
		return judge(which, fd);
	*at = atomic_fetch_add(&stream->claimed, size);
	if (is_full(which, *at + size))
		return -ENOSPC;
	error = col_file_allocate(fd, *at, size);
	if (error < 0)
		col_stream_stop(which, error);
	return error;
}

uint8_t *col_stream_map(enum fmt_stream which, uint64_t at, size_t size)
{
	uint8_t *map = sys_mmap(size, PROT_READ | PROT_WRITE, MAP_SHARED, streams[which].file.fd,
	                        at);

	if (map)
		sys_madvise(map, size, MADV_DONTFORK);
	return map;
}

void col_slot_abandon(struct col_slot *slot)
{
	struct col_slot old = *slot;

	*slot = (struct col_slot){.map_size = old.map_size};
	atomic_signal_fence(memory_order_seq_cst);
	if (old.part)
		ring_give(old.part, old.events);
	else if (old.map)
		sys_munmap(old.map, old.map_size);
}

int col_stream_limit(enum fmt_stream which, uint64_t bytes, int is_ring)
{
	struct stream *stream = &streams[which];

	if (is_ring)
		return ring_init(&stream->ring, bytes);
	stream->limit = bytes;
	return 0;
}

/* Create the file of a ring, with space for all of it, and map it. */
static int open_ring(enum fmt_stream which)
{
	struct stream *stream = &streams[which];
	uint64_t size = (uint64_t)stream->ring.count * stream->ring.part_size;
	int error = ensure_file(which, FDR_EXTENT_UNIT);
	uint8_t *none = NULL;
	uint8_t *map;

	if (error < 0 || atomic_load(&stream->ring.map))
		return error < 0 ? error : 0;
	error = col_file_get(&stream->file, stream->name);
	if (error < 0)
		return judge(which, error);
	error = col_file_allocate(error, FDR_EXTENT_UNIT, size);
	map = error < 0 ? NULL : col_stream_map(which, FDR_EXTENT_UNIT, size);
	if (!map) {
		col_stream_stop(which, error < 0 ? error : -ENOMEM);
		return -EIO;
	}
	/* Two threads may have come here at once. */
	if (!atomic_compare_exchange_strong(&stream->ring.map, &none, map))
		sys_munmap(map, size);
	return 0;
}

/* Let the slot, which has no extent, continue in a part of a ring. */
static int new_part(struct col_slot *slot, enum fmt_stream which, uint32_t tid)
{
	struct ring *ring = &streams[which].ring;
	uint32_t overwritten;
	int error = 0;

	col_check_time();
	if (is_waiting(&streams[which]))
		return -EMFILE;
	if (!atomic_load(&ring->map))
		error = open_ring(which);
	if (error < 0)
		return error;
	slot->part = ring_take(ring, &overwritten);
	if (!slot->part)
		return -EAGAIN;
	slot->map_size = ring->part_size;
	slot->map = ring_memory(ring, slot->part);
	slot->events = 0;
	col_count(&col.count.user_overwritten, overwritten);
	sys_madvise(slot->map, ring->part_size, MADV_POPULATE_WRITE);
	if (*(uint64_t *)slot->map)
		ring_clear(slot->map, ring->part_size);
	col_stream_prologue(which, slot->map, ring->part_size, tid);
	slot->at = slot->map + FDR_PROLOGUE_SIZE;
	slot->end = slot->map + ring->part_size;
	slot->tid = tid;
	return 0;
}

/* Extents double, up to a size that leaves several of them to a limited stream; each is large
 * enough for an event of `need` bytes. */
static uint32_t next_size(const struct col_slot *slot, enum fmt_stream which, uint32_t need)
{
	uint64_t most = which == FMT_STREAM_FUNCTRACE ? TRACE_EXTENT_MAX : EXTENT_MAX;
	uint64_t max = streams[which].limit ? streams[which].limit / 16 : most;
	uint32_t size = slot->map_size == 0 ? EXTENT_MIN : slot->map_size * 2;

	max = max > most ? most : max;
	while (size > EXTENT_MIN && size > max)
		size /= 2;
	while (size < FDR_HEADER_SIZE + FDR_PROLOGUE_SIZE + 2 * FDR_METADATA_SIZE + need)
		size *= 2;
	return size;
}

/* Begin the next extent of the slot, which has none. */
static int new_extent(struct col_slot *slot, enum fmt_stream which, uint32_t tid, uint32_t need)
{
	uint32_t size = next_size(slot, which, need);
	uint32_t header;
	uint8_t *map;
	uint64_t at;
	int error;

	error = col_stream_claim(which, size, &at);
	if (error < 0)
		return error;
	map = col_stream_map(which, at, size);
	if (!map) {
		col_stream_stop(which, -ENOMEM);
		return -ENOMEM;
	}
	slot->map_size = size;
	slot->map = map;
	sys_madvise(slot->map, size, MADV_POPULATE_WRITE);
	header = at == 0 ? FDR_HEADER_SIZE : 0;
	if (at != 0)
		col_stream_prologue(which, slot->map, size, tid);
	slot->at = slot->map + header + FDR_PROLOGUE_SIZE;
	slot->end = slot->map + size;
	slot->tid = tid;
	return 0;
}

/* The last thread of the slot is gone: the next one begins a buffer after the EndOfBuffer. */
static int new_buffer(struct col_slot *slot, enum fmt_stream which, uint32_t tid, uint32_t size)
{
	uint8_t *at = slot->at + FDR_METADATA_SIZE;
	size_t need = FDR_PROLOGUE_SIZE + 2 * FDR_METADATA_SIZE + size;

	if (!slot->map || (size_t)(slot->end - slot->at) < FDR_METADATA_SIZE + need)
		return 0;
	col_stream_prologue(which, at, (uint32_t)(slot->end - at), tid);
	slot->at = at + FDR_PROLOGUE_SIZE;
	slot->tid = tid;
	return 1;
}

int col_slot_refill(struct col_slot *slot, enum fmt_stream which, uint32_t tid, uint32_t size)
{
	int error = -EIO;

	if (unlikely(atomic_load(&col.is_quiet)))
		col_host->greet(slot);
	if (atomic_load(&streams[which].state) != STOPPED) {
		if (slot->map && slot->tid != tid && new_buffer(slot, which, tid, size))
			return 0;
		col_slot_abandon(slot);
		error = streams[which].ring.parts ? new_part(slot, which, tid)
		                                  : new_extent(slot, which, tid, size);
	}
	if (error < 0)
		col_count(lost_counter(which), 1);
	return error;
}

void col_streams_forget(void)
{
	for (int i = 0; i < FMT_STREAMS; i++) {
		col_file_close(&streams[i].file);
		atomic_store(&streams[i].state, ABSENT);
		atomic_store(&streams[i].ordinal, 0);
		atomic_store(&streams[i].claimed, 0);
		atomic_store(&streams[i].wait_until, 0);
		ring_restart(&streams[i].ring);
	}
	atomic_store(&total, 0);
}

void col_streams_unlimit(void)
{
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

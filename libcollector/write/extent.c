/* extent.c: give out parts of the event data files. See extent.h.
 *
 * Parts are given out one after the other, under the lock of the stream: the file gets as long as
 * the next part needs, and a window is mapped when the last one has no room for it. Windows get
 * longer, so there are few of them, however long the file. They reach beyond its end, where nobody
 * writes. The pages of parts that were given out long ago are dropped from memory; a thread that
 * still writes there gets them back.
 * See doc/decisions/93-many-threads.md. */
#include "libcollector/write/extent.h"

#include "libcollector/write/account.h"

#include "libcollector/base/budget.h"
#include "libcollector/base/memory.h"
#include "libcollector/write/keep.h"
#include "libcollector/write/stream_state.h"

#include <errno.h>

enum { WINDOW_MIN = 64 << 10, WINDOW_FIRST = 1 << 20, WINDOW_MAX = 1 << 30, WINDOW_FACTOR = 8 };
enum { WINDOW_SHARE = 64 /* of the address space that the program may have */ };
enum { KEPT_PAGES = 1 << 20, DROPPED_AT_LEAST = 1 << 20 /* bytes */ };

static atomic_uint_fast64_t held; /* bytes of all extents in use */

uint64_t col_extents_held(void)
{
	return atomic_load_explicit(&held, memory_order_relaxed);
}

/* How long the next window shall be: longer than the last one, but not too long for a limited
 * address space, if `size` bytes are enough. */
static uint64_t window_size(const struct stream *stream, uint32_t size)
{
	uint64_t wanted = stream->window ? (uint64_t)stream->window->size * WINDOW_FACTOR
	                                 : WINDOW_FIRST;

	if (wanted > WINDOW_MAX)
		wanted = WINDOW_MAX;
	if (memory_future_is_locked())
		wanted = WINDOW_MIN;
	while (wanted > WINDOW_MIN && !budget_allows(wanted, WINDOW_SHARE))
		wanted /= 2;
	return wanted > size ? wanted : size;
}

/* A window that is full will be used by those who have extents in it. */
static void leave_window(struct stream *stream)
{
	struct window *window = stream->window;

	if (!window)
		return;
	stream->window = NULL;
	window_drop(window, window->at, window->size);
	window_let_go(window);
}

/* Have a window with [at, at + size). Under the lock. Returns 0, or -errno with the stream stopped.
 */
static int look_at(enum fmt_stream which, uint64_t at, uint32_t size)
{
	struct stream *stream = &streams[which];
	struct window *window;
	int error;

	if (stream->window && window_has(stream->window, at, size))
		return 0;
	window = window_open(which, &stream->file, stream->name, at, window_size(stream, size),
	                     &error);
	if (!window)
		window = window_open(which, &stream->file, stream->name, at, size, &error);
	if (!window) {
		col_stream_stop(which, -ENOMEM);
		return -ENOMEM;
	}
	leave_window(stream);
	stream->window = window;
	return 0;
}

/* What lies behind the extents that are in use, if all are as new as can be, is not needed in
 * memory. */
static void drop_old(struct stream *stream)
{
	uint64_t kept = KEPT_PAGES + 2 * atomic_load_explicit(&stream->held, memory_order_relaxed);
	uint64_t old = stream->claimed > kept ? stream->claimed - kept : 0;

	if (old < stream->dropped + DROPPED_AT_LEAST)
		return;
	window_drop(stream->window, stream->dropped, old - stream->dropped);
	stream->dropped = old;
}

/* The next small extent of a page for them. Under the lock. */
static int take_small(enum fmt_stream which, struct col_extent *extent)
{
	struct stream *stream = &streams[which];
	int error;

	if (stream->small.end - stream->small.at < extent->size) {
		error = stream_claim(which, FDR_PAGE, &extent->at);
		if (error == 0)
			error = look_at(which, extent->at, FDR_PAGE);
		if (error < 0)
			return error;
		if (stream->small.window)
			window_let_go(stream->small.window);
		stream->small.window = stream->window;
		window_hold(stream->window);
		stream->small.at = extent->at;
		stream->small.end = extent->at + FDR_PAGE;
	}
	extent->window = stream->small.window;
	extent->at = stream->small.at;
	stream->small.at += extent->size;
	return 0;
}

static int take_large(enum fmt_stream which, int is_made, struct col_extent *extent)
{
	struct stream *stream = &streams[which];
	int error = 0;

	extent->at = 0;
	if (!is_made)
		error = stream_claim(which, extent->size, &extent->at);
	if (error == 0)
		error = look_at(which, extent->at, extent->size);
	extent->window = stream->window;
	return error;
}

/* A part of the file that was used before. */
static int take_again(enum fmt_stream which, const struct keep_room *room,
                      struct col_extent *extent)
{
	int error = look_at(which, room->at, extent->size);

	extent->at = room->at;
	extent->window = streams[which].window;
	return error;
}

struct request {
	enum fmt_stream which;
	int is_made;
	const struct keep_room *room;
	struct col_extent *extent;
};

static int take_now(void *argument)
{
	const struct request *wanted = argument;

	if (wanted->room->is_again)
		return take_again(wanted->which, wanted->room, wanted->extent);
	if (wanted->extent->size < FDR_PAGE)
		return take_small(wanted->which, wanted->extent);
	return take_large(wanted->which, wanted->is_made, wanted->extent);
}

/* *longer: so much longer is the file after it. */
static int take(enum fmt_stream which, int is_made, const struct keep_room *room,
                struct col_extent *extent, uint64_t *longer)
{
	struct stream *stream = &streams[which];
	struct request wanted = {which, is_made, room, extent};
	int error = col_lock_take(&stream->lock);
	uint64_t before = stream->claimed;

	if (error < 0)
		return error;
	error = col_file_use(&stream->file, stream->name, take_now, &wanted);
	*longer = stream->claimed - before;
	if (error == 0) {
		window_hold(extent->window);
		atomic_fetch_add(&stream->held, extent->size);
		atomic_fetch_add(&held, extent->size);
		drop_old(stream);
	}
	col_lock_give(&stream->lock);
	return error;
}

/* The same in room for it. */
static int take_kept(enum fmt_stream which, int is_made, struct col_extent *extent,
                     uint64_t *longer)
{
	struct keep_room room = {.size = 0};
	uint32_t pages = extent->size < FDR_PAGE ? FDR_PAGE : extent->size;
	int error = is_made ? 0 : keep_make_room(which, pages, &room);

	if (error < 0)
		return error;
	if (is_made)
		keep_count(pages);
	extent->kept = room.kept;
	error = take(which, is_made, &room, extent, longer);
	if (!is_made)
		keep_settle(&room, error, extent->at);
	return error;
}

int col_extent_take(enum fmt_stream which, uint32_t size, struct col_extent *out)
{
	uint32_t pages = size < FDR_PAGE ? FDR_PAGE : size;
	sys_sigset old;
	int ready = stream_get_ready(which, pages), error;
	uint64_t longer = 0;

	if (ready < 0)
		return ready;
	/* Who creates the file gets its first page as a whole. */
	*out = (struct col_extent){.size = ready == 1 ? pages : size};
	sys_block_signals(&old);
	error = take_kept(which, ready, out, &longer);
	sys_sigmask(SIG_SETMASK, &old, NULL);
	/* Small ones share a page; and what could not be taken does not count. */
	account_give_back(pages - (ready ? pages : longer));
	return error;
}

void col_extent_give(struct window *window, uint32_t size, uint32_t kept)
{
	uint64_t at = keep_give(kept);

	if (at)
		window_drop(window, at, size);
	atomic_fetch_sub(&streams[window->stream].held, size);
	atomic_fetch_sub(&held, size);
	window_let_go(window);
}

void col_extents_lose(void)
{
	for (int i = 0; i < FMT_STREAMS; i++) {
		streams[i].window = streams[i].small.window = NULL;
		atomic_store(&streams[i].held, 0);
	}
	atomic_store(&held, 0);
	windows_forget();
}

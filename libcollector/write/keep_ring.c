/* keep_ring.c: see keep_ring.h. */
#include "libcollector/write/keep_ring.h"

#include <errno.h>
#include <linux/stat.h>

/* Usage samples and names of threads stay while they are at most this part of all, or so many
 * bytes. */
enum { CONTEXT_SHARE = 8, CONTEXT_MAX = 16 << 20 };
enum {
	SECOND_CHANCES = 2,
	TRIES_MORE = 16,
	OLDEST_SHARE = 16,
	AGED_LOOKS = 64,
	PASSED_AT_ONCE = 64
};

/* ---- processes */

static uint64_t inode_of(const char *path)
{
	struct statx status;

	return SYS5(SYS_statx, AT_FDCWD, path, 0, STATX_INO, &status) < 0 ? 0 : status.stx_ino;
}

static void put_pid(char *out, uint32_t pid)
{
	char digits[12];
	int count = 0;

	do
		digits[count++] = (char)('0' + pid % 10);
	while ((pid /= 10) > 0);
	while (count > 0)
		*out++ = digits[--count];
	*out = '\0';
}

/* Of one in another name space of pids, the number means nothing here. Without /proc, nobody is
 * known to have ended. /proc may be that of another name space, or hide the processes of others; so
 * the kernel is asked, too, but only then: a sandbox may end a program that asks for others. */
static int is_gone(uint32_t pid, uint64_t space, uint64_t own_space)
{
	char path[32] = "/proc/";

	if (space == 0 || space != own_space)
		return 0;
	put_pid(path + strlen(path), pid);
	return inode_of(path) == 0 && inode_of("/proc/self") != 0 &&
	       SYS3(SYS_tgkill, pid, pid, 0) == -ESRCH;
}

static void end_process(struct fmt_keep_process *process, uint32_t pid)
{
	if (atomic_compare_exchange_strong(&process->pid, &pid, 0))
		atomic_fetch_sub(&process->count, 1);
}

/* Has it ended, as far as the caller can see? */
static int has_ended(const struct keep_ring *ring, unsigned number)
{
	struct fmt_keep_process *process = fmt_keep_process_at(ring->keep, number),
				*mine = fmt_keep_process_at(ring->keep, ring->me);
	uint32_t pid = atomic_load(&process->pid);

	if (pid != 0 && number != ring->me &&
	    is_gone(pid, atomic_load(&process->space), atomic_load(&mine->space)))
		end_process(process, pid);
	return atomic_load(&process->pid) == 0;
}

/* Take a row that is free, or would be if somebody had looked. */
static struct fmt_keep_process *take_row(const struct keep_ring *ring, uint64_t space,
                                         unsigned *number)
{
	for (int look = 0; look <= 1; look++)
		for (unsigned i = 0; i < fmt_keep_processes(ring->bytes); i++) {
			struct fmt_keep_process *row = fmt_keep_process_at(ring->keep, i);
			uint32_t none = 0, pid = atomic_load(&row->pid);

			if (look && pid != 0 && is_gone(pid, atomic_load(&row->space), space))
				end_process(row, pid);
			*number = i;
			if (atomic_compare_exchange_strong(&row->count, &none, 1))
				return row;
		}
	return NULL;
}

int keep_ring_register(struct keep_ring *ring, const char *name)
{
	uint64_t space = inode_of("/proc/self/ns/pid");
	struct fmt_keep_process *row;

	for (unsigned i = 0; i < fmt_keep_processes(ring->bytes); i++) {
		row = fmt_keep_process_at(ring->keep, i);
		if (atomic_load(&row->pid) == (uint32_t)col.pid && space != 0 &&
		    atomic_load(&row->space) == space)
			end_process(row, (uint32_t)col.pid);
	}
	row = take_row(ring, space, &ring->me);
	if (!row)
		return 0;
	strcpy(row->name, name);
	atomic_store(&row->stacks, 0);
	atomic_store(&row->space, space);
	atomic_store(&row->pid, (uint32_t)col.pid);
	return 1;
}

/* ---- extents */

static int is_context(enum fmt_stream stream)
{
	return stream == FMT_STREAM_FRAMEINFO || stream == FMT_STREAM_OVERVIEW;
}

/* Of what is there, `times` more: those who write events, and what stays as long as it is little.
 */
static void count(struct fmt_keep *keep, uint64_t what, int times)
{
	const enum fmt_stream stream = (enum fmt_stream)fmt_keep_stream_of(what);
	const uint64_t more = (uint64_t)(int64_t)times;

	if (stream == FMT_STREAM_OVERVIEW)
		atomic_fetch_add(&keep->context, more * fmt_keep_size_of(what));
	else if (!is_context(stream) && fmt_keep_state_of(what) == FMT_KEEP_HELD)
		atomic_fetch_add(&keep->writers, more);
}

/* The ring has come round to what is oldest: that has its turn another time. */
static void push_hand(const struct keep_ring *ring, uint64_t position)
{
	uint64_t size = fmt_keep_extents(ring->bytes), hand = atomic_load(&ring->keep->hand);

	while (position >= hand + size &&
	       !atomic_compare_exchange_weak(&ring->keep->hand, &hand, position - size + 1))
		continue;
}

static struct fmt_keep_extent *enter(const struct keep_ring *ring, uint64_t what, uint64_t at,
                                     uint64_t ticks)
{
	const unsigned process = fmt_keep_process_of(what);

	for (uint32_t tries = fmt_keep_extents(ring->bytes); tries > 0; tries--) {
		uint64_t position = atomic_fetch_add(&ring->keep->next, 1);
		struct fmt_keep_extent *extent = fmt_keep_extent_at(ring->keep, ring->bytes,
		                                                    position);
		uint64_t none = 0;

		push_hand(ring, position);
		if (!atomic_compare_exchange_strong(&extent->what, &none, FMT_KEEP_GOING))
			continue;
		atomic_store(&extent->at, at);
		atomic_store(&extent->begin, ticks);
		atomic_store(&extent->end, ticks);
		atomic_store(&extent->position, position);
		atomic_fetch_add(&fmt_keep_process_at(ring->keep, process)->count, 1);
		count(ring->keep, what, 1);
		atomic_store(&extent->what, what);
		return extent;
	}
	return NULL;
}

struct fmt_keep_extent *keep_ring_at(const struct keep_ring *ring, uint32_t number)
{
	return fmt_keep_extent_at(ring->keep, ring->bytes, number - 1);
}

uint32_t keep_ring_enter(const struct keep_ring *ring, enum fmt_stream stream, uint32_t size,
                         uint64_t at)
{
	uint64_t what = fmt_keep_what(FMT_KEEP_HELD, stream, ring->me, size);
	const struct fmt_keep_extent *extent = enter(ring, what, at, col_ticks());

	return extent ? (uint32_t)(extent - fmt_keep_extent_at(ring->keep, ring->bytes, 0)) + 1 : 0;
}

/* It has been HELD or FULL, as `what` says, and is the caller's. */
static void leave(const struct keep_ring *ring, struct fmt_keep_extent *extent, uint64_t what)
{
	count(ring->keep, what, -1);
	atomic_fetch_sub(&fmt_keep_process_at(ring->keep, fmt_keep_process_of(what))->count, 1);
	atomic_store(&extent->at, 0);
	atomic_store(&extent->what, 0);
}

void keep_ring_leave(const struct keep_ring *ring, struct fmt_keep_extent *extent)
{
	leave(ring, extent, atomic_load(&extent->what));
}

static uint64_t in_state(uint64_t what, enum fmt_keep_state state)
{
	return (what & ~(uint64_t)0xff) | state;
}

/* Put what is the caller's at the end of the ring. Returns 1, or 0: it is full. */
static int move(const struct keep_ring *ring, struct fmt_keep_extent *extent, uint64_t was,
                enum fmt_keep_state state, uint64_t ticks)
{
	if (!enter(ring, in_state(was, state), atomic_load(&extent->at), ticks))
		return 0;
	leave(ring, extent, was);
	return 1;
}

void keep_ring_return(const struct keep_ring *ring, const struct keep_victim *victim)
{
	uint64_t what = fmt_keep_what(FMT_KEEP_FULL, victim->stream, victim->process, victim->size);

	if (!move(ring, victim->extent, what, FMT_KEEP_FULL, victim->ticks))
		atomic_store(&victim->extent->what, what);
}

int keep_ring_is_held(const struct keep_ring *ring, uint32_t number)
{
	uint64_t what = atomic_load(&keep_ring_at(ring, number)->what);

	return fmt_keep_state_of(what) == FMT_KEEP_HELD && fmt_keep_process_of(what) == ring->me;
}

void keep_ring_give(const struct keep_ring *ring, uint32_t number)
{
	struct fmt_keep_extent *extent = keep_ring_at(ring, number);
	uint64_t was = atomic_load(&extent->what);

	if (!keep_ring_is_held(ring, number))
		return;
	/* The hand has passed it, and would not come again soon. */
	if (atomic_load(&extent->position) < atomic_load(&ring->keep->hand) &&
	    move(ring, extent, was, FMT_KEEP_FULL, col_ticks()))
		return;
	count(ring->keep, was, -1);
	count(ring->keep, in_state(was, FMT_KEEP_FULL), 1);
	atomic_store(&extent->end, col_ticks());
	atomic_store(&extent->what, in_state(was, FMT_KEEP_FULL));
}

/* ---- the oldest */

static uint64_t most_context(const struct keep_ring *ring)
{
	return ring->bytes ? ring->bytes / CONTEXT_SHARE : CONTEXT_MAX;
}

/* What an extent that has its turn is to become: FREE: it can go; GOING: it stays where it is, and
 * so do stacks whose place is not known yet, which will be told for this number. What nobody needs
 * any more, but what is kept may have needed until now, goes the next time. */
static enum fmt_keep_state judge(const struct keep_ring *ring, uint64_t what, uint64_t at)
{
	const enum fmt_stream stream = (enum fmt_stream)fmt_keep_stream_of(what);
	const unsigned process = fmt_keep_process_of(what);
	const int is_held = fmt_keep_state_of(what) == FMT_KEEP_HELD;

	if (is_held && has_ended(ring, process))
		return FMT_KEEP_FULL;
	if (is_held && (stream != FMT_STREAM_FRAMEINFO || at == 0))
		return FMT_KEEP_GOING;
	if (is_held) {
		const struct fmt_keep_process *row = fmt_keep_process_at(ring->keep, process);

		return at >= atomic_load(&row->stacks) ? FMT_KEEP_HELD : FMT_KEEP_FULL;
	}
	if (stream == FMT_STREAM_OVERVIEW &&
	    atomic_load(&ring->keep->context) <= most_context(ring))
		return FMT_KEEP_FULL;
	return FMT_KEEP_FREE;
}

static void tell(struct fmt_keep_extent *extent, uint64_t what, struct keep_victim *out)
{
	*out = (struct keep_victim){
		.extent = extent,
		.stream = (enum fmt_stream)fmt_keep_stream_of(what),
		.process = fmt_keep_process_of(what),
		.size = fmt_keep_size_of(what),
		.at = atomic_load(&extent->at),
		.ticks = atomic_load(&extent->end),
	};
}

/* Returns 1 if it can go: it is the caller's then. If it has events that are not before `before`,
 * it is moved to its like. */
static int look_at(const struct keep_ring *ring, struct fmt_keep_extent *extent, uint64_t before,
                   struct keep_victim *out)
{
	uint64_t what = atomic_load(&extent->what), was = what;
	enum fmt_keep_state state = fmt_keep_state_of(what), next;

	if (state != FMT_KEEP_HELD && state != FMT_KEEP_FULL)
		return 0;
	next = judge(ring, what, atomic_load(&extent->at));
	if (next == FMT_KEEP_FREE && atomic_load(&extent->end) >= before)
		next = FMT_KEEP_FULL;
	if (next == FMT_KEEP_GOING ||
	    !atomic_compare_exchange_strong(&extent->what, &what, in_state(was, FMT_KEEP_GOING)))
		return 0;
	if (next == FMT_KEEP_FREE) {
		tell(extent, was, out);
		return 1;
	}
	if (!move(ring, extent, was, next,
	          state == FMT_KEEP_FULL ? atomic_load(&extent->end) : col_ticks()))
		atomic_store(&extent->what, was);
	return 0;
}

int keep_ring_sweep(const struct keep_ring *ring, struct keep_victim *out)
{
	for (uint32_t i = 0; i < fmt_keep_extents(ring->bytes); i++)
		if (look_at(ring, fmt_keep_extent_at(ring->keep, ring->bytes, i), UINT64_MAX, out))
			return 1;
	return 0;
}

static int is_newer(const struct fmt_keep_extent *extent, uint64_t before)
{
	return atomic_load(&extent->what) != 0 && atomic_load(&extent->begin) >= before;
}

int keep_ring_oldest(const struct keep_ring *ring, uint64_t before, struct keep_victim *out)
{
	struct fmt_keep *keep = ring->keep;
	uint64_t hand = atomic_load(&keep->hand), next = atomic_load(&keep->next);
	uint64_t tries = next > hand ? SECOND_CHANCES * (next - hand) + TRIES_MORE : 0;

	for (; tries > 0 && (hand = atomic_load(&keep->hand)) < atomic_load(&keep->next); tries--) {
		struct fmt_keep_extent *extent = fmt_keep_extent_at(keep, ring->bytes, hand);

		if (before != UINT64_MAX && is_newer(extent, before))
			return 0;
		if (atomic_compare_exchange_strong(&keep->hand, &hand, hand + 1) &&
		    look_at(ring, extent, before, out))
			return 1;
	}
	return 0;
}

/* Take the extent if it is like that, and from before that time. */
static int take_like(struct fmt_keep_extent *extent, uint64_t like, uint64_t before,
                     struct keep_victim *out)
{
	uint64_t what = like;

	if (atomic_load(&extent->end) >= before ||
	    !atomic_compare_exchange_strong(&extent->what, &what, in_state(like, FMT_KEEP_GOING)))
		return 0;
	tell(extent, like, out);
	return 1;
}

/* Let the hand pass what cannot go now, and gaps. Returns its position. */
static uint64_t pass(const struct keep_ring *ring)
{
	struct fmt_keep *keep = ring->keep;
	struct keep_victim none;
	uint64_t hand;

	for (int i = 0; i < PASSED_AT_ONCE; i++) {
		struct fmt_keep_extent *extent;
		uint64_t what;

		hand = atomic_load(&keep->hand);
		extent = fmt_keep_extent_at(keep, ring->bytes, hand);
		what = atomic_load(&extent->what);
		if (hand >= atomic_load(&keep->next) || fmt_keep_state_of(what) == FMT_KEEP_FULL)
			break;
		if (atomic_compare_exchange_strong(&keep->hand, &hand, hand + 1) &&
		    fmt_keep_state_of(what) == FMT_KEEP_HELD)
			look_at(ring, extent, 0, &none);
	}
	return atomic_load(&keep->hand);
}

int keep_ring_oldest_like(const struct keep_ring *ring, enum fmt_stream stream, uint32_t size,
                          uint64_t before, struct keep_victim *out)
{
	const uint64_t like = fmt_keep_what(FMT_KEEP_FULL, stream, ring->me, size);
	uint64_t hand = is_context(stream) ? UINT64_MAX : pass(ring);
	uint64_t next = atomic_load(&ring->keep->next);
	uint64_t share = next > hand ? (next - hand) / OLDEST_SHARE : 0;
	uint64_t last = hand + (before != UINT64_MAX && share < AGED_LOOKS ? AGED_LOOKS : share);

	for (uint64_t at = hand; at < next && at <= last; at++) {
		struct fmt_keep_extent *extent = fmt_keep_extent_at(ring->keep, ring->bytes, at);

		if (atomic_load(&extent->what) == like && take_like(extent, like, before, out))
			return 1;
	}
	return 0;
}

/* keep.c: room for new extents, and what becomes of the oldest ones. See keep.h. */
#include "libcollector/write/keep.h"

#include "libcollector/base/extend.h"
#include "libcollector/base/file.h"
#include "libcollector/base/lock.h"
#include "libcollector/write/account.h"
#include "libcollector/write/keep_ring.h"
#include "libcollector/write/log.h"

#include "format/fdr.h"

#include <errno.h>

/* Directories, their XML files and what the file system itself needs take room that nobody counts
 * exactly. */
enum { SPARE_SHARE = 16, PROCESS_BYTES = 6 * FDR_PAGE };
enum { EXTENT_SHARE = 8, WRITERS_MORE = 8, STACKS_SHARE = 16 };
enum { YIELDS = 16, TRIES_A_SECOND = 1000 /* while all is in use */ };
enum { MS = 1000000 /* ns */, AGED_AT_ONCE = 4, SWEEPS_A_SECOND = 100 };

enum { STRANGER, MEMBER, OUTSIDER /* the table has no room for the process */ };

static struct keep_ring ring;
static struct col_lock joining;
static atomic_uint standing; /* of this process in the table */
static atomic_uint_fast64_t next_try, next_sweep;

static const char *const names[] = {
#define STREAM(id, name, role) name,
#include "format/datakind.def"
};

static void own_name(char *out)
{
	if (col.descriptor.step.lineage[0])
		strcpy(stpcpy(out, col.descriptor.step.lineage), FMT_EXPERIMENT_SUFFIX);
	else
		strcpy(out, ".");
}

static void join_now(struct fmt_keep *keep)
{
	char name[FMT_KEEP_NAME];

	ring.keep = keep;
	ring.bytes = col.descriptor.keep_bytes;
	own_name(name);
	if (keep_ring_register(&ring, name)) {
		atomic_fetch_add(&keep->bytes, PROCESS_BYTES);
		atomic_store(&standing, MEMBER);
	} else {
		atomic_store(&standing, OUTSIDER);
	}
}

/* One thread does it, the others wait for it: what they wrote meanwhile would not be in the ring.
 */
static unsigned join(struct fmt_keep *keep)
{
	sys_sigset old;

	sys_block_signals(&old);
	if (col_lock_take(&joining) == 0) {
		if (atomic_load(&standing) == STRANGER)
			join_now(keep);
		col_lock_give(&joining);
	}
	sys_sigmask(SIG_SETMASK, &old, NULL);
	return atomic_load(&standing);
}

int keep_is_on(void)
{
	struct fmt_keep *keep = account_keep();
	unsigned now = likely(!keep) ? OUTSIDER : atomic_load(&standing);

	return (now == STRANGER ? join(keep) : now) == MEMBER;
}

/* ---- dropping */

static void advance(_Atomic uint64_t *to, uint64_t value)
{
	uint64_t seen = atomic_load(to);

	while (seen < value && !atomic_compare_exchange_weak(to, &seen, value))
		continue;
}

/* By its path: it may be in a file of another process, which may have ended. */
static int give_back(void *argument)
{
	const struct keep_victim *victim = argument;
	const char *directory = fmt_keep_process_at(ring.keep, victim->process)->name;
	size_t length = strnlen(directory, FMT_KEEP_NAME);
	char name[FMT_KEEP_NAME + 32];
	int founder = col_founder_get(), error, fd, is_ours;
	uint8_t *map = NULL;

	if (founder < 0)
		return -EACCES;
	if (length == 0 || length == FMT_KEEP_NAME || memchr(directory, '/', length)) {
		col_place_done(founder);
		return -EINVAL;
	}
	memcpy(name, directory, length);
	strcpy(stpcpy(name + length, "/"), names[victim->stream]);
	fd = (int)col_file_open(founder, name, O_RDWR | O_NOFOLLOW, 0);
	error = fd < 0 ? fd : -ESTALE;
	/* It is somewhere else by now. */
	if (error == -ENOENT && strncmp(directory, name, length) != 0)
		error = -ESTALE;
	if (fd >= 0 && col_file_is_named(fd, founder, name))
		map = sys_mmap(victim->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, victim->at);
	is_ours = fd >= 0 && col_file_is_named(fd, founder, name);
	if (is_ours)
		sys_close(fd);
	if (map && is_ours)
		error = col_file_give_back(map, victim->size);
	else if (map)
		sys_munmap(map, victim->size);
	col_place_done(founder);
	return error;
}

/* Returns 0, or -errno: it is still there, and another process may be able to. */
static int drop(struct keep_victim *victim)
{
	int error = 0;

	advance(&ring.keep->from, victim->ticks);
	if (victim->at)
		error = col_file_with_free(give_back, victim);
	/* A file that is gone takes no room. */
	if (error != 0 && error != -ENOENT) {
		keep_ring_return(&ring, victim);
		return error;
	}
	atomic_fetch_sub(&ring.keep->bytes, victim->size);
	atomic_fetch_add(&ring.keep->dropped, victim->size);
	keep_ring_leave(&ring, victim->extent);
	return 0;
}

/* ---- room */

static uint64_t most(void)
{
	uint64_t bytes = ring.bytes;

	return bytes ? bytes - bytes / SPARE_SHARE : UINT64_MAX;
}

static int is_dropped_whole(enum fmt_stream stream)
{
	return stream != FMT_STREAM_FUNCTABLE;
}

/* The extent takes the place of one of the oldest of its file, from before that time. That costs
 * less than to give it back and to have another one. Returns 1, or 0: there is none. */
static int use_again(enum fmt_stream stream, uint64_t before, struct keep_room *out)
{
	struct keep_victim victim;

	if (!keep_ring_oldest_like(&ring, stream, out->size, before, &victim))
		return 0;
	out->kept = keep_ring_enter(&ring, stream, victim.size, victim.at);
	if (!out->kept) {
		drop(&victim);
		return 0;
	}
	advance(&ring.keep->from, victim.ticks);
	atomic_fetch_add(&ring.keep->dropped, victim.size);
	keep_ring_leave(&ring, victim.extent);
	out->is_again = 1;
	out->at = victim.at;
	return 1;
}

/* What is older than the time that was asked for is used again. What is twice as old is not needed
 * for that: it goes, in steps. */
static void drop_aged(enum fmt_stream stream, struct keep_room *out)
{
	uint64_t now = col_ticks(), age = col_ticks_of(col.descriptor.keep_ms * MS);
	struct keep_victim victim;

	if (!age || now < 2 * age)
		return;
	use_again(stream, now - age, out);
	for (int i = 0; i < AGED_AT_ONCE && keep_ring_oldest(&ring, now - 2 * age, &victim); i++)
		if (drop(&victim) != 0)
			return;
}

/* Nothing can go. Others may be about to drop something. */
static int wait_for_others(int *waits)
{
	static atomic_uint is_told;

	if ((*waits)++ < YIELDS)
		return (int)SYS0(SYS_sched_yield);
	if (!atomic_exchange(&is_told, 1))
		col_log_warning("--keep: for a moment all room was in use: events are lost");
	atomic_store(&next_try, col_ticks() + col.descriptor.clock_hz / TRIES_A_SECOND);
	return -EDQUOT;
}

/* The whole ring is looked at now and then only, if that shows nothing. */
static int sweep(struct keep_victim *victim)
{
	uint64_t now = col_ticks();

	if (now < atomic_load(&next_sweep))
		return 0;
	if (keep_ring_sweep(&ring, victim))
		return 1;
	atomic_store(&next_sweep, now + col.descriptor.clock_hz / SWEEPS_A_SECOND);
	return 0;
}

/* Have room for what has been counted. */
static int make_room(void)
{
	struct keep_victim victim;
	int waits = 0;

	while (atomic_load(&ring.keep->bytes) > most()) {
		int is_found = keep_ring_oldest(&ring, UINT64_MAX, &victim) || sweep(&victim);
		int is_dropped = is_found && drop(&victim) == 0;

		if (!is_dropped && wait_for_others(&waits) < 0)
			return -EDQUOT;
	}
	return 0;
}

static int find_room(enum fmt_stream stream, uint32_t size, struct keep_room *out)
{
	int error;

	drop_aged(stream, out);
	if (out->is_again ||
	    (atomic_load(&ring.keep->bytes) + size > most() && use_again(stream, UINT64_MAX, out)))
		return 0;
	atomic_fetch_add(&ring.keep->bytes, size);
	out->is_counted = 1;
	error = make_room();
	if (error < 0)
		atomic_fetch_sub(&ring.keep->bytes, size);
	else if (is_dropped_whole(stream))
		out->kept = keep_ring_enter(&ring, stream, size, 0);
	return error;
}

/* No handler may come in the middle: it could jump away, or fork a child that takes what is settled
 * for its own. */
int keep_make_room(enum fmt_stream stream, uint32_t size, struct keep_room *out)
{
	*out = (struct keep_room){.size = size};
	if (likely(!keep_is_on()))
		return 0;
	if (unlikely(col_ticks() < atomic_load(&next_try)))
		return -EDQUOT;
	return find_room(stream, size, out);
}

void keep_settle(const struct keep_room *room, int error, uint64_t at)
{
	struct fmt_keep_extent *extent;

	if (likely(!room->is_counted && !room->is_again))
		return;
	extent = room->kept && keep_ring_is_held(&ring, room->kept)
	                 ? keep_ring_at(&ring, room->kept)
	                 : NULL;
	if (extent && error == 0)
		atomic_store(&extent->at, at);
	if (error == 0)
		return;
	if (room->is_again) { /* it is as full as it was */
		keep_ring_give(&ring, room->kept);
		return;
	}
	if (extent)
		keep_ring_leave(&ring, extent);
	atomic_fetch_sub(&ring.keep->bytes, room->size);
}

void keep_count(uint32_t size)
{
	if (keep_is_on())
		atomic_fetch_add(&ring.keep->bytes, size);
}

uint64_t keep_give(uint32_t kept)
{
	uint64_t at;

	if (!kept || !keep_is_on())
		return 0;
	at = atomic_load(&keep_ring_at(&ring, kept)->at);
	keep_ring_give(&ring, kept);
	return at;
}

void keep_begin_stacks(uint64_t at)
{
	if (keep_is_on())
		atomic_store(&fmt_keep_process_at(ring.keep, ring.me)->stacks, at);
}

/* ---- sizes */

/* Each of those who write has one extent, is about to have another one, and drops a third one
 * meanwhile. */
uint64_t keep_longest(uint64_t most_of)
{
	uint64_t bytes = col.descriptor.keep_bytes, longest, writers;

	if (likely(!bytes) || !keep_is_on())
		return most_of;
	/* A process that was killed in between may have left the count below 0. */
	writers = atomic_load(&ring.keep->writers);
	if (writers > UINT32_MAX)
		writers = 0;
	longest = bytes / EXTENT_SHARE / (writers + WRITERS_MORE);
	return longest < most_of ? longest : most_of;
}

uint64_t keep_most_stacks(uint64_t most_of)
{
	uint64_t bytes = col.descriptor.keep_bytes / STACKS_SHARE;

	return likely(!bytes) || bytes > most_of ? most_of : bytes;
}

static char *name_of_own(void)
{
	return fmt_keep_process_at(ring.keep, ring.me)->name;
}

void keep_begin_rename(void)
{
	if (keep_is_on())
		*(volatile char *)name_of_own() = '\0';
}

/* The first letter comes last. */
void keep_rename(const char *name)
{
	char own[FMT_KEEP_NAME], *at;

	if (!keep_is_on())
		return;
	own_name(own);
	if (!name)
		name = own;
	if (strlen(name) >= FMT_KEEP_NAME)
		return;
	at = name_of_own();
	strcpy(at + 1, name + 1);
	atomic_thread_fence(memory_order_release);
	*(volatile char *)at = name[0];
}

void keep_begin_child(void)
{
	col_lock_give(&joining);
	atomic_store(&standing, STRANGER);
	atomic_store(&next_try, 0);
	atomic_store(&next_sweep, 0);
}

/* generation.c: a table of address ranges with generations. See generation.h.
 *
 * Ranges are in order, and none overlaps another. A new table is written beside the present one,
 * and takes its place as a whole. A reader of a table that is being overwritten sees that, and
 * reads again: this is so only if two tables were written meanwhile.
 *
 * When there are too many ranges, the two that are closest become one, with the addresses between
 * them, and the higher generation. That does no harm: the generation of what stands there grows, as
 * if something had been unloaded, and is still lower than the one that its unloading will have.
 * See doc/decisions/08-object-lookup.md. */
#include "libcollector/object/generation.h"

#include "libcollector/base/lock.h"

enum { RANGES = 256 };

struct range {
	uint64_t start, end;
	uint32_t generation;
};

struct table {
	unsigned count;
	struct range range[RANGES + 2]; /* as many as a change can add */
};

atomic_uint_fast64_t generation_low = UINT64_MAX, generation_high;

static struct table tables[2];
static atomic_uint written; /* tables: the present one is tables[written % 2] */
static atomic_uint begun;   /* tables whose writing has begun */
static struct col_lock lock;

/* ---- reading */

static uint32_t search(const struct table *table, uint64_t address)
{
	unsigned low = 0, high = table->count;

	while (low < high) {
		unsigned middle = (low + high) / 2;

		if (table->range[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < table->count && table->range[low].start <= address
	               ? table->range[low].generation
	               : 0;
}

uint32_t generation_search(uint64_t address)
{
	unsigned now;
	uint32_t found;

	do {
		now = atomic_load_explicit(&written, memory_order_acquire);
		found = search(&tables[now % 2], address);
		atomic_thread_fence(memory_order_acquire);
	} while (atomic_load_explicit(&begun, memory_order_relaxed) - now > 1);
	return found;
}

/* ---- writing, under the lock */

/* Behind the others. If it touches the last one and has its generation, that gets longer. */
static void append(struct table *table, uint64_t start, uint64_t end, uint32_t generation)
{
	struct range *last = table->count > 0 ? &table->range[table->count - 1] : NULL;

	if (start >= end || generation == 0)
		return;
	if (last && last->end == start && last->generation == generation)
		last->end = end;
	else
		table->range[table->count++] = (struct range){start, end, generation};
}

/* Ranges i and i + 1 become one. */
static void join(struct table *table, unsigned i)
{
	struct range *range = &table->range[i];

	range->end = range[1].end;
	if (range[1].generation > range->generation)
		range->generation = range[1].generation;
	table->count--;
	memmove(range + 1, range + 2, (table->count - i - 1) * sizeof(*range));
}

static void join_closest(struct table *table)
{
	uint64_t least = UINT64_MAX;
	unsigned best = 0;

	for (unsigned i = 0; i + 1 < table->count; i++) {
		uint64_t space = table->range[i + 1].start - table->range[i].end;

		if (space < least) {
			least = space;
			best = i;
		}
	}
	join(table, best);
}

/* These are read first. They only move outwards, so a reader sees all addresses of either table. */
static void widen(uint64_t start, uint64_t end)
{
	if (start < atomic_load(&generation_low))
		atomic_store(&generation_low, start);
	if (end > atomic_load(&generation_high))
		atomic_store(&generation_high, end);
}

static void set(uint64_t start, uint64_t end, uint32_t generation)
{
	unsigned now = atomic_load(&written);
	const struct table *old = &tables[now % 2];
	struct table *table = &tables[(now + 1) % 2];
	unsigned i = 0;

	atomic_store(&begun, now + 1);
	atomic_thread_fence(memory_order_seq_cst);
	table->count = 0;
	for (; i < old->count && old->range[i].start < start; i++)
		append(table, old->range[i].start,
		       old->range[i].end < start ? old->range[i].end : start,
		       old->range[i].generation);
	if (i > 0 && old->range[i - 1].end > end)
		i--;
	append(table, start, end, generation);
	for (; i < old->count; i++)
		append(table, old->range[i].start > end ? old->range[i].start : end,
		       old->range[i].end, old->range[i].generation);
	while (table->count > RANGES)
		join_closest(table);
	widen(start, end);
	atomic_store_explicit(&written, now + 1, memory_order_release);
}

static uint32_t highest(uint64_t start, uint64_t end, int *is_uniform)
{
	const struct table *table = &tables[atomic_load(&written) % 2];
	uint64_t covered = 0;
	uint32_t found = 0;

	*is_uniform = 1;
	for (unsigned i = 0; i < table->count; i++) {
		const struct range *range = &table->range[i];
		uint64_t from = range->start > start ? range->start : start,
			 to = range->end < end ? range->end : end;

		if (from >= to)
			continue;
		covered += to - from;
		*is_uniform &= found == 0 || found == range->generation;
		if (range->generation > found)
			found = range->generation;
	}
	*is_uniform &= covered == 0 || covered == end - start;
	return found;
}

/* ---- for others */

uint32_t generation_renew(uint64_t start, uint64_t end)
{
	uint32_t generation;
	sys_sigset old;
	int error;

	sys_block_signals(&old);
	/* In a child that is not recorded, the lock may have been forked while it was held. */
	if (col_is_recording())
		error = col_lock_take(&lock);
	else
		error = col_lock_try(&lock) ? 0 : -EBUSY;
	/* The table first: what a thread has kept of its stack is dropped when the number changes.
	 */
	if (error == 0)
		set(start, end, (uint32_t)atomic_load(&col.generation) + 1);
	generation = (uint32_t)atomic_fetch_add(&col.generation, 1) + 1;
	if (error == 0)
		col_lock_give(&lock);
	sys_sigmask(SIG_SETMASK, &old, NULL);
	return generation;
}

uint32_t generation_unite(uint64_t start, uint64_t end)
{
	uint32_t generation = 0;
	int is_uniform;
	sys_sigset old;

	sys_block_signals(&old);
	if (col_lock_take(&lock) == 0) {
		generation = highest(start, end, &is_uniform);
		if (!is_uniform)
			set(start, end, generation);
		col_lock_give(&lock);
	}
	sys_sigmask(SIG_SETMASK, &old, NULL);
	return generation;
}

void generation_restart(void)
{
	atomic_store(&begun, atomic_load(&written));
	col_lock_give(&lock);
}

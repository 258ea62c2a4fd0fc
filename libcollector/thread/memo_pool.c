/* memo_pool.c: see memo_pool.h. See doc/decisions/93-many-threads.md. */
#include "libcollector/thread/memo_pool.h"

#include "libcollector/base/budget.h"
#include "libcollector/base/lock.h"
#include "libcollector/thread/scope.h"
#include "libcollector/unwind/tree.h"

enum {
	PLACES = 4096,
	BUDGET = 24 << 20, /* bytes; small memos may exceed it while others rest */
	SLAB_FIRST = 16,   /* small memos that are mapped at once */
	SLAB = 128,
	LOOKED_AT = 256,  /* places, in a search for unused memos */
	RESTING_MAX = 64, /* they are not taken away from more threads than need them */
	RESTS_A_SECOND = 10000
};

enum state { EMPTY, FREE, OWNED, RESTING };

/* What there is to know of a memo. */
struct place {
	struct walk_memo *memo;
	struct col_thread *owner; /* or the last one */
	uint64_t since;           /* RESTING: event time */
	uint8_t context;
	uint8_t state; /* enum state */
	uint16_t next; /* in a list: another place, plus 1; 0: none */
};

static struct {
	struct col_lock lock;
	/* under the lock */
	struct place *places; /* places[PLACES], mapped at the first use */
	uint32_t count;       /* of those that were ever used */
	uint16_t free, empty; /* the first one with a free small memo, or without a memo; plus 1 */
	uint32_t hand;        /* the place to look at next for an unused memo */
	uint16_t resting_first, resting_last;
	uint32_t resting_count;
	char *slab; /* the rest of a mapping for small memos */
	uint32_t slab_left;
	size_t size;
} pool;

size_t memo_pool_size(void)
{
	return pool.size;
}

/* ---- memory */

static void *small_memory(void)
{
	size_t size = walk_memo_size(WALK_FRAMES_MIN);
	char *memory;

	if (pool.slab_left == 0) {
		uint32_t count = pool.count < SLAB_FIRST ? SLAB_FIRST : SLAB;

		pool.slab = sys_mmap_apart(count * size);
		if (!pool.slab)
			return NULL;
		pool.slab_left = count;
	}
	memory = pool.slab;
	pool.slab += size;
	pool.slab_left--;
	return memory;
}

static void put_into(uint16_t *list, struct place *place, enum state state)
{
	place->state = (uint8_t)state;
	place->next = *list;
	*list = (uint16_t)(place - pool.places + 1);
}

static struct place *take_from(uint16_t *list)
{
	struct place *place = *list ? &pool.places[*list - 1] : NULL;

	if (place)
		*list = place->next;
	return place;
}

static struct walk_memo *make_memo(uint32_t capacity)
{
	void *memory;

	if (capacity != WALK_FRAMES_MIN)
		return walk_memo_create(capacity);
	memory = small_memory();
	return memory ? walk_memo_make(memory, capacity) : NULL;
}

static struct place *make(uint32_t capacity)
{
	struct place *place = take_from(&pool.empty);

	if (!place && pool.count < PLACES)
		place = &pool.places[pool.count++];
	if (!place)
		return NULL;
	place->memo = make_memo(capacity);
	if (!place->memo) {
		put_into(&pool.empty, place, EMPTY);
		return NULL;
	}
	place->memo->place = (uint32_t)(place - pool.places);
	pool.size += walk_memo_size(capacity);
	return place;
}

/* Nobody uses it. */
static void release(struct place *place)
{
	struct walk_memo *memo = place->memo;

	if (memo->capacity == WALK_FRAMES_MIN) {
		walk_memo_forget(memo);
		put_into(&pool.free, place, FREE);
		return;
	}
	pool.size -= walk_memo_size(memo->capacity);
	walk_memo_destroy(memo);
	put_into(&pool.empty, place, EMPTY);
}

/* ---- memos that nobody uses */

/* Is the thread outside of the recorder, in this context? */
static int is_outside(const struct place *place)
{
	if (place->context == COL_HANDLER)
		return !atomic_load(&place->owner->in_handler);
	return !(__atomic_load_n(&place->owner->scope, __ATOMIC_ACQUIRE) & RECORDING);
}

/* At the end of the list of those that rest. */
static void put_to_rest(struct place *place)
{
	uint16_t number = (uint16_t)(place - pool.places + 1);

	place->state = RESTING;
	place->next = 0;
	if (pool.resting_count++)
		pool.places[pool.resting_last - 1].next = number;
	else
		pool.resting_first = number;
	pool.resting_last = number;
}

/* Take it away from its thread, which then has none. */
static void take_away(struct place *place)
{
	struct walk_memo *memo = place->memo;

	if (!atomic_compare_exchange_strong(&place->owner->memo[place->context], &memo, NULL))
		return;
	place->since = col_ticks();
	put_to_rest(place);
}

/* Find memos that were not used lately. */
static void look_around(void)
{
	for (uint32_t i = 0; i < LOOKED_AT && i < pool.count; i++) {
		struct place *place = &pool.places[pool.hand = (pool.hand + 1) % pool.count];

		if (place->state != OWNED)
			continue;
		if (place->memo->is_used)
			place->memo->is_used = 0;
		else if (pool.resting_count < RESTING_MAX && is_outside(place))
			take_away(place);
	}
}

/* Release those that have rested for long enough, in the order in which they were taken away. */
static void release_rested(void)
{
	for (uint32_t i = pool.resting_count; i > 0; i--) {
		struct place *place = &pool.places[pool.resting_first - 1];

		if (col_ticks() - place->since < col.descriptor.clock_hz / RESTS_A_SECOND)
			return;
		pool.resting_first = place->next;
		pool.resting_count--;
		if (is_outside(place))
			release(place);
		else
			put_to_rest(place);
	}
}

/* ---- for threads */

static struct place *find(uint32_t capacity)
{
	int is_small = capacity == WALK_FRAMES_MIN;
	size_t size = walk_memo_size(capacity);
	struct place *place = is_small ? take_from(&pool.free) : NULL;

	if (place)
		return place;
	if (pool.size + size > BUDGET || pool.count == PLACES) {
		release_rested();
		look_around();
		place = is_small ? take_from(&pool.free) : NULL;
	}
	if (place || (!is_small && pool.size + size > 2 * (size_t)BUDGET))
		return place;
	return make(capacity);
}

static struct walk_memo *take(struct col_thread *thread, enum col_context context,
                              uint32_t capacity)
{
	struct place *place;

	if (!pool.places)
		pool.places = sys_mmap_anonymous(PLACES * sizeof(*pool.places));
	atomic_store_explicit(&tree_watch, memo_pool_walks, memory_order_relaxed);
	place = pool.places ? find(capacity) : NULL;
	if (!place)
		return NULL;
	place->state = OWNED;
	place->owner = thread;
	place->context = (uint8_t)context;
	place->memo->is_used = 1;
	return place->memo;
}

struct walk_memo *memo_pool_take(struct col_thread *thread, enum col_context context,
                                 uint32_t capacity)
{
	struct walk_memo *memo = NULL;
	sys_sigset old;

	sys_block_signals(&old);
	if (col_lock_take(&pool.lock) == 0) {
		memo = take(thread, context, capacity);
		col_lock_give(&pool.lock);
	}
	sys_sigmask(SIG_SETMASK, &old, NULL);
	return memo;
}

void memo_pool_give(struct walk_memo *memo)
{
	sys_sigset old;

	sys_block_signals(&old);
	if (col_lock_take(&pool.lock) == 0) {
		if (pool.places[memo->place].state != RESTING) /* it was not taken away just now */
			release(&pool.places[memo->place]);
		col_lock_give(&pool.lock);
	}
	sys_sigmask(SIG_SETMASK, &old, NULL);
}

int memo_pool_walks(uint32_t tree)
{
	int found = 1;

	if (col_lock_take(&pool.lock) < 0)
		return found;
	found = 0;
	for (uint32_t i = 0; i < pool.count && !found; i++) {
		const struct place *place = &pool.places[i];

		found = (place->state == OWNED || place->state == RESTING) &&
		        __atomic_load_n(&place->memo->tree, __ATOMIC_RELAXED) <= tree &&
		        !is_outside(place);
	}
	col_lock_give(&pool.lock);
	return found;
}

void memo_pool_restart(void)
{
	if (pool.places)
		sys_madvise(pool.places, PLACES * sizeof(*pool.places), MADV_DONTNEED);
	pool.count = pool.hand = pool.resting_count = pool.slab_left = 0;
	pool.free = pool.empty = pool.resting_first = pool.resting_last = 0;
	pool.slab = NULL;
	pool.size = 0;
	col_lock_give(&pool.lock);
}

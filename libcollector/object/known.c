/* known.c: a table of load objects. See known.h.
 *
 * While there are free entries, they are only added, without a lock. After that, new objects get
 * the entries of those that are gone, under a lock. A place in the hash table that leads to an
 * entry with another start address is passed over. When there are many such places, the table is
 * built again; whoever finds nothing meanwhile looks again under the lock. */
#include "libcollector/object/known.h"

#include "libcollector/base/lock.h"

enum { PLACES = 2 * KNOWN_MAX, PASSED_OVER_MAX = KNOWN_MAX / 2 };

struct object known_objects[KNOWN_MAX];

static atomic_uint entry_count;
static _Atomic uint16_t places[PLACES]; /* by start address, number of the entry + 1; 0: none */

/* Under the lock. */
static struct col_lock lock;
static unsigned passed_over; /* places at most */
static unsigned next;        /* where an entry that is gone is looked for first */

unsigned known_count(void)
{
	unsigned count = atomic_load_explicit(&entry_count, memory_order_acquire);

	return count < KNOWN_MAX ? count : KNOWN_MAX;
}

static uint32_t hash(uint64_t start)
{
	return (uint32_t)(start >> 12) * 0x9e3779b1u;
}

/* An entry that nobody finds by its address yet; NULL: there is none left. */
static struct object *new_entry(uint64_t start)
{
	unsigned number = atomic_fetch_add(&entry_count, 1);

	if (number >= KNOWN_MAX) {
		atomic_store(&entry_count, KNOWN_MAX);
		return NULL;
	}
	atomic_store(&known_objects[number].start, start);
	return &known_objects[number];
}

/* ---- when there have been KNOWN_MAX, under the lock */

static struct object *look(uint64_t start)
{
	uint32_t at = hash(start);

	for (int i = 0; i < PLACES; i++, at++) {
		uint16_t number = atomic_load(&places[at % PLACES]);

		if (number == 0)
			return NULL;
		if (atomic_load(&known_objects[number - 1].start) == start)
			return &known_objects[number - 1];
	}
	return NULL;
}

static void put(const struct object *object)
{
	uint32_t at = hash(atomic_load(&object->start));
	uint16_t nobody = 0, number = (uint16_t)(object - known_objects + 1);

	for (int i = 0; i < PLACES; i++, at++, nobody = 0)
		if (atomic_compare_exchange_strong(&places[at % PLACES], &nobody, number))
			return;
}

static void build_again(void)
{
	for (unsigned i = 0; i < PLACES; i++)
		atomic_store(&places[i], 0);
	for (unsigned i = 0; i < KNOWN_MAX; i++)
		if (atomic_load(&known_objects[i].start) != 0)
			put(&known_objects[i]);
	passed_over = 0;
}

/* An entry that is gone, TAKEN now; NULL: all are there. */
static struct object *take_gone(void)
{
	for (unsigned i = 0; i < KNOWN_MAX; i++) {
		struct object *object = &known_objects[next++ % KNOWN_MAX];
		unsigned gone = KNOWN_GONE;

		if (atomic_compare_exchange_strong(&object->gone, &gone, KNOWN_TAKEN))
			return object;
	}
	return NULL;
}

static struct object *give_again(uint64_t start, int *made)
{
	struct object *object = look(start);

	if (object)
		return object;
	object = take_gone();
	if (!object)
		return NULL;
	atomic_store(&object->identity, 0);
	atomic_store(&object->end, 0);
	atomic_store(&object->start, start);
	if (++passed_over > PASSED_OVER_MAX)
		build_again();
	else
		put(object);
	atomic_store(&object->gone, 0);
	*made = 1;
	return object;
}

static struct object *entry_again(uint64_t start, int *made)
{
	struct object *object = NULL;
	sys_sigset old;

	sys_block_signals(&old);
	if (col_lock_take(&lock) == 0) {
		object = give_again(start, made);
		col_lock_give(&lock);
	}
	sys_sigmask(SIG_SETMASK, &old, NULL);
	return object;
}

/* ---- for others */

struct object *known_entry(uint64_t start, int *made)
{
	uint32_t at = hash(start);
	struct object *own = NULL;

	*made = 0;
	for (int i = 0; i < PLACES; i++, at++) {
		_Atomic uint16_t *place = &places[at % PLACES];
		uint16_t number = atomic_load_explicit(place, memory_order_acquire);

		if (number == 0) {
			own = own ? own : new_entry(start);
			if (!own)
				return entry_again(start, made);
			*made = atomic_compare_exchange_strong(place, &number,
			                                       (uint16_t)(own - known_objects + 1));
			if (*made)
				return own;
		}
		if (atomic_load(&known_objects[number - 1].start) != start)
			continue;
		if (own) /* another thread was faster */
			atomic_store(&own->gone, KNOWN_GONE);
		return &known_objects[number - 1];
	}
	return entry_again(start, made);
}

/* Where another thread was giving entries again, what it had done of that is unknown: an entry that
 * is TAKEN belongs to nobody, and some places may be missing. */
void known_restart(void)
{
	int was_held = !col_lock_try(&lock);

	for (unsigned i = 0; was_held && i < known_count(); i++) {
		if (atomic_load(&known_objects[i].gone) != KNOWN_TAKEN)
			continue;
		atomic_store(&known_objects[i].start, 0);
		atomic_store(&known_objects[i].gone, KNOWN_GONE);
	}
	if (was_held)
		build_again();
	col_lock_give(&lock);
}

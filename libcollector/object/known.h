/* known.h: the load objects that map.c knows, by their start address.
 *
 * There is room for 4,096 at a time. An object that is gone leaves its place to others, so a
 * program may load and unload as often as it likes, wherever. */
#ifndef XER_COLLECTOR_KNOWN_H
#define XER_COLLECTOR_KNOWN_H

#include <stdatomic.h>
#include <stdint.h>

enum { KNOWN_MAX = 4096 };
enum { KNOWN_GONE = 1, KNOWN_TAKEN }; /* TAKEN: is being given to another start address */

/* A known object. It is gone after the unloading, and can then be taken again by a CAS. */
struct object {
	atomic_uint_fast64_t start, end; /* start 0: no object; end 0: not known yet */
	atomic_uint_fast64_t identity; /* what tells it from others at its address; 0: not known */
	uint32_t id;
	atomic_uint gone; /* 0, KNOWN_GONE or KNOWN_TAKEN */
};

/* In the order in which they came; a short process touches few pages of them. */
extern struct object known_objects[KNOWN_MAX] __attribute__((visibility("hidden")));

/* How many of them are in use. */
unsigned known_count(void);

static inline int known_is_there(const struct object *object)
{
	return atomic_load(&object->start) != 0 && !atomic_load(&object->gone);
}

/* The entry of that start address. *made: this call has made it. NULL: there is no room.
 * Signal-safe, and without a lock until there have been KNOWN_MAX. */
struct object *known_entry(uint64_t start, int *made);

/* In a forked child: nobody else changes the table. */
void known_restart(void);

#endif

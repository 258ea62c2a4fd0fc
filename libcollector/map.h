/* map.h: the load objects of the process over time, written to map.xml.
 *
 * An object is written when code in it is first seen. A *generation* of the address map ends when objects
 * are unloaded; call-stack nodes carry theirs, so that an address that is used again is never misnamed. */
#ifndef XER_COLLECTOR_MAP_H
#define XER_COLLECTOR_MAP_H

#include <dlfcn.h>

/* Open map.xml and write the objects loaded now. Normal context, at the start. Returns 0 or -errno. */
int map_open(void);

/* Write `found` unless it is known. Signal-safe. */
void map_see(const struct dl_find_object *found);

void map_forget(void);

#endif

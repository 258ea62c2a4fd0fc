/* map.h: the load objects of the process over time, written to map.xml.
 *
 * An object is written when code in it is first seen. When it is unloaded, its addresses get
 * another *generation* (generation.h), which call-stack nodes have too, so that an address that is
 * used again is never misnamed. */
#ifndef XER_COLLECTOR_MAP_H
#define XER_COLLECTOR_MAP_H

#include "libcollector/base/object.h"

#include <stdint.h>

/* Note the objects loaded now. Normal context, at the start. */
void map_open(void);

/* The first call stack is about to be recorded: create map.xml, with all known objects.
 * Signal-safe. */
void map_begin(void);

/* Call take with every known object whose number is above `above`. Returns the highest number there
 * is. Signal-safe. */
uint32_t map_each(uint32_t above, void (*take)(const struct object_found *found));

/* In a forked child: nothing is written yet. Signal-safe. */
void map_restart(void);

/* Path of the executed program, "" if it is not known. Valid from map_open_program on. */
void map_open_program(void);
const char *map_program(void);

/* Write `found` unless it is known. Signal-safe. */
void map_see(const struct object_found *found);

#endif

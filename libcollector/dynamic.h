/* dynamic.h: functions that the program makes while it runs, and announces (collector_func_load). Each is an element
 * of map.xml; its code and its lines are written to the file dyntext. */
#ifndef XER_COLLECTOR_DYNAMIC_H
#define XER_COLLECTOR_DYNAMIC_H

#include "include/collectorAPI.h"

#include <stdint.h>

/* As include/collectorAPI.h tells. Signal-safe; in a process that is not recorded nothing is done. */
void dynamic_load(const char *name, const char *alias, const char *source, const void *code, int size, int line_count,
                  const Lineno *lines);
void dynamic_unload(const void *code);

/* The descriptor of dyntext, made at its first use; -errno, -EBUSY if another thread is just asking. Signal-safe. */
int dynamic_text_fd(void);

/* Take so many bytes of it. Returns their offset. Signal-safe. */
uint64_t dynamic_text_reserve(uint64_t size);

/* Write memory of the program's, which may not be there, to dyntext. Returns 0 and its offset, or -errno. Signal-safe. */
int dynamic_text_write(const void *from, uint64_t size, uint64_t *at);

/* Close dyntext (in a forked child). */
void dynamic_forget(void);

#endif

/* dynamic.h: functions that the program makes while it runs, and announces (collector_func_load). Each is an element
 * of map.xml; its code and its lines are written to the file dyntext. */
#ifndef XER_COLLECTOR_DYNAMIC_H
#define XER_COLLECTOR_DYNAMIC_H

#include "include/collectorAPI.h"

/* As include/collectorAPI.h tells. Signal-safe; in a process that is not recorded nothing is done. */
void dynamic_load(const char *name, const char *alias, const char *source, const void *code, int size, int line_count,
                  const Lineno *lines);
void dynamic_unload(const void *code);

/* Close dyntext (in a forked child). */
void dynamic_forget(void);

#endif

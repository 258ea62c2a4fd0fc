/* loader.h: shows the objects that the loader loads, now and later, to the modules that patch their
 * code. */
#ifndef XER_COLLECTOR_LOADER_H
#define XER_COLLECTOR_LOADER_H

struct link_map;
struct elffile;

/* A module that wants to see them. Constant. */
struct loader_watcher {
	int (*is_wanted)(void); /* does it want to see them now? */
	/* An object, with its file. is_idle: no thread runs in it. */
	void (*see)(const struct link_map *map, const struct elffile *file, int is_idle);
};

/* Begin; is_idle: no other thread runs. Normal context. */
void loader_start(const struct loader_watcher *to, int is_idle);

/* Another recording: all objects are to be looked at again. */
void loader_restart(void);

/* Objects were unloaded. Signal-safe. */
void loader_forget(void);

#endif

/* window.h: parts of data files in memory.
 *
 * A window is one mapping, in which the extents of many threads lie one after the other; so the
 * number of mappings does not grow with that of the threads. It is unmapped when none of its
 * extents is in use, and no more of them will be. */
#ifndef XER_COLLECTOR_WINDOW_H
#define XER_COLLECTOR_WINDOW_H

#include "libcollector/base/collector.h"
#include "libcollector/base/file.h"

struct window {
	_Atomic(uint8_t *) map; /* NULL: there is none, and another one may be here */
	size_t size;            /* of the mapping, set before `map` */
	uint64_t at;            /* where it is in the file */
	enum fmt_stream stream;
	atomic_uint users; /* extents in use, and the stream while it takes extents from here */
	atomic_uint is_taken;
	struct window *next; /* of all */
};

/* Map [at, at + size) of the file `name` of a stream, which may end before that; `at` is a multiple
 * of the page size. The caller is its first user, and has the lock of the stream. NULL if that
 * fails, with -errno in *error. Signal-safe. */
struct window *window_open(enum fmt_stream stream, struct col_file *file, const char *name,
                           uint64_t at, size_t size, int *error);

/* One more user, while there is another one. Signal-safe. */
static inline void window_hold(struct window *window)
{
	atomic_fetch_add(&window->users, 1);
}

/* One user less; with the last one, the window is unmapped. Signal-safe. */
void window_let_go(struct window *window);

/* The memory of offset `at` of the file, which is in the window. */
static inline uint8_t *window_memory(const struct window *window, uint64_t at)
{
	return atomic_load_explicit(&window->map, memory_order_relaxed) + (at - window->at);
}

static inline int window_has(const struct window *window, uint64_t at, size_t size)
{
	return at >= window->at && at + size <= window->at + window->size;
}

/* The pages of [at, at + size) of the file that are in the window need not stay in memory: what was
 * written is in the file, and who writes there again gets them back. Signal-safe. */
void window_drop(const struct window *window, uint64_t at, uint64_t size);

/* madvise(2) for the mapping. Signal-safe. */
void window_advise(const struct window *window, int advice);

/* The window that an address is in, NULL: none. Another thread may unmap it at any time, unless the
 * caller knows a user. Signal-safe. */
struct window *window_find(uintptr_t address);

/* In a forked child, which has not inherited them: there are none. Signal-safe. */
void windows_forget(void);

#endif

/* window.c: map and unmap parts of data files. See window.h. */
#include "libcollector/write/window.h"

#include "libcollector/base/extend.h"
#include "libcollector/base/memory.h"

#include <errno.h>

enum { FIRST = 32, MORE = SYS_PAGE / sizeof(struct window) };

/* Descriptions are never freed: they serve one window after the other. */
static struct window first[FIRST];
static _Atomic(struct window *) all;

static void add(struct window *windows, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		windows[i].next = atomic_load(&all);
		while (!atomic_compare_exchange_weak(&all, &windows[i].next, &windows[i]))
			continue;
	}
}

static struct window *find_free(void)
{
	for (struct window *window = atomic_load(&all); window; window = window->next) {
		unsigned taken = 0;

		if (!atomic_load_explicit(&window->is_taken, memory_order_relaxed) &&
		    atomic_compare_exchange_strong(&window->is_taken, &taken, 1))
			return window;
	}
	return NULL;
}

static struct window *take(void)
{
	static atomic_uint is_begun;
	struct window *window, *more;

	if (!atomic_exchange(&is_begun, 1))
		add(first, FIRST);
	window = find_free();
	if (window)
		return window;
	more = sys_mmap_anonymous(MORE * sizeof(*more));
	if (!more)
		return NULL;
	more[0].is_taken = 1;
	add(more, MORE);
	return &more[0];
}

struct window *window_open(enum fmt_stream stream, struct col_file *file, const char *name,
                           uint64_t at, size_t size, int *error)
{
	struct window *window = take();
	uint8_t *map;

	*error = -ENOMEM;
	if (!window)
		return NULL;
	map = col_file_map(file, name, NULL, at, size, error);
	if (!map) {
		atomic_store(&window->is_taken, 0);
		return NULL;
	}
	memory_keep_apart(map, size);
	window->stream = stream;
	window->at = at;
	window->size = size;
	atomic_store(&window->users, 1);
	atomic_store_explicit(&window->map, map, memory_order_release);
	return window;
}

void window_let_go(struct window *window)
{
	uint8_t *map;

	if (atomic_fetch_sub(&window->users, 1) != 1)
		return;
	map = atomic_exchange(&window->map, NULL);
	if (map)
		sys_munmap(map, window->size);
	atomic_store(&window->is_taken, 0);
}

void window_drop(const struct window *window, uint64_t at, uint64_t size)
{
	uint64_t start = at > window->at ? at : window->at, end = at + size;

	if (end > window->at + window->size)
		end = window->at + window->size;
	if (start < end)
		sys_madvise(window_memory(window, start), end - start, MADV_DONTNEED);
}

void window_advise(const struct window *window, int advice)
{
	sys_madvise(atomic_load(&window->map), window->size, advice);
}

struct window *window_find(uintptr_t address)
{
	for (struct window *window = atomic_load(&all); window; window = window->next) {
		uint8_t *map = atomic_load_explicit(&window->map, memory_order_acquire);

		if (map && address - (uintptr_t)map < window->size)
			return window;
	}
	return NULL;
}

void windows_forget(void)
{
	for (struct window *window = atomic_load(&all); window; window = window->next) {
		atomic_store(&window->map, NULL);
		atomic_store(&window->users, 0);
		atomic_store(&window->is_taken, 0);
	}
}

/* loader.c: look at all objects, now and whenever the loader has mapped some. See loader.h.
 *
 * Objects that are loaded later are noticed by a jump in the function of the loader that exists for
 * debuggers to stop in. It is called before the objects are relocated.
 * See doc/decisions/25-function-tracing.md. */
#include "libcollector/object/loader.h"

#include "libcollector/base/object.h"
#include "libcollector/object/code.h"
#include "libcollector/object/elffile.h"
#include "libcollector/write/log.h"

#include <link.h>
#include <stdatomic.h>

enum { OBJECTS = 1024 };

/* Objects that were looked at, by the addresses of their dynamic sections; 0: one that was
 * unloaded. If there are more, they are looked at again. */
static uint64_t seen[OBJECTS];
static unsigned seen_count;
static const struct loader_watcher *watcher;
static atomic_uint busy;

static int is_seen(uint64_t object)
{
	unsigned i = 0;

	while (i < seen_count && seen[i] != object)
		i++;
	return i < seen_count;
}

static void note(uint64_t object)
{
	unsigned i = 0;

	while (i < seen_count && seen[i] != 0)
		i++;
	if (i == OBJECTS)
		return;
	seen[i] = object;
	seen_count += i == seen_count;
}

void loader_restart(void)
{
	seen_count = 0;
}

void loader_forget(void)
{
	struct object_found found;

	for (unsigned i = 0; i < seen_count; i++)
		if (seen[i] && object_find((uintptr_t)seen[i], &found) != 0)
			seen[i] = 0;
}

/* is_idle: no thread runs in it. */
static void see_object(const struct link_map *map, int is_idle)
{
	const char *path = map == _r_debug.r_map ? "/proc/self/exe" : map->l_name;
	struct elffile file;

	if (is_seen((uint64_t)map->l_ld))
		return;
	note((uint64_t)map->l_ld);
	if (elffile_map(path, &file) < 0)
		return;
	watcher->see(map, &file, is_idle);
	elffile_unmap(&file);
}

static void see_all(int is_idle)
{
	if (atomic_exchange(&busy, 1))
		return;
	if (code_begin() == 0) {
		for (const struct link_map *map = _r_debug.r_map; map; map = map->l_next)
			see_object(map, is_idle);
		code_end();
	}
	atomic_store(&busy, 0);
}

/* The loader has loaded something, or is about to. */
static void on_load(void)
{
	if (watcher->is_wanted() && _r_debug.r_state == RT_CONSISTENT)
		see_all(1);
}

/* The loader calls an empty function of its own whenever it has changed something. */
static void watch(void)
{
	static int is_watched;
	const uint8_t *code = (const uint8_t *)_r_debug.r_brk;
	struct arch_jump jump;

	if (is_watched || !code)
		return;
	if (arch_jump_of_empty(code, (uint64_t)(uintptr_t)on_load, &jump) < 0 || code_begin() < 0 ||
	    code_write(jump.at + 1, jump.code + 1, sizeof(jump.code) - 1) < 0 ||
	    code_write(jump.at, jump.code, 1) < 0)
		col_log_warning("function tracing: objects that are loaded later are not seen");
	code_end();
	is_watched = 1;
}

void loader_start(const struct loader_watcher *to, int is_idle)
{
	watcher = to;
	see_all(is_idle);
	watch();
}

/* loader.c: look at all objects, now and whenever the loader has mapped some. See loader.h.
 *
 * Objects loaded later are noticed by a jump in the function of the loader that is there for
 * debuggers to stop in. That comes before they are relocated.
 * See doc/decisions/25-function-tracing.md. */
#include "libcollector/object/loader.h"

#include "libcollector/object/code.h"
#include "libcollector/object/elffile.h"
#include "libcollector/calls/entries.h"
#include "libcollector/calls/functrace.h"
#include "libcollector/calls/functrace_choice.h"
#include "libcollector/write/log.h"
#include "libcollector/calls/sleds.h"
#include "libcollector/thread/thread.h"

#include <dlfcn.h>
#include <link.h>

enum { OBJECTS = 1024 };

/* Objects that were looked at, by the addresses of their dynamic sections; 0: one that is gone.
 * More than that are looked at again. */
static uint64_t seen[OBJECTS];
static unsigned seen_count;
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
	struct dl_find_object found;

	for (unsigned i = 0; i < seen_count; i++)
		if (seen[i] && _dl_find_object((void *)seen[i], &found) != 0)
			seen[i] = 0;
}

static int is_alone(void)
{
	unsigned count = 0;

	for (const struct col_thread *thread = thread_first(); thread; thread = thread->next)
		count += atomic_load_explicit(&thread->tid, memory_order_relaxed) != 0;
	return count <= 1;
}

/* is_idle: no thread runs in it. */
static void see_object(const struct link_map *map, int is_idle)
{
	const char *path = map == _r_debug.r_map ? "/proc/self/exe" : map->l_name;
	struct elffile file;
	uint64_t start, end;

	if (is_seen((uint64_t)map->l_ld))
		return;
	note((uint64_t)map->l_ld);
	if (elffile_map(path, &file) < 0)
		return;
	if (elffile_range(&file, &start, &end) == 0)
		choice_see(map, map->l_addr + start, map->l_addr + end);
	sleds_see(&file, map->l_addr);
	entries_see(&file, map->l_addr, is_idle);
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

/* The loader is there: it has loaded something, or is about to. */
static void on_load(void)
{
	if (functrace_is_wanted() && _r_debug.r_state == RT_CONSISTENT)
		see_all(1);
}

/* The function is empty: at most endbr64, then a return, and room until the next function begins.
 */
static void watch(void)
{
	static const uint8_t mark[4] = {0xf3, 0x0f, 0x1e, 0xfa};
	static const uint8_t fillers[] = {0x0f, 0x2e, 0x66, 0x90, 0xcc};
	static int is_watched;
	const uint8_t *code = (const uint8_t *)_r_debug.r_brk;
	uint8_t jump[5] = {0xe9};
	int64_t distance;
	int32_t relative;

	if (is_watched || !code)
		return;
	code += memcmp(code, mark, sizeof(mark)) == 0 ? sizeof(mark) : 0;
	distance = (int64_t)((uint64_t)(uintptr_t)on_load -
	                     ((uint64_t)(uintptr_t)code + sizeof(jump)));
	relative = (int32_t)distance;
	memcpy(jump + 1, &relative, sizeof(relative));
	if (code[0] != 0xc3 || !memchr(fillers, code[1], sizeof(fillers)) ||
	    ((uintptr_t)code & 15) > 11 || relative != distance || code_begin() < 0 ||
	    code_write((uint64_t)(uintptr_t)code + 1, jump + 1, 4) < 0 ||
	    code_write((uint64_t)(uintptr_t)code, jump, 1) < 0)
		col_log_warning("function tracing: objects that are loaded later are not seen");
	code_end();
	is_watched = 1;
}

void loader_start(void)
{
	see_all(is_alone());
	watch();
}

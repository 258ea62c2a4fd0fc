/* functrace.c: begins and ends function tracing: patches the code of the program, and numbers and
 * names its functions. Records are written by functrace_write.c.
 * See doc/decisions/25-function-tracing.md. */
#include "libcollector/calls/functrace.h"

#include "libcollector/calls/entries.h"
#include "libcollector/calls/functrace_choice.h"
#include "libcollector/calls/functrace_limits.h"
#include "libcollector/calls/functrace_number.h"
#include "libcollector/calls/functrace_record.h"
#include "libcollector/calls/functrace_write.h"
#include "libcollector/calls/returns.h"
#include "libcollector/base/object.h"
#include "libcollector/calls/sleds.h"
#include "libcollector/object/map.h"
#include "libcollector/object/loader.h"

#include <errno.h>
#include <link.h>

enum { PAGE = 4096 };

static int named_pid, is_open;
static unsigned mode; /* enum functrace_mode, when it is on */

static void name_all(void)
{
	number_name_all();
	sleds_name_all();
}

static int is_wanted(void)
{
	return col.is_recorded && is_open;
}

static void see_object(const struct link_map *map, const struct elffile *file, int is_idle)
{
	struct object_found found;
	uint64_t start, end;
	int is_known = elffile_range(file, &start, &end) == 0;

	if (is_known)
		choice_see(map, map->l_addr + start, map->l_addr + end);
	sleds_see(file, map->l_addr);
	entries_see(file, map->l_addr, is_idle);
	/* While the loader is at work, the C library cannot tell the object of an address. */
	if (is_known && object_find((uintptr_t)map->l_ld, &found) != 0) {
		found = (struct object_found){.link = (struct link_map *)(uintptr_t)map};
		found.start = (map->l_addr + start) & ~(uintptr_t)(PAGE - 1);
		found.end = map->l_addr + end;
		map_see(&found);
	}
}

static int is_alone(void)
{
	unsigned count = 0;

	for (const struct col_thread *thread = thread_first(); thread; thread = thread->next)
		count += atomic_load_explicit(&thread->tid, memory_order_relaxed) != 0;
	return count <= 1;
}

void functrace_open(void)
{
	static const struct loader_watcher watcher = {is_wanted, see_object};
	int has_ticks = col.descriptor.clock_is_tsc && arch_has_ticks_cpu();

	writers_prepare(has_ticks, name_all);
	mode = limits_start(has_ticks) ? FUNCTRACE_LIMITED : FUNCTRACE_ALL;
	if (number_start() < 0) {
		col_stream_stop(FMT_STREAM_FUNCTRACE, -ENOMEM);
		return;
	}
	returns_start(returns_trampoline);
	is_open = 1;
	loader_start(&watcher, is_alone());
}

void functrace_start(void)
{
	if (!is_open)
		return;
	writers_start(named_pid && named_pid != col.pid);
	named_pid = col.pid;
	atomic_store(&col.switches->on[SOURCE_FUNCTRACE], mode);
}

void functrace_restart(void)
{
	is_open = named_pid = 0;
	writers_restart();
	loader_restart();
	number_restart();
	choice_restart();
}

void functrace_end(void)
{
	if (is_open)
		sleds_restore();
}

void functrace_count(void)
{
	writers_count();
	sleds_look();
}

void functrace_unload(void)
{
	choice_forget();
	number_forget();
	loader_forget();
	sleds_forget();
}

/* Objects that are loaded now or later. */
#include "libcollector/object/loader.h"
#include "libcollector/object/elffile.h"
#include "tests/unit/libcollector/scratch.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <link.h>
#include <string.h>

static int count, libcs, programs, later, idle;

static int wants(void)
{
	return 0;
}

static void see(const struct link_map *map, const struct elffile *file, int is_idle)
{
	cr_assert_gt(file->size, sizeof(Elf64_Ehdr));
	cr_assert_eq(memcmp(file->at, ELFMAG, SELFMAG), 0);
	count++;
	programs += map == _r_debug.r_map;
	libcs += strstr(map->l_name, "libc.so.6") != NULL;
	later += strstr(map->l_name, "callers.so") != NULL;
	idle += is_idle;
}

static const struct loader_watcher watcher = {wants, see};

TestSuite(loader, .init = scratch_open, .fini = scratch_remove);

Test(loader, all_objects_are_shown_once)
{
	int all;

	loader_start(&watcher, 0);
	cr_assert_gt(count, 3);
	cr_assert(programs == 1 && libcs == 1 && later == 0 && idle == 0);
	all = count;
	loader_start(&watcher, 1);
	cr_assert_eq(count, all);
	loader_restart();
	loader_start(&watcher, 1);
	cr_assert_eq(count, 2 * all);
	cr_assert_eq(idle, all);
}

/* The program may be too far from the loader for a jump, as with address space randomization; the
 * recorder's library is near it. */
Test(loader, whoever_looks_again_sees_what_came_later)
{
	void *library;

	loader_start(&watcher, 0);
	library = scratch_load("callers.so", RTLD_NOW);
	loader_start(&watcher, 1);
	cr_assert(later == 1 && idle == 1);
	loader_forget();
	loader_start(&watcher, 1);
	cr_assert_eq(later, 1, "it is there still");
	dlclose(library);
	loader_forget();
	scratch_load("callers.so", RTLD_NOW);
	loader_start(&watcher, 1);
	cr_assert(later == 2 && idle == 2, "it was gone");
	cr_assert_leq(scratch_count("log.xml", "objects that are loaded later are not seen"), 1);
}

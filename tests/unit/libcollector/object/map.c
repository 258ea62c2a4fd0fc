/* map.xml of this process: each object once, as the loader and the files have it. */
#include "libcollector/object/map.h"
#include "tests/unit/libcollector/scratch.h"

#include "libcollector/base/collector.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void setup(void)
{
	scratch_open();
	map_open_program();
}

TestSuite(map, .init = setup, .fini = scratch_remove);

static char *text;

static void load(void)
{
	size_t len;

	free(text);
	text = scratch_read("map.xml", &len);
	cr_assert(text != NULL);
}

static int count(const char *what)
{
	int found = 0;

	for (const char *at = text; (at = strstr(at, what)) != NULL; at++)
		found++;
	return found;
}

/* The value of an attribute of the object with that path, in value[64]; 0: there is no such
 * object. */
static int attribute(const char *path, const char *name, char *value)
{
	char wanted[PATH_MAX + 16];
	const char *at, *end, *start;

	snprintf(wanted, sizeof(wanted), " path=\"%s\"", path);
	at = strstr(text, wanted);
	if (!at)
		return 0;
	while (*at != '<')
		at--;
	end = strchr(at, '>');
	snprintf(wanted, sizeof(wanted), " %s=\"", name);
	start = strstr(at, wanted);
	cr_assert(start != NULL && start < end, "%s of %s", name, path);
	start += strlen(wanted);
	snprintf(value, 64, "%.*s", (int)strcspn(start, "\""), start);
	return 1;
}

static struct object_found object_of(const void *address)
{
	struct object_found found;

	cr_assert_eq(object_find((uintptr_t)address, &found), 0);
	return found;
}

Test(map, nothing_is_written_before_it_is_wanted)
{
	map_open();
	load();
	cr_assert_eq(count("<object"), 0);
	map_begin();
	load();
	cr_assert_gt(count("<object"), 3);
}

Test(map, an_object_is_written_once_with_its_place)
{
	struct object_found libc = object_of((const void *)(uintptr_t)&qsort);
	char value[64], wanted[32];
	int objects;

	map_begin();
	map_see(&libc);
	map_see(&libc);
	load();
	cr_assert_eq(count("<object"), 1);
	cr_assert_eq(attribute(libc.link->l_name, "id", value), 1);
	cr_assert_str_eq(value, "1");
	attribute(libc.link->l_name, "start", value);
	cr_assert_eq(strtoull(value, NULL, 0), libc.start);
	attribute(libc.link->l_name, "end", value);
	cr_assert_eq(strtoull(value, NULL, 0), libc.end);
	attribute(libc.link->l_name, "bias", value);
	cr_assert_eq(strtoull(value, NULL, 0), libc.link->l_addr);
	attribute(libc.link->l_name, "generation", value);
	cr_assert_str_eq(value, "0");
	snprintf(wanted, sizeof(wanted), " vaddr=\"0x");
	objects = count(wanted);
	cr_assert_geq(objects, 2, "segments");
	map_open();
	load();
	cr_assert_gt(count("<object"), 3, "the others");
	cr_assert_eq(attribute(libc.link->l_name, "id", value), 1);
	cr_assert_str_eq(value, "1", "which has its number still");
}

/* As in the program that is installed everywhere. */
Test(map, build_ids_are_those_of_the_files)
{
	char command[PATH_MAX + 80], expected[80] = "", value[64], path[PATH_MAX] = "";
	FILE *pipe;

	map_open();
	map_begin();
	load();
	cr_assert_gt(readlink("/proc/self/exe", path, sizeof(path) - 1), 0);
	cr_assert_str_eq(map_program(), path);
	cr_assert(attribute(path, "build_id", value));
	snprintf(command, sizeof(command), "readelf -nW '%s' | sed -n 's/.*Build ID: //p'", path);
	pipe = popen(command, "r");
	cr_assert(pipe && fgets(expected, sizeof(expected), pipe));
	pclose(pipe);
	expected[strcspn(expected, "\n")] = '\0';
	cr_assert_str_eq(value, expected);
	cr_assert(attribute("[vdso]", "build_id", value));
}

static uint64_t starts[256];
static int start_count;

static void take(const struct object_found *found)
{
	if (start_count < 256)
		starts[start_count++] = found->start;
}

Test(map, objects_are_told_one_after_the_other)
{
	struct object_found libc = object_of((const void *)(uintptr_t)&qsort),
			    own = object_of((const void *)(uintptr_t)&take);
	uint32_t highest;

	map_begin();
	map_see(&libc);
	highest = map_each(0, take);
	cr_assert_eq(highest, 1);
	cr_assert_eq(start_count, 1);
	cr_assert_eq(starts[0], libc.start);
	map_see(&own);
	cr_assert_eq(map_each(highest, take), 2);
	cr_assert_eq(start_count, 2, "the new one alone");
	cr_assert_eq(starts[1], own.start);
	cr_assert_eq(map_each(2, take), 2);
	cr_assert_eq(start_count, 2);
}

Test(map, an_object_that_was_unloaded_meanwhile_is_left_out)
{
	struct object_found libc = object_of((const void *)(uintptr_t)&qsort), gone = libc;
	void *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	cr_assert_neq(page, MAP_FAILED);
	munmap(page, 4096);
	gone.start = (uintptr_t)page;
	map_begin();
	map_see(&gone);
	map_see(&libc);
	load();
	cr_assert_eq(count("<object"), 1);
}

/* A library that this program has not loaded. */
Test(map, an_object_that_goes_ends_a_generation)
{
	static const char *const names[] = {"libbfd.so", "libanl.so.1", "libnss_compat.so.2",
	                                    "libthread_db.so.1", "libBrokenLocale.so.1"};
	char path[PATH_MAX], value[64], wanted[128];
	struct link_map *map = NULL;
	void *handle = NULL;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !handle; i++)
		if (!dlopen(names[i], RTLD_NOW | RTLD_NOLOAD))
			handle = dlopen(names[i], RTLD_NOW);
	cr_assert(handle != NULL, "no library to load");
	cr_assert_eq(dlinfo(handle, RTLD_DI_LINKMAP, &map), 0);
	snprintf(path, sizeof(path), "%s", map->l_name);
	map_open();
	map_begin();
	load();
	cr_assert(attribute(path, "id", value));
	cr_assert_eq(count("<unload"), 0);
	cr_assert_eq(dlclose(handle), 0);
	cr_assert_eq(atomic_load(&col.generation), 1);
	load();
	cr_assert_eq(count("<unload"), 1);
	snprintf(wanted, sizeof(wanted), "<unload id=\"%s\" generation=\"1\"", value);
	cr_assert_eq(count(wanted), 1);
	cr_assert_eq(dlclose(dlopen("libc.so.6", RTLD_NOW)), 0);
	cr_assert_eq(atomic_load(&col.generation), 1, "nothing was unloaded");
}

Test(map, what_comes_back_is_another_object)
{
	struct object_found libc = object_of((const void *)(uintptr_t)&qsort);
	char value[64];

	map_see(&libc);
	map_restart();
	map_begin();
	load();
	cr_assert_eq(count("<object"), 1, "known before, written now");
	attribute(libc.link->l_name, "id", value);
	cr_assert_str_eq(value, "2");
}

/* Files that a program writes for perf(1), and their elements in log.xml. */
#include "libcollector/jit/perf.h"
#include "tests/unit/libcollector/scratch.h"

#include "libcollector/base/collector.h"
#include "libcollector/base/file.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char map_path[64];

static void setup(void)
{
	scratch_open();
	snprintf(map_path, sizeof(map_path), "/tmp/perf-%d.map", (int)getpid());
	unlink(map_path);
}

static void done(void)
{
	unlink(map_path);
	scratch_remove();
}

TestSuite(perf, .init = setup, .fini = done);

static void append(const char *path, const char *text)
{
	FILE *file = fopen(path, "a");

	cr_assert_not_null(file);
	fputs(text, file);
	fclose(file);
}

static void look(void)
{
	perf_sample(NULL, COL_NORMAL);
}

Test(perf, the_map_is_told_of_when_it_has_grown)
{
	look();
	cr_assert_eq(scratch_count("log.xml", "kind=\"perf_map\""), 0);
	append(map_path, "12345678\n");
	look();
	cr_assert_eq(scratch_count("log.xml", " bytes=\"9\" before=\""), 1);
	look();
	cr_assert_eq(scratch_count("log.xml", "kind=\"perf_map\""), 1);
	append(map_path, "more\n");
	look();
	cr_assert_eq(scratch_count("log.xml", " bytes=\"14\" before=\""), 1);
	cr_assert_eq(scratch_count("log.xml", "kind=\"perf_map\""), 2);
	perf_forget();
	look();
	cr_assert_eq(scratch_count("log.xml", " bytes=\"14\"/>"), 1, "the first look");
}

Test(perf, a_map_that_is_no_file_is_none)
{
	cr_assert_eq(symlink("/etc/passwd", map_path), 0);
	look();
	cr_assert_eq(scratch_count("log.xml", "kind=\"perf_map\""), 0);
}

static void map(const char *name)
{
	int fd = openat(col_directory_get(), name, O_CREAT | O_RDWR, 0600);

	cr_assert_geq(fd, 0);
	perf_mapped(fd);
	close(fd);
}

static int dumps(void)
{
	return scratch_count("log.xml", "kind=\"jitdump\"");
}

Test(perf, jitdump_files_are_known_by_their_names)
{
	static const char *const others[] = {"jit-.dump", "jit-12.dum", "it-12.dump",
	                                     "jit-12.dumpx", "jit_12.dump"};
	char wanted[PATH_MAX + 64];

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		map(others[i]);
	cr_assert_eq(dumps(), 0);
	map("jit-1.dump");
	snprintf(wanted, sizeof(wanted), " path=\"%s/jit-1.dump\"/>", col.descriptor.directory);
	cr_assert_eq(scratch_count("log.xml", wanted), 1);
	perf_mapped(-1);
	perf_mapped(100000);
	col.pid++;
	map("jit-2.dump");
	cr_assert_eq(dumps(), 1, "of a child");
}

Test(perf, eight_jitdump_files_are_told_of)
{
	char name[32];

	for (int i = 0; i < 10; i++) {
		snprintf(name, sizeof(name), "jit-%d.dump", i);
		map(name);
	}
	cr_assert_eq(dumps(), 8);
	perf_forget();
	map("jit-9.dump");
	cr_assert_eq(dumps(), 9);
}

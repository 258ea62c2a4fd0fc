/* Tests of collect/experiment/remove.c: only an experiment that is over is deleted, and nothing
 * outside it. */
#include "collect/experiment/remove.h"

#include "tests/unit/collect/scratch.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

TestSuite(remove, .init = scratch_enter, .fini = scratch_leave);

static int exists(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

static void make(const char *name)
{
	cr_assert_eq(mkdir(name, 0755), 0);
	cr_assert_eq(chdir(name), 0);
	cr_assert_eq(mkdir("archives", 0755), 0);
	scratch_put("archives/kept", "a", 1, 0644);
	cr_assert_eq(symlink("../../outside", "archives/link"), 0);
	cr_assert_eq(symlink("../directory", "to_directory"), 0);
	cr_assert_eq(chdir(".."), 0);
}

static void make_outside(void)
{
	scratch_put("outside", "a", 1, 0644);
	cr_assert_eq(mkdir("directory", 0755), 0);
	scratch_put("directory/file", "a", 1, 0644);
}

Test(remove, what_links_lead_to_stays)
{
	make_outside();
	make("x.er");
	scratch_put("x.er/log.xml", "<r/>", 4, 0644);
	cr_expect_eq(remove_experiment("x.er"), 0);
	cr_expect_not(exists("x.er"));
	cr_expect(exists("outside") && exists("directory/file"));
}

/* Somebody else may have made a directory whose log.xml is something else. */
Test(remove, a_log_that_is_no_file_is_refused)
{
	make_outside();
	make("x.er");
	cr_expect_eq(remove_experiment("x.er"), -EINVAL, "no log");
	cr_assert_eq(symlink("../outside", "x.er/log.xml"), 0);
	cr_expect_eq(remove_experiment("x.er"), -ELOOP, "a link to a file");
	cr_assert_eq(unlink("x.er/log.xml"), 0);
	cr_assert_eq(mkdir("x.er/log.xml", 0755), 0);
	cr_expect_eq(remove_experiment("x.er"), -EISDIR, "a directory");
	cr_assert_eq(rmdir("x.er/log.xml"), 0);
	cr_expect(exists("x.er/archives/kept") && exists("x.er/archives/link") &&
	          exists("x.er/to_directory"));
	cr_expect(exists("outside") && exists("directory/file"));
}

Test(remove, a_link_to_an_experiment_is_refused)
{
	make_outside();
	make("x.er");
	scratch_put("x.er/log.xml", "<r/>", 4, 0644);
	cr_assert_eq(symlink("x.er", "link.er"), 0);
	cr_expect_lt(remove_experiment("link.er"), 0);
	cr_expect(exists("link.er") && exists("x.er/log.xml") && exists("x.er/archives/kept"));
}

/* experiment.c: tests of naming, making and overwriting experiment directories. */
#include "collect/experiment/experiment.h"
#include "collect/experiment/remove.h"

#include "tests/unit/collect/scratch.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

TestSuite(experiment, .init = scratch_enter, .fini = scratch_leave);

static struct experiment_directory made;
static struct cause cause;

static int create(const char *output, const char *directory, int overwrite)
{
	struct request request = {.output = output, .directory = directory, .overwrite = overwrite};
	int status = experiment_create(&request, &made, &cause);

	if (status == 0)
		experiment_close(&made);
	return status;
}

static int exists(const char *path)
{
	return access(path, F_OK) == 0;
}

Test(experiment, default_names_count_up)
{
	cr_assert(create(NULL, NULL, 0) == 0);
	cr_assert_str_eq(made.name, "test.1.er");
	cr_assert(made.path[0] == '/' && exists("test.1.er/archives"));
	cr_assert(create(NULL, NULL, 0) == 0);
	cr_assert_str_eq(made.name, "test.2.er");
}

Test(experiment, counted_names_go_on_and_others_do_not)
{
	cr_assert(create("a.7.er", NULL, 0) == 0);
	cr_assert(create("a.7.er", NULL, 0) == 0);
	cr_assert_str_eq(made.name, "a.8.er");
	cr_assert(create("b.er", NULL, 0) == 0);
	cr_assert(create("b.er", NULL, 0) == 125);
	cr_assert(create("12.er", NULL, 0) == 0);
	cr_assert(create("12.er", NULL, 0) == 125, "a number alone has no stem");
	cr_assert(create("c.er/", NULL, 0) == 0, "slashes at the end are dropped");
	cr_assert(exists("c.er"));
}

Test(experiment, bad_names_are_refused)
{
	static const char *const bad[] = {"x", "x.erg", ".er", "d/.er", "er", "x.er.txt"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		cr_assert(create(bad[i], NULL, 0) == 125, "%s", bad[i]);
	cr_assert(create("nowhere/x.er", NULL, 0) == 125);
	cr_assert(create(NULL, "nowhere", 0) == 125);
	cr_assert(create("/tmp/x.er", ".", 0) == 125);
}

Test(experiment, directory_option)
{
	mkdir("d", 0755);
	cr_assert(create("x.er", "d", 0) == 0);
	cr_assert(exists("d/x.er"));
	cr_assert(create(NULL, "d", 0) == 0);
	cr_assert(exists("d/test.1.er"));
}

Test(experiment, slashes_behind_its_name_are_left_out)
{
	mkdir("d", 0755);
	cr_assert(create("x.er///", "d", 0) == 0);
	cr_assert(exists("d/x.er"));
	cr_assert(create("y.er/", NULL, 0) == 0);
	cr_assert(exists("y.er"));
	cr_assert(create("/", NULL, 0) == 125);
	cr_assert(create("///", NULL, 0) == 125);
}

Test(experiment, overwrite_deletes_experiments_only)
{
	cr_assert(create("x.er", NULL, 1) == 0, "nothing there yet");
	cr_assert(create("x.er", NULL, 1) == 125, "a directory with something but no log.xml");
	scratch_put("x.er/log.xml", "<r/>", 4, 0644);
	scratch_put("x.er/archives/a", "a", 1, 0644);
	cr_assert(symlink("/etc", "x.er/archives/link") == 0);
	cr_assert(create("x.er", NULL, 1) == 0, "%s", cause.text);
	cr_assert(!exists("x.er/log.xml") && exists("/etc/passwd"));

	mkdir("home.er", 0755);
	scratch_put("home.er/thesis", "a", 1, 0644);
	cr_assert(create("home.er", NULL, 1) == 125);
	cr_assert(exists("home.er/thesis"));

	mkdir("empty.er", 0755);
	cr_assert(create("empty.er", NULL, 1) == 0);

	scratch_put("file.er", "a", 1, 0644);
	cr_assert(create("file.er", NULL, 1) == 125);
	cr_assert(exists("file.er"));

	cr_assert(symlink("home.er", "link.er") == 0);
	cr_assert(create("link.er", NULL, 1) == 125);
	cr_assert(exists("home.er/thesis") && exists("link.er"));
}

Test(experiment, overwrite_refuses_a_live_one)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	int fd;

	mkdir("x.er", 0755);
	scratch_put("x.er/log.xml", "<r/>", 4, 0644);
	fd = open("x.er/log.xml", O_RDWR | O_CLOEXEC);
	cr_assert(fcntl(fd, F_OFD_SETLK, &lock) == 0);
	cr_assert(create("x.er", NULL, 1) == 125);
	cr_assert(exists("x.er/log.xml"));
	close(fd);
	cr_assert(create("x.er", NULL, 1) == 0);
}

Test(experiment, dry_run_makes_nothing)
{
	struct request request = {.dry_run = 1};

	mkdir("test.1.er", 0755);
	cr_assert(experiment_create(&request, &made, &cause) == 0);
	cr_assert_str_eq(made.name, "test.2.er");
	cr_assert(!exists("test.2.er") && made.fd == -1);
}

Test(experiment, remove_leaves_nothing)
{
	struct request request = {0};

	cr_assert(experiment_create(&request, &made, &cause) == 0);
	cr_assert(experiment_put_file(&made, "notes", "abc\n", 4) == 0);
	cr_assert(exists("test.1.er/notes"));
	experiment_remove(&made);
	cr_assert(!exists("test.1.er"));
}

Test(experiment, file_size_limit_is_an_error_and_no_signal)
{
	struct request request = {0};
	struct rlimit limit, usual;

	cr_assert(experiment_create(&request, &made, &cause) == 0);
	cr_assert(getrlimit(RLIMIT_FSIZE, &usual) == 0);
	limit = usual;
	limit.rlim_cur = 8;
	cr_assert(setrlimit(RLIMIT_FSIZE, &limit) == 0);
	cr_assert(experiment_put_file(&made, "notes", "0123456789", 10) == -EFBIG);
	cr_assert(!exists("test.1.er/notes"));
	experiment_remove(&made);
	setrlimit(RLIMIT_FSIZE,
	          &usual); /* with coverage, the process writes its own files at its end */
}

/* The files of what is mapped must be exactly those, as other files of the same name have other
 * code. The program of this test is one. */
#include "perf/object.h"

#include <criterion/criterion.h>
#include <limits.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char own[PATH_MAX];
static struct stat is;

static int is_found(const char *path, dev_t device, uint64_t inode, pid_t pid)
{
	size_t size;

	return object_build_id(object_of(path, device, inode, pid), &size) != NULL;
}

static void find_own(void)
{
	ssize_t len = readlink("/proc/self/exe", own, sizeof(own) - 1);

	cr_assert_gt(len, 0);
	cr_assert_eq(stat(own, &is), 0);
	if (!is_found(own, 0, 0, getpid()))
		cr_skip_test("this program has no build id");
}

Test(object, a_file_that_took_the_place_of_the_mapped_one_is_another, .init = find_own)
{
	cr_assert(is_found(own, is.st_dev, is.st_ino, getpid()));
	cr_assert_not(is_found(own, is.st_dev, is.st_ino + 1, getpid()));
	cr_assert(is_found(own, is.st_dev + 1, is.st_ino + 1, getpid()),
	          "some file systems show other numbers than the kernel tells");
}

Test(object, a_program_is_found_by_its_process_where_its_name_is_gone, .init = find_own)
{
	pid_t child = fork();

	if (child == 0) {
		pause();
		_exit(0);
	}
	cr_assert(is_found("/no/such/program", is.st_dev, is.st_ino, child));
	cr_assert_not(is_found("/no/such/program", is.st_dev, is.st_ino + 1, child));
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

/* The file in which processes tell what they keep: made whole, or not at all. */
#include "collect/experiment/keepfile.h"
#include "tests/unit/capture.h"
#include "tests/unit/collect/scratch.h"

#include "format/keep.h"
#include "format/layout.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static struct experiment_directory experiment;

static void enter(void)
{
	scratch_enter();
	experiment.fd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void leave(void)
{
	close(experiment.fd);
	scratch_leave();
}

TestSuite(keepfile, .init = enter, .fini = leave);

static int make(struct request *request, char **said)
{
	struct capture err;
	int status;

	capture_begin(&err, stderr);
	status = keepfile_make(request, &experiment);
	*said = capture_end(&err);
	return status;
}

static void check_file(uint64_t bytes)
{
	const uint64_t size = fmt_keep_file_size(bytes);
	struct fmt_keep head;
	struct stat st;
	int fd = open(FMT_FILE_ACCOUNT, O_RDONLY | O_CLOEXEC);

	cr_assert_geq(fd, 0);
	cr_assert_eq(fstat(fd, &st), 0);
	cr_expect_eq(st.st_size, (off_t)size);
	cr_expect_geq((uint64_t)st.st_blocks * 512, size, "it has its room on the disk");
	cr_expect_eq(st.st_mode & 0777, 0600);
	cr_assert_eq(pread(fd, &head, sizeof(head), 0), (ssize_t)sizeof(head));
	cr_expect_eq(head.bytes, size, "it counts itself");
	cr_expect_eq(head.from, 0);
	cr_expect_eq(head.next, 0);
	cr_expect_eq(head.hand, 0);
	close(fd);
}

/* Where the file system cannot give parts back, it becomes a limit. */
static void check(struct request asked)
{
	struct request request = asked;
	char *said;

	cr_assert_eq(make(&request, &said), 0, "%s", said);
	if (request.keep_bytes != asked.keep_bytes || request.keep_ms != asked.keep_ms) {
		cr_expect_eq(request.keep_bytes, 0);
		cr_expect_eq(request.keep_ms, 0);
		cr_expect_eq(request.limit_bytes, asked.keep_bytes);
		cr_expect_neq(access(FMT_FILE_ACCOUNT, F_OK), 0);
		cr_expect_neq(said[0], '\0');
	} else {
		check_file(asked.keep_bytes);
		cr_expect_eq(make(&request, &said), -EEXIST);
	}
	free(said);
}

Test(keepfile, it_is_as_large_as_what_is_kept_wants)
{
	check((struct request){.keep_bytes = 4 << 20});
}

Test(keepfile, a_time_keeps_any_number_of_bytes)
{
	check((struct request){.keep_ms = 1000});
}

Test(keepfile, without_the_option_there_is_none)
{
	struct request request = {.limit_bytes = 7};
	char *said;

	cr_assert_eq(make(&request, &said), 0);
	cr_expect_neq(access(FMT_FILE_ACCOUNT, F_OK), 0);
	cr_expect_eq(request.limit_bytes, 7);
	cr_expect_str_eq(said, "");
	free(said);
}

Test(keepfile, a_limit_of_file_sizes_is_an_error)
{
	const struct rlimit low = {8192, RLIM_INFINITY}, none = {RLIM_INFINITY, RLIM_INFINITY};
	struct request request = {.keep_bytes = 4 << 20};

	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &low);
	cr_expect_eq(keepfile_make(&request, &experiment), -EFBIG);
	setrlimit(RLIMIT_FSIZE, &none);
	cr_expect_eq(request.keep_bytes, 4 << 20);
}

/* Tests of what is known of input and output that is not recorded: how many rings and requests
 * there were; and of which system calls are looked at. */
#include "libcollector/io/io.h"
#include "tests/unit/libcollector/scratch.h"

#include "libcollector/base/collector.h"
#include "libcollector/thread/thread.h"
#include "format/layout.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <sys/syscall.h>

static void setup(void)
{
	scratch_open();
	scratch_host(NULL, 0);
	col.is_recorded = 1;
}

TestSuite(io_uring, .init = setup, .fini = scratch_remove);

static int warnings(void)
{
	return scratch_count(FMT_FILE_LOG, "by io_uring is not recorded");
}

Test(io_uring, rings_and_requests_are_counted)
{
	io_uring_opened(-ENOSYS);
	cr_expect_eq(col.count.uring_rings, 0);
	io_uring_opened(0);
	io_uring_opened(3);
	cr_expect_eq(col.count.uring_rings, 2);
	io_uring_entered(0);
	io_uring_entered(-EAGAIN);
	cr_expect_eq(col.count.uring_calls, 0);
	io_uring_entered(1);
	io_uring_entered(7);
	cr_expect_eq(col.count.uring_calls, 2);
	cr_expect_eq(col.count.uring_requests, 8);
	cr_expect_eq(warnings(), 1, "it is said once");
}

Test(io_uring, a_program_with_the_library_is_told_of)
{
	io_listed("/usr/lib/liburing.so.2.3");
	cr_expect_eq(warnings(), 0, "input and output is not recorded");
	col.descriptor.io = 1;
	io_listed("/usr/lib/liburing-ffi.so.2");
	io_listed("/usr/liburing.so/libc.so.6");
	io_listed("/usr/lib/myliburing.so");
	cr_expect_eq(warnings(), 0);
	io_listed("liburing.so.1");
	cr_expect_eq(warnings(), 1);
	io_listed("/usr/lib/liburing.so.2.3");
	cr_expect_eq(warnings(), 1);
}

Test(io_uring, system_calls_of_files_are_looked_at)
{
	static const long wanted[] = {SYS_read,  SYS_write,  SYS_pread64, SYS_pwrite64,
	                              SYS_readv, SYS_writev, SYS_preadv,  SYS_pwritev,
	                              SYS_close, SYS_dup2,   SYS_dup3,    SYS_close_range},
			  others[] = {SYS_getpid, SYS_mmap, SYS_futex, SYS_openat, SYS_lseek, -1};

	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		cr_expect_not(io_wants_syscall(wanted[i]), "nothing is recorded yet");
	cr_assert_eq(thread_open(), 0);
	io_start();
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		cr_expect(io_wants_syscall(wanted[i]), "%ld", wanted[i]);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		cr_expect_not(io_wants_syscall(others[i]), "%ld", others[i]);
}

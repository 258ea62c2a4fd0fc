/* Records of calls for input and output: what is written of a call, by its result. */
#include "libcollector/io/io_record.h"

#include "tests/unit/libcollector/scratch.h"

#include "libcollector/io/io.h"
#include "libcollector/io/io_files.h"
#include "libcollector/thread/scope.h"
#include "libcollector/thread/thread_state.h"
#include "libcollector/unwind/tree.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum { MOST = 32 };

static struct fmt_io records[MOST];

static void setup(void)
{
	scratch_open();
	scratch_host(NULL, 0);
	col.is_recorded = 1;
	cr_assert_eq(thread_open(), 0);
	io_start();
	cr_assert(io_is_on());
}

TestSuite(io_record, .init = setup, .fini = scratch_remove, .timeout = 30);

static __attribute__((noinline)) void record(const struct io_call *call)
{
	io_record(call, CALLER);
}

static int load(void)
{
	return scratch_records("iotrace", FMT_KIND_io, records, sizeof(records[0]), MOST);
}

Test(io_record, a_call_has_its_bytes_descriptor_and_error)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	record(&(struct io_call){.func = FMT_io_func_READ, .fd = fd, .bytes = 100});
	record(&(struct io_call){.func = FMT_io_func_WRITE, .fd = fd, .bytes = -1, .error = EBADF});
	record(&(struct io_call){.func = FMT_io_func_READ, .fd = fd, .bytes = 0});
	record(&(struct io_call){
		.func = FMT_io_func_READ, .fd = fd, .bytes = INT64_C(0x1000000000001)});
	cr_assert_eq(load(), 4);
	cr_expect_eq(records[0].func, FMT_io_func_READ);
	cr_expect_eq(records[0].fd, (uint32_t)fd);
	cr_expect_eq(records[0].error, 0);
	cr_expect_eq(fmt_u48_get(&records[0].bytes), 100);
	cr_expect_neq(records[0].file, 0);
	cr_expect_eq(records[1].func, FMT_io_func_WRITE);
	cr_expect_eq(records[1].error, EBADF);
	cr_expect_eq(fmt_u48_get(&records[1].bytes), 0);
	cr_expect_eq(records[1].file, records[0].file);
	cr_expect_eq(fmt_u48_get(&records[2].bytes), 0);
	cr_expect_eq(fmt_u48_get(&records[3].bytes), (UINT64_C(1) << 48) - 1, "as much as fits");
	close(fd);
}

Test(io_record, a_call_without_a_descriptor_has_none)
{
	record(&(struct io_call){.func = FMT_io_func_OPEN, .fd = IO_NO_FD, .bytes = -1});
	record(&(struct io_call){
		.func = FMT_io_func_CLOSE, .fd = 7, .file = 32, .is_closed = 1, .bytes = -1});
	cr_assert_eq(load(), 2);
	cr_expect_eq(records[0].fd, UINT32_MAX);
	cr_expect_eq(records[0].file, 0);
	cr_expect_eq(records[1].fd, 7);
	cr_expect_eq(records[1].file, 32, "it was told before it was closed");
}

/* The path may be an invalid pointer: only a result that it caused proves that it can be read. */
Test(io_record, a_path_is_read_if_the_call_has_read_it)
{
	static const int read_by[] = {0,     ENOENT,    EACCES,  EEXIST, ENOTDIR, EISDIR, ELOOP,
	                              EROFS, ENOTEMPTY, ETXTBSY, EXDEV,  ENXIO,   ENODATA},
			 not_read_by[] = {EFAULT, EMFILE, ENFILE,      EINTR,
	                                  EINVAL, ENOMEM, ENAMETOOLONG};
	enum {
		READ_BY = sizeof(read_by) / sizeof(read_by[0]),
		NOT_READ_BY = sizeof(not_read_by) / sizeof(not_read_by[0])
	};

	for (int i = 0; i < READ_BY; i++)
		record(&(struct io_call){.func = FMT_io_func_OPEN,
		                         .fd = IO_NO_FD,
		                         .bytes = -1,
		                         .path = "/some/where",
		                         .error = read_by[i]});
	for (int i = 0; i < NOT_READ_BY; i++)
		record(&(struct io_call){.func = FMT_io_func_OPEN,
		                         .fd = IO_NO_FD,
		                         .bytes = -1,
		                         .path = (const char *)(uintptr_t)16,
		                         .error = not_read_by[i]});
	cr_assert_eq(load(), READ_BY + NOT_READ_BY);
	for (int i = 0; i < READ_BY + NOT_READ_BY; i++)
		if (i < READ_BY)
			cr_expect(records[i].file != 0 && records[i].file == records[0].file, "%d",
			          read_by[i]);
		else
			cr_expect_eq(records[i].file, 0, "%d", not_read_by[i - READ_BY]);
}

Test(io_record, a_wait_is_the_time_since_the_call_began)
{
	uint64_t before = col_ticks();

	while (col_ticks() - before < 100000)
		continue;
	record(&(struct io_call){
		.func = FMT_io_func_READ, .fd = IO_NO_FD, .bytes = 1, .start = {.before = before}});
	/* Of another processor, whose clock is behind. */
	record(&(struct io_call){.func = FMT_io_func_READ,
	                         .fd = IO_NO_FD,
	                         .bytes = 1,
	                         .start = {.before = UINT64_MAX}});
	cr_assert_eq(load(), 2);
	cr_expect_geq(fmt_u48_get(&records[0].wait), 100000);
	cr_expect_leq(fmt_u48_get(&records[0].wait), col_ticks() - before);
	cr_expect_eq(fmt_u48_get(&records[1].wait), 0);
}

Test(io_record, the_file_of_a_descriptor_is_found_at_once)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	uint64_t file = io_file_now(fd);

	cr_expect_neq(file, 0);
	cr_expect_eq(io_file_now(fd), file);
	cr_expect_eq(thread_current()->scope, 0, "the scope was left");
	cr_expect_eq(io_file_now(-1), 0);
	close(fd);
}

/* As deep as in a signal handler of the program. */
static __attribute__((noinline)) void record_deeper(const struct io_call *call)
{
	volatile char frame[2048];

	frame[0] = 1;
	record(call);
	(void)frame[0];
}

Test(io_record, inside_of_the_recorder_nothing_is_recorded)
{
	struct col_thread *thread = scope_enter();

	record_deeper(&(struct io_call){.func = FMT_io_func_READ, .fd = IO_NO_FD, .bytes = 1});
	scope_leave(thread);
	cr_assert_eq(load(), 0);
	atomic_store(&col.switches->on[SOURCE_IO], 0);
	record(&(struct io_call){.func = FMT_io_func_READ, .fd = IO_NO_FD, .bytes = 1});
	cr_assert_eq(load(), 0);
}

Test(io_record, several_messages_have_the_bytes_of_all)
{
	static const struct mmsghdr messages[] = {
		{.msg_len = 4}, {.msg_len = UINT32_MAX}, {.msg_len = 0}, {.msg_len = 10}};

	cr_expect_eq(io_bytes_of(messages, 4), INT64_C(0xffffffff) + 14);
	cr_expect_eq(io_bytes_of(messages, 1), 4);
	cr_expect_eq(io_bytes_of(messages, 0), 0);
	cr_expect_eq(io_bytes_of(messages, -1), -1);
}

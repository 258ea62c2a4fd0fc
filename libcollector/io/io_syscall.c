/* io_syscall.c: input and output by syscall(2), and what goes past all wrappers. */
#include "libcollector/io/io.h"
#include "libcollector/io/io_record.h"
#include "libcollector/write/log.h"

/* 0: a call that is not counted. */
static enum fmt_io_func func_of(long number)
{
	switch (number) {
	case SYS_read:
		return FMT_io_func_READ;
	case SYS_pread64:
		return FMT_io_func_PREAD;
	case SYS_readv:
	case SYS_preadv:
		return FMT_io_func_READV;
	case SYS_write:
		return FMT_io_func_WRITE;
	case SYS_pwrite64:
		return FMT_io_func_PWRITE;
	case SYS_writev:
	case SYS_pwritev:
		return FMT_io_func_WRITEV;
	default:
		return (enum fmt_io_func)0;
	}
}

static void tell_uring(void)
{
	static atomic_uint is_told;

	if (!atomic_exchange(&is_told, 1))
		col_log_warning("input and output by io_uring is not recorded");
}

/* liburing makes its system calls by itself, and reads the rings in the program's own code. */
void io_listed(const char *path)
{
	const char *name = strrchr(path, '/');

	if (col.descriptor.io && strncmp(name ? name + 1 : path, "liburing.so", 11) == 0)
		tell_uring();
}

int io_wants_syscall(long number)
{
	if (likely(!io_is_on()))
		return 0;
	if (unlikely(number == SYS_io_uring_setup) && col_on(SOURCE_IO))
		tell_uring();
	return func_of(number) != 0;
}

long io_syscall(long number, long a, long b, long c, long d, long e, long f)
{
	struct wall_start start = io_begin(func_of(number), (int)a, CALLER);
	long got = REAL(syscall)(number, a, b, c, d, e, f);

	io_record(&(struct io_call){.start = start,
	                            .func = func_of(number),
	                            .fd = (int)a,
	                            .bytes = got,
	                            IO_ERRNO},
	          CALLER);
	return got;
}

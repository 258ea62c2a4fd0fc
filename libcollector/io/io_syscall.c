/* io_syscall.c: input and output by syscall(2), and what goes past all wrappers. */
#include "libcollector/io/io.h"
#include "libcollector/io/io_record.h"

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

static int is_of_ring(long number)
{
	return number == SYS_io_uring_setup || number == SYS_io_uring_enter;
}

int io_wants_syscall(long number)
{
	if (likely(!io_is_on()))
		return 0;
	return func_of(number) != 0 || (is_of_ring(number) && col_on(SOURCE_IO));
}

static __attribute__((noinline)) long call_of_ring(long number, long a, long b, long c, long d,
                                                   long e, long f)
{
	long got = REAL(syscall)(number, a, b, c, d, e, f);

	if (number == SYS_io_uring_setup)
		io_uring_opened(got);
	else
		io_uring_entered(got);
	return got;
}

long io_syscall(long number, long a, long b, long c, long d, long e, long f)
{
	struct wall_start start;
	long got;

	if (is_of_ring(number))
		return call_of_ring(number, a, b, c, d, e, f);
	start = io_begin(func_of(number), (int)a, CALLER);
	got = REAL(syscall)(number, a, b, c, d, e, f);
	io_record(&(struct io_call){.start = start,
	                            .func = func_of(number),
	                            .fd = (int)a,
	                            .bytes = got,
	                            IO_ERRNO},
	          CALLER);
	return got;
}

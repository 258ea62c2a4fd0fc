/* io_syscall.c: input and output by syscall(2), and what goes past all wrappers. */
#include "libcollector/io/io.h"
#include "libcollector/io/io_files.h"
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

/* A call after which a number may stand for another file. */
static int is_of_numbers(long number)
{
	switch (number) {
	case SYS_close:
	case SYS_close_range:
#ifdef SYS_dup2
	case SYS_dup2:
#endif
	case SYS_dup3:
		return 1;
	default:
		return 0;
	}
}

int io_wants_syscall(long number)
{
	if (likely(!io_is_on()))
		return 0;
	return func_of(number) != 0 || is_of_numbers(number) ||
	       (is_of_ring(number) && col_on(SOURCE_IO));
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

static void forget_numbers(long number, long a, long b)
{
	if (number == SYS_close_range)
		io_files_forget((unsigned)a, (unsigned)b);
	else
		io_file_forget(number == SYS_close ? (int)a : (int)b);
}

/* Not recorded, but another thread may have the number as soon as the call has freed it; and a
 * number that the call replaces is in use. */
static __attribute__((noinline)) long call_of_numbers(long number, long a, long b, long c, long d,
                                                      long e, long f)
{
	long got;

	forget_numbers(number, a, b);
	got = REAL(syscall)(number, a, b, c, d, e, f);
	forget_numbers(number, a, b);
	return got;
}

long io_syscall(long number, long a, long b, long c, long d, long e, long f)
{
	struct wall_start start;
	long got;

	if (is_of_ring(number))
		return call_of_ring(number, a, b, c, d, e, f);
	if (is_of_numbers(number))
		return call_of_numbers(number, a, b, c, d, e, f);
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

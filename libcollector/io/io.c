/* io.c: wrappers of the calls that work on descriptors: that move data, and that create, copy and
 * close descriptors. */
#include "libcollector/io/io_files.h"
#include "libcollector/io/io_record.h"

/* clang-format off */

/* ---- data ---- */

IO_WAIT(ssize_t, read, (int fd, void *to, size_t size), (fd, to, size), READ, fd)
IO_WAIT(ssize_t, __read_chk, (int fd, void *to, size_t size, size_t room), (fd, to, size, room), READ, fd)
IO_WAIT(ssize_t, write, (int fd, const void *from, size_t size), (fd, from, size), WRITE, fd)

#define PREAD(name, offset) \
	IO_WRAP(ssize_t, name, (int fd, void *to, size_t size, offset at), (fd, to, size, at), IO_BYTES(PREAD, fd))
PREAD(pread, off_t)
PREAD(pread64, off64_t)

#define PREAD_CHK(name, offset) \
	IO_WRAP(ssize_t, name, (int fd, void *to, size_t size, offset at, size_t room), (fd, to, size, at, room), \
	        IO_BYTES(PREAD, fd))
PREAD_CHK(__pread_chk, off_t)
PREAD_CHK(__pread64_chk, off64_t)

#define PWRITE(name, offset) \
	IO_WRAP(ssize_t, name, (int fd, const void *from, size_t size, offset at), (fd, from, size, at), IO_BYTES(PWRITE, fd))
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

#define VECTOR(name, func) \
	IO_WAIT(ssize_t, name, (int fd, const struct iovec *vector, int count), (fd, vector, count), func, fd)
VECTOR(readv, READV)
VECTOR(writev, WRITEV)

#define VECTOR_AT(name, func, offset) \
	IO_WRAP(ssize_t, name, (int fd, const struct iovec *vector, int count, offset at), (fd, vector, count, at), \
	        IO_BYTES(func, fd))
VECTOR_AT(preadv, READV, off_t)
VECTOR_AT(preadv64, READV, off64_t)
VECTOR_AT(pwritev, WRITEV, off_t)
VECTOR_AT(pwritev64, WRITEV, off64_t)

#define VECTOR_FLAGS(name, func, offset) \
	IO_WRAP(ssize_t, name, (int fd, const struct iovec *vector, int count, offset at, int flags), \
	        (fd, vector, count, at, flags), IO_BYTES(func, fd))
VECTOR_FLAGS(preadv2, READV, off_t)
VECTOR_FLAGS(preadv64v2, READV, off64_t)
VECTOR_FLAGS(pwritev2, WRITEV, off_t)
VECTOR_FLAGS(pwritev64v2, WRITEV, off64_t)

#define SENDFILE(name, offset) \
	IO_WRAP_FROM(ssize_t, name, (int fd, int from, offset *at, size_t size), (fd, from, at, size), \
	             io_begin(FMT_io_func_SENDFILE, fd, CALLER), (void)0, (void)0, IO_COPIED(from), IO_BYTES(SENDFILE, fd))
SENDFILE(sendfile, off_t)
SENDFILE(sendfile64, off64_t)

IO_WRAP_THEN(ssize_t, copy_file_range,
             (int from, off64_t *from_at, int fd, off64_t *at, size_t size, unsigned flags),
             (from, from_at, fd, at, size, flags), (void)0, (void)0, IO_COPIED(from), IO_BYTES(COPY, fd))
/* They may wait for either side; mostly it is that which they read from. */
#define BEGIN_COPY(func) io_begin(FMT_io_func_##func, flags & SPLICE_F_NONBLOCK ? IO_NO_FD : from, CALLER)
IO_WRAP_FROM(ssize_t, splice, (int from, off64_t *from_at, int fd, off64_t *at, size_t size, unsigned flags),
             (from, from_at, fd, at, size, flags), BEGIN_COPY(SPLICE), (void)0, (void)0, IO_COPIED(from), IO_BYTES(SPLICE, fd))
IO_WRAP_FROM(ssize_t, tee, (int from, int fd, size_t size, unsigned flags), (from, fd, size, flags), BEGIN_COPY(TEE),
             (void)0, (void)0, IO_COPIED(from), IO_BYTES(TEE, fd))

/* From memory into a pipe; out of one, if the descriptor is its end for reading. */
static int is_reader(int fd)
{
	long flags = SYS2(SYS_fcntl, fd, F_GETFL);

	return flags >= 0 && (flags & O_ACCMODE) == O_RDONLY;
}

IO_WRAP_AROUND(ssize_t, vmsplice, (int fd, const struct iovec *vector, size_t count, unsigned flags),
               (fd, vector, count, flags), (void)0, (void)0,
               .func = is_reader(fd) ? FMT_io_func_COPIED : FMT_io_func_VMSPLICE, .fd = fd, .bytes = (int64_t)got,
               IO_ERRNO)

/* ---- asynchronous: they count when the program asks for the result ---- */

/* The C library notes in a request what it is of, with 128 more if offsets have 64 bits. */
static enum fmt_io_func asked_for(int opcode)
{
	switch (opcode & 127) {
	case LIO_READ:
		return FMT_io_func_AIO_READ;
	case LIO_WRITE:
		return FMT_io_func_AIO_WRITE;
	default:
		return FMT_io_func_SYNC;
	}
}

#define AIO_RETURN(name, type) \
	IO_WRAP_AROUND(ssize_t, name, (struct type *request), (request), (void)0, (void)0, \
	               .func = asked_for(request->aio_lio_opcode), .fd = request->aio_fildes, .bytes = (int64_t)got, IO_ERRNO)
AIO_RETURN(aio_return, aiocb)
AIO_RETURN(aio_return64, aiocb64)

/* ---- messages ---- */

/* `flags` may say that the call does not wait. */
#define IO_MESSAGE(type, name, parameters, arguments, func, ...) \
	IO_WRAP_FROM(type, name, parameters, arguments, \
	             io_begin(FMT_io_func_##func, flags & MSG_DONTWAIT ? IO_NO_FD : fd, CALLER), (void)0, (void)0, (void)0, \
	             __VA_ARGS__)

IO_MESSAGE(ssize_t, send, (int fd, const void *from, size_t size, int flags), (fd, from, size, flags), SEND, IO_BYTES(SEND, fd))
IO_MESSAGE(ssize_t, sendto,
        (int fd, const void *from, size_t size, int flags, const struct sockaddr *to, socklen_t to_size),
        (fd, from, size, flags, to, to_size), SEND, IO_BYTES(SEND, fd))
IO_MESSAGE(ssize_t, sendmsg, (int fd, const struct msghdr *message, int flags), (fd, message, flags), SEND, IO_BYTES(SEND, fd))
IO_MESSAGE(ssize_t, recv, (int fd, void *to, size_t size, int flags), (fd, to, size, flags), RECV, IO_BYTES(RECV, fd))
IO_MESSAGE(ssize_t, __recv_chk, (int fd, void *to, size_t size, size_t room, int flags), (fd, to, size, room, flags),
        RECV, IO_BYTES(RECV, fd))
IO_MESSAGE(ssize_t, recvfrom, (int fd, void *to, size_t size, int flags, struct sockaddr *from, socklen_t *from_size),
        (fd, to, size, flags, from, from_size), RECV, IO_BYTES(RECV, fd))
IO_MESSAGE(ssize_t, __recvfrom_chk,
        (int fd, void *to, size_t size, size_t room, int flags, struct sockaddr *from, socklen_t *from_size),
        (fd, to, size, room, flags, from, from_size), RECV, IO_BYTES(RECV, fd))
IO_MESSAGE(ssize_t, recvmsg, (int fd, struct msghdr *message, int flags), (fd, message, flags), RECV, IO_BYTES(RECV, fd))

IO_MESSAGE(int, sendmmsg, (int fd, struct mmsghdr *messages, unsigned count, int flags), (fd, messages, count, flags), SEND,
           IO_DONE(SEND, fd), .bytes = io_bytes_of(messages, got))
IO_MESSAGE(int, recvmmsg, (int fd, struct mmsghdr *messages, unsigned count, int flags, struct timespec *timeout),
           (fd, messages, count, flags, timeout), RECV, IO_DONE(RECV, fd), .bytes = io_bytes_of(messages, got))

/* ---- descriptors come and go ---- */

/* A call that returns a new descriptor. */
#define IO_WRAP_NEW(name, parameters, arguments, ...) \
	IO_WRAP_AROUND(int, name, parameters, arguments, (void)0, io_file_forget(got), __VA_ARGS__)
#define IO_ACCEPT(name, parameters, arguments) \
	IO_WRAP_FROM(int, name, parameters, arguments, io_begin(FMT_io_func_ACCEPT, fd, CALLER), (void)0, io_file_forget(got), \
	             (void)0, IO_DONE(ACCEPT, got < 0 ? fd : got))

/* The descriptor is forgotten after the call, so that the name of a closed file is not kept; and
 * before it, since the call may give its number to another thread, and a thread may be cancelled in
 * the call. */
IO_WRAP_AROUND(int, close, (int fd), (fd), uint32_t file = io_file_known(fd); io_file_forget(fd), io_file_forget(fd),
               IO_DONE(CLOSE, fd), .file = file, .is_closed = 1)

IO_WRAP_NEW(dup, (int fd), (fd), IO_DONE(DUP, got))
IO_WRAP_NEW(dup2, (int fd, int target), (fd, target), IO_DONE(DUP, got))
IO_WRAP_NEW(dup3, (int fd, int target, int flags), (fd, target, flags), IO_DONE(DUP, got))
IO_WRAP_NEW(socket, (int domain, int type, int protocol), (domain, type, protocol), IO_DONE(SOCKET, IO_NO_FD))
IO_ACCEPT(accept, (int fd, struct sockaddr *from, socklen_t *size), (fd, from, size))
IO_ACCEPT(accept4, (int fd, struct sockaddr *from, socklen_t *size, int flags), (fd, from, size, flags))
IO_WRAP_FROM(int, connect, (int fd, const struct sockaddr *to, socklen_t size), (fd, to, size),
             io_begin(FMT_io_func_CONNECT, fd, CALLER), (void)0, io_file_forget(fd), (void)0, IO_DONE(CONNECT, fd))

static int forget_pair(int result, const int *fds)
{
	if (result < 0)
		return IO_NO_FD;
	io_file_forget(fds[0]);
	io_file_forget(fds[1]);
	return fds[0];
}

IO_WRAP(int, pipe, (int fds[2]), (fds), IO_DONE(PIPE, forget_pair(got, fds)))
IO_WRAP(int, pipe2, (int fds[2], int flags), (fds, flags), IO_DONE(PIPE, forget_pair(got, fds)))
IO_WRAP_THEN(int, socketpair, (int domain, int type, int protocol, int fds[2]), (domain, type, protocol, fds), (void)0,
             int first = forget_pair(got, fds); if (got == 0) io_name_pair(fds), (void)0, IO_DONE(SOCKET, first))

IO_WRAP_AROUND(int, close_range, (unsigned first, unsigned last, int flags), (first, last, flags),
               io_files_forget(first, last), io_files_forget(first, last), IO_DONE(CLOSE, IO_NO_FD))

static __attribute__((noinline)) void closefrom_traced(int first)
{
	struct wall_start start = wall_now();
	unsigned from = first < 0 ? 0 : (unsigned)first;

	io_files_forget(from, UINT32_MAX);
	REAL(closefrom)(first);
	io_files_forget(from, UINT32_MAX);
	io_record(&(struct io_call){.start = start, IO_FUNC(CLOSE), .fd = IO_NO_FD}, CALLER);
}

EXPORT void closefrom(int first)
{
	if (likely(!io_is_on()) && likely(hook_real.closefrom != NULL)) {
		hook_real.closefrom(first);
		return;
	}
	closefrom_traced(first);
}

/* ---- other ---- */

#define SEEK(name, offset) \
	IO_WRAP(offset, name, (int fd, offset at, int whence), (fd, at, whence), IO_DONE(SEEK, fd))
SEEK(lseek, off_t)
SEEK(lseek64, off64_t)

IO_WRAP(int, fsync, (int fd), (fd), IO_DONE(SYNC, fd))
IO_WRAP(int, fdatasync, (int fd), (fd), IO_DONE(SYNC, fd))
IO_WRAP(int, msync, (void *at, size_t size, int flags), (at, size, flags), IO_DONE(SYNC, IO_NO_FD))

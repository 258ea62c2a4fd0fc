/* Wrappers of calls on descriptors: each gives what the call gives, and records it. */
#include "libcollector/io/io_files.h"
#include "libcollector/io/io_record.h"

#include "tests/unit/libcollector/io/calls.h"
#include "tests/unit/libcollector/scratch.h"

#include <aio.h>
#include <criterion/criterion.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/un.h>

#define WRAPPED(name) extern __typeof__(name) wrapped_##name
WRAPPED(read);
WRAPPED(write);
WRAPPED(pread);
WRAPPED(pread64);
WRAPPED(pwrite);
WRAPPED(pwrite64);
WRAPPED(readv);
WRAPPED(writev);
WRAPPED(preadv);
WRAPPED(preadv64);
WRAPPED(pwritev);
WRAPPED(pwritev64);
WRAPPED(preadv2);
WRAPPED(preadv64v2);
WRAPPED(pwritev2);
WRAPPED(pwritev64v2);
WRAPPED(sendfile);
WRAPPED(sendfile64);
WRAPPED(copy_file_range);
WRAPPED(splice);
WRAPPED(tee);
WRAPPED(vmsplice);
WRAPPED(aio_return);
WRAPPED(aio_return64);
WRAPPED(send);
WRAPPED(sendto);
WRAPPED(sendmsg);
WRAPPED(recv);
WRAPPED(recvfrom);
WRAPPED(recvmsg);
WRAPPED(sendmmsg);
WRAPPED(recvmmsg);
WRAPPED(close);
WRAPPED(dup);
WRAPPED(dup2);
WRAPPED(dup3);
WRAPPED(socket);
WRAPPED(accept);
WRAPPED(accept4);
WRAPPED(connect);
WRAPPED(pipe);
WRAPPED(pipe2);
WRAPPED(socketpair);
WRAPPED(close_range);
WRAPPED(closefrom);
WRAPPED(lseek);
WRAPPED(lseek64);
WRAPPED(fsync);
WRAPPED(fdatasync);
WRAPPED(msync);

ssize_t wrapped___read_chk(int fd, void *to, size_t size, size_t room);
ssize_t wrapped___pread_chk(int fd, void *to, size_t size, off_t at, size_t room);
ssize_t wrapped___pread64_chk(int fd, void *to, size_t size, off64_t at, size_t room);
ssize_t wrapped___recv_chk(int fd, void *to, size_t size, size_t room, int flags);
ssize_t wrapped___recvfrom_chk(int fd, void *to, size_t size, size_t room, int flags,
                               struct sockaddr *from, socklen_t *from_size);

TestSuite(io, .init = calls_setup, .fini = scratch_remove, .timeout = 30);

static int open_file(const char *text)
{
	char path[] = "/tmp/xer-io-XXXXXX";
	int fd = mkstemp(path);

	cr_assert_geq(fd, 0);
	unlink(path);
	cr_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	cr_assert_eq(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

Test(io, data_in_order)
{
	int fds[2];
	char to[16] = "";

	cr_assert_eq(pipe(fds), 0);
	cr_expect_eq(wrapped_write(fds[1], "seven b", 7), 7);
	EXPECT_CALL(WRITE, fds[1], 7, 0);
	cr_expect_eq(wrapped_read(fds[0], to, 3), 3);
	EXPECT_CALL(READ, fds[0], 3, 0);
	cr_expect_eq(wrapped___read_chk(fds[0], to + 3, 10, sizeof(to) - 3), 4);
	EXPECT_CALL(READ, fds[0], 4, 0);
	cr_expect_str_eq(to, "seven b");
	cr_expect_eq(wrapped_read(fds[1], to, 3), -1);
	cr_expect_eq(errno, EBADF);
	EXPECT_CALL(READ, fds[1], 0, EBADF);
	cr_expect_eq(wrapped_write(-1, "", 1), -1);
	EXPECT_CALL(WRITE, -1, 0, EBADF);
	EXPECT_NO_CALL();
}

Test(io, data_at_a_place)
{
	int fd = open_file("0123456789");
	char to[16] = "";

	cr_expect_eq(wrapped_pread(fd, to, 3, 2), 3);
	EXPECT_CALL(PREAD, fd, 3, 0);
	cr_expect_eq(wrapped_pread64(fd, to + 3, 8, 8), 2);
	EXPECT_CALL(PREAD, fd, 2, 0);
	cr_expect_eq(wrapped___pread_chk(fd, to + 5, 1, 0, 1), 1);
	EXPECT_CALL(PREAD, fd, 1, 0);
	cr_expect_eq(wrapped___pread64_chk(fd, to + 6, 2, 5, 2), 2);
	EXPECT_CALL(PREAD, fd, 2, 0);
	cr_expect_str_eq(to, "23489056");
	cr_expect_eq(wrapped_pwrite(fd, "ab", 2, 1), 2);
	EXPECT_CALL(PWRITE, fd, 2, 0);
	cr_expect_eq(wrapped_pwrite64(fd, "cde", 3, 9), 3);
	EXPECT_CALL(PWRITE, fd, 3, 0);
	cr_expect_eq(wrapped_pwrite(fd, "ab", 2, -1), -1);
	EXPECT_CALL(PWRITE, fd, 0, EINVAL);
	cr_assert_eq(pread(fd, to, 12, 0), 12);
	cr_expect_arr_eq(to, "0ab345678cde", 12);
}

Test(io, data_of_several_places)
{
	char a[4] = "", b[4] = "";
	struct iovec to[] = {{a, 3}, {b, 2}}, from[] = {{"xy", 2}, {"z", 1}};
	int fd = open_file("0123456789");

	cr_expect_eq(wrapped_readv(fd, to, 2), 5);
	EXPECT_CALL(READV, fd, 5, 0);
	cr_expect_str_eq(a, "012");
	cr_expect_str_eq(b, "34");
	cr_expect_eq(wrapped_preadv(fd, to, 2, 1), 5);
	EXPECT_CALL(READV, fd, 5, 0);
	cr_expect_eq(wrapped_preadv64(fd, to, 2, 6), 4);
	EXPECT_CALL(READV, fd, 4, 0);
	cr_expect_eq(wrapped_preadv2(fd, to, 1, 2, 0), 3);
	EXPECT_CALL(READV, fd, 3, 0);
	cr_expect_eq(wrapped_preadv64v2(fd, to, 1, 7, 0), 3);
	EXPECT_CALL(READV, fd, 3, 0);
	cr_expect_str_eq(a, "789");
	cr_expect_eq(wrapped_writev(fd, from, 2), 3);
	EXPECT_CALL(WRITEV, fd, 3, 0);
	cr_expect_eq(wrapped_pwritev(fd, from, 1, 0), 2);
	EXPECT_CALL(WRITEV, fd, 2, 0);
	cr_expect_eq(wrapped_pwritev64(fd, from + 1, 1, 2), 1);
	EXPECT_CALL(WRITEV, fd, 1, 0);
	cr_expect_eq(wrapped_pwritev2(fd, from, 2, 8, 0), 3);
	EXPECT_CALL(WRITEV, fd, 3, 0);
	cr_expect_eq(wrapped_pwritev64v2(fd, from, 2, 20, 0), 3);
	EXPECT_CALL(WRITEV, fd, 3, 0);
	cr_expect_eq(wrapped_pwritev(fd, from, 1, -1), -1);
	EXPECT_CALL(WRITEV, fd, 0, EINVAL);
	cr_expect_eq(lseek(fd, 0, SEEK_END), 23);
}

/* What is copied was read from the one file and written to the other one. */
Test(io, copies_count_on_both_sides)
{
	int from = open_file("0123456789"), to = open_file(""), fds[2], others[2];
	off64_t at = 2;
	char text[] = "four";
	struct iovec four = {text, 4};

	cr_assert_eq(pipe(fds) | pipe(others), 0);
	cr_expect_eq(wrapped_sendfile(fds[1], from, NULL, 4), 4);
	EXPECT_CALL(SENDFILE, fds[1], 4, 0);
	EXPECT_CALL(COPIED, from, 4, 0);
	cr_expect_eq(wrapped_sendfile64(fds[1], from, &at, 3), 3);
	EXPECT_CALL(SENDFILE, fds[1], 3, 0);
	EXPECT_CALL(COPIED, from, 3, 0);
	cr_expect_eq(wrapped_sendfile(fds[1], -1, NULL, 4), -1);
	EXPECT_CALL(SENDFILE, fds[1], 0, EBADF);
	EXPECT_NO_CALL();
	cr_expect_eq(wrapped_tee(fds[0], others[1], 5, 0), 5);
	EXPECT_CALL(TEE, others[1], 5, 0);
	EXPECT_CALL(COPIED, fds[0], 5, 0);
	cr_expect_eq(wrapped_splice(fds[0], NULL, to, NULL, 6, 0), 6);
	EXPECT_CALL(SPLICE, to, 6, 0);
	EXPECT_CALL(COPIED, fds[0], 6, 0);
	cr_expect_eq(wrapped_splice(fds[0], NULL, to, NULL, 6, SPLICE_F_NONBLOCK), 1);
	EXPECT_CALL(SPLICE, to, 1, 0);
	EXPECT_CALL(COPIED, fds[0], 1, 0);
	cr_expect_eq(wrapped_splice(fds[0], NULL, to, NULL, 6, SPLICE_F_NONBLOCK), -1);
	EXPECT_CALL(SPLICE, to, 0, EAGAIN);
	EXPECT_NO_CALL();
	cr_expect_eq(wrapped_vmsplice(fds[1], &four, 1, 0), 4);
	EXPECT_CALL(VMSPLICE, fds[1], 4, 0);
	cr_expect_eq(wrapped_vmsplice(fds[0], &four, 1, 0), 4);
	EXPECT_CALL(COPIED, fds[0], 4, 0);
	cr_expect_eq(wrapped_vmsplice(-1, &four, 1, 0), -1);
	EXPECT_CALL(VMSPLICE, -1, 0, EBADF);
	at = 7;
	if (wrapped_copy_file_range(from, &at, to, NULL, 9, 0) == 3) {
		EXPECT_CALL(COPY, to, 3, 0);
		EXPECT_CALL(COPIED, from, 3, 0);
	}
}

static void wait_for(const struct aiocb *request)
{
	for (int tries = 0; tries < 10000 && aio_error(request) == EINPROGRESS; tries++)
		poll(NULL, 0, 1);
	cr_assert_neq(aio_error(request), EINPROGRESS);
}

Test(io, asynchronous_calls_count_where_their_result_is_taken)
{
	int fd = open_file("0123456789");
	char to[8] = "";
	struct aiocb request = {.aio_fildes = fd, .aio_buf = to, .aio_nbytes = 4, .aio_offset = 3};

	cr_assert_eq(aio_read(&request), 0);
	wait_for(&request);
	cr_expect_eq(wrapped_aio_return(&request), 4);
	EXPECT_CALL(AIO_READ, fd, 4, 0);
	cr_expect_str_eq(to, "3456");
	request.aio_nbytes = 2;
	cr_assert_eq(aio_write(&request), 0);
	wait_for(&request);
	cr_expect_eq(wrapped_aio_return64((struct aiocb64 *)&request), 2);
	EXPECT_CALL(AIO_WRITE, fd, 2, 0);
	cr_assert_eq(aio_write64((struct aiocb64 *)&request), 0);
	wait_for(&request);
	cr_expect_eq(wrapped_aio_return(&request), 2);
	EXPECT_CALL(AIO_WRITE, fd, 2, 0);
	cr_assert_eq(aio_read64((struct aiocb64 *)&request), 0);
	wait_for(&request);
	cr_expect_eq(wrapped_aio_return64((struct aiocb64 *)&request), 2);
	EXPECT_CALL(AIO_READ, fd, 2, 0);
	cr_assert_eq(aio_fsync(O_SYNC, &request), 0);
	wait_for(&request);
	cr_expect_eq(wrapped_aio_return(&request), 0);
	EXPECT_CALL(SYNC, fd, 0, 0);
}

Test(io, messages)
{
	char to[8] = "";
	struct iovec part = {to, 6};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
	struct mmsghdr messages[] = {{.msg_hdr = message}, {.msg_hdr = message}};
	int fds[2], other;

	cr_assert_eq(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds), 0);
	other = fds[1];
	cr_expect_eq(wrapped_send(fds[0], "123", 3, 0), 3);
	EXPECT_CALL(SEND, fds[0], 3, 0);
	cr_expect_eq(wrapped_sendto(fds[0], "12", 2, MSG_DONTWAIT, NULL, 0), 2);
	EXPECT_CALL(SEND, fds[0], 2, 0);
	cr_expect_eq(wrapped_sendmsg(fds[0], &message, 0), 6);
	EXPECT_CALL(SEND, fds[0], 6, 0);
	cr_expect_eq(wrapped_sendmmsg(fds[0], messages, 2, 0), 2);
	EXPECT_CALL(SEND, fds[0], 12, 0);
	cr_expect_eq(wrapped_recv(other, to, 8, 0), 3);
	EXPECT_CALL(RECV, other, 3, 0);
	cr_expect_eq(wrapped_recvfrom(other, to, 8, 0, NULL, NULL), 2);
	EXPECT_CALL(RECV, other, 2, 0);
	cr_expect_eq(wrapped_recvmsg(other, &message, 0), 6);
	EXPECT_CALL(RECV, other, 6, 0);
	cr_expect_eq(wrapped_recvmmsg(other, messages, 2, 0, NULL), 2);
	EXPECT_CALL(RECV, other, 12, 0);
	cr_expect_eq(wrapped_recv(other, to, 8, MSG_DONTWAIT), -1);
	EXPECT_CALL(RECV, other, 0, EAGAIN);
	cr_expect_eq(wrapped_recvmmsg(other, messages, 2, MSG_DONTWAIT, NULL), -1);
	EXPECT_CALL(RECV, other, 0, EAGAIN);
	cr_assert_eq(send(fds[0], "1", 1, 0) + send(fds[0], "12", 2, 0), 3);
	cr_expect_eq(wrapped___recv_chk(other, to, 8, 8, 0), 1);
	EXPECT_CALL(RECV, other, 1, 0);
	cr_expect_eq(wrapped___recvfrom_chk(other, to, 8, 8, 0, NULL, NULL), 2);
	EXPECT_CALL(RECV, other, 2, 0);
	cr_expect_eq(wrapped_sendmmsg(-1, messages, 2, 0), -1);
	EXPECT_CALL(SEND, -1, 0, EBADF);
}

/* ---- descriptors come and go */

static int open_known(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);

	cr_assert_geq(fd, 0);
	cr_assert_neq(io_file_now(fd), 0);
	return fd;
}

Test(io, a_closed_descriptor_has_the_file_that_it_was)
{
	int fd = open_known("/dev/null");
	uint32_t file = io_file_known(fd);
	const struct fmt_io *call;

	cr_assert_neq(file, 0);
	cr_expect_eq(wrapped_close(fd), 0);
	cr_expect_eq(io_file_known(fd), 0);
	call = calls_next();
	cr_expect_eq(call->func, FMT_io_func_CLOSE);
	cr_expect_eq(call->fd, (uint32_t)fd);
	cr_expect_eq(call->file, file);
	cr_expect_eq(wrapped_close(fd), -1);
	EXPECT_CALL(CLOSE, fd, 0, EBADF);
}

Test(io, a_duplicate_is_the_file_that_it_is_now)
{
	int null = open_known("/dev/null"), zero = open_known("/dev/zero"), third;
	uint32_t file = io_file_known(zero);

	cr_assert_neq(file, io_file_known(null));
	cr_expect_eq(wrapped_dup2(zero, null), null);
	EXPECT_CALL(DUP, null, 0, 0);
	cr_expect_eq(io_file_now(null), file);
	close(null);
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	cr_expect_eq(wrapped_dup3(null, zero, O_CLOEXEC), zero);
	EXPECT_CALL(DUP, zero, 0, 0);
	cr_expect_neq(io_file_now(zero), file);
	third = open_known("/dev/zero");
	close(third);
	cr_expect_eq(wrapped_dup(null), third);
	EXPECT_CALL(DUP, third, 0, 0);
	cr_expect_eq(io_file_now(third), io_file_now(zero));
	cr_expect_eq(wrapped_dup(-1), -1);
	EXPECT_CALL(DUP, -1, 0, EBADF);
}

/* Two descriptors at numbers that stood for other files. */
static void free_two(int fds[2])
{
	fds[0] = open_known("/dev/null");
	fds[1] = open_known("/dev/zero");
	close(fds[0]);
	close(fds[1]);
}

Test(io, pairs_are_new_files)
{
	int freed[2], fds[2];

	free_two(freed);
	cr_expect_eq(wrapped_pipe(fds), 0);
	EXPECT_CALL(PIPE, fds[0], 0, 0);
	cr_assert(fds[0] == freed[0] && fds[1] == freed[1]);
	cr_expect_eq(io_file_known(fds[1]), 0);
	free_two(freed);
	cr_expect_eq(wrapped_pipe2(fds, O_CLOEXEC), 0);
	EXPECT_CALL(PIPE, fds[0], 0, 0);
	cr_expect_eq(io_file_known(fds[1]), 0);
	free_two(freed);
	cr_expect_eq(wrapped_socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	EXPECT_CALL(SOCKET, fds[0], 0, 0);
	cr_expect_neq(io_file_known(fds[0]), 0, "a pair is named at once");
	cr_expect_neq(io_file_known(fds[0]), io_file_known(fds[1]));
}

/* The numbers in the array are no descriptors then. */
Test(io, a_pair_that_failed_is_none)
{
	int fds[2] = {open_known("/dev/null"), open_known("/dev/zero")};
	uint32_t files[2] = {io_file_known(fds[0]), io_file_known(fds[1])};

	cr_expect_eq(wrapped_pipe2(fds, -1), -1);
	EXPECT_CALL(PIPE, -1, 0, EINVAL);
	cr_expect_eq(wrapped_socketpair(AF_UNIX, -1, 0, fds), -1);
	EXPECT_CALL(SOCKET, -1, 0, EINVAL);
	cr_expect_eq(io_file_known(fds[0]), files[0]);
	cr_expect_eq(io_file_known(fds[1]), files[1]);
}

Test(io, ranges_are_forgotten)
{
	int low = open_known("/dev/null"), fd = fcntl(low, F_DUPFD_CLOEXEC, 40);

	cr_assert_eq(fd, 40);
	cr_assert_neq(io_file_now(fd), 0);
	cr_expect_eq(wrapped_close_range(39, 41, 0), 0);
	EXPECT_CALL(CLOSE, -1, 0, 0);
	cr_expect_eq(fcntl(fd, F_GETFD), -1);
	cr_expect_eq(io_file_known(fd), 0);
	cr_expect_neq(io_file_known(low), 0);
	cr_expect_eq(wrapped_close_range(41, 39, 0), -1);
	EXPECT_CALL(CLOSE, -1, 0, EINVAL);
}

/* The recorder's own descriptors, too, as they do in a program. */
Test(io, all_above_are_forgotten)
{
	int low = open_known("/dev/null"), fd = fcntl(low, F_DUPFD_CLOEXEC, 40);

	cr_assert_neq(io_file_now(fd), 0);
	wrapped_closefrom(fd + 1);
	EXPECT_CALL(CLOSE, -1, 0, 0);
	cr_expect_neq(io_file_known(fd), 0);
	wrapped_closefrom(fd);
	EXPECT_CALL(CLOSE, -1, 0, 0);
	cr_expect_eq(fcntl(fd, F_GETFD), -1);
	cr_expect_eq(io_file_known(fd), 0);
	cr_expect_neq(io_file_known(low), 0);
	atomic_store(&col.switches->on[SOURCE_IO], 0);
	fd = fcntl(low, F_DUPFD_CLOEXEC, 40);
	wrapped_closefrom(fd);
	cr_expect_eq(fcntl(fd, F_GETFD), -1);
	EXPECT_NO_CALL();
}

Test(io, sockets_are_connected)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	socklen_t size = sizeof(sa_family_t);
	int server = wrapped_socket(AF_UNIX, SOCK_STREAM, 0), client, other;

	EXPECT_CALL(SOCKET, -1, 0, 0);
	cr_assert_eq(bind(server, (struct sockaddr *)&name, size), 0); /* a name that is free */
	cr_expect_eq(wrapped_accept(server, NULL, NULL), -1);
	EXPECT_CALL(ACCEPT, server, 0, EINVAL);
	cr_assert_eq(listen(server, 2), 0);
	size = sizeof(name);
	cr_assert_eq(getsockname(server, (struct sockaddr *)&name, &size), 0);
	client = socket(AF_UNIX, SOCK_STREAM, 0);
	cr_expect_eq(wrapped_connect(client, (struct sockaddr *)&name, size), 0);
	EXPECT_CALL(CONNECT, client, 0, 0);
	cr_expect_eq(wrapped_connect(-1, (struct sockaddr *)&name, size), -1);
	EXPECT_CALL(CONNECT, -1, 0, EBADF);
	other = wrapped_accept(server, NULL, NULL);
	cr_assert_geq(other, 0);
	EXPECT_CALL(ACCEPT, other, 0, 0);
	client = socket(AF_UNIX, SOCK_STREAM, 0);
	cr_assert_eq(connect(client, (struct sockaddr *)&name, size), 0);
	other = wrapped_accept4(server, NULL, NULL, SOCK_CLOEXEC);
	cr_assert_geq(other, 0);
	EXPECT_CALL(ACCEPT, other, 0, 0);
	cr_expect_eq(wrapped_socket(AF_UNIX, -1, 0), -1);
	EXPECT_CALL(SOCKET, -1, 0, EINVAL);
}

Test(io, other_calls)
{
	int fd = open_file("0123456789"), fds[2];
	static _Alignas(4096) char page[4096];

	cr_assert_eq(pipe(fds), 0);
	cr_expect_eq(wrapped_lseek(fd, 4, SEEK_SET), 4);
	EXPECT_CALL(SEEK, fd, 0, 0);
	cr_expect_eq(wrapped_lseek64(fd, 0, SEEK_END), 10);
	EXPECT_CALL(SEEK, fd, 0, 0);
	cr_expect_eq(wrapped_lseek(fds[0], 0, SEEK_SET), -1);
	EXPECT_CALL(SEEK, fds[0], 0, ESPIPE);
	cr_expect_eq(wrapped_fsync(fd) | wrapped_fdatasync(fd) | wrapped_msync(page, 4096, MS_SYNC),
	             0);
	EXPECT_CALL(SYNC, fd, 0, 0);
	EXPECT_CALL(SYNC, fd, 0, 0);
	EXPECT_CALL(SYNC, -1, 0, 0);
	cr_expect_eq(wrapped_fsync(fds[0]), -1);
	EXPECT_CALL(SYNC, fds[0], 0, EINVAL);
}

/* As in a program of which something else is recorded. */
Test(io, without_the_data_calls_are_passed_on)
{
	int fds[2];
	char to = 0;

	cr_assert_eq(wrapped_pipe(fds), 0);
	EXPECT_CALL(PIPE, fds[0], 0, 0);
	atomic_store(&col.switches->on[SOURCE_IO], 0);
	cr_expect_eq(wrapped_write(fds[1], "x", 1), 1);
	cr_expect_eq(wrapped_read(fds[0], &to, 1), 1);
	cr_expect_eq(to, 'x');
	cr_expect_eq(wrapped_close(fds[0]) | wrapped_close(fds[1]), 0);
	EXPECT_NO_CALL();
}

/* Tests of what calls wait for that wait for a descriptor. */
#include "tests/unit/libcollector/scratch.h"

#include "libcollector/io/io_files.h"
#include "libcollector/io/io_kinds.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <pty.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

static void open_kinds(void)
{
	scratch_open();
	cr_assert_eq(io_files_open(), 0);
}

TestSuite(io_kinds, .init = open_kinds, .fini = scratch_remove);

static void is_kind(int fd, enum fmt_wall_state expected, int blocks)
{
	enum fmt_wall_state state;

	cr_assert_geq(fd, 0);
	cr_expect_eq(io_kind_blocks(fd, &state), blocks, "%d: %d", fd, state);
	cr_expect_eq(state, expected, "%d: %d", fd, state);
	cr_expect_eq(io_kind_state(fd), expected);
}

Test(io_kinds, each_kind_of_descriptor_has_its_state)
{
	int ends[2], sockets[2], terminal[2];
	sigset_t none;

	sigemptyset(&none);
	cr_assert_eq(pipe(ends), 0);
	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
	cr_assert_eq(openpty(&terminal[0], &terminal[1], NULL, NULL, NULL), 0);
	is_kind(open("/proc/self/exe", O_RDONLY), FMT_wall_state_FILE, 0);
	is_kind(open("/", O_RDONLY), FMT_wall_state_FILE, 0);
	is_kind(open("/dev/null", O_RDWR), FMT_wall_state_FILE, 0);
	is_kind(ends[0], FMT_wall_state_PIPE, 1);
	is_kind(sockets[0], FMT_wall_state_SOCKET, 1);
	is_kind(terminal[1], FMT_wall_state_TERMINAL, 1);
	is_kind(eventfd(0, 0), FMT_wall_state_PIPE, 1);
	is_kind(timerfd_create(CLOCK_MONOTONIC, 0), FMT_wall_state_SLEEP, 1);
	is_kind(signalfd(-1, &none, 0), FMT_wall_state_SIGNAL, 1);
	is_kind(epoll_create1(0), FMT_wall_state_POLL, 1);
}

Test(io_kinds, in_nonblocking_mode_no_call_waits)
{
	int sockets[2];

	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, sockets), 0);
	is_kind(sockets[0], FMT_wall_state_SOCKET, 0);
}

Test(io_kinds, a_descriptor_is_looked_up_again_when_it_may_be_another)
{
	int ends[2], file;

	cr_assert_eq(pipe(ends), 0);
	is_kind(ends[0], FMT_wall_state_PIPE, 1);
	file = open("/", O_RDONLY);
	cr_assert_eq(dup3(file, ends[0], O_CLOEXEC), ends[0]);
	io_file_forget(ends[0]);
	is_kind(ends[0], FMT_wall_state_FILE, 0);
}

Test(io_kinds, what_is_no_descriptor_is_of_another_kind)
{
	enum fmt_wall_state state;

	cr_assert_eq(io_kind_state(-1), FMT_wall_state_OTHER);
	cr_assert_eq(io_kind_state(100000), FMT_wall_state_OTHER);
	cr_assert(!io_kind_blocks(-1, &state));
}

/* Tests of libcollector/events/blocking.c: which descriptor was ready. */
#include "libcollector/events/blocking.h"

#include <criterion/criterion.h>
#include <fcntl.h>

Test(blocking, the_first_that_poll_found_is_told)
{
	struct pollfd fds[] = {{.fd = 7, .events = POLLIN},
	                       {.fd = 5, .events = POLLIN},
	                       {.fd = 9, .events = POLLOUT}};

	cr_expect_lt(blocking_polled(fds, 3), 0, "none is ready");
	fds[2].revents = POLLOUT;
	cr_expect_eq(blocking_polled(fds, 3), 9);
	cr_expect_lt(blocking_polled(fds, 2), 0);
	fds[1].revents = POLLHUP;
	cr_expect_eq(blocking_polled(fds, 3), 5);
	fds[0].revents = POLLIN;
	cr_expect_eq(blocking_polled(fds, 3), 7);
	cr_expect_lt(blocking_polled(fds, 0), 0);
}

Test(blocking, the_least_that_select_found_is_told_those_for_reading_first)
{
	static const int numbers[] = {0, 1, 31, 32, 63, 64, 65, 127, 128, FD_SETSIZE - 1};
	fd_set in, out;

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		int fd = numbers[i];

		FD_ZERO(&in);
		FD_ZERO(&out);
		cr_expect_lt(blocking_selected(FD_SETSIZE, &in, &out), 0);
		FD_SET(fd, &in);
		cr_expect_eq(blocking_selected(fd + 1, &in, NULL), fd);
		cr_expect_eq(blocking_selected(FD_SETSIZE, &in, &out), fd);
		cr_expect_lt(blocking_selected(fd, &in, &out), 0, "%d is not one of %d", fd, fd);
		cr_expect_eq(blocking_selected(fd + 1, NULL, &in), fd);
		cr_expect_eq(blocking_selected(1 << 20, &in, NULL), fd, "the kernel cuts it");
		FD_SET(0, &out);
		cr_expect_eq(blocking_selected(FD_SETSIZE, &in, &out), fd);
		FD_SET(FD_SETSIZE - 1, &in);
		cr_expect_eq(blocking_selected(FD_SETSIZE, &in, &out), fd, "the least");
	}
	cr_expect_lt(blocking_selected(FD_SETSIZE, NULL, NULL), 0);
}

Test(blocking, some_commands_of_fcntl_wait_for_a_lock)
{
	cr_expect(blocking_is_lock(F_SETLKW));
	cr_expect(blocking_is_lock(F_OFD_SETLKW));
	cr_expect_not(blocking_is_lock(F_SETLK));
	cr_expect_not(blocking_is_lock(F_GETLK));
	cr_expect_not(blocking_is_lock(F_OFD_SETLK));
	cr_expect_not(blocking_is_lock(F_GETFL));
	cr_expect_not(blocking_is_lock(F_DUPFD));
}

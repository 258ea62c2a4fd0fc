/* Tests of which descriptor an epoll event is of. */
#include "libcollector/io/io_epoll.h"

#include "libcollector/io/io_files.h"

#include <criterion/criterion.h>

enum { EPOLL = 3, OTHER = 4, FD = 7, NEXT = 8, MANY = 2000, BEYOND = 65535 };

TestSuite(io_epoll, .init = io_epoll_open);

Test(io_epoll, an_event_is_of_the_descriptor_that_was_registered_so)
{
	io_epoll_put(EPOLL, FD, 0x7fff12345678);
	io_epoll_put(EPOLL, NEXT, FD);
	io_epoll_put(OTHER, NEXT, 0);
	cr_expect_eq(io_epoll_find(EPOLL, 0x7fff12345678), FD);
	cr_expect_eq(io_epoll_find(EPOLL, FD), NEXT);
	cr_expect_eq(io_epoll_find(OTHER, 0), NEXT);
	cr_expect_lt(io_epoll_find(OTHER, FD), 0, "each epoll for itself");
	cr_expect_lt(io_epoll_find(EPOLL, 0), 0);
}

Test(io_epoll, descriptors_that_are_registered_alike_are_not_told)
{
	io_epoll_put(EPOLL, FD, 0);
	io_epoll_put(EPOLL, FD, 0);
	cr_expect_eq(io_epoll_find(EPOLL, 0), FD, "changed, as for EPOLLONESHOT");
	io_epoll_put(EPOLL, NEXT, 0);
	cr_expect_lt(io_epoll_find(EPOLL, 0), 0);
	io_epoll_put(EPOLL, FD, 0);
	cr_expect_lt(io_epoll_find(EPOLL, 0), 0);
}

Test(io_epoll, what_a_descriptor_had_may_be_given_to_another_one_when_it_is_closed)
{
	cr_assert_eq(io_files_open(), 0);
	io_epoll_put(EPOLL, FD, 100);
	io_file_forget(FD);
	io_epoll_put(EPOLL, NEXT, 100);
	cr_expect_eq(io_epoll_find(EPOLL, 100), NEXT);
	io_epoll_put(EPOLL, NEXT, 200);
	io_epoll_put(EPOLL, FD, 100);
	cr_expect_eq(io_epoll_find(EPOLL, 100), FD, "the other one has something else now");
	cr_expect_eq(io_epoll_find(EPOLL, 200), NEXT);
}

Test(io_epoll, thousands_are_found_but_for_a_few)
{
	int found = 0;

	for (int fd = 0; fd < MANY; fd++)
		io_epoll_put(EPOLL, fd, 0x555500000000 + (uint64_t)fd * 192);
	for (int fd = 0; fd < MANY; fd++) {
		int which = io_epoll_find(EPOLL, 0x555500000000 + (uint64_t)fd * 192);

		cr_assert(which == fd || which < 0, "%d: %d", fd, which);
		found += which == fd;
	}
	cr_expect_gt(found, MANY * 95 / 100);
}

Test(io_epoll, numbers_beyond_the_table_are_unknown)
{
	io_epoll_put(EPOLL, BEYOND, 1);
	io_epoll_put(EPOLL, -1, 2);
	io_epoll_put(-1, FD, 3);
	cr_expect_lt(io_epoll_find(EPOLL, 1), 0);
	cr_expect_lt(io_epoll_find(EPOLL, 2), 0);
	io_epoll_forget(BEYOND);
	io_epoll_forget(-1);
	io_epoll_open();
	cr_expect_lt(io_epoll_find(-1, 3), 0, "all is forgotten");
}

/* What was registered may be such that its hash is 0. */
Test(io_epoll, a_word_of_zeros_in_the_table_is_nobody)
{
	const uint64_t data = (uint64_t)EPOLL << 40;

	cr_expect_lt(io_epoll_find(EPOLL, data), 0);
	io_epoll_put(EPOLL, 0, data);
	cr_expect_eq(io_epoll_find(EPOLL, data), 0);
	io_epoll_forget(0);
	io_epoll_put(EPOLL, FD, data);
	cr_expect_eq(io_epoll_find(EPOLL, data), FD);
}

/* Entries of access control lists: what the kernel would read, byte by byte. */
#include "libcollector/process/grant.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

/* version 2, then tag, rights and id of each entry. */
#define OWNER_ENTRY(may) 0x01, 0, may, 0, 0xff, 0xff, 0xff, 0xff
#define USER_ENTRY(may, user) 0x02, 0, may, 0, user, 0, 0, 0
#define GROUP_ENTRY(may) 0x04, 0, may, 0, 0xff, 0xff, 0xff, 0xff
#define MASK_ENTRY(may) 0x10, 0, may, 0, 0xff, 0xff, 0xff, 0xff
#define OTHER_ENTRY(may) 0x20, 0, may, 0, 0xff, 0xff, 0xff, 0xff

static unsigned char list[GRANT_LIST_MAX];
static size_t size;

static void setup(void)
{
	memset(list, 0xee, sizeof(list));
	size = 0;
}

TestSuite(grant, .init = setup);

static int add(uint32_t user, unsigned may, unsigned mode)
{
	return grant_add(list, &size, (struct grant){user, may}, mode);
}

static void list_is(const unsigned char *expected, size_t expected_size)
{
	cr_assert_eq(size, expected_size, "%zu bytes", size);
	cr_assert_arr_eq(list, expected, expected_size);
}

Test(grant, a_private_directory_gets_one_more_user)
{
	static const unsigned char expected[] = {2,
	                                         0,
	                                         0,
	                                         0,
	                                         OWNER_ENTRY(7),
	                                         USER_ENTRY(7, 33),
	                                         GROUP_ENTRY(0),
	                                         MASK_ENTRY(7),
	                                         OTHER_ENTRY(0)};

	cr_assert_eq(add(33, 7, 0700), 0);
	list_is(expected, sizeof(expected));
}

Test(grant, what_others_may_do_stays)
{
	static const unsigned char expected[] = {2,
	                                         0,
	                                         0,
	                                         0,
	                                         OWNER_ENTRY(6),
	                                         USER_ENTRY(4, 33),
	                                         GROUP_ENTRY(4),
	                                         MASK_ENTRY(4),
	                                         OTHER_ENTRY(4)};

	cr_assert_eq(add(33, 4, 0644), 0);
	list_is(expected, sizeof(expected));
}

Test(grant, users_are_in_order_and_the_mask_is_what_any_may)
{
	static const unsigned char expected[] = {2,
	                                         0,
	                                         0,
	                                         0,
	                                         OWNER_ENTRY(7),
	                                         USER_ENTRY(7, 5),
	                                         USER_ENTRY(4, 33),
	                                         USER_ENTRY(1, 40),
	                                         GROUP_ENTRY(0),
	                                         MASK_ENTRY(7),
	                                         OTHER_ENTRY(0)};

	cr_assert_eq(add(33, 4, 0700), 0);
	cr_assert_eq(add(5, 7, 0700), 0);
	cr_assert_eq(add(40, 1, 0700), 0);
	list_is(expected, sizeof(expected));
	cr_assert_eq(add(33, 7, 0700), -EEXIST, "it is not given more");
	list_is(expected, sizeof(expected));
}

Test(grant, a_list_that_is_full_takes_no_more)
{
	int error = 0;
	uint32_t users = 0;

	while (error == 0 && users < 200)
		error = add(++users, 7, 0700);
	cr_assert_eq(error, -ENOSPC);
	cr_assert_leq(size, GRANT_LIST_MAX);
	cr_assert_gt(users, 50);
}

Test(grant, what_is_no_list_is_left_alone)
{
	memset(list, 0, sizeof(list));
	size = 28;
	list[0] = 1;
	cr_assert_eq(add(33, 7, 0700), -EINVAL, "another version");
	list[0] = 2;
	size = 27;
	cr_assert_eq(add(33, 7, 0700), -EINVAL, "part of an entry");
	size = 4;
	cr_assert_eq(add(33, 7, 0700), -EINVAL, "no entry");
}

/* Entries of access control lists: what the kernel would read, byte by byte. */
#include "libcollector/process/grant.h"
#include "tests/unit/libcollector/scratch.h"
#include "tests/unit/refused.h"

#include "libcollector/base/collector.h"
#include "libcollector/base/file.h"

#include "format/layout.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>

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

/* ---- the directory of a recording, in which a process of root's becomes another user */

#define LIST "system.posix_acl_access"

static char archives[PATH_MAX], log_file[PATH_MAX], own[PATH_MAX];

static const char *below(char path[PATH_MAX], const char *name)
{
	snprintf(path, PATH_MAX, "%.1000s/%s", col.descriptor.directory, name);
	return path;
}

static void set_up_directory(void)
{
	scratch_open();
	cr_assert_eq(mkdir(below(archives, FMT_DIR_ARCHIVES), 0700), 0);
	cr_assert_eq(mkdir(below(own, "_f1.er"), 0700), 0);
	cr_assert_eq(chmod(below(log_file, FMT_FILE_LOG), 0600), 0);
	cr_assert_eq(col_directory_open("_f1.er"), 0);
	col.is_recorded = 1;
	if (geteuid() != 0)
		cr_skip_test("needs root");
}

TestSuite(grant_user, .init = set_up_directory, .fini = scratch_remove);

/* What a file's list says that the user may do, -1: nothing about it. */
static int user_may(const char *path, unsigned char user)
{
	unsigned char got[GRANT_LIST_MAX];
	ssize_t bytes = getxattr(path, LIST, got, sizeof(got));

	for (ssize_t at = 4; at + 8 <= bytes; at += 8)
		if (got[at] == 2 && got[at + 4] == user)
			return got[at + 2];
	return -1;
}

static unsigned mode_of(const char *path)
{
	struct stat status;

	cr_assert_eq(stat(path, &status), 0);
	return status.st_mode & 07777;
}

static void needs_lists(void)
{
	unsigned char first[GRANT_LIST_MAX];
	size_t bytes = 0;

	cr_assert_eq(grant_add(first, &bytes, (struct grant){99, 7}, 0700), 0);
	if (setxattr(archives, LIST, first, bytes, 0) != 0)
		cr_skip_test("the file system has no access control lists");
	cr_assert_eq(removexattr(archives, LIST), 0);
}

Test(grant_user, a_new_user_may_enter_and_write)
{
	needs_lists();
	grant_user(33);
	cr_expect_eq(user_may(col.descriptor.directory, 33), 7);
	cr_expect_eq(user_may(archives, 33), 7);
	cr_expect_eq(user_may(log_file, 33), 4);
	cr_expect_eq(user_may(own, 33), 7);
	cr_expect_eq(mode_of(archives) & S_ISVTX, S_ISVTX, "what others made stays theirs");
	cr_expect_eq(mode_of(own), 01770, "the group's bits are the mask");
	cr_expect_eq(mode_of(log_file), 0640);
	cr_expect_eq(scratch_count(FMT_FILE_LOG, "becomes another user"), 0);
	grant_user(34);
	grant_user(33);
	cr_expect_eq(user_may(own, 33), 7);
	cr_expect_eq(user_may(own, 34), 7);
}

/* A list that there is already stays, and what is not there is no failure. */
Test(grant_user, what_was_granted_before_stays)
{
	unsigned char before[GRANT_LIST_MAX];
	size_t bytes = 0;

	needs_lists();
	cr_assert_eq(grant_add(before, &bytes, (struct grant){77, 5}, 0700), 0);
	cr_assert_eq(setxattr(own, LIST, before, bytes, 0), 0);
	cr_assert_eq(rmdir(archives), 0);
	grant_user(33);
	cr_expect_eq(user_may(own, 77), 5);
	cr_expect_eq(user_may(own, 33), 7);
	cr_expect_eq(user_may(log_file, 33), 4);
	cr_expect_eq(scratch_count(FMT_FILE_LOG, "becomes another user"), 0);
}

Test(grant_user, nobody_else_is_let_in)
{
	grant_user((uid_t)-1);
	grant_user(0);
	atomic_store(&col.switches->recording, 0);
	grant_user(33);
	atomic_store(&col.switches->recording, 1);
	col.pid++;
	grant_user(33);
	col.pid--;
	cr_expect_eq(user_may(own, 33), -1);
	cr_expect_eq(user_may(own, 0), -1);
	cr_expect_eq(mode_of(own), 0700);
	cr_assert_eq(seteuid(65534), 0);
	grant_user(33);
	cr_assert_eq(seteuid(0), 0);
	cr_expect_eq(user_may(own, 33), -1, "only root becomes anybody");
	cr_expect_eq(scratch_count(FMT_FILE_LOG, "becomes another user"), 0);
}

Test(grant_user, where_it_is_impossible_the_log_says_so_once)
{
	refuse_call(SYS_fsetxattr, ENOTSUP);
	col.descriptor.filters++;
	grant_user(33);
	grant_user(34);
	cr_expect_eq(scratch_count(FMT_FILE_LOG, "becomes another user"), 1);
	cr_expect_eq(user_may(own, 33), -1);
}

/* Where a filter of system calls may kill who makes one more of them. */
Test(grant_user, under_a_filter_nothing_is_tried)
{
	needs_lists();
	refuse_call(SYS_ptrace, EPERM);
	grant_user(33);
	cr_expect_eq(user_may(own, 33), -1);
}

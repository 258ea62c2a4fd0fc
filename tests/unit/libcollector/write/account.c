/* Tests of the sum of sizes under a limit. */
#include "tests/unit/libcollector/scratch.h"

#include "libcollector/base/collector.h"
#include "libcollector/base/file.h"
#include "libcollector/write/account.h"

#include "format/layout.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LIMIT = 1000000 };

static void setup(void)
{
	scratch_open();
	col.descriptor.limit_bytes = LIMIT;
}

TestSuite(account, .init = setup, .fini = scratch_remove);

static uint64_t in_file(void)
{
	size_t len;
	char *bytes = scratch_read(FMT_FILE_ACCOUNT, &len);
	uint64_t sum;

	cr_assert_not_null(bytes);
	cr_assert_geq(len, sizeof(sum));
	memcpy(&sum, bytes, sizeof(sum));
	free(bytes);
	return sum;
}

Test(account, without_a_limit_there_is_none)
{
	size_t len;

	col.descriptor.limit_bytes = 0;
	cr_assert(account_add(UINT32_MAX));
	cr_assert_null(scratch_read(FMT_FILE_ACCOUNT, &len));
}

Test(account, sizes_are_added_up_to_the_limit)
{
	cr_assert(account_add(LIMIT - 10));
	cr_assert(account_add(10));
	cr_assert_eq(in_file(), LIMIT);
	cr_assert_not(account_add(1));
	cr_assert_not(account_add(0));
}

/* A forked child has the mapping; another program, whose state is new, maps it again. */
Test(account, it_is_the_same_for_all_processes)
{
	int status;

	cr_assert(account_add(100));
	if (fork() == 0) {
		account_begin_child();
		account_add(20);
		account_close();
		account_add(3);
		_exit(0);
	}
	cr_assert_gt(wait(&status), 0);
	cr_assert_eq(status, 0);
	cr_assert_eq(in_file(), 123);
	cr_assert_not(account_add(LIMIT - 122));
}

Test(account, what_is_no_file_is_not_used)
{
	char path[5000];

	snprintf(path, sizeof(path), "%s/" FMT_FILE_ACCOUNT, col.descriptor.directory);
	cr_assert_eq(symlink("/etc/passwd", path), 0);
	cr_assert(account_add(LIMIT));
	cr_assert_not(account_add(1), "it counts for itself");
	account_begin_child();
	cr_assert(account_add(LIMIT), "and so does a child");
}

Test(account, its_mapping_is_known)
{
	size_t size;
	char *bytes;

	cr_assert_null(account_find_map((uintptr_t)&size, &size));
	account_add(7);
	cr_assert_null(account_find_map((uintptr_t)&size, &size));
	bytes = NULL;
	for (FILE *maps = fopen("/proc/self/maps", "r"); maps; fclose(maps), maps = NULL) {
		static char line[5000];
		unsigned long from;

		while (fgets(line, sizeof(line), maps))
			if (strstr(line, "/" FMT_FILE_ACCOUNT) && sscanf(line, "%lx-", &from) == 1)
				bytes = (char *)from;
	}
	cr_assert_not_null(bytes);
	cr_assert_eq(account_find_map((uintptr_t)bytes + 5, &size), (uint8_t *)bytes);
	cr_assert_eq(size, 4096);
	account_close();
	cr_assert_null(account_find_map((uintptr_t)bytes, &size));
}

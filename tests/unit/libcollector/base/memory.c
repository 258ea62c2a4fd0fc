/* memory.c: which memory is the recorder's. */
#include "libcollector/base/memory.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SIZE = 3 * SYS_PAGE };

/* Is it a mapping of ours, of that size? */
static int is_known(void *at, size_t size)
{
	uintptr_t start, end;

	return memory_find((uintptr_t)at, &start, &end) && start == (uintptr_t)at &&
	       end == start + size;
}

Test(memory, a_mapping_is_known_until_it_is_unmapped)
{
	char *one = sys_mmap_anonymous(SIZE), *other = sys_mmap_apart(SIZE);
	uintptr_t start, end;

	cr_assert(one && other);
	cr_assert(is_known(one, SIZE));
	cr_assert(is_known(other, SIZE));
	cr_assert(memory_find((uintptr_t)one + SIZE - 1, &start, &end));
	cr_assert_eq(start, (uintptr_t)one);
	memset(one, 1, SIZE);
	cr_assert_eq(sys_munmap(one, SIZE), 0);
	cr_assert(!is_known(one, SIZE));
	cr_assert(is_known(other, SIZE));
	cr_assert_eq(sys_munmap(other, SIZE), 0);
	cr_assert_null(sys_mmap(SIZE, PROT_READ, MAP_PRIVATE, -1, 0));
}

/* A mapping over another one fails: what is there stays, and where nothing is any more, as older
 * kernels leave it, the addresses are held. */
Test(memory, where_nothing_can_be_mapped_the_addresses_stay)
{
	char *at = sys_mmap_anonymous(SIZE);

	at[SYS_PAGE] = 7;
	cr_assert_null(sys_mmap_over(at, SIZE, PROT_READ, MAP_SHARED, -1, 0));
	cr_assert_eq(at[SYS_PAGE], 7);
	cr_assert_eq(munmap(at, SIZE), 0);
	cr_assert_null(sys_mmap_over(at, SIZE, PROT_READ, MAP_SHARED, -1, 0));
	cr_assert(is_known(at, SIZE));
	cr_assert_eq(at[SYS_PAGE], 0);
	at[SIZE - 1] = 1;
}

Test(memory, more_than_can_be_known_are_mapped_all_the_same)
{
	enum { MANY = 2000 };
	static void *at[MANY];

	for (int turn = 0; turn < 3; turn++) {
		for (int i = 0; i < MANY; i++)
			cr_assert_not_null(at[i] = sys_mmap_anonymous(SYS_PAGE));
		cr_assert(is_known(at[5], SYS_PAGE));
		for (int i = 0; i < MANY; i++)
			cr_assert_eq(sys_munmap(at[i], SYS_PAGE), 0);
	}
	cr_assert(!is_known(at[5], SYS_PAGE));
}

Test(memory, a_forked_child_has_what_was_not_kept_apart)
{
	void *shared = sys_mmap_anonymous(SIZE), *apart = sys_mmap_apart(SIZE);
	int status;
	pid_t child = fork();

	if (child == 0) {
		memory_begin_child();
		_exit(!is_known(shared, SIZE) || is_known(apart, SIZE) ||
		      sys_is_readable(apart, 1));
	}
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert_eq(status, 0);
}

static long locked_kb(void)
{
	FILE *file = fopen("/proc/self/status", "r");
	char line[256];
	long kb = -1;

	while (fgets(line, sizeof(line), file))
		if (strncmp(line, "VmLck:", 6) == 0)
			kb = atol(line + 6);
	fclose(file);
	return kb;
}

Test(memory, it_is_not_locked_with_the_programs)
{
	long before;
	char *ours;

	if (mlockall(MCL_FUTURE) != 0)
		cr_skip_test("memory cannot be locked here");
	memory_lock_future(1);
	before = locked_kb();
	ours = sys_mmap_anonymous(64 * SYS_PAGE);
	cr_assert_not_null(ours);
	cr_assert(is_known(ours, 64 * SYS_PAGE));
	ours[5] = 1;
	cr_assert_leq(locked_kb(), before + 64, "not the mapping's 256 kB");
	munlockall();
}

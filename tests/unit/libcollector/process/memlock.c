/* What mlockall locks: all memory of the program, and none of the recorder's. Children of the test
 * do it. */
#include "libcollector/base/memory.h"
#include "tests/unit/libcollector/scratch.h"

#include "libcollector/base/collector.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SIZE = 16 * SYS_PAGE, MUCH = 256 << 20, NO_RIGHT = 77 };

static void set_up(void)
{
	scratch_open();
	col.is_recorded = 1;
}

TestSuite(memlock, .init = set_up, .fini = scratch_remove, .timeout = 60);

/* Is the mapping at an address locked? -1: there is none. */
static int is_locked(const void *at)
{
	FILE *maps = fopen("/proc/self/smaps", "re");
	char line[512];
	int is_here = 0, locked = -1;

	while (maps && locked < 0 && fgets(line, sizeof(line), maps)) {
		unsigned long start, end;
		char *flags;

		if (sscanf(line, "%lx-%lx ", &start, &end) == 2)
			is_here = (uintptr_t)at >= start && (uintptr_t)at < end;
		else if (is_here && (flags = strstr(line, "VmFlags:")) != NULL)
			locked = strstr(flags, " lo") != NULL;
	}
	if (maps)
		fclose(maps);
	return locked;
}

static char *program_maps(void)
{
	char *at = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		_exit(90);
	return at;
}

/* Each returns the number of the first expectation that does not hold. */
#define EXPECT(condition) \
	do { \
		if (!(condition)) \
			return __LINE__ & 63 ? __LINE__ & 63 : 64; \
	} while (0)

static void run(int (*act)(void))
{
	pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0); /* not our own fork */
	int status;

	if (child == 0) {
		const struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
		void *much = mmap(NULL, MUCH, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		col.pid = getpid();
		setrlimit(RLIMIT_MEMLOCK, &limit);
		if (mlock2(much, MUCH, MLOCK_ONFAULT) < 0)
			_exit(NO_RIGHT);
		munmap(much, MUCH);
		_exit(act());
	}
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert(WIFEXITED(status), "%x", status);
	if (WEXITSTATUS(status) == NO_RIGHT)
		cr_skip_test("this user may not lock memory");
	cr_assert_eq(WEXITSTATUS(status), 0, "the line with these last 6 bits: %d",
	             WEXITSTATUS(status));
}

static int lock_present(void)
{
	char *before = program_maps(), *ours = sys_mmap_anonymous(SIZE), *behind = program_maps();

	EXPECT(is_locked(before) == 0);
	EXPECT(mlockall(MCL_CURRENT) == 0);
	EXPECT(is_locked(before) == 1);
	EXPECT(is_locked(behind) == 1);
	EXPECT(is_locked(&before) == 1); /* the stack */
	EXPECT(is_locked(ours) == 0);
	EXPECT(is_locked(program_maps()) == 0);
	EXPECT(is_locked(sys_mmap_anonymous(SIZE)) == 0);
	EXPECT(!memory_future_is_locked());
	EXPECT(munlockall() == 0);
	EXPECT(is_locked(before) == 0);
	return 0;
}

Test(memlock, all_present_memory_but_ours)
{
	run(lock_present);
}

static int lock_future(void)
{
	char *before = program_maps(), *ours = sys_mmap_anonymous(SIZE), *later;

	EXPECT(mlockall(MCL_FUTURE) == 0);
	EXPECT(memory_future_is_locked());
	EXPECT(is_locked(before) == 0);
	later = program_maps();
	EXPECT(is_locked(later) == 1);
	EXPECT(is_locked(sys_mmap_anonymous(SIZE)) == 0);
	/* What is present alone ends the future, and stays locked. */
	EXPECT(mlockall(MCL_CURRENT) == 0);
	EXPECT(!memory_future_is_locked());
	EXPECT(is_locked(before) == 1);
	EXPECT(is_locked(later) == 1);
	EXPECT(is_locked(ours) == 0);
	EXPECT(is_locked(program_maps()) == 0);
	return 0;
}

Test(memlock, all_future_memory_but_ours)
{
	run(lock_future);
}

static int lock_both(void)
{
	char *before = program_maps(), *ours = sys_mmap_anonymous(SIZE);

	EXPECT(mlockall(MCL_CURRENT | MCL_FUTURE) == 0);
	EXPECT(is_locked(before) == 1);
	EXPECT(is_locked(ours) == 0);
	EXPECT(is_locked(program_maps()) == 1);
	EXPECT(is_locked(sys_mmap_anonymous(SIZE)) == 0);
	EXPECT(munlockall() == 0);
	EXPECT(!memory_future_is_locked());
	EXPECT(is_locked(program_maps()) == 0);
	return 0;
}

Test(memlock, both_at_once)
{
	run(lock_both);
}

/* Pages that are locked when they are used are not there before. */
static int lock_on_fault(void)
{
	char *before = program_maps();
	unsigned char present[SIZE / SYS_PAGE] = {0};

	EXPECT(mlockall(MCL_CURRENT | MCL_ONFAULT) == 0);
	EXPECT(is_locked(before) == 1);
	EXPECT(mincore(before, SIZE, present) == 0);
	EXPECT(!memchr(present, 1, sizeof(present)));
	EXPECT(mlockall(MCL_CURRENT) == 0);
	EXPECT(mincore(before, SIZE, present) == 0);
	EXPECT(!memchr(present, 0, sizeof(present)));
	return 0;
}

Test(memlock, pages_are_locked_when_they_are_used)
{
	run(lock_on_fault);
}

static int ask_for_nothing(void)
{
	EXPECT(mlockall(0) == -1 && errno == EINVAL);
	EXPECT(mlockall(64) == -1 && errno == EINVAL);
	EXPECT(mlockall(MCL_CURRENT | 64) == -1 && errno == EINVAL);
	EXPECT(mlockall(MCL_ONFAULT) == -1 && errno == EINVAL);
	EXPECT(!memory_future_is_locked());
	EXPECT(is_locked(program_maps()) == 0);
	return 0;
}

Test(memlock, what_makes_no_sense_is_refused)
{
	run(ask_for_nothing);
}

/* Without the privilege, a limit refuses it, as it does without us. */
static int ask_for_too_much(void)
{
	const struct rlimit low = {1 << 20, 1 << 20}, some = {8 << 20, 8 << 20};
	char *much = mmap(NULL, 64 << 20, PROT_READ | PROT_WRITE,
	                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	EXPECT(setrlimit(RLIMIT_MEMLOCK, &some) == 0);
	EXPECT(setrlimit(RLIMIT_MEMLOCK, &low) == 0);
	EXPECT(setresuid(65534, 65534, 65534) == 0);
	EXPECT(mlockall(MCL_CURRENT) == -1 && errno == ENOMEM);
	EXPECT(is_locked(much) == 0);
	EXPECT(is_locked(&much) == 0);
	return 0;
}

Test(memlock, a_limit_refuses_it)
{
	if (geteuid() != 0)
		cr_skip_test("needs to give up a right");
	run(ask_for_too_much);
}

static int lock_unrecorded(void)
{
	char *ours = sys_mmap_anonymous(SIZE);

	atomic_store(&col.switches->recording, 0);
	EXPECT(mlockall(MCL_CURRENT | MCL_FUTURE) == 0);
	EXPECT(is_locked(ours) == 1);
	EXPECT(!memory_future_is_locked());
	return 0;
}

Test(memlock, without_a_recording_it_is_the_kernels_affair)
{
	run(lock_unrecorded);
}

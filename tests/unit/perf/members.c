/* Whose samples count where whole CPUs are sampled: records of forks, programs and ends, as the
 * kernel writes them. */
#include "perf/members.h"

#include <criterion/criterion.h>
#include <linux/perf_event.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FIRST = 2000000000, CHILD, GRANDCHILD, STRANGER, OTHER }; /* there are no such processes */

static uint64_t pair(pid_t low, pid_t high)
{
	return (uint64_t)(uint32_t)low | (uint64_t)(uint32_t)high << 32;
}

static int take(unsigned type, unsigned misc, pid_t pid, pid_t parent, pid_t tid)
{
	const uint64_t words[] = {pair(pid, parent), pair(tid, parent), 0, 0, 0, 0};

	return members_take(&(struct ring_record){
		.type = (uint16_t)type, .misc = (uint16_t)misc, .words = words, .count = 6});
}

static int forks(pid_t pid, pid_t child)
{
	return take(PERF_RECORD_FORK, 0, child, pid, child);
}

static int begins_thread(pid_t pid, pid_t tid)
{
	return take(PERF_RECORD_FORK, 0, pid, pid, tid);
}

static int ends(pid_t pid, pid_t tid)
{
	return take(PERF_RECORD_EXIT, 0, pid, 1, tid);
}

static int executes(pid_t pid)
{
	const uint64_t words[] = {pair(pid, pid), 0, 0, 0, 0};

	return members_take(&(struct ring_record){.type = PERF_RECORD_COMM,
	                                          .misc = PERF_RECORD_MISC_COMM_EXEC,
	                                          .words = words,
	                                          .count = 5});
}

static int maps(pid_t pid)
{
	return take(PERF_RECORD_MMAP2, 0, pid, pid, pid);
}

Test(members, begin_when_the_process_executes_its_program)
{
	members_expect(FIRST);
	cr_expect(!members_have(FIRST));
	cr_expect_eq(forks(FIRST, CHILD), 0, "what xcollect forks is none");
	cr_expect_eq(executes(STRANGER), 0);
	cr_expect_eq(maps(FIRST), 0);
	cr_expect_eq(executes(FIRST), 1);
	cr_expect(members_have(FIRST) && !members_have(CHILD) && !members_have(STRANGER));
	cr_expect_eq(maps(FIRST), 1);
	cr_expect_eq(maps(STRANGER), 0);
}

/* In a PID namespace, such as a container's, the kernel tells of those outside with number 0. */
Test(members, outside_of_the_namespace_nobody_is_one)
{
	members_expect(FIRST);
	cr_expect_eq(executes(0), 0);
	executes(FIRST);
	cr_expect_eq(executes(0), 0, "nobody is expected any longer");
	cr_expect_eq(forks(0, 0), 0);
	cr_expect_eq(forks(0, STRANGER), 0);
	cr_expect_eq(ends(0, 0), 0);
	members_begin(getpid());
	cr_expect_eq(executes(0), 0);
	cr_expect(!members_have(0));
}

Test(members, are_all_descendants_until_each_has_ended)
{
	members_expect(FIRST);
	executes(FIRST);
	cr_expect_eq(forks(FIRST, CHILD), 1);
	cr_expect_eq(forks(CHILD, GRANDCHILD), 1);
	cr_expect_eq(forks(STRANGER, OTHER), 0);
	cr_expect_eq(ends(FIRST, FIRST), 1, "its own end is told");
	cr_expect(!members_have(FIRST) && members_have(CHILD));
	cr_expect_eq(ends(FIRST, FIRST), 0, "once");
	ends(CHILD, CHILD);
	cr_expect(members_have(GRANDCHILD));
	cr_expect_eq(executes(GRANDCHILD), 1);
	ends(GRANDCHILD, GRANDCHILD);
	cr_expect(!members_have(GRANDCHILD) && !members_have(OTHER));
}

Test(members, stay_while_they_have_threads)
{
	members_expect(FIRST);
	executes(FIRST);
	cr_expect_eq(begins_thread(FIRST, CHILD), 1);
	cr_expect_eq(begins_thread(STRANGER, OTHER), 0);
	ends(FIRST, FIRST);
	cr_expect(members_have(FIRST), "the first thread ends before the others");
	cr_expect_eq(ends(FIRST, CHILD), 1);
	cr_expect_not(members_have(FIRST));
}

Test(members, take_no_stranger_for_one_whose_number_it_has)
{
	members_expect(FIRST);
	executes(FIRST);
	forks(FIRST, CHILD);
	/* The child's end was lost. */
	cr_expect_eq(forks(STRANGER, CHILD), 0);
	cr_expect(!members_have(CHILD) && members_have(FIRST));
}

Test(members, of_a_running_process_are_there_at_once)
{
	int fds[2];
	char byte;
	pid_t child;

	cr_assert_eq(pipe(fds), 0);
	child = fork();
	if (child == 0) {
		close(fds[1]);
		(void)!read(fds[0], &byte, 1);
		_exit(0);
	}
	close(fds[0]);
	members_begin(child);
	cr_expect(members_have(child));
	cr_expect_eq(maps(child), 1);
	cr_expect_eq(forks(child, CHILD), 1);
	cr_expect_eq(ends(CHILD, CHILD), 1);
	cr_expect_not(members_have(CHILD));
	cr_expect_eq(ends(child, child), 1);
	cr_expect_not(members_have(child), "it has one thread");
	close(fds[1]);
	cr_assert_eq(waitpid(child, NULL, 0), child);
}

Test(members, losses_are_of_nobody)
{
	members_expect(FIRST);
	executes(FIRST);
	cr_expect_eq(take(PERF_RECORD_LOST, 0, FIRST, FIRST, FIRST), 0);
	cr_expect(members_have(FIRST));
}

Test(members, short_records_are_none)
{
	const uint64_t word = pair(FIRST, FIRST);

	members_expect(FIRST);
	executes(FIRST);
	cr_expect_eq(members_take(&(struct ring_record){
			     .type = PERF_RECORD_EXIT, .words = &word, .count = 1}),
	             0);
	cr_expect(members_have(FIRST));
}

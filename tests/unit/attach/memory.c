/* The memory of another process. */
#include "attach/memory.h"
#include "tests/unit/attach/child.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096 };

/* Two pages, of which the child has both but may read only the first, followed by a hole. */
static char *pages;

static void wait_long(void)
{
	for (;;)
		pause();
}

static void setup(void)
{
	pages = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	cr_assert_neq((void *)pages, MAP_FAILED);
	munmap(pages + 2 * PAGE, PAGE);
	memset(pages, 'a', PAGE);
	memset(pages + PAGE, 'b', PAGE);
}

Test(memory, is_that_of_the_other_process, .init = setup)
{
	pid_t child = child_start(wait_long);
	char bytes[2 * PAGE];

	memset(pages, 'x', 2 * PAGE);
	cr_assert_eq(memory_read((uint64_t)pages + PAGE - 3, bytes, 6), 0);
	cr_assert_eq(memcmp(bytes, "aaabbb", 6), 0);
	cr_assert_eq(memory_write((uint64_t)pages + PAGE - 1, "12", 2), 0);
	cr_assert_eq(memory_read((uint64_t)pages, bytes, 2 * PAGE), 0);
	cr_assert_eq(memcmp(bytes + PAGE - 2, "a12b", 4), 0);
	cr_assert_eq(pages[PAGE], 'x');
	kill(child, SIGKILL);
	child_status(child);
}

Test(memory, that_is_not_there_is_an_error, .init = setup)
{
	pid_t child = child_start(wait_long);
	char bytes[2 * PAGE];

	cr_assert_lt(memory_read((uint64_t)pages + 2 * PAGE, bytes, 1), 0);
	cr_assert_lt(memory_read((uint64_t)pages + PAGE, bytes, PAGE + 1), 0);
	cr_assert_eq(memory_read((uint64_t)pages + PAGE, bytes, PAGE), 0);
	cr_assert_lt(memory_write((uint64_t)pages + 2 * PAGE - 1, "12", 2), 0);
	kill(child, SIGKILL);
	child_status(child);
	cr_assert_lt(memory_read((uint64_t)pages, bytes, 1), 0);
	cr_assert_lt(memory_open(child), 0);
}

/* Code is readable memory. */
Test(memory, that_the_process_may_not_write_can_be_written, .init = setup)
{
	pid_t child;
	char byte = 0;

	mprotect(pages, PAGE, PROT_READ);
	child = child_start(wait_long);
	cr_assert_eq(memory_write((uint64_t)pages + 5, "c", 1), 0);
	cr_assert_eq(memory_read((uint64_t)pages + 5, &byte, 1), 0);
	cr_assert_eq(byte, 'c');
	kill(child, SIGKILL);
	child_status(child);
}

/* The load objects of a process, compared with the loader's list for this process. */
#include "attach/objects.h"
#include "attach/memory.h"
#include "attach/thread.h"
#include "tests/unit/refused.h"
#include "tests/unit/attach/child.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

static struct objects *objects;
static char program[PATH_MAX];

static void open_own(const char *library)
{
	cr_assert_gt(readlink("/proc/self/exe", program, sizeof(program) - 1), 0);
	cr_assert_eq(memory_open(getpid()), 0);
	cr_assert_eq(objects_open(getpid(), library, &objects), 0);
}

/* Functions that no sanitizer replaces. */
static uint64_t address(const char *name)
{
	void *found = dlsym(RTLD_DEFAULT, name);

	cr_assert_not_null(found, "%s", name);
	return (uint64_t)found;
}

Test(objects, roles_are_told_by_their_files)
{
	open_own("/nowhere");
	cr_assert_eq(objects_role(objects, address("hdestroy_r")), OBJECT_LIBC);
	cr_assert_eq(objects_role(objects, (uint64_t)_r_debug.r_brk), OBJECT_LOADER);
	cr_assert_eq(objects_role(objects, (uint64_t)open_own), OBJECT_OTHER);
	cr_assert_eq(objects_role(objects, 64), OBJECT_NONE);
	cr_assert_str_eq(objects_name(objects, (uint64_t)open_own), program);
	cr_assert_str_eq(objects_name(objects, 64), "no object");
	cr_assert_not_null(strstr(objects_name(objects, address("hdestroy_r")), "libc.so.6"));
	objects_close(objects);
	open_own(program);
	cr_assert_eq(objects_role(objects, (uint64_t)open_own), OBJECT_COLLECTOR);
	objects_close(objects);
}

Test(objects, functions_are_found_by_name)
{
	const ElfW(Sym) * symbol;
	uint64_t size = 1;
	Dl_info info;

	open_own("/nowhere");
	cr_assert_eq(objects_symbol(objects, OBJECT_LIBC, "hcreate_r"), address("hcreate_r"));
	cr_assert_eq(objects_symbol(objects, OBJECT_LIBC, "getppid"), address("getppid"));
	cr_assert_eq(objects_symbol(objects, OBJECT_LIBC, "no_such_function"), 0);
	cr_assert_eq(objects_symbol(objects, OBJECT_LIBC, "environ"), 0, "no function");
	cr_assert_eq(objects_symbol(objects, OBJECT_COLLECTOR, "hdestroy_r"), 0, "there is none");
	cr_assert_neq(
		dladdr1((void *)address("hcreate_r"), &info, (void **)&symbol, RTLD_DL_SYMENT), 0);
	cr_assert_eq(objects_extent(objects, OBJECT_LIBC, "hcreate_r", &size),
	             address("hcreate_r"));
	cr_assert_eq(size, symbol->st_size);
	cr_assert_eq(objects_extent(objects, OBJECT_LIBC, "no_such_function", &size), 0);
	cr_assert_eq(size, 0);
	objects_close(objects);
}

/* The file of tests/programs, which are built in a folder beside that of the unit programs. */
static const char *built(const char *name)
{
	static char path[2 * PATH_MAX];

	cr_assert_gt(readlink("/proc/self/exe", program, sizeof(program) - 1), 0);
	snprintf(path, sizeof(path), "%.*s/../programs/%s", (int)(strrchr(program, '/') - program),
	         program, name);
	return path;
}

/* A program that has just begun: nothing but it and the loader is there. */
static pid_t start_stopped(const char *path)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		alarm(20);
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execl(path, path, NULL);
		_exit(1);
	}
	cr_assert_gt(child, 0);
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert(WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP, "%s: 0x%x", path, status);
	cr_assert_eq(memory_open(child), 0);
	return child;
}

Test(objects, a_program_with_an_allocator_of_its_own_is_told_from_a_library, .timeout = 60,
     .init = needs_ptrace)
{
	void *library = dlopen(built("late/own_malloc.so"), RTLD_NOW | RTLD_LOCAL), *found;
	pid_t child;

	cr_assert_not_null(library, "%s", dlerror());
	found = dlsym(library, "malloc");
	open_own("/nowhere");
	cr_expect_eq(objects_role(objects, (uint64_t)found), OBJECT_ALLOCATOR);
	cr_expect_eq(objects_symbol(objects, OBJECT_ALLOCATOR, "malloc"), (uint64_t)found);
	objects_close(objects);
	dlclose(library);

	child = start_stopped(built("own_malloc"));
	cr_assert_eq(objects_open(child, "/nowhere", &objects), 0);
	cr_expect_neq(objects_symbol(objects, OBJECT_PROGRAM_ALLOCATOR, "malloc"), 0);
	cr_expect_neq(objects_symbol(objects, OBJECT_PROGRAM_ALLOCATOR, "main"), 0);
	cr_expect_eq(objects_symbol(objects, OBJECT_PROGRAM_ALLOCATOR, "no_such_function"), 0);
	objects_close(objects);
	kill(child, SIGKILL);
	child_status(child);
}

/* Bytes of a function of the C library, and bytes that occur nowhere. */
Test(objects, code_is_found)
{
	static const unsigned char nowhere[] = "these are no instructions of any function";
	uint64_t at = address("hcreate_r"), found;
	unsigned char code[48];

	open_own("/nowhere");
	memcpy(code, (const void *)at, sizeof(code));
	found = objects_find_code(objects, code, sizeof(code));
	cr_assert_eq(found, at);
	cr_assert_eq(objects_find_code(objects, nowhere, sizeof(nowhere)), 0);
	objects_close(objects);
}

/* Where the C library's code begins, and how long it is. */
static int find_libc_code(struct dl_phdr_info *info, size_t size, void *range)
{
	uint64_t known = address("hcreate_r") - info->dlpi_addr, *out = range;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];

		if (part->p_type != PT_LOAD || known - part->p_vaddr >= part->p_memsz)
			continue;
		out[0] = info->dlpi_addr + part->p_vaddr;
		out[1] = part->p_filesz;
		return 1;
	}
	return 0;
}

/* It is read in parts of a size that is not told here: pieces of it at all multiples of 4 KB, and
 * across them. Other places may have the same bytes. */
Test(objects, code_is_found_wherever_it_is)
{
	enum { LEN = 32, STEP = 4096, PIECES = 40 };
	unsigned char code[LEN];
	uint64_t range[2] = {0, 0};

	cr_assert_eq(dl_iterate_phdr(find_libc_code, range), 1);
	cr_assert_gt(range[1], (PIECES + 1) * STEP);
	open_own("/nowhere");
	for (uint64_t i = 1; i <= PIECES; i++)
		for (uint64_t before = 0; before <= LEN; before += LEN / 2) {
			uint64_t at = range[0] + i * STEP - before, found;

			memcpy(code, (const void *)at, LEN);
			found = objects_find_code(objects, code, LEN);
			cr_assert(found != 0 && found <= at, "%d", (int)i);
			cr_assert_eq(memcmp((const void *)found, code, LEN), 0);
		}
	memcpy(code, (const void *)(range[0] + range[1] - LEN), LEN);
	cr_assert_neq(objects_find_code(objects, code, LEN), 0, "at the end");
	objects_close(objects);
}

/* ---- stacks */

static volatile int is_over;

static __attribute__((noinline)) void wait_deep(int depth)
{
	if (depth > 0)
		wait_deep(depth - 1);
	while (depth == 0 && !is_over)
		pause();
	__asm__ volatile("" ::: "memory");
}

static void wait_long(void)
{
	wait_deep(10);
}

Test(objects, stacks_are_unwound, .timeout = 60, .init = needs_ptrace)
{
	static struct object_frame frames[200];
	pid_t child = child_start(wait_long);
	struct thread thread;
	int is_whole = 0, count, again = 0, few;

	cr_assert_eq(objects_open(child, "/nowhere", &objects), 0);
	cr_assert_eq(thread_seize(&thread, child), 0);
	cr_assert_eq(thread_stop(&thread), 0);
	count = objects_unwind(objects, child, frames, 200, &is_whole);
	cr_assert_gt(count, 12);
	cr_assert_eq(is_whole, 1);
	cr_assert_eq(frames[0].role, OBJECT_LIBC);
	cr_assert_eq(frames[0].is_exact, 1);
	for (int i = 1; i < count; i++) {
		cr_assert_eq(frames[i].is_exact, 0, "%d", i);
		again += i > 1 && frames[i].pc == frames[i - 1].pc;
	}
	cr_assert_eq(again, 9, "ten calls of itself");
	few = objects_unwind(objects, child, frames, 5, &is_whole);
	cr_assert_eq(few, 5);
	cr_assert_eq(is_whole, 0);
	thread_release(&thread);
	objects_close(objects);
	kill(child, SIGKILL);
	child_status(child);
}

Test(objects, a_process_that_is_gone_has_none)
{
	pid_t child = child_start(wait_long);

	kill(child, SIGKILL);
	child_status(child);
	cr_assert_lt(objects_open(child, "/nowhere", &objects), 0);
}

/* Where a thread may be used for calls: made-up stacks through this process's own objects. */
#include "attach/safe.h"
#include "tests/unit/refused.h"
#include "tests/unit/attach/child.h"

#include "attach/memory.h"

#include <criterion/criterion.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct objects *own_objects(void)
{
	struct objects *objects;

	cr_assert_eq(memory_open(getpid()), 0);
	cr_assert_eq(objects_open(getpid(), "/nowhere", &objects), 0);
	return objects;
}

static struct object_frame frame_in(struct objects *objects, uint64_t pc, int is_exact)
{
	return (struct object_frame){
		.pc = pc, .is_exact = is_exact, .role = objects_role(objects, pc)};
}

static struct arch_registers registers_in(long call)
{
	struct arch_registers registers;

	memset(&registers, 0, sizeof(registers));
	registers.user.orig_rax = (unsigned long long)call;
	return registers;
}

Test(safe, waiting_is_and_working_is_not)
{
	struct objects *objects = own_objects();
	struct object_frame frames[2] = {
		frame_in(objects, objects_symbol(objects, OBJECT_LIBC, "poll") + 20, 1),
		frame_in(objects, (uint64_t)own_objects + 10, 0)};
	struct arch_registers in_call = registers_in(SYS_poll), in_none = registers_in(-1),
			      in_mmap = registers_in(SYS_mmap);

	cr_assert_eq(frames[0].role, OBJECT_LIBC);
	cr_assert_eq(frames[1].role, OBJECT_OTHER);
	cr_assert_eq(safe_outermost_critical(objects, frames, 2, &in_call), -1);
	cr_assert_eq(safe_outermost_critical(objects, frames, 2, &in_none), 0);
	cr_assert_eq(safe_outermost_critical(objects, frames, 2, &in_mmap), 0);
	cr_assert_eq(safe_outermost_critical(objects, frames + 1, 1, &in_mmap), -1);
	objects_close(objects);
}

Test(safe, allocating_is_not_even_in_a_wait_or_under_a_handler)
{
	struct objects *objects = own_objects();
	uint64_t own = (uint64_t)own_objects + 10;
	struct object_frame frames[5] = {
		frame_in(objects, own, 1), frame_in(objects, own, 0),
		frame_in(objects, objects_symbol(objects, OBJECT_LIBC, "free") + 8, 0),
		frame_in(objects, own, 0), frame_in(objects, own, 0)};
	struct arch_registers registers = registers_in(SYS_futex);

	cr_assert_eq(safe_outermost_critical(objects, frames, 5, &registers), 2);
	cr_assert_eq(safe_outermost_critical(objects, frames + 2, 3, &registers), 0);
	frames[2] = frame_in(objects, objects_symbol(objects, OBJECT_LIBC, "fork") + 8, 0);
	cr_assert_eq(safe_outermost_critical(objects, frames, 5, &registers), 2);
	objects_close(objects);
}

/* Frames, innermost first; the innermost is in this system call, -1: in none. */
static int outermost(struct objects *objects, const struct object_frame *frames, int count,
                     long call)
{
	struct arch_registers registers = registers_in(call);

	return safe_outermost_critical(objects, frames, count, &registers);
}

static struct object_frame libc_frame(struct objects *objects, const char *name, uint64_t offset)
{
	uint64_t function = objects_symbol(objects, OBJECT_LIBC, name);

	cr_assert_neq(function, 0, "%s", name);
	return frame_in(objects, function + offset, 0);
}

Test(safe, functions_that_hold_locks_are_not_even_when_they_call_out)
{
	static const char *const holding[] = {"fork",           "exit",         "dl_iterate_phdr",
	                                      "pthread_create", "__cxa_atexit", "malloc_info"};
	struct objects *objects = own_objects();
	struct object_frame frames[2] = {frame_in(objects, (uint64_t)own_objects + 10, 1)};

	for (size_t i = 0; i < sizeof(holding) / sizeof(holding[0]); i++) {
		uint64_t size = 0, start = objects_extent(objects, OBJECT_LIBC, holding[i], &size);

		cr_assert(start && size > 4, "%s", holding[i]);
		frames[1] = frame_in(objects, start + 4, 0);
		cr_assert_eq(outermost(objects, frames, 2, -1), 1, "%s", holding[i]);
	}
	/* qsort calls back, and holds no lock. */
	frames[1] = libc_frame(objects, "qsort_r", 8);
	cr_assert_eq(outermost(objects, frames, 2, -1), -1);
	objects_close(objects);
}

/* The return address of a call of a function that does not return may be after the end of the
 * caller. */
Test(safe, a_return_address_belongs_to_the_call_before_it)
{
	struct objects *objects = own_objects();
	uint64_t size = 0, start = objects_extent(objects, OBJECT_LIBC, "dl_iterate_phdr", &size);
	struct object_frame frames[2] = {frame_in(objects, (uint64_t)own_objects + 10, 1),
	                                 frame_in(objects, start + size, 0)};

	cr_assert_eq(outermost(objects, frames, 2, -1), 1);
	frames[1].pc = start;
	cr_assert_eq(outermost(objects, frames, 2, -1), -1, "the call is of what lies before");
	objects_close(objects);
}

Test(safe, the_allocators_code_is_known_by_what_lies_around_it)
{
	struct objects *objects = own_objects();
	struct object_frame frames[2] = {frame_in(objects, (uint64_t)own_objects + 10, 1)};
	uint64_t malloc_at = objects_symbol(objects, OBJECT_LIBC, "malloc");

	frames[1] = frame_in(objects, malloc_at - 0x100, 0);
	cr_assert_eq(outermost(objects, frames, 2, -1), 1, "before");
	frames[1] = frame_in(objects, malloc_at + 0x400, 0);
	cr_assert_eq(outermost(objects, frames, 2, -1), 1, "behind");
	objects_close(objects);
}

Test(safe, calls_that_wait_are_and_other_ones_are_not)
{
	static const int waiting[] = {SYS_read,  SYS_write, SYS_futex,     SYS_nanosleep,
	                              SYS_wait4, SYS_fsync, SYS_epoll_wait};
	static const int working[] = {SYS_brk,      SYS_munmap, SYS_clone,
	                              SYS_mprotect, SYS_close,  SYS_getpid};
	struct objects *objects = own_objects();
	struct object_frame frames[2] = {libc_frame(objects, "qsort_r", 8),
	                                 frame_in(objects, (uint64_t)own_objects + 10, 0)};

	frames[0].is_exact = 1;
	for (size_t i = 0; i < sizeof(waiting) / sizeof(waiting[0]); i++)
		cr_assert_eq(outermost(objects, frames, 2, waiting[i]), -1, "%d", waiting[i]);
	for (size_t i = 0; i < sizeof(working) / sizeof(working[0]); i++)
		cr_assert_eq(outermost(objects, frames, 2, working[i]), 0, "%d", working[i]);
	objects_close(objects);
}

/* A recursive function is left by the outermost of its calls. */
Test(safe, where_the_c_library_has_called_itself_the_outermost_call_counts)
{
	struct objects *objects = own_objects();
	uint64_t own = (uint64_t)own_objects + 10;
	struct object_frame frames[4] = {
		libc_frame(objects, "malloc", 8), libc_frame(objects, "qsort_r", 8),
		libc_frame(objects, "qsort_r", 16), frame_in(objects, own, 0)};

	frames[0].is_exact = 1;
	cr_assert_eq(outermost(objects, frames, 4, -1), 2);
	cr_assert_eq(outermost(objects, frames, 2, -1), 1);
	frames[1] = frame_in(objects, own, 0);
	cr_assert_eq(outermost(objects, frames, 4, -1), 0);
	objects_close(objects);
}

Test(safe, the_loader_is_not_and_code_without_an_object_is)
{
	struct objects *objects = own_objects();
	uint64_t loader = objects_symbol(objects, OBJECT_LOADER, "_dl_debug_state");
	struct object_frame frames[2] = {frame_in(objects, 64, 1), frame_in(objects, loader, 0)};

	cr_assert_neq(loader, 0);
	cr_assert_eq(frames[0].role, OBJECT_NONE);
	cr_assert_eq(frames[1].role, OBJECT_LOADER);
	cr_assert_eq(outermost(objects, frames, 1, -1), -1);
	cr_assert_eq(outermost(objects, frames, 2, -1), 1);
	objects_close(objects);
}

/* The recorder, except when it has called the function that it wraps. */
Test(safe, the_recorder_is_where_it_has_called_the_c_library)
{
	struct objects *objects = own_objects();
	struct object_frame frames[3] = {libc_frame(objects, "poll", 20),
	                                 frame_in(objects, (uint64_t)own_objects + 10, 0),
	                                 frame_in(objects, (uint64_t)own_objects + 10, 0)};

	frames[0].is_exact = 1;
	frames[1].role = OBJECT_COLLECTOR;
	cr_assert_eq(outermost(objects, frames, 3, SYS_poll), -1);
	frames[0].role = OBJECT_OTHER;
	cr_assert_eq(outermost(objects, frames, 3, SYS_poll), 1);
	cr_assert_eq(outermost(objects, frames + 1, 2, -1), 0, "it executes");
	frames[1].role = OBJECT_ALLOCATOR;
	frames[0].role = OBJECT_LIBC;
	cr_assert_eq(outermost(objects, frames, 3, SYS_poll), 1);
	frames[1].role = OBJECT_PROGRAM_ALLOCATOR;
	cr_assert_eq(outermost(objects, frames, 3, SYS_poll), -1);
	frames[1].is_exact = 1;
	cr_assert_eq(outermost(objects, frames + 1, 2, -1), 0);
	objects_close(objects);
}

/* ---- threads that are stopped */

static void wait_long(void)
{
	for (;;)
		pause();
}

static volatile int sink;

static void compute(void)
{
	for (;;)
		sink++;
}

static enum safe_verdict verdict_of(void (*work)(void))
{
	pid_t child = child_start(work);
	struct objects *objects;
	struct thread thread;
	enum safe_verdict verdict;
	uint64_t wait_for = 1;

	cr_assert_eq(objects_open(child, "/nowhere", &objects), 0);
	cr_assert_eq(thread_seize(&thread, child), 0);
	cr_assert_eq(thread_stop(&thread), 0);
	verdict = safe_judge(objects, &thread, &wait_for);
	/* On a busy machine the child may still be on its way out of fork. */
	for (int i = 0; i < 1000 && wait_for != 0; i++) {
		cr_assert_eq(thread_continue(&thread), 0);
		usleep(1000);
		cr_assert_eq(thread_stop(&thread), 0);
		wait_for = 1;
		verdict = safe_judge(objects, &thread, &wait_for);
	}
	cr_assert_eq(wait_for, 0);
	thread_release(&thread);
	objects_close(objects);
	kill(child, SIGKILL);
	cr_assert_eq(child_status(child), -1);
	return verdict;
}

Test(safe, a_thread_that_waits_or_computes_may_be_used, .timeout = 60, .init = needs_ptrace)
{
	cr_assert_eq(verdict_of(wait_long), SAFE_YES);
	cr_assert_eq(verdict_of(compute), SAFE_YES);
}

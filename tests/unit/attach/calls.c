/* Threads that are stopped, moved and put back: they must not notice. */
#include "attach/call.h"
#include "attach/memory.h"
#include "attach/objects.h"
#include "attach/safe.h"
#include "attach/thread.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pid_t start(void (*work)(void))
{
	pid_t child = fork();

	if (child == 0) {
		alarm(20);
		work();
		_exit(1);
	}
	cr_assert(child > 0);
	cr_assert_eq(memory_open(child), 0);
	usleep(50000);
	return child;
}

static int status_of(pid_t child)
{
	int status = -1;

	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Ends with 0 if all its registers keep their values for half a second. */
static void count_carefully(void)
{
	double sum = 0, check = 0;
	unsigned long n = 0, m = 0;
	struct timespec now, begin;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	do {
		for (int i = 1; i < 1000; i++) {
			sum += 1.0 / i;
			check += 1.0 / i;
			n += (unsigned long)i;
			m += (unsigned long)i;
		}
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (sum == check && n == m &&
	         (now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000 <
	                 500);
	_exit(sum == check && n == m ? 0 : 2);
}

/* Ends with 0 if a sleep of 600 ms is neither cut short nor told of. */
static void sleep_undisturbed(void)
{
	struct timespec time = {.tv_nsec = 600000000}, begin, end;
	int result;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	result = nanosleep(&time, NULL);
	clock_gettime(CLOCK_MONOTONIC, &end);
	_exit(result < 0 ? 2
	      : (end.tv_sec - begin.tv_sec) * 1000 + (end.tv_nsec - begin.tv_nsec) / 1000000 < 600
	              ? 3
	              : 0);
}

/* Send a stopped thread through rt_sigreturn with the frame of where it was. */
static void send_around(pid_t child, struct thread *thread)
{
	static unsigned char bytes[ARCH_FRAME_MAX];
	static struct arch_state state;
	struct arch_start start = {.function = 4711, .control = 4711};
	struct arch_registers registers;
	struct objects *objects;
	size_t size;

	cr_assert_eq(objects_open(child, "/nowhere", &objects), 0);
	start.code = objects_find_code(objects, arch_code_signal_return.bytes,
	                               arch_code_signal_return.size);
	cr_assert_neq(start.code, 0);
	objects_close(objects);

	cr_assert_eq(thread_seize(thread, child), 0);
	cr_assert_eq(thread_stop(thread), 0);
	cr_assert_eq(thread_save(thread, &state), 0);
	start.stack = (arch_sp(&state.registers) - ARCH_RED_ZONE - ARCH_FRAME_MAX) &
	              ~(uint64_t)(ARCH_FRAME_ALIGN - 1);
	size = arch_frame_build(&state, start.stack, bytes);
	cr_assert(size > 0 && size <= sizeof(bytes));
	cr_assert_eq(memory_write(start.stack, bytes, size), 0);
	registers = state.registers;
	arch_enter_function(&registers, &start);
	cr_assert_eq(arch_registers_set(thread->tid, &registers), 0);
	thread_release(thread);
}

Test(frame, brings_a_busy_thread_back, .timeout = 60)
{
	struct thread thread;
	pid_t child = start(count_carefully);

	for (int i = 0; i < 5; i++) {
		send_around(child, &thread);
		usleep(20000);
	}
	cr_assert_eq(status_of(child), 0);
}

Test(frame, begins_an_interrupted_sleep_again, .timeout = 60)
{
	struct thread thread;
	pid_t child = start(sleep_undisturbed);

	send_around(child, &thread);
	usleep(20000);
	send_around(child, &thread);
	cr_assert_eq(status_of(child), 0);
}

Test(call, calls_a_function_in_a_sleep, .timeout = 60)
{
	static struct call_place place;
	struct objects *objects;
	struct thread thread;
	uint64_t result = 0;
	pid_t child = start(sleep_undisturbed);

	cr_assert_eq(objects_open(child, "/nowhere", &objects), 0);
	cr_assert_eq(thread_seize(&thread, child), 0);
	cr_assert_eq(thread_stop(&thread), 0);
	cr_assert_eq(call_begin(&place, objects, &thread), 0);
	cr_assert_eq(call_function(&place, objects_symbol(objects, OBJECT_LIBC, "getppid"), 0, 0,
	                           5000, &result),
	             0);
	cr_assert_eq(result, (uint64_t)getpid());
	cr_assert_eq(call_end(&place), 0);
	thread_release(&thread);
	cr_assert_eq(status_of(child), 0);
	objects_close(objects);
}

Test(call, a_fault_is_told_and_undone, .timeout = 60)
{
	static struct call_place place;
	struct objects *objects;
	struct thread thread;
	uint64_t result = 0;
	pid_t child = start(count_carefully);

	cr_assert_eq(objects_open(child, "/nowhere", &objects), 0);
	cr_assert_eq(thread_seize(&thread, child), 0);
	cr_assert_eq(thread_stop(&thread), 0);
	cr_assert_eq(call_begin(&place, objects, &thread), 0);
	cr_assert_eq(call_function(&place, 16, 0, 0, 5000, &result), -EFAULT);
	cr_assert_eq(call_end(&place), 0);
	thread_release(&thread);
	cr_assert_eq(status_of(child), 0);
	objects_close(objects);
}

/* ---- where a thread may be used ---- */

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

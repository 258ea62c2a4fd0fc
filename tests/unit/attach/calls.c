/* Threads that are stopped, moved and put back must not notice it. */
#include "attach/call.h"
#include "attach/memory.h"
#include "attach/objects.h"
#include "attach/thread.h"
#include "tests/unit/refused.h"
#include "tests/unit/attach/child.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

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

/* Ends with 0 if a sleep of 600 ms is neither shortened nor interrupted. */
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

/* Send a stopped thread through rt_sigreturn with the frame of its present state. */
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

static void on_timer(int signal)
{
	(void)signal;
}

/* Works for some seconds, with the signal of a timer each 50 us. */
static void work_with_timer(void)
{
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMAX};
	const struct itimerspec often = {{.tv_nsec = 50000}, {.tv_nsec = 50000}};
	timer_t timer;

	signal(SIGRTMAX, on_timer);
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	timer_settime(timer, 0, &often, NULL);
	for (;;)
		continue;
}

/* The kernel may forget that a stop was asked for where the signal of a timer comes at that moment.
 */
Test(thread, stops_though_the_signals_of_a_timer_come, .timeout = 60, .init = needs_ptrace)
{
	pid_t child = child_start(work_with_timer);
	int64_t end = thread_now_ms() + 2000;
	unsigned stops = 0;

	usleep(10000);
	while (thread_now_ms() < end) {
		struct thread thread;

		cr_assert_eq(thread_seize(&thread, child), 0);
		cr_assert_eq(thread_stop(&thread), 0);
		cr_assert(thread.is_event);
		thread_release(&thread);
		stops++;
	}
	kill(child, SIGKILL);
	child_status(child);
	cr_assert_gt(stops, 20);
}

Test(frame, brings_a_busy_thread_back, .timeout = 60, .init = needs_ptrace)
{
	struct thread thread;
	pid_t child = child_start(count_carefully);

	for (int i = 0; i < 5; i++) {
		send_around(child, &thread);
		usleep(20000);
	}
	cr_assert_eq(child_status(child), 0);
}

Test(frame, begins_an_interrupted_sleep_again, .timeout = 60, .init = needs_ptrace)
{
	struct thread thread;
	pid_t child = child_start(sleep_undisturbed);

	send_around(child, &thread);
	usleep(20000);
	send_around(child, &thread);
	cr_assert_eq(child_status(child), 0);
}

Test(call, calls_a_function_in_a_sleep, .timeout = 60, .init = needs_ptrace)
{
	static struct call_place place;
	struct objects *objects;
	struct thread thread;
	uint64_t result = 0;
	pid_t child = child_start(sleep_undisturbed);

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
	cr_assert_eq(child_status(child), 0);
	objects_close(objects);
}

Test(call, a_fault_is_told_and_undone, .timeout = 60, .init = needs_ptrace)
{
	static struct call_place place;
	struct objects *objects;
	struct thread thread;
	uint64_t result = 0;
	pid_t child = child_start(count_carefully);

	cr_assert_eq(objects_open(child, "/nowhere", &objects), 0);
	cr_assert_eq(thread_seize(&thread, child), 0);
	cr_assert_eq(thread_stop(&thread), 0);
	cr_assert_eq(call_begin(&place, objects, &thread), 0);
	cr_assert_eq(call_function(&place, 16, 0, 0, 5000, &result), -EFAULT);
	cr_assert_eq(call_end(&place), 0);
	thread_release(&thread);
	cr_assert_eq(child_status(child), 0);
	objects_close(objects);
}

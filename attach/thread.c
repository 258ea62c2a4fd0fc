/* thread.c: hold one thread of the target by ptrace(2). See thread.h.
 * See doc/decisions/35-attach.md. */
#include "attach/thread.h"

#include "attach/memory.h"

#include <errno.h>
#include <linux/rseq.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A thread stops when it is given a CPU. On a busy machine, or one that is rationed, that can take
 * long. */
enum { POLL_US = 100, STOP_MS = 5000, RUN_PATIENCE = 16, EVENT_STOP = 128 /* PTRACE_EVENT_STOP */ };

/* Linux 5.13; the header of Debian 12 has it in linux/ptrace.h, which cannot be used beside
 * sys/ptrace.h. */
enum { GET_RSEQ_CONFIGURATION = 0x420f, GET_SIGMASK = 0x420a, SET_SIGMASK = 0x420b };

struct rseq_configuration {
	uint64_t pointer;
	uint32_t size, signature, flags, pad;
};

int64_t thread_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void thread_pause_us(unsigned us)
{
	struct timespec time = {.tv_nsec = (long)us * 1000};

	nanosleep(&time, NULL);
}

char thread_doing(pid_t tid)
{
	char path[40], line[512] = "";
	FILE *file;
	size_t len;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)tid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	len = fread(line, 1, sizeof(line) - 2, file);
	fclose(file);
	/* Behind the name in parentheses, which may hold anything. */
	while (len > 0 && line[len - 1] != ')')
		len--;
	return len > 0 ? line[len + 1] : 0;
}

static int trace(enum __ptrace_request request, const struct thread *thread, uint64_t address,
                 const void *data)
{
	return ptrace(request, thread->tid, (void *)address, (void *)(uintptr_t)data) < 0 ? -errno
	                                                                                  : 0;
}

int thread_seize(struct thread *thread, pid_t tid)
{
	*thread = (struct thread){.tid = tid};
	return trace(PTRACE_SEIZE, thread, 0, (void *)PTRACE_O_TRACESYSGOOD);
}

/* Note what waitpid has told. Returns 1: it has stopped, -ESRCH: it has gone. */
static int take_status(struct thread *thread, int status)
{
	if (!WIFSTOPPED(status))
		return -ESRCH;
	thread->is_stopped = 1;
	thread->stop_signal = WSTOPSIG(status);
	thread->is_event = status >> 16 == EVENT_STOP;
	return 1;
}

int thread_poll(struct thread *thread)
{
	int status;
	pid_t got = waitpid(thread->tid, &status, __WALL | WNOHANG);

	if (got == 0)
		return 0;
	return got < 0 ? -ESRCH : take_status(thread, status);
}

static int wait_stop(struct thread *thread, int timeout_ms)
{
	int64_t end = thread_now_ms() + timeout_ms;
	int status;

	while ((status = thread_poll(thread)) == 0) {
		if (thread_now_ms() > end)
			return -ETIMEDOUT;
		thread_pause_us(POLL_US);
	}
	return status < 0 ? status : 0;
}

static int resume(struct thread *thread, enum __ptrace_request request, int signal)
{
	int error = trace(request, thread, 0, (void *)(uintptr_t)signal);

	thread->is_stopped = 0;
	return error;
}

static int is_group_stop(const struct thread *thread)
{
	return thread->is_event && thread->stop_signal != SIGTRAP;
}

static int is_at_breakpoint(const struct thread *thread)
{
	struct arch_registers registers;
	siginfo_t info;

	return thread->breakpoint && thread->stop_signal == SIGTRAP && !thread->is_event &&
	       trace(PTRACE_GETSIGINFO, thread, 0, &info) == 0 && info.si_code == TRAP_HWBKPT &&
	       arch_registers_get(thread->tid, &registers) == 0 &&
	       arch_pc(&registers) == thread->breakpoint;
}

/* From a stop that was not asked for: the signal that the thread is to have. */
static int signal_to_pass(const struct thread *thread)
{
	return thread->is_event || is_at_breakpoint(thread) ? 0 : thread->stop_signal;
}

/* Any stop takes back what was asked for, and the kernel can begin that for the signal of a timer
 * after it was asked (dequeue_signal lets go of its lock for those). So after each it is asked for
 * again. */
int thread_stop(struct thread *thread)
{
	int64_t end = thread_now_ms() + STOP_MS;
	int error = trace(PTRACE_INTERRUPT, thread, 0, NULL);

	while (error == 0) {
		error = wait_stop(thread, STOP_MS);
		if (error < 0 || (thread->is_event && !is_group_stop(thread)))
			return error;
		if (is_group_stop(thread))
			return -EBUSY;
		error = resume(thread, PTRACE_CONT, signal_to_pass(thread));
		if (error == 0)
			error = thread_now_ms() < end ? trace(PTRACE_INTERRUPT, thread, 0, NULL)
			                              : -ETIMEDOUT;
	}
	return error;
}

/* Go from any other stop to one that was asked for, without executing an instruction. Only from
 * there does the kernel restart a call that it has interrupted. */
static int settle(struct thread *thread)
{
	int error = trace(PTRACE_INTERRUPT, thread, 0, NULL);

	if (error == 0)
		error = resume(thread, PTRACE_CONT, 0);
	return error < 0 ? error : wait_stop(thread, STOP_MS);
}

int thread_continue(struct thread *thread)
{
	return resume(thread, PTRACE_CONT, 0);
}

int thread_pass_signal(struct thread *thread)
{
	return resume(thread, PTRACE_CONT, signal_to_pass(thread));
}

void thread_release(struct thread *thread)
{
	if (thread->is_stopped)
		trace(PTRACE_DETACH, thread, 0, NULL);
	thread->is_stopped = 0;
}

/* ---- registers ---- */

int thread_mask_get(const struct thread *thread, uint64_t *mask)
{
	return trace((enum __ptrace_request)GET_SIGMASK, thread, sizeof(*mask), mask);
}

int thread_mask_set(const struct thread *thread, uint64_t mask)
{
	return trace((enum __ptrace_request)SET_SIGMASK, thread, sizeof(mask), &mask);
}

/* A call that the kernel has begun again once goes by another number: the code tells its own. */
static uint64_t call_number(const struct arch_registers *registers)
{
	int64_t number = arch_call(registers), of_code;

	if (number != SYS_restart_syscall)
		return (uint64_t)number;
	of_code = arch_call_before(arch_pc(registers));
	return (uint64_t)(of_code < 0 ? number : of_code);
}

int thread_save(const struct thread *thread, struct arch_state *state)
{
	int error = arch_registers_get(thread->tid, &state->registers);

	state->vector_size = sizeof(state->vector);
	if (error == 0)
		error = thread_mask_get(thread, &state->mask);
	if (error == 0)
		error = arch_vector_get(thread->tid, state->vector, &state->vector_size);
	if (error == 0)
		state->call = call_number(&state->registers);
	return error;
}

/* The registers come last: until then the thread, should it be let go, would find its way back by
 * itself (arch_frame_build). */
int thread_restore(const struct thread *thread, const struct arch_state *state)
{
	int error = thread_mask_set(thread, state->mask);

	if (error == 0)
		error = arch_vector_set(thread->tid, state->vector, state->vector_size);
	return error < 0 ? error : arch_registers_set(thread->tid, &state->registers);
}

/* ---- running a little ---- */

static int run_until_breakpoint(struct thread *thread, int timeout_ms)
{
	int64_t end = thread_now_ms() + timeout_ms;
	int patience = RUN_PATIENCE;
	int error = thread_continue(thread);

	while (error == 0) {
		int64_t left = end - thread_now_ms();

		error = left > 0 ? wait_stop(thread, (int)left) : -ETIMEDOUT;
		if (error == -ETIMEDOUT && --patience > 0 && thread_doing(thread->tid) == 'R') {
			end = thread_now_ms() + timeout_ms;
			error = 0;
			continue;
		}
		if (error == -ETIMEDOUT) {
			error = thread_stop(thread);
			return error < 0 ? error : -ETIMEDOUT;
		}
		if (error < 0)
			return error;
		if (is_at_breakpoint(thread))
			return settle(thread);
		if (is_group_stop(thread))
			return -EBUSY;
		error = resume(thread, PTRACE_CONT, signal_to_pass(thread));
	}
	return error;
}

int thread_run_to(struct thread *thread, uint64_t address, int timeout_ms)
{
	int error;

	if (arch_breakpoint_set(thread->tid, address) < 0)
		return -ENOTSUP;
	thread->breakpoint = address;
	error = run_until_breakpoint(thread, timeout_ms);
	if (thread->is_stopped)
		arch_breakpoint_set(thread->tid, 0);
	thread->breakpoint = 0;
	return error;
}

int thread_syscall(struct thread *thread, const struct arch_registers *registers, int64_t *result)
{
	struct arch_registers after;
	int error = arch_registers_set(thread->tid, registers);

	for (int i = 0; error == 0 && i < 2; i++) { /* to its beginning, to its end */
		error = resume(thread, PTRACE_SYSCALL, 0);
		if (error == 0)
			error = wait_stop(thread, STOP_MS);
		if (error == 0 && thread->stop_signal != (SIGTRAP | 0x80))
			error = -EINTR;
	}
	if (error == 0)
		error = arch_registers_get(thread->tid, &after);
	if (error == 0)
		error = settle(thread);
	*result = error == 0 ? (int64_t)arch_result(&after) : 0;
	return error;
}

int thread_is_in_rseq(const struct thread *thread, uint64_t pc)
{
	struct rseq_configuration configuration;
	struct rseq_cs section;
	uint64_t pointer;

	if (trace((enum __ptrace_request)GET_RSEQ_CONFIGURATION, thread, sizeof(configuration),
	          &configuration) < 0 ||
	    configuration.pointer == 0)
		return 0;
	if (memory_read(configuration.pointer + offsetof(struct rseq, rseq_cs), &pointer,
	                sizeof(pointer)) < 0 ||
	    pointer == 0)
		return 0;
	return memory_read(pointer, &section, sizeof(section)) == 0 &&
	       pc - section.start_ip < section.post_commit_offset;
}

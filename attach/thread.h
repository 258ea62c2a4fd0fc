/* thread.h: one thread of the target under ptrace(2): stopped, looked at, changed, released.
 *
 * Threads are seized, not attached: nothing but the one thread stops, and no SIGSTOP is sent. All
 * waits are bounded. When this program ends, for whatever reason, the kernel releases every thread
 * that it holds. */
#ifndef XER_ATTACH_THREAD_H
#define XER_ATTACH_THREAD_H

#include "attach/arch/arch.h"

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct thread {
	pid_t tid;
	int is_stopped;
	int stop_signal; /* of the last stop: SIGTRAP for one that was asked for, or a signal on its
	                    way to the thread */
	int is_event;    /* the stop was one that was asked for, or a stop of the whole process */
	uint64_t breakpoint; /* 0: none */
};

/* What thread `tid` is doing, by the letter of proc(5): R runnable, S waiting, D waiting and not to
 * be interrupted, ...; 0: it has gone. */
char thread_doing(pid_t tid);

/* Take thread `tid` as it runs. Returns 0 or -errno. */
int thread_seize(struct thread *thread, pid_t tid);

/* Stop it. Returns 0, -ESRCH (it has gone), -EBUSY (the process was stopped by a signal) or
 * -ETIMEDOUT: it is in a call that cannot be interrupted, or gets no CPU. Then it will stop as soon
 * as it can, and stay stopped until this program ends, together with all threads that wait for a
 * lock that it holds. So the program must end soon. Signals that come in the meantime reach the
 * thread. */
int thread_stop(struct thread *thread);

/* Let it run on, and keep it, or let it go. */
int thread_continue(struct thread *thread);
int thread_pass_signal(struct thread *thread); /* with the signal that has stopped it */
void thread_release(struct thread *thread);

/* Let it run until it is about to execute `address`, by a hardware breakpoint, or until the time is
 * over; in both cases it is stopped then. Time in which it waits for a CPU or runs counts for a
 * sixteenth. Returns 0, -ETIMEDOUT, -ENOTSUP (there are no breakpoints) or another -errno. */
int thread_run_to(struct thread *thread, uint64_t address, int timeout_ms);

/* Has a running thread stopped by itself, by a fault for example? Returns 0, 1 or -ESRCH. */
int thread_poll(struct thread *thread);

/* Of a stopped thread. Return 0 or -errno. */
int thread_save(const struct thread *thread, struct arch_state *state);
int thread_restore(const struct thread *thread, const struct arch_state *state);
int thread_mask_get(const struct thread *thread, uint64_t *mask);
int thread_mask_set(const struct thread *thread, uint64_t mask);

/* Let a stopped thread execute the one system call that its registers are set up for, and stop it
 * behind that. Returns 0 with the call's result, or -errno. */
int thread_syscall(struct thread *thread, const struct arch_registers *registers, int64_t *result);

/* Is the stopped thread in a restartable sequence (rseq(2)), which moving it would break? */
int thread_is_in_rseq(const struct thread *thread, uint64_t pc);

/* CLOCK_MONOTONIC in milliseconds, and a short sleep. */
int64_t thread_now_ms(void);
void thread_pause_us(unsigned us);

#endif

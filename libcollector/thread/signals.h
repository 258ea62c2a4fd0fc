/* signals.h: share the signals of the process with the program, which must not notice.
 *
 * The tick signal, and those by which the user controls the recording, belong to the recorder: a
 * program that blocks "all signals" does not block them, and a program that installs a handler for
 * one of them gets only its own signals. */
#ifndef XER_COLLECTOR_SIGNALS_H
#define XER_COLLECTOR_SIGNALS_H

#include "libcollector/base/sys.h"

#include "format/attach.h"

/* A real-time signal that programs hardly use: that of the timers on the CPU time of threads
 * (tick.h). The wrappers of signals_mask.c and signals_action.c keep it for us. */
#define TICK_SIGNAL ATTACH_TICK_SIGNAL

typedef void signals_handler(int signal, siginfo_t *info, void *context);

/* Install the recorder's handler for `signal`: from now on it is one of our few signals. All
 * signals are blocked while the handler runs. Returns 0 or -errno: then the signal acts as
 * before. */
int signals_install(int signal, signals_handler *handler);

/* Install the handler for a signal of ours again if the kernel has set its action back to the
 * default, as it does when a debugger steps where the signal is blocked. The flags of a handler
 * that is there are left alone: Erlang's runtime gives every handler SA_ONSTACK, and crashes
 * without. Signal-safe. */
void signals_keep(int signal);

/* The program calls rt_sigaction(2) itself: in the children that it makes, Chromium sets all
 * signals back to the default by it. Returns 1 if that is done: the signal is one of ours; -EFAULT
 * if it is done, but `old` may not be written to, as the kernel has it; 0: the call is to be passed
 * on. */
int signals_action_by_call(int signal, const void *action, void *old, unsigned long size);

/* Call `watcher` when the program has changed its action for SIGBUS; old: the former action that
 * the C library is about to return, NULL: none. Signal-safe. */
typedef void signals_watcher(struct sigaction *old);
void signals_watch_sigbus(signals_watcher *watcher);

/* The recording has ended: install the program's own handlers again. If the program has none for
 * the signal `kept`, or for SIGTRAP, our handler stays, for signals that are still pending. Those
 * that are pending for other handlers of ours are dropped. */
void signals_give_back(int kept);

/* Is this a timer signal of the recorder, whose value is a thread state? Signal-safe. */
int signals_is_ours(const siginfo_t *info);

/* Call the program's own handler for a signal of ours, if it has installed one. Returns 1 if it
 * has. Signal-safe. */
int signals_tell_program(int signal, siginfo_t *info, void *context);

/* Pass a signal that is not ours to the program: to its handler; or it kills the program, unless
 * the program ignores it or has blocked it. Signal-safe. */
void signals_forward(int signal, siginfo_t *info, void *context);

/* Our `signal` has come at `context`. If it has interrupted a system call, and nothing else has,
 * the program must not see EINTR: then the call is made again. If a signal of the program has
 * interrupted it, or is about to, the call ends as it would have ended without us. Signal-safe. */
void signals_restart_call(int signal, void *context);

/* Those of our signals that the program has blocked in the calling thread, in its view; a new
 * thread begins with those of its creator. */
sys_sigset signals_believed(void);
void signals_believe(sys_sigset blocked);

/* Our signals: none in a 32-bit program, or if no handler could be installed. */
sys_sigset signals_ours(void);

/* Those of them that bring ticks: the timers' and the perf events'. */
sys_sigset signals_of_ticks(void);

/* Those of them that are in the program's `set`. */
sys_sigset signals_of_ours(const sigset_t *set);

/* The program waits for a set of signals: a copy of it without ours, in *copy; or `set` itself, if
 * nothing has to be changed, or the kernel will refuse it as it may not be read. */
const sigset_t *signals_without_ours(const sigset_t *set, sigset_t *copy);

/* Another program is about to be executed: it inherits our signals as ignored or blocked, as the
 * program has them in its view; but nothing in a child of vfork, whose own settings are not known.
 * Returns 1 if a failed call has to be followed by signals_stay with the mask. */
int signals_depart(sys_sigset *mask);
void signals_stay(const sys_sigset *mask);

/* From now on handlers that run on alternate stacks block our signals: see altstack.h. */
void signals_shield_handlers(void);

#endif

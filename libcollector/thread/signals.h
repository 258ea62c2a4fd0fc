/* signals.h: share the process's signals with the program, which must not notice.
 *
 * The tick signal, and those by which the user controls the recording, are the collector's:
 * programs that block "all signals" do not block them, and ones that install a handler get the
 * signals that are theirs. */
#ifndef XER_COLLECTOR_SIGNALS_H
#define XER_COLLECTOR_SIGNALS_H

#include "libcollector/base/sys.h"

#include "format/attach.h"

/* A real-time signal that programs hardly use: that of the timers on threads' CPU time (tick.h).
 * The wrappers of signals.c keep it ours. */
#define TICK_SIGNAL ATTACH_TICK_SIGNAL

typedef void signals_handler(int signal, siginfo_t *info, void *context);

/* Install the collector's handler for `signal`: it is ours from now on, of which there are a few.
 * All signals are blocked while it runs. Returns 0 or -errno: then the signal does what it did. */
int signals_install(int signal, signals_handler *handler);

/* Call `watcher` when the program has changed what it has for SIGBUS; old: what the C library is
 * about to tell of before, NULL: nothing. Signal-safe. */
typedef void signals_watcher(struct sigaction *old);
void signals_watch_sigbus(signals_watcher *watcher);

/* The recording has ended: the program's own handlers are installed again. For the signal `kept`,
 * if the program has none, ours stays, for signals that are on their way. */
void signals_give_back(int kept);

/* Is this a timer signal of the collector, whose value is a thread state or NULL? Signal-safe. */
int signals_is_ours(const siginfo_t *info);

/* Call the program's own handler for a signal of ours, if it has installed one. Returns 1 if it
 * has. Signal-safe. */
int signals_tell_program(int signal, siginfo_t *info, void *context);

/* Give a signal that is not ours to the program: to its handler, or it ends by it, unless it
 * ignores or has blocked it. Signal-safe. */
void signals_forward(int signal, siginfo_t *info, void *context);

/* If the tick interrupted a system call that the kernel does not restart, restart it: the program
 * must not see EINTR because of us. A tick comes while the thread runs, so the call was being
 * entered and had not waited yet. A signal of the program that is pending meanwhile is delivered
 * before the call begins again, as if it had come a moment earlier. Signal-safe. */
void signals_restart_call(void *context);

/* Of our signals, those that the program believes to have blocked in the calling thread; a new
 * thread begins with its creator's. */
sys_sigset signals_believed(void);
void signals_believe(sys_sigset blocked);

/* The signals that are ours: none in a program of 32 bits, or where a handler could not be
 * installed. */
sys_sigset signals_ours(void);

/* Those of them that are in the program's `set`. */
sys_sigset signals_of_ours(const sigset_t *set);

/* Another program is about to be executed: it inherits what the program believes to have of our
 * signals, ignored or blocked; but none of it in a child of vfork, of which is not known what it
 * has set for itself. Returns 1 if the call is to be followed, should it fail, by signals_stay with
 * the mask. */
int signals_depart(sys_sigset *mask);
void signals_stay(const sys_sigset *mask);

/* From now on handlers that run on alternate stacks block our signals: see altstack.h. */
void signals_shield_handlers(void);

/* Does this kernel deliver a process's timer signal to the thread that uses the CPU (Linux 6.4)? */
int signals_prefer_current(void);

#endif

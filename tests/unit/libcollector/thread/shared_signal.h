/* shared_signal.h: for tests of the signals that the recorder shares with the program. */
#ifndef XER_TESTS_SHARED_SIGNAL_H
#define XER_TESTS_SHARED_SIGNAL_H

#include "libcollector/thread/signals.h"

#include <signal.h>

/* A signal of the recorder, and one that is not. */
enum { OURS = SIGUSR1, THEIRS = SIGUSR2 };

/* How often the handlers below were called, and for what. */
extern volatile int ours_met, program_met, program_value;

/* The recorder's handler of OURS; two that the program may have. */
void on_ours(int signal, siginfo_t *info, void *context);
void on_program(int signal);
void on_program_info(int signal, siginfo_t *info, void *context);

/* Begin a recording that has OURS, to be ended by scratch_remove. */
void shared_signal_open(void);

/* What the kernel reports. */
struct sys_sigaction real_action(int signal);
sys_sigset real_mask(void);

sigset_t set_of(int one, int other);

#endif

/* shared_signal.c: see shared_signal.h. */
#include "tests/unit/libcollector/thread/shared_signal.h"

#include "tests/unit/libcollector/scratch.h"

#include <criterion/criterion.h>

volatile int ours_met, program_met, program_value;

void on_ours(int signal, siginfo_t *info, void *context)
{
	(void)info;
	(void)context;
	ours_met += signal == OURS;
}

void on_program(int signal)
{
	program_met++;
	program_value = signal;
}

void on_program_info(int signal, siginfo_t *info, void *context)
{
	program_met++;
	program_value = signal == info->si_signo && context ? info->si_code : -99;
}

void shared_signal_open(void)
{
	scratch_open();
	cr_assert_eq(signals_install(OURS, on_ours), 0);
}

struct sys_sigaction real_action(int signal)
{
	struct sys_sigaction action;

	cr_assert_eq(sys_sigaction(signal, NULL, &action), 0);
	return action;
}

sys_sigset real_mask(void)
{
	sys_sigset mask = 0, nothing = 0;

	sys_sigmask(SIG_BLOCK, &nothing, &mask);
	return mask;
}

sigset_t set_of(int one, int other)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, one);
	sigaddset(&set, other);
	return set;
}

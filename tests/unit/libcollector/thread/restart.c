/* Interrupted system calls: which of them are repeated, and which fail for the program. */
#include "libcollector/thread/signals.h"
#include "tests/unit/libcollector/scratch.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OURS = SIGUSR1, THEIRS = SIGUSR2 };

/* mov $number,%eax; syscall */
static uint8_t code[64 + 7];
enum { NUMBER = 64 + 1, CALL = 64 + 5, BEHIND = 64 + 7 };

static ucontext_t context;
static int met;

static void on_ours(int signal, siginfo_t *info, void *at)
{
	(void)signal;
	(void)info;
	(void)at;
}

static void on_program(int signal)
{
	met = signal;
}

static void setup(void)
{
	scratch_open();
	cr_assert_eq(signals_install(OURS, on_ours), 0);
	cr_assert_eq(signals_install(TICK_SIGNAL, on_ours), 0);
	code[64] = 0xb8;
	code[CALL] = 0x0f;
	code[CALL + 1] = 0x05;
}

TestSuite(restart, .init = setup, .fini = scratch_remove);

static greg_t *registers(void)
{
	return context.uc_mcontext.gregs;
}

/* This call has failed with EINTR. */
static void fails(uint32_t number)
{
	memset(&context, 0, sizeof(context));
	memcpy(code + NUMBER, &number, sizeof(number));
	registers()[REG_RIP] = (greg_t)(code + BEHIND);
	registers()[REG_RAX] = -EINTR;
}

/* The kernel will repeat this call. */
static void is_restarted(uint32_t number)
{
	fails(number);
	registers()[REG_RIP] = (greg_t)(code + CALL);
	registers()[REG_RCX] = (greg_t)(code + BEHIND);
	registers()[REG_RAX] = number;
}

static int is_made_again(void)
{
	return registers()[REG_RIP] == (greg_t)(code + CALL) && registers()[REG_RAX] >= 0;
}

static int is_failed(void)
{
	return registers()[REG_RIP] == (greg_t)(code + BEHIND) && registers()[REG_RAX] == -EINTR;
}

/* A signal of the program is pending, as all signals are that arrive while the recorder's handler
 * runs. */
static void pend(int flags)
{
	struct sigaction action = {.sa_handler = on_program, .sa_flags = flags};
	sys_sigset all = ~(sys_sigset)0;

	sigaction(THEIRS, &action, NULL);
	sys_sigmask(SIG_BLOCK, &all, NULL);
	raise(THEIRS);
}

Test(restart, a_call_that_our_signal_ended_is_made_again)
{
	fails(SYS_poll);
	signals_restart_call(OURS, &context);
	cr_assert(is_made_again());
	cr_assert_eq(registers()[REG_RAX], SYS_poll);
	fails(SYS_close);
	signals_restart_call(OURS, &context);
	cr_assert(is_failed(), "not this one");
}

/* A tick cannot be the reason that a call has failed. */
Test(restart, a_tick_ends_no_call)
{
	int status;

	fails(SYS_poll);
	signals_restart_call(TICK_SIGNAL, &context);
	cr_assert(is_failed());
	if (fork() == 0) {
		if (personality(UNAME26) == -1)
			_exit(77);
		signals_restart_call(TICK_SIGNAL, &context);
		_exit(is_made_again());
	}
	wait(&status);
	cr_assert(WEXITSTATUS(status) == 1 || WEXITSTATUS(status) == 77, "of old kernels it may");
}

Test(restart, a_pending_signal_of_the_program_ends_the_call)
{
	pend(SA_RESTART);
	fails(SYS_poll);
	signals_restart_call(OURS, &context);
	cr_assert(is_failed());
	memcpy(&context.uc_sigmask, &(sys_sigset){SYS_SIGBIT(THEIRS)}, sizeof(sys_sigset));
	signals_restart_call(OURS, &context);
	cr_assert(is_made_again(), "it stays pending");
	cr_assert_eq(met, 0);
}

Test(restart, a_handler_that_blocks_our_signal_may_have_run)
{
	struct sys_sigaction action;
	struct sigaction program = {.sa_handler = on_program};

	sigaction(THEIRS, &program, NULL);
	fails(SYS_poll);
	signals_restart_call(OURS, &context);
	cr_assert(is_made_again());
	sys_sigaction(THEIRS, NULL, &action);
	action.mask = SYS_SIGBIT(OURS);
	sys_sigaction(THEIRS, &action, NULL);
	fails(SYS_poll);
	signals_restart_call(OURS, &context);
	cr_assert(is_failed());
}

/* The mask of the wait itself decides whether the recorder's signal can have ended it. */
Test(restart, calls_with_masks)
{
	static const struct {
		uint32_t number;
		int of, is_behind;
	} calls[] = {
		{SYS_rt_sigsuspend, REG_RDI, 0}, {SYS_ppoll, REG_R10, 0},
		{SYS_epoll_pwait, REG_R8, 0},    {SYS_epoll_pwait2, REG_R8, 0},
		{SYS_pselect6, REG_R9, 1},       {SYS_io_pgetevents, REG_R9, 1},
	};

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		for (int blocks = 0; blocks < 2; blocks++) {
			sys_sigset mask = blocks ? SYS_SIGBIT(OURS) : SYS_SIGBIT(THEIRS);
			uint64_t behind[2] = {(uint64_t)&mask, sizeof(mask)};

			fails(calls[i].number);
			registers()[calls[i].of] = (greg_t)(calls[i].is_behind ? (void *)behind
			                                                       : &mask);
			signals_restart_call(OURS, &context);
			cr_assert_eq(is_made_again(), !blocks, "%u", calls[i].number);
		}
	fails(SYS_ppoll);
	registers()[REG_R10] = 16;
	signals_restart_call(OURS, &context);
	cr_assert(is_made_again(), "a mask that is not there any more");
}

/* A signal that is only blocked outside the call, or only inside, ends the call when it is
 * repeated. */
Test(restart, what_is_pending_for_calls_with_masks)
{
	sys_sigset none = 0, theirs = SYS_SIGBIT(THEIRS);

	pend(0);
	fails(SYS_rt_sigsuspend);
	registers()[REG_RDI] = (greg_t)&none;
	signals_restart_call(OURS, &context);
	cr_assert(is_failed(), "pause would not end any more");
	fails(SYS_rt_sigsuspend);
	registers()[REG_RDI] = (greg_t)&theirs;
	signals_restart_call(OURS, &context);
	cr_assert(is_made_again());
	fails(SYS_rt_sigsuspend);
	registers()[REG_RDI] = (greg_t)&none;
	memcpy(&context.uc_sigmask, &theirs, sizeof(theirs));
	signals_restart_call(OURS, &context);
	cr_assert(is_made_again());
}

/* The recorder's handler has SA_RESTART, the program's handler that follows does not. */
Test(restart, what_the_kernel_makes_again_fails_for_the_programs_signal)
{
	is_restarted(SYS_read);
	signals_restart_call(TICK_SIGNAL, &context);
	cr_assert(is_made_again());
	pend(0);
	signals_restart_call(TICK_SIGNAL, &context);
	cr_assert(is_failed());
	is_restarted(SYS_clone);
	signals_restart_call(TICK_SIGNAL, &context);
	cr_assert(is_made_again(), "it never fails so");
	is_restarted(SYS_read);
	registers()[REG_RCX] = 0;
	signals_restart_call(TICK_SIGNAL, &context);
	cr_assert(is_made_again(), "it has not been made yet");
}

Test(restart, a_signal_of_the_program_that_restarts_calls)
{
	pend(SA_RESTART);
	is_restarted(SYS_read);
	signals_restart_call(TICK_SIGNAL, &context);
	cr_assert(is_made_again());
}

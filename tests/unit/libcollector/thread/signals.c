/* Signals that the recorder shares with the program, which must not notice. */
#include "tests/unit/libcollector/scratch.h"
#include "tests/unit/libcollector/thread/shared_signal.h"

#include "libcollector/base/collector.h"
#include "libcollector/thread/thread.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

TestSuite(signals, .init = shared_signal_open, .fini = scratch_remove);

Test(signals, there_are_four_at_most)
{
	cr_assert_eq(signals_install(SIGUSR2, on_ours), 0);
	cr_assert_eq(signals_install(SIGHUP, on_ours), 0);
	cr_assert_eq(signals_install(SIGKILL, on_ours), -EINVAL);
	cr_assert_eq(signals_install(SIGURG, on_ours), 0);
	cr_assert_eq(signals_install(SIGWINCH, on_ours), -ENOSPC);
	cr_assert_eq(signals_install(SIGHUP, on_ours), 0, "it is one of them");
}

Test(signals, signals_are_given_back)
{
	struct sigaction program = {.sa_handler = on_program};

	signals_install(SIGURG, on_ours);
	signals_install(SIGHUP, on_ours);
	sigaction(OURS, &program, NULL);
	signals_give_back(SIGURG);
	cr_assert_eq((void *)real_action(OURS).handler, (void *)on_program);
	cr_assert_eq((void *)real_action(SIGHUP).handler, (void *)SIG_DFL);
	cr_assert_eq(real_action(SIGURG).handler, on_ours, "for those on their way");
	cr_assert_eq(signals_ours(), SYS_SIGBIT(SIGURG));
	raise(OURS);
	cr_assert_eq(program_met, 1);
	signals_install(SIGHUP, on_ours);
	sigaction(SIGURG, &program, NULL);
	signals_give_back(SIGURG);
	cr_assert_eq((void *)real_action(SIGURG).handler, (void *)on_program);
	cr_assert_eq(signals_ours(), 0);
}

Test(signals, that_still_wait_for_us_do_not_end_the_program_afterwards)
{
	sys_sigset ours = SYS_SIGBIT(OURS), old;

	sys_sigmask(SIG_BLOCK, &ours, &old); /* as a call of the helper of -P does */
	raise(OURS);
	SYS2(SYS_kill, getpid(), OURS);
	signals_give_back(SIGURG);
	cr_assert_eq((void *)real_action(OURS).handler, (void *)SIG_DFL);
	sys_sigmask(SIG_UNBLOCK, &ours, NULL);
	cr_assert_eq(program_met, 0);
}

Test(signals, that_the_program_blocks_still_wait_for_it_afterwards)
{
	sigset_t set = set_of(OURS, OURS), pending;

	cr_assert_eq(sigprocmask(SIG_BLOCK, &set, NULL), 0);
	sys_sigset ours = SYS_SIGBIT(OURS);
	sys_sigmask(SIG_BLOCK, &ours, NULL);
	raise(OURS);
	signals_give_back(SIGURG);
	cr_assert_eq(sigpending(&pending), 0);
	cr_assert(sigismember(&pending, OURS));
}

Test(signals, nothing_is_changed_in_a_process_that_is_not_recorded)
{
	struct sigaction program = {.sa_handler = on_program}, old;
	sigset_t set = set_of(OURS, THEIRS);

	atomic_store(&col.switches->recording, 0);
	cr_assert_eq(sigaction(OURS, &program, &old), 0);
	cr_assert_eq((void *)old.sa_sigaction, (void *)on_ours);
	cr_assert_eq((void *)real_action(OURS).handler, (void *)on_program);
	cr_assert_eq(sigprocmask(SIG_BLOCK, &set, NULL), 0);
	cr_assert_eq(real_mask() & SYS_SIGBIT(OURS), SYS_SIGBIT(OURS));
	cr_assert_eq(signals_believed(), 0);
}

static siginfo_t info = {.si_signo = OURS, .si_code = SI_QUEUE};

Test(signals, the_programs_handler_is_told)
{
	struct sigaction program = {.sa_handler = on_program};

	cr_assert_eq(signals_tell_program(OURS, &info, &info), 0);
	cr_assert_eq(signals_tell_program(THEIRS, &info, &info), 0);
	sigaction(OURS, &program, NULL);
	cr_assert_eq(signals_tell_program(OURS, &info, &info), 1);
	cr_assert(program_met == 1 && program_value == OURS);
	program = (struct sigaction){.sa_sigaction = on_program_info,
	                             .sa_flags = (int)(SA_SIGINFO | SA_RESETHAND)};
	sigaction(OURS, &program, NULL);
	cr_assert_eq(signals_tell_program(OURS, &info, &info), 1);
	cr_assert(program_met == 2 && program_value == SI_QUEUE);
	cr_assert_eq(signals_tell_program(OURS, &info, &info), 0, "it was for one signal");
	signal(OURS, SIG_IGN);
	cr_assert_eq(signals_tell_program(OURS, &info, &info), 0);
	cr_assert_eq(program_met, 2);
}

/* How a child that does this ends. */
static int status_of(void (*act)(void))
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		col.pid = getpid();
		atomic_store(&col.switches->recording, 1);
		act();
		_exit(7);
	}
	cr_assert_eq(waitpid(child, &status, 0), child);
	return status;
}

static void forward(void)
{
	signals_forward(OURS, &info, &info);
}

static void forward_ignored(void)
{
	signal(OURS, SIG_IGN);
	forward();
}

static void forward_blocked(void)
{
	sigset_t set = set_of(OURS, OURS);

	sigprocmask(SIG_BLOCK, &set, NULL);
	forward();
}

static void forward_handled(void)
{
	signal(OURS, on_program);
	forward();
	_exit(program_met == 1 ? 7 : 8);
}

static void forward_another(void)
{
	signals_forward(THEIRS, &info, &info);
}

Test(signals, a_signal_that_the_program_does_not_handle_ends_it)
{
	int status = status_of(forward);

	cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == OURS);
	cr_assert_eq(status_of(forward_ignored), 7 << 8);
	cr_assert_eq(status_of(forward_blocked), 7 << 8);
	cr_assert_eq(status_of(forward_handled), 7 << 8);
	cr_assert_eq(status_of(forward_another), 7 << 8);
}

Test(signals, signals_of_timers_are_known_by_their_value)
{
	siginfo_t of_timer = {.si_signo = OURS};

	cr_assert_eq(signals_is_ours(&of_timer), 0, "programs' timers often have none");
	of_timer.si_value.sival_ptr = thread_current();
	cr_assert_eq(signals_is_ours(&of_timer), 1);
	of_timer.si_value.sival_ptr = &of_timer;
	cr_assert_eq(signals_is_ours(&of_timer), 0);
}

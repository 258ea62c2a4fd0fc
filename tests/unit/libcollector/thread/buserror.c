/* Tests of the handler in front of a program's SIGBUS handler. */
#include "tests/unit/libcollector/scratch.h"

#include "libcollector/thread/buserror.h"
#include "libcollector/base/collector.h"
#include "libcollector/thread/signals.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t called, code, sender, called_inside;

static void look(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	called++;
	code = info->si_code;
	sender = info->si_pid;
}

static void leave(int signal)
{
	(void)signal;
	_exit(0);
}

static void install(void)
{
	struct sigaction action = {.sa_sigaction = look, .sa_flags = SA_SIGINFO};

	scratch_open();
	buserror_stand();
	sigaction(SIGBUS, &action, NULL);
}

Test(buserror, sent_signals_wait_while_nothing_of_the_program_may_run, .init = install,
     .fini = scratch_remove)
{
	sys_sigset old;

	for (int i = 0; i < 2; i++) {
		sys_block_signals(&old);
		kill(getpid(), SIGBUS);
		cr_assert_eq(called, i);
		sys_sigmask(SIG_SETMASK, &old, NULL);
		cr_assert_eq(called, i + 1);
		cr_assert_eq(code, SI_USER);
		cr_assert_eq(sender, getpid());
	}
}

static void sends(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)info;
	(void)context;
	kill(getpid(), SIGBUS);
	called_inside = called;
}

Test(buserror, sent_signals_wait_for_handlers_of_ours, .init = install, .fini = scratch_remove)
{
	cr_assert_eq(signals_install(SIGUSR1, sends), 0);
	raise(SIGUSR1);
	cr_assert_eq(called_inside, 0);
	cr_assert_eq(called, 1);
}

static char *page_of_nothing(void)
{
	int fd = memfd_create("nothing", MFD_CLOEXEC);

	return mmap(NULL, SYS_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
}

/* As if all signals were blocked: the program's handler must not run then. */
Test(buserror, faults_that_are_not_of_files_end_the_process_there, .init = install,
     .fini = scratch_remove)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		sys_sigset old;

		signal(SIGBUS, leave);
		sys_block_signals(&old);
		*page_of_nothing() = 1;
		_exit(1);
	}
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert(WIFSIGNALED(status));
	cr_assert_eq(WTERMSIG(status), SIGBUS);
}

Test(buserror, a_program_that_blocks_it_goes_on_blocking_it, .init = install,
     .fini = scratch_remove)
{
	sys_sigset bus = SYS_SIGBIT(SIGBUS), old, inside;

	sys_sigmask(SIG_BLOCK, &bus, NULL);
	sys_block_signals(&old);
	sys_sigmask(SIG_BLOCK, NULL, &inside);
	cr_assert(old & bus);
	cr_assert(inside & bus);
	sys_sigmask(SIG_SETMASK, &old, NULL);
}

static struct sys_sigaction in_the_kernel(void)
{
	struct sys_sigaction now;

	cr_assert_eq(sys_sigaction(SIGBUS, NULL, &now), 0);
	return now;
}

Test(buserror, the_kernel_has_the_programs_again_at_the_end, .init = install,
     .fini = scratch_remove)
{
	sys_sigset all;

	cr_assert(in_the_kernel().handler != look);
	buserror_give_back();
	cr_assert(in_the_kernel().handler == look);
	cr_assert_eq(in_the_kernel().flags, SA_SIGINFO | SYS_RESTORER);
	sys_block_signals(&all);
	sys_sigmask(SIG_SETMASK, &all, &all);
	cr_assert(all & SYS_SIGBIT(SIGBUS));
	buserror_stand();
	cr_assert(in_the_kernel().handler != look);
}

Test(buserror, the_default_comes_back_without_a_trace, .init = scratch_open, .fini = scratch_remove)
{
	struct sys_sigaction before, after;

	signal(SIGBUS, SIG_DFL); /* sanitizers have a handler of their own */
	buserror_give_back();
	before = in_the_kernel();
	buserror_stand();
	cr_assert(in_the_kernel().handler != before.handler);
	buserror_give_back();
	after = in_the_kernel();
	cr_assert(after.handler == before.handler);
	cr_assert_eq(after.flags, before.flags);
	cr_assert_eq(after.mask, before.mask);
}

Test(buserror, who_is_ignored_stays_ignored, .init = scratch_open, .fini = scratch_remove)
{
	signal(SIGBUS, SIG_IGN);
	buserror_stand();
	cr_assert_eq((uintptr_t)in_the_kernel().handler, (uintptr_t)SIG_IGN);
}

static sys_sigset mask_inside;

static void look_at_mask(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)info;
	(void)context;
	sys_sigmask(SIG_BLOCK, NULL, &mask_inside);
}

/* A tick on top of the entry could not replace a second lost page. */
Test(buserror, our_signals_wait_for_the_entry_and_not_for_the_programs_handler, .init = install,
     .fini = scratch_remove)
{
	const sys_sigset ours = SYS_SIGBIT(SIGUSR1);
	struct sigaction action = {.sa_sigaction = look_at_mask, .sa_flags = SA_SIGINFO}, seen;
	sys_sigset old;

	cr_assert_eq(in_the_kernel().mask & ours, 0);
	cr_assert_eq(signals_install(SIGUSR1, sends), 0);
	cr_assert(in_the_kernel().mask & ours);
	sigaction(SIGBUS, &action, NULL);
	cr_assert(in_the_kernel().mask & ours);
	sigaction(SIGBUS, NULL, &seen);
	cr_assert_not(sigismember(&seen.sa_mask, SIGUSR1));
	raise(SIGBUS);
	cr_assert_eq(mask_inside, SYS_SIGBIT(SIGBUS));
	sys_sigmask(SIG_BLOCK, &ours, &old); /* as on a stack without space for them */
	raise(SIGBUS);
	cr_assert_eq(mask_inside, ours | SYS_SIGBIT(SIGBUS));
	buserror_give_back();
	cr_assert_eq(in_the_kernel().mask & ours, 0);
}

/* As by a function without a wrapper, or a direct system call. */
Test(buserror, an_entry_that_was_taken_for_a_handler_is_what_it_stands_for, .init = install,
     .fini = scratch_remove)
{
	struct sys_sigaction now = in_the_kernel();
	struct sigaction seen;

	sigaction(SIGBUS, NULL, &seen);
	cr_assert(seen.sa_sigaction == look);
	seen.sa_sigaction = now.handler;
	sigaction(SIGBUS, &seen, NULL);
	sigaction(SIGBUS, NULL, &seen);
	cr_assert(seen.sa_sigaction == look);
	raise(SIGBUS);
	cr_assert_eq(called, 1);
}

/* There is no entry for a 33rd handler, so it is installed alone; the recorder's stays out then. */
Test(buserror, a_handler_without_an_entry_is_kept_out_of_our_sections, .init = install,
     .fini = scratch_remove)
{
	struct sigaction action = {.sa_flags = 0};
	sys_sigset old;
	int direct = 0;

	/* There is no code at these addresses, and none is run. */
	for (uintptr_t i = 1; i <= 40; i++) {
		action.sa_handler = (void (*)(int))(uintptr_t)(i << 20);
		sigaction(SIGBUS, &action, NULL);
		direct += (uintptr_t)in_the_kernel().handler == i << 20;
	}
	cr_assert_gt(direct, 0);
	sys_block_signals(&old);
	sys_sigmask(SIG_SETMASK, &old, &old);
	cr_assert(old & SYS_SIGBIT(SIGBUS));
	action.sa_handler = SIG_DFL;
	sigaction(SIGBUS, &action, NULL);
	action.sa_sigaction = look;
	action.sa_flags = SA_SIGINFO;
	sigaction(SIGBUS, &action, NULL);
	cr_assert(in_the_kernel().handler != look);
	sys_block_signals(&old);
	sys_sigmask(SIG_SETMASK, &old, &old);
	cr_assert_eq(old & SYS_SIGBIT(SIGBUS), 0);
}

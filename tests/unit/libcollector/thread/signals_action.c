/* What the program does at signals: for those of the recorder, in its own view. */
#include "tests/unit/libcollector/scratch.h"
#include "tests/unit/libcollector/thread/shared_signal.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <sys/mman.h>

TestSuite(signals_action, .init = shared_signal_open, .fini = scratch_remove);

Test(signals_action, the_recorders_handler_stays)
{
	struct sigaction program = {.sa_handler = on_program}, old;

	cr_assert_eq(signals_ours(), SYS_SIGBIT(OURS));
	cr_assert_eq(sigaction(OURS, &program, &old), 0);
	cr_assert_eq(old.sa_handler, SIG_DFL);
	raise(OURS);
	cr_assert(ours_met == 1 && program_met == 0);
	cr_assert_eq(sigaction(OURS, NULL, &old), 0);
	cr_assert_eq(old.sa_handler, on_program, "the program sees its own");
	cr_assert_eq(real_action(OURS).handler, on_ours);
	cr_assert_eq(real_action(OURS).flags & (SA_SIGINFO | SA_RESTART), SA_SIGINFO | SA_RESTART);
	cr_assert_eq(sigaction(THEIRS, &program, &old), 0);
	cr_assert_eq((void *)real_action(THEIRS).handler, (void *)on_program);
	raise(THEIRS);
	cr_assert(program_met == 1 && program_value == THEIRS);
}

/* Without the C library. */
Test(signals_action, the_recorders_handler_stays_if_the_program_asks_the_kernel)
{
	struct sys_sigaction program = {
		.handler = (signals_handler *)(uintptr_t)on_program,
		.flags = SA_ONSTACK | SYS_RESTORER,
		.mask = SYS_SIGBIT(THEIRS),
	};
	struct sys_sigaction old = {.handler = on_ours};
	const unsigned long size = sizeof(sys_sigset);

	cr_assert(signals_action_by_call(OURS, &program, &old, size));
	cr_expect_null(old.handler);
	cr_expect_eq(real_action(OURS).handler, on_ours);
	cr_expect(real_action(OURS).flags & SA_ONSTACK, "as its own");
	cr_assert(signals_action_by_call(OURS, NULL, &old, size));
	cr_expect_eq((void *)old.handler, (void *)on_program);
	cr_expect_eq(old.mask, SYS_SIGBIT(THEIRS));
	cr_expect_eq(old.flags, SA_ONSTACK);
	raise(OURS);
	cr_expect(ours_met == 1 && program_met == 0);
	cr_expect_not(signals_action_by_call(THEIRS, &program, NULL, size), "not ours");
	cr_expect_not(signals_action_by_call(0, &program, NULL, size));
	cr_expect_not(signals_action_by_call(OURS, &program, NULL, size / 2), "the kernel refuses");
	cr_expect_not(signals_action_by_call(OURS, (void *)8, NULL, size));
}

/* The kernel sets the action before it finds that it may not store the former one. */
Test(signals_action, the_program_asks_for_its_former_handler_where_nothing_may_be_stored)
{
	static const struct sys_sigaction constant;
	struct sys_sigaction program = {
		.handler = (signals_handler *)(uintptr_t)on_program,
	};
	const unsigned long size = sizeof(sys_sigset);
	void *page = mmap(NULL, SYS_PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct sigaction now;

	cr_expect_eq(signals_action_by_call(OURS, NULL, (void *)8, size), -EFAULT);
	cr_expect_eq(signals_action_by_call(OURS, &program, page, size), -EFAULT);
	cr_assert_eq(sigaction(OURS, NULL, &now), 0);
	cr_expect_eq(now.sa_handler, on_program);
	cr_expect_eq(real_action(OURS).handler, on_ours);
	cr_expect_eq(signals_action_by_call(OURS, &constant, &program, size), 1);
	cr_expect_eq((void *)program.handler, (void *)on_program);
}

Test(signals_action, what_the_program_had_before_is_its_own)
{
	struct sigaction before = {.sa_sigaction = on_program_info,
	                           .sa_flags = SA_SIGINFO | SA_NODEFER},
			 old;

	sigaddset(&before.sa_mask, SIGHUP);
	cr_assert_eq(sigaction(THEIRS, &before, NULL), 0);
	cr_assert_eq(signals_install(THEIRS, on_ours), 0);
	cr_assert_eq(sigaction(THEIRS, NULL, &old), 0);
	cr_assert_eq(old.sa_sigaction, on_program_info);
	cr_assert_eq(old.sa_flags, SA_SIGINFO | SA_NODEFER);
	cr_assert_eq(sigismember(&old.sa_mask, SIGHUP), 1);
	cr_assert_eq(signals_install(THEIRS, on_ours), 0, "once more");
	cr_assert_eq(sigaction(THEIRS, NULL, &old), 0);
	cr_assert_eq(old.sa_sigaction, on_program_info);
	cr_assert_eq(signals_ours(), SYS_SIGBIT(OURS) | SYS_SIGBIT(THEIRS));
}

Test(signals_action, older_functions_tell_of_the_programs_handler_too)
{
	struct sigaction old;

	cr_assert_eq(signal(OURS, on_program), SIG_DFL);
	cr_assert_eq(signal(OURS, SIG_IGN), on_program);
	cr_assert_eq(signal(OURS, on_program), SIG_IGN);
	sigaction(OURS, NULL, &old);
	cr_assert_eq(old.sa_flags, SA_RESTART);
	cr_assert_eq(ssignal(OURS, SIG_DFL), on_program);
	cr_assert_eq(sysv_signal(OURS, on_program), SIG_DFL);
	sigaction(OURS, NULL, &old);
	cr_assert_eq((unsigned)old.sa_flags, SA_RESETHAND | SA_NODEFER);
	cr_assert_eq(signal(OURS, SIG_ERR), SIG_ERR);
	cr_assert_eq(signal(-1, on_program), SIG_ERR);
	cr_assert_eq(signal(THEIRS, on_program), SIG_DFL);
	cr_assert_eq(signal(THEIRS, SIG_DFL), on_program);
	cr_assert_eq(real_action(OURS).handler, on_ours);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
Test(signals_action, sigset_changes_the_mask_as_well)
{
	cr_assert_eq(sigset(OURS, on_program), SIG_DFL);
	cr_assert_eq(sigset(OURS, SIG_HOLD), on_program);
	cr_assert_eq(signals_believed(), SYS_SIGBIT(OURS));
	cr_assert_eq(real_mask() & SYS_SIGBIT(OURS), 0);
	cr_assert_eq(sigset(OURS, SIG_HOLD), SIG_HOLD);
	cr_assert_eq(sigset(OURS, SIG_DFL), SIG_HOLD, "it was held");
	cr_assert_eq(signals_believed(), 0);
	cr_assert_eq(sigset(OURS, on_program), SIG_DFL);
	cr_assert_eq(sigset(THEIRS, on_program), SIG_DFL);
	cr_assert_eq(sigset(THEIRS, SIG_HOLD), on_program);
	cr_assert_eq(real_mask() & SYS_SIGBIT(THEIRS), SYS_SIGBIT(THEIRS));
}
#pragma GCC diagnostic pop

/* A handler that blocks all signals does not block the recorder's. */
Test(signals_action, handlers_of_the_program_do_not_block_ours)
{
	struct sigaction program = {.sa_handler = on_program}, old;

	program.sa_mask = set_of(OURS, SIGHUP);
	cr_assert_eq(sigaction(THEIRS, &program, NULL), 0);
	cr_assert_eq(real_action(THEIRS).mask, SYS_SIGBIT(SIGHUP));
	cr_assert_eq(sigaction(THEIRS, NULL, &old), 0);
	cr_assert_eq(sigismember(&old.sa_mask, OURS), 0);
	cr_assert_eq(sigaction(-1, &program, NULL), -1);
}

/* On the program's own stacks, the recorder's handler runs where the program wants its handler to
 * run. */
Test(signals_action, ours_runs_on_alternate_stacks_if_the_programs_handler_does)
{
	struct sigaction program = {.sa_handler = on_program, .sa_flags = SA_ONSTACK};

	cr_assert_eq(real_action(OURS).flags & SA_ONSTACK, 0);
	sigaction(OURS, &program, NULL);
	cr_assert_eq(real_action(OURS).flags & SA_ONSTACK, SA_ONSTACK);
	program.sa_flags = 0;
	sigaction(OURS, &program, NULL);
	cr_assert_eq(real_action(OURS).flags & SA_ONSTACK, 0);
}

static int watched;

static void watch(struct sigaction *old)
{
	watched++;
	if (old)
		old->sa_handler = on_program;
}

Test(signals_action, changes_of_what_sigbus_does_are_watched)
{
	struct sigaction old;

	signals_watch_sigbus(watch);
	cr_assert_eq(signal(SIGBUS, SIG_DFL), on_program);
	cr_assert_eq(watched, 1);
	cr_assert_eq(sigaction(SIGBUS, NULL, &old), 0);
	cr_assert_eq(old.sa_handler, on_program);
	cr_assert_eq(watched, 2);
	cr_assert_eq(sigaction(SIGHUP, NULL, &old), 0);
	cr_assert_eq(signal(SIGHUP, SIG_DFL), SIG_DFL);
	cr_assert_eq(watched, 2);
}

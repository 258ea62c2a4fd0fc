/* Which signals the program blocks: those of the recorder only in its own view. */
#include "tests/unit/libcollector/scratch.h"
#include "tests/unit/libcollector/thread/shared_signal.h"

#include "libcollector/base/collector.h"
#include "libcollector/thread/altstack.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <sys/signalfd.h>
#include <unistd.h>

TestSuite(signals_mask, .init = shared_signal_open, .fini = scratch_remove);

Test(signals_mask, what_the_program_blocks_of_ours_it_only_believes)
{
	sigset_t set = set_of(OURS, THEIRS), old;

	cr_assert_eq(sigprocmask(SIG_BLOCK, &set, &old), 0);
	cr_assert_eq(sigismember(&old, OURS), 0);
	cr_assert_eq(real_mask() & SYS_SIGBIT(OURS), 0);
	cr_assert_neq(real_mask() & SYS_SIGBIT(THEIRS), 0);
	cr_assert_eq(signals_believed(), SYS_SIGBIT(OURS));
	raise(OURS);
	cr_assert_eq(ours_met, 1);
	cr_assert_eq(pthread_sigmask(SIG_SETMASK, NULL, &old), 0);
	cr_assert_eq(sigismember(&old, OURS), 1);
	cr_assert_eq(sigismember(&old, THEIRS), 1);
	set = set_of(OURS, OURS);
	cr_assert_eq(sigprocmask(SIG_UNBLOCK, &set, &old), 0);
	cr_assert_eq(sigismember(&old, OURS), 1);
	cr_assert_eq(signals_believed(), 0);
	cr_assert_neq(real_mask() & SYS_SIGBIT(THEIRS), 0);
}

Test(signals_mask, a_mask_that_is_set_is_believed_whole)
{
	sigset_t set = set_of(OURS, THEIRS), old, *volatile same = &set;

	cr_assert_eq(pthread_sigmask(SIG_SETMASK, &set, &old), 0);
	cr_assert_eq(signals_believed(), SYS_SIGBIT(OURS));
	cr_assert_eq(real_mask() & (SYS_SIGBIT(OURS) | SYS_SIGBIT(THEIRS)), SYS_SIGBIT(THEIRS));
	/* The new set and the old one may be the same object. */
	set = set_of(SIGHUP, SIGHUP);
	cr_assert_eq(pthread_sigmask(SIG_SETMASK, &set, same), 0);
	cr_assert(sigismember(&set, OURS) == 1 && sigismember(&set, THEIRS) == 1 &&
	          sigismember(&set, SIGHUP) == 0);
	cr_assert_eq(signals_believed(), 0);
	cr_assert_eq(pthread_sigmask(77, &set, NULL), EINVAL);
	cr_assert_eq(signals_believed(), 0);
	signals_believe(SYS_SIGBIT(OURS));
	cr_assert_eq(sigprocmask(SIG_BLOCK, &(sigset_t){{0}}, &old), 0);
	cr_assert_eq(sigismember(&old, OURS), 1);
	cr_assert_eq(signals_believed(), SYS_SIGBIT(OURS));
}

Test(signals_mask, sets_of_signals_have_ours_among_them)
{
	sigset_t set = set_of(OURS, THEIRS);

	cr_assert_eq(signals_of_ours(&set), SYS_SIGBIT(OURS));
	set = set_of(THEIRS, SIGHUP);
	cr_assert_eq(signals_of_ours(&set), 0);
}

Test(signals_mask, nobody_waits_for_ours)
{
	const struct timespec moment = {.tv_nsec = 1000};
	sigset_t set = set_of(OURS, THEIRS), alone = set_of(OURS, OURS);
	sys_sigset both = SYS_SIGBIT(OURS) | SYS_SIGBIT(THEIRS);
	siginfo_t got;
	int number, fd;
	struct signalfd_siginfo read_one;

	sys_sigmask(SIG_BLOCK, &both, NULL);
	raise(OURS);
	cr_assert_eq(sigtimedwait(&alone, &got, &moment), -1);
	cr_assert_eq(errno, EAGAIN);
	raise(THEIRS);
	cr_assert_eq(sigwaitinfo(&set, &got), THEIRS);
	raise(THEIRS);
	cr_assert_eq(sigwait(&set, &number), 0);
	cr_assert_eq(number, THEIRS);
	fd = signalfd(-1, &set, SFD_NONBLOCK);
	cr_assert_eq(read(fd, &read_one, sizeof(read_one)), -1);
	raise(THEIRS);
	cr_assert_eq(read(fd, &read_one, sizeof(read_one)), sizeof(read_one));
	cr_assert_eq(read_one.ssi_signo, THEIRS);
	close(fd);
}

Test(signals_mask, another_program_inherits_what_this_one_believes)
{
	sys_sigset mask, before = real_mask();
	sigset_t set = set_of(OURS, OURS);

	signals_install(SIGHUP, on_ours);
	signal(SIGHUP, SIG_IGN);
	sigprocmask(SIG_BLOCK, &set, NULL);
	cr_assert_eq(signals_depart(&mask), 1);
	cr_assert_eq(mask, before);
	cr_assert_eq(real_mask(), before | SYS_SIGBIT(OURS));
	cr_assert_eq((void *)real_action(SIGHUP).handler, (void *)SIG_IGN);
	cr_assert_eq(real_action(OURS).handler, on_ours);
	signals_stay(&mask);
	cr_assert_eq(real_mask(), before);
	cr_assert_eq(real_action(SIGHUP).handler, on_ours);
	atomic_store(&col.switches->recording, 0);
	cr_assert_eq(signals_depart(&mask), 0);
	atomic_store(&col.switches->recording, 1);
	col.pid++;
	cr_assert_eq(signals_depart(&mask), 0, "a child of vfork");
}

/* It works in its parent's memory. */
Test(signals_mask, a_child_of_vfork_changes_nothing_of_what_its_parent_believes)
{
	struct sigaction program = {.sa_handler = on_program}, old;
	sigset_t set = set_of(OURS, OURS);

	col.pid++;
	cr_assert_eq(sigaction(OURS, &program, &old), 0);
	cr_assert_eq(old.sa_handler, SIG_DFL);
	cr_assert_eq(sigprocmask(SIG_BLOCK, &set, NULL), 0);
	cr_assert_eq(signals_believed(), 0);
	col.pid--;
	sigaction(OURS, NULL, &old);
	cr_assert_eq(old.sa_handler, SIG_DFL);
}

enum { SMALL = 14000 };
static sys_sigset mask_inside;

static void unblock_all(int signal)
{
	sigset_t set = set_of(OURS, THEIRS), nothing;

	(void)signal;
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	mask_inside = real_mask() & SYS_SIGBIT(OURS);
	sigemptyset(&nothing);
	sigprocmask(SIG_SETMASK, &nothing, NULL);
	mask_inside |= real_mask() & SYS_SIGBIT(OURS);
}

/* A stack without room for the recorder's handler. */
Test(signals_mask, ours_are_blocked_on_small_stacks)
{
	static _Alignas(64) char memory[SMALL];
	stack_t stack = {.ss_sp = memory, .ss_size = SMALL};
	struct sigaction program = {.sa_handler = unblock_all, .sa_flags = SA_ONSTACK}, old;

	if (sigaltstack(&stack, NULL) != 0)
		cr_skip_test("a signal frame takes more than 14000 bytes here");
	sigaction(THEIRS, &program, NULL);
	cr_assert_eq(real_action(THEIRS).mask, 0, "none is expected");
	altstack_note();
	signals_shield_handlers();
	cr_assert_eq(real_action(THEIRS).mask, SYS_SIGBIT(OURS));
	sigaction(THEIRS, NULL, &old);
	cr_assert_eq(sigismember(&old.sa_mask, OURS), 0);
	sigaction(SIGHUP, &program, NULL);
	cr_assert_eq(real_action(SIGHUP).mask, SYS_SIGBIT(OURS));
	program.sa_flags = 0;
	sigaction(SIGURG, &program, NULL);
	cr_assert_eq(real_action(SIGURG).mask, 0);
	raise(SIGHUP);
	cr_assert_eq(mask_inside, SYS_SIGBIT(OURS));
	cr_assert_eq(real_mask() & SYS_SIGBIT(OURS), 0);
	raise(SIGURG);
	cr_assert_eq(mask_inside, 0, "on the thread's own stack");
}

/* A jump out of a handler may have left the recorder's signal blocked. */
Test(signals_mask, ours_are_let_in_again_when_the_mask_is_changed)
{
	sys_sigset ours = SYS_SIGBIT(OURS);
	sigset_t set = set_of(THEIRS, THEIRS);

	altstack_note();
	sys_sigmask(SIG_BLOCK, &ours, NULL);
	sigprocmask(SIG_BLOCK, NULL, NULL);
	cr_assert_eq(real_mask() & ours, ours);
	sigprocmask(SIG_BLOCK, &set, NULL);
	cr_assert_eq(real_mask() & ours, 0);
}

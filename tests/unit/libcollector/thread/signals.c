/* Signals that the recorder shares with the program, which must not notice. */
#include "libcollector/thread/signals.h"
#include "tests/unit/libcollector/scratch.h"

#include "libcollector/base/collector.h"
#include "libcollector/thread/altstack.h"
#include "libcollector/thread/thread.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OURS = SIGUSR1, THEIRS = SIGUSR2 };

static volatile int ours_met, program_met, program_value;

static void on_ours(int signal, siginfo_t *info, void *context)
{
	(void)info;
	(void)context;
	ours_met += signal == OURS;
}

static void on_program(int signal)
{
	program_met++;
	program_value = signal;
}

static void on_program_info(int signal, siginfo_t *info, void *context)
{
	program_met++;
	program_value = signal == info->si_signo && context ? info->si_code : -99;
}

static void setup(void)
{
	scratch_open();
	cr_assert_eq(signals_install(OURS, on_ours), 0);
}

TestSuite(signals, .init = setup, .fini = scratch_remove);

/* What the kernel reports. */
static struct sys_sigaction real_action(int signal)
{
	struct sys_sigaction action;

	cr_assert_eq(sys_sigaction(signal, NULL, &action), 0);
	return action;
}

static sys_sigset real_mask(void)
{
	sys_sigset mask = 0, nothing = 0;

	sys_sigmask(SIG_BLOCK, &nothing, &mask);
	return mask;
}

static sigset_t set_of(int one, int other)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, one);
	sigaddset(&set, other);
	return set;
}

/* ---- handlers */

Test(signals, the_recorders_handler_stays)
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
Test(signals, the_recorders_handler_stays_if_the_program_asks_the_kernel)
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
Test(signals, the_program_asks_for_its_former_handler_where_nothing_may_be_stored)
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

Test(signals, what_the_program_had_before_is_its_own)
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

Test(signals, there_are_four_at_most)
{
	cr_assert_eq(signals_install(SIGUSR2, on_ours), 0);
	cr_assert_eq(signals_install(SIGHUP, on_ours), 0);
	cr_assert_eq(signals_install(SIGKILL, on_ours), -EINVAL);
	cr_assert_eq(signals_install(SIGURG, on_ours), 0);
	cr_assert_eq(signals_install(SIGWINCH, on_ours), -ENOSPC);
	cr_assert_eq(signals_install(SIGHUP, on_ours), 0, "it is one of them");
}

Test(signals, older_functions_tell_of_the_programs_handler_too)
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
Test(signals, sigset_changes_the_mask_as_well)
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

/* ---- signals of the program */

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

/* ---- masks */

Test(signals, what_the_program_blocks_of_ours_it_only_believes)
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

Test(signals, a_mask_that_is_set_is_believed_whole)
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

Test(signals, sets_of_signals_have_ours_among_them)
{
	sigset_t set = set_of(OURS, THEIRS);

	cr_assert_eq(signals_of_ours(&set), SYS_SIGBIT(OURS));
	set = set_of(THEIRS, SIGHUP);
	cr_assert_eq(signals_of_ours(&set), 0);
}

/* A handler that blocks all signals does not block the recorder's. */
Test(signals, handlers_of_the_program_do_not_block_ours)
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
Test(signals, ours_runs_on_alternate_stacks_if_the_programs_handler_does)
{
	struct sigaction program = {.sa_handler = on_program, .sa_flags = SA_ONSTACK};

	cr_assert_eq(real_action(OURS).flags & SA_ONSTACK, 0);
	sigaction(OURS, &program, NULL);
	cr_assert_eq(real_action(OURS).flags & SA_ONSTACK, SA_ONSTACK);
	program.sa_flags = 0;
	sigaction(OURS, &program, NULL);
	cr_assert_eq(real_action(OURS).flags & SA_ONSTACK, 0);
}

/* ---- waits for signals (events/blocking.c) */

Test(signals, nobody_waits_for_ours)
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

/* ---- another program */

Test(signals, another_program_inherits_what_this_one_believes)
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
Test(signals, a_child_of_vfork_changes_nothing_of_what_its_parent_believes)
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

static int watched;

static void watch(struct sigaction *old)
{
	watched++;
	if (old)
		old->sa_handler = on_program;
}

Test(signals, changes_of_what_sigbus_does_are_watched)
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

/* ---- alternate stacks ---- */

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
Test(signals, ours_are_blocked_on_small_stacks)
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
Test(signals, ours_are_let_in_again_when_the_mask_is_changed)
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

/* signals.c: cases of signals: timers, waits, masks. */
#include "case.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

static volatile sig_atomic_t count, last_value;

static void counts(int signal)
{
	(void)signal;
	count++;
}

/* An interval timer of the program, on CPU or real time: it expires, and reads back as set. */
static int interval_timer(int which, int signal)
{
	struct itimerval every = {.it_interval.tv_usec = 5000, .it_value.tv_usec = 5000}, now;
	struct sigaction action = {.sa_handler = counts};

	sigaction(signal, &action, NULL);
	say("set %d\n", setitimer(which, &every, NULL));
	while (count < 5)
		burn(1);
	getitimer(which, &now);
	say("interval %ld\n", (long)now.it_interval.tv_usec);
	memset(&every, 0, sizeof(every));
	setitimer(which, &every, NULL);
	mark();
	return 0;
}

int case_itimer_prof(void)
{
	return interval_timer(ITIMER_PROF, SIGPROF);
}
int case_itimer_virtual(void)
{
	return interval_timer(ITIMER_VIRTUAL, SIGVTALRM);
}
int case_itimer_real(void)
{
	return interval_timer(ITIMER_REAL, SIGALRM);
}

int case_posix_timers(void)
{
	static const clockid_t clocks[] = {CLOCK_REALTIME, CLOCK_MONOTONIC,
	                                   CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID,
	                                   CLOCK_BOOTTIME};
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
	struct itimerspec once = {.it_value.tv_nsec = 2000000};

	signal(SIGUSR1, counts);
	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++) {
		timer_t timer;
		int before = count;

		say("create %d ", timer_create(clocks[i], &event, &timer));
		say("set %d ", timer_settime(timer, 0, &once, NULL));
		while (count == before)
			burn(1);
		say("overrun %d ", timer_getoverrun(timer));
		say("delete %d\n", timer_delete(timer));
	}
	mark();
	return 0;
}

/* The recorder's timers have this signal too. */
int case_timer_without_a_value(void)
{
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMAX - 3};
	struct itimerspec every = {.it_interval.tv_nsec = 2000000, .it_value.tv_nsec = 2000000};
	timer_t timer;

	signal(SIGRTMAX - 3, counts);
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	timer_settime(timer, 0, &every, NULL);
	for (int i = 0; i < 2000 && count < 20; i++)
		burn(2);
	timer_delete(timer);
	say("20 came: %d\n", count >= 20);
	mark();
	return 0;
}

/* The recorder's perf events have this signal too. */
int case_trap_dies(void)
{
	mark();
	burn(20);
	__asm__ volatile("int3");
	return 0;
}

int case_trap_ignored(void)
{
	signal(SIGTRAP, SIG_IGN);
	raise(SIGTRAP);
	say("ignored\n");
	mark();
	burn(20);
	__asm__ volatile("int3");
	return 0;
}

static void note_trap(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	say("trap %d\n", info->si_code);
}

int case_trap_handled(void)
{
	struct sigaction action = {.sa_sigaction = note_trap, .sa_flags = SA_SIGINFO}, old;
	sigset_t set, before;

	sigaction(SIGTRAP, &action, NULL);
	burn(20);
	__asm__ volatile("int3");
	raise(SIGTRAP);
	sigemptyset(&set);
	sigaddset(&set, SIGTRAP);
	sigprocmask(SIG_BLOCK, &set, &before);
	say("blocked %d\n", sigismember(&before, SIGTRAP));
	burn(20);
	sigprocmask(SIG_SETMASK, &before, NULL);
	sigaction(SIGTRAP, NULL, &old);
	say("mine %d\n", old.sa_sigaction == note_trap);
	mark();
	return 0;
}

/* A timer on this clock would make it go in steps of a scheduler tick: of 1 to 10 ms. */
int case_cpu_clock_is_fine(void)
{
	enum { MS = 200 };
	clock_t begin = clock(), before = begin, now = begin;
	int values = 0;

	while (now - begin < MS * (CLOCKS_PER_SEC / 1000)) {
		now = clock();
		values += now != before;
		before = now;
	}
	say("fine: %d\n", values > 4 * MS);
	mark();
	return 0;
}

static void notified(union sigval value)
{
	mark();
	__atomic_store_n((int *)value.sival_ptr, 1, __ATOMIC_RELEASE);
}

int case_timer_thread(void)
{
	static int done;
	struct sigevent event = {.sigev_notify = SIGEV_THREAD,
	                         .sigev_notify_function = notified,
	                         .sigev_value.sival_ptr = &done};
	struct itimerspec once = {.it_value.tv_nsec = 2000000};
	timer_t timer;

	timer_create(CLOCK_MONOTONIC, &event, &timer);
	timer_settime(timer, 0, &once, NULL);
	while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE))
		usleep(1000);
	usleep(5000);
	return timer_delete(timer);
}

int case_timer_ids(void)
{
	struct sigevent event = {.sigev_notify = SIGEV_NONE};
	timer_t timers[20];
	int made = 0;

	while (made < 20 && timer_create(CLOCK_MONOTONIC, &event, &timers[made]) == 0)
		made++;
	say("timers %d\n", made);
	mark();
	return 0;
}

int case_alarm(void)
{
	signal(SIGALRM, counts);
	say("alarm %u\n", alarm(100));
	say("alarm %u\n", alarm(0) > 90);
	ualarm(2000, 0);
	pause();
	say("came %d\n", count);
	mark();
	return 0;
}

int case_signalfd(void)
{
	struct signalfd_siginfo info;
	sigset_t set;
	int fd;

	sigfillset(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_CLOEXEC);
	burn(10);
	sigqueue(getpid(), SIGRTMIN + 2, (union sigval){.sival_int = 77});
	say("read %d\n", (int)read(fd, &info, sizeof(info)));
	say("signal %d value %d\n", (int)info.ssi_signo, info.ssi_int);
	mark();
	return 0;
}

int case_sigwait(void)
{
	sigset_t set;
	int signal;

	sigfillset(&set);
	sigprocmask(SIG_SETMASK, &set, NULL);
	burn(10);
	kill(getpid(), SIGHUP);
	say("sigwait %d ", sigwait(&set, &signal));
	say("%d\n", signal);
	mark();
	return 0;
}

int case_sigtimedwait(void)
{
	struct timespec soon = {0, 20000000};
	sigset_t set;
	siginfo_t info;

	sigfillset(&set);
	sigprocmask(SIG_SETMASK, &set, NULL);
	burn(5);
	say("none %d ", sigtimedwait(&set, &info, &soon));
	say("%d\n", errno);
	for (int i = 0; i < 3; i++)
		sigqueue(getpid(), SIGRTMIN + 1, (union sigval){.sival_int = i});
	for (int i = 0; i < 3; i++) {
		sigwaitinfo(&set, &info);
		say("%d: %d from %d\n", info.si_signo, info.si_int, info.si_pid == getpid());
	}
	mark();
	return 0;
}

int case_sigpending(void)
{
	sigset_t set;
	int pending = 0;

	sigfillset(&set);
	sigprocmask(SIG_SETMASK, &set, NULL);
	burn(10);
	raise(SIGUSR1);
	sigpending(&set);
	for (int i = 1; i <= SIGRTMAX; i++)
		pending += sigismember(&set, i) == 1;
	say("pending %d\n", pending);
	mark();
	return 0;
}

int case_masks_read_back(void)
{
	sigset_t set, old;
	int blocked = 0;

	sigfillset(&set);
	sigprocmask(SIG_SETMASK, &set, NULL);
	sigprocmask(SIG_SETMASK, NULL, &old);
	for (int i = 1; i <= SIGRTMAX; i++)
		blocked += sigismember(&old, i) == 1;
	say("blocked %d\n", blocked);
	sigemptyset(&set);
	sigaddset(&set, SIGRTMAX - 3);
	sigprocmask(SIG_UNBLOCK, &set, &old);
	say("before %d ", sigismember(&old, SIGRTMAX - 3));
	sigprocmask(SIG_BLOCK, &set, &old);
	say("unblocked %d ", sigismember(&old, SIGRTMAX - 3));
	sigprocmask(SIG_BLOCK, NULL, &old);
	say("blocked %d\n", sigismember(&old, SIGRTMAX - 3));
	mark();
	return 0;
}

int case_all_handlers(void)
{
	struct sigaction action = {.sa_handler = counts, .sa_flags = SA_RESTART | SA_NODEFER}, now;
	int right = 0, raised = 0;

	for (int i = 1; i <= SIGRTMAX; i++) {
		if (sigaction(i, &action, NULL) != 0)
			continue;
		sigaction(i, NULL, &now);
		right += now.sa_handler == counts && (now.sa_flags & SA_NODEFER);
	}
	burn(10);
	count = 0;
	for (int i = 1; i <= SIGRTMAX; i++)
		if (i != SIGKILL && i != SIGSTOP && (i < 32 || i >= SIGRTMIN) && raise(i) == 0)
			raised++;
	say("right %d raised %d count %d\n", right, raised, count);
	mark();
	return 0;
}

int case_no_handler_of_ours_is_seen(void)
{
	struct sigaction now;
	int set = 0;

	for (int i = 1; i <= SIGRTMAX; i++)
		if (sigaction(i, NULL, &now) == 0 && now.sa_handler != SIG_DFL)
			set++;
	say("set %d\n", set);
	mark();
	return 0;
}

static void resets(int signal, siginfo_t *info, void *context)
{
	(void)context;
	last_value = info->si_value.sival_int;
	count += signal == info->si_signo;
}

int case_tick_signal_of_the_program(void)
{
	struct sigaction action = {.sa_sigaction = resets, .sa_flags = SA_SIGINFO}, now;

	sigaction(SIGRTMAX - 3, &action, NULL);
	burn(20);
	for (int i = 0; i < 3; i++)
		sigqueue(getpid(), SIGRTMAX - 3, (union sigval){.sival_int = 40 + i});
	while (count < 3)
		burn(1);
	sigaction(SIGRTMAX - 3, NULL, &now);
	say("count %d value %d own %d\n", count, last_value, now.sa_sigaction == resets);
	mark();
	return 0;
}

int case_reset_hand(void)
{
	struct sigaction action = {.sa_handler = counts, .sa_flags = (int)SA_RESETHAND}, now;

	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	sigaction(SIGUSR1, NULL, &now);
	say("count %d default %d\n", count, now.sa_handler == SIG_DFL);
	mark();
	return 0;
}

static void *sends(void *to)
{
	usleep(20000);
	pthread_kill(*(pthread_t *)to, SIGUSR1);
	return NULL;
}

/* A call that a signal with or without SA_RESTART interrupts. */
static int interrupted(int flags)
{
	struct sigaction action = {.sa_handler = counts, .sa_flags = flags};
	struct timespec rest = {0, 60000000};
	pthread_t thread, self = pthread_self();
	int ends[2], result;
	char byte;

	if (pipe2(ends, 0) != 0)
		return 1;
	sigaction(SIGUSR1, &action, NULL);
	pthread_create(&thread, NULL, sends, &self);
	if (flags & SA_RESTART) {
		result = nanosleep(&rest, &rest);
		say("sleep %d %d\n", result, errno);
	} else {
		result = (int)read(ends[0], &byte, 1);
		say("read %d %d\n", result, errno);
	}
	pthread_join(thread, NULL);
	mark();
	return 0;
}

int case_interrupted_read(void)
{
	return interrupted(0);
}
int case_interrupted_sleep(void)
{
	return interrupted(SA_RESTART);
}

int case_uninterrupted(void)
{
	struct timespec rest = {0, 100000000};
	fd_set none;
	struct timeval tenth = {0, 50000};

	burn(20);
	FD_ZERO(&none);
	say("nanosleep %d\n", nanosleep(&rest, NULL));
	say("poll %d\n", poll(NULL, 0, 50));
	say("select %d\n", select(0, &none, NULL, NULL, &tenth));
	say("usleep %d\n", usleep(1000));
	mark();
	return 0;
}

int case_sigsuspend(void)
{
	sigset_t set, none;

	sigemptyset(&none);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGUSR1, counts);
	burn(10);
	raise(SIGUSR1);
	say("suspended %d ", sigsuspend(&none));
	say("%d count %d\n", errno, count);
	raise(SIGUSR1);
	say("ppoll %d ", ppoll(NULL, 0, NULL, &none));
	say("%d count %d\n", errno, count);
	raise(SIGUSR1);
	say("pselect %d ", pselect(0, NULL, NULL, NULL, NULL, &none));
	say("%d count %d\n", errno, count);
	mark();
	return 0;
}

/* ---- stacks of handlers */

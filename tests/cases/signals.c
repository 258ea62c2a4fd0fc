/* signals.c: cases of signals: timers, waits, handlers, masks, jumps. */
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

/* An interval timer of the program's own, on CPU or real time: it comes, and is as it was set. */
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

int case_itimer_prof(void) { return interval_timer(ITIMER_PROF, SIGPROF); }
int case_itimer_virtual(void) { return interval_timer(ITIMER_VIRTUAL, SIGVTALRM); }
int case_itimer_real(void) { return interval_timer(ITIMER_REAL, SIGALRM); }

int case_posix_timers(void)
{
	static const clockid_t clocks[] = {CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID, CLOCK_BOOTTIME};
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

static void notified(union sigval value)
{
	mark();
	__atomic_store_n((int *)value.sival_ptr, 1, __ATOMIC_RELEASE);
}

int case_timer_thread(void)
{
	static int done;
	struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = notified, .sigev_value.sival_ptr = &done};
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

/* A call that a signal with or without SA_RESTART comes into. */
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

int case_interrupted_read(void) { return interrupted(0); }
int case_interrupted_sleep(void) { return interrupted(SA_RESTART); }

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

enum { PAGE = 4096, GUARDED = 16 * PAGE };

static int guarded_stack(size_t size)
{
	char *memory = mmap(NULL, GUARDED + size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	stack_t stack = {.ss_sp = memory + GUARDED, .ss_size = size};

	mprotect(memory + GUARDED, (size + PAGE - 1) & ~(size_t)(PAGE - 1), PROT_READ | PROT_WRITE);
	return sigaltstack(&stack, NULL);
}

static void on_stack(int signal)
{
	stack_t stack;

	(void)signal;
	sigaltstack(NULL, &stack);
	mark();
	count += stack.ss_flags == SS_ONSTACK;
}

/* A signal frame, and what the first calls of functions need that the loader binds lazily, with its saved vector registers. */
int case_small_alternate_stack(void)
{
	struct sigaction action = {.sa_handler = on_stack, .sa_flags = SA_ONSTACK};

	guarded_stack((size_t)(sysconf(_SC_MINSIGSTKSZ) + 4096));
	mark(); /* malloc has begun */
	sigaction(SIGUSR1, &action, NULL);
	for (int i = 0; i < 20; i++)
		raise(SIGUSR1);
	say("count %d\n", count);
	return 0;
}

static void burns_on_stack(int signal)
{
	(void)signal;
	burn(30);
	count++;
}

int case_ticks_on_an_alternate_stack(void)
{
	struct sigaction action = {.sa_handler = burns_on_stack, .sa_flags = SA_ONSTACK};

	guarded_stack(16384);
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	say("count %d\n", count);
	mark();
	return 0;
}

int case_alternate_stack_is_the_programs(void)
{
	stack_t stack;

	say("read %d ", sigaltstack(NULL, &stack));
	say("disabled %d\n", stack.ss_flags == SS_DISABLE);
	mark();
	return 0;
}

static sigjmp_buf back;

static void jumps(int signal)
{
	siglongjmp(back, signal);
}

__attribute__((noinline)) static int endless(int depth)
{
	volatile char room[2000];

	room[depth % 2000] = (char)depth;
	return depth < 0 ? 0 : endless(depth + 1) + room[7];
}

int case_stack_overflow_survived(void)
{
	struct sigaction action = {.sa_handler = jumps, .sa_flags = SA_ONSTACK};
	volatile int times = 0;

	guarded_stack(65536);
	sigaction(SIGSEGV, &action, NULL);
	while (times < 3) {
		if (sigsetjmp(back, 1) == 0)
			endless(0);
		times++;
		mark();
	}
	say("survived %d\n", times);
	return 0;
}

int case_jumps_out_of_handlers(void)
{
	struct itimerval every = {.it_interval.tv_usec = 500, .it_value.tv_usec = 500};
	volatile int times = 0;

	signal(SIGALRM, jumps);
	if (sigsetjmp(back, 1) != 0)
		times++;
	if (times == 0)
		setitimer(ITIMER_REAL, &every, NULL);
	while (times < 100)
		__asm__ volatile("" ::: "memory");
	memset(&every, 0, sizeof(every));
	setitimer(ITIMER_REAL, &every, NULL);
	mark();
	say("jumps %d\n", times);
	return 0;
}

static char *page;

static void gives_page(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	mprotect((void *)((unsigned long)info->si_addr & ~(unsigned long)(PAGE - 1)), PAGE, PROT_READ | PROT_WRITE);
	count++;
}

int case_faults_repaired(void)
{
	struct sigaction action = {.sa_sigaction = gives_page, .sa_flags = SA_SIGINFO};

	page = mmap(NULL, 100 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	sigaction(SIGSEGV, &action, NULL);
	for (int i = 0; i < 100; i++)
		page[i * PAGE] = 1;
	say("faults %d\n", count);
	mark();
	return 0;
}

static void skips(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)info;
	((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] += 2;
	count++;
}

int case_instructions_skipped(void)
{
	struct sigaction action = {.sa_sigaction = skips, .sa_flags = SA_SIGINFO};

	sigaction(SIGILL, &action, NULL);
	for (int i = 0; i < 50; i++)
		__asm__ volatile("ud2");
	signal(SIGTRAP, counts);
	__asm__ volatile("int3");
	say("skipped %d\n", count);
	mark();
	return 0;
}

static void nests(int signal)
{
	if (++count < 10)
		raise(signal);
	mark();
}

int case_nested_handlers(void)
{
	struct sigaction action = {.sa_handler = nests, .sa_flags = SA_NODEFER};

	sigaction(SIGUSR1, &action, NULL);
	return raise(SIGUSR1);
}

static void allocates(int signal)
{
	(void)signal;
	for (int i = 0; i < 10; i++)
		free(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? malloc(1) : NULL);
	count++;
}

int case_signals_at_a_high_rate(void)
{
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
	struct itimerspec often = {.it_interval.tv_nsec = 200000, .it_value.tv_nsec = 200000};
	timer_t timer;

	signal(SIGUSR1, allocates);
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	timer_settime(timer, 0, &often, NULL);
	while (count < 200)
		free(malloc(50));
	timer_delete(timer);
	mark();
	return 0;
}

int case_signal_to_a_group(void)
{
	setpgid(0, 0);
	signal(SIGUSR2, counts);
	kill(0, SIGUSR2);
	say("count %d\n", count);
	mark();
	return 0;
}

int case_asynchronous_io_signal(void)
{
	int ends[2];

	signal(SIGIO, counts);
	if (pipe(ends) != 0)
		return 1;
	fcntl(ends[0], F_SETOWN, getpid());
	fcntl(ends[0], F_SETFL, O_ASYNC);
	if (write(ends[1], "x", 1) != 1)
		return 1;
	while (count == 0)
		usleep(1000);
	say("SIGIO %d\n", count > 0);
	mark();
	return 0;
}

int case_errno_in_handlers(void)
{
	errno = 42;
	burn(30); /* ticks come */
	say("errno %d\n", errno);
	mark();
	say("errno %d\n", errno);
	return 0;
}

int case_registers_in_handlers(void)
{
	struct timespec begin, now;
	unsigned long wrong = 0;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	do {
		for (int i = 0; i < 1000; i++) {
			unsigned long mask;

			__asm__ volatile("mov $7, %%eax\n\tmovq %%rax, %%xmm7\n\tmov $1000, %%ecx\n1:\tdec %%ecx\n\tjnz 1b\n\tmovq %%xmm7, %0\n\tsub $7, %0"
			                 : "=r"(mask)::"rax", "rcx", "xmm7", "cc");
			wrong |= mask;
		}
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000 < 50);
	say("wrong %lu\n", wrong);
	mark();
	return 0;
}

int case_red_zone(void)
{
	unsigned long wrong = 0;

	for (int i = 0; i < 20000; i++) {
		unsigned long value;

		__asm__ volatile("movq $77, -100(%%rsp)\n\tmov $1000, %%ecx\n1:\tdec %%ecx\n\tjnz 1b\n\tmovq -100(%%rsp), %0"
		                 : "=r"(value)::"rcx", "cc", "memory");
		wrong += value != 77;
	}
	say("wrong %lu\n", wrong);
	mark();
	return 0;
}

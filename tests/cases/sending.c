/* sending.c: cases of signals that are sent with values, to threads, by old functions, by libc
 * itself. */
#include "case.h"

#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <netdb.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

static volatile sig_atomic_t count;

static void tell(int signal, siginfo_t *info, void *context)
{
	(void)context;
	say("signal %d code %d value %d by me %d\n", signal, info->si_code,
	    info->si_value.sival_int, info->si_pid == getpid());
	count++;
}

static void hear(int signal)
{
	struct sigaction action = {.sa_sigaction = tell, .sa_flags = SA_SIGINFO};

	sigaction(signal, &action, NULL);
}

int case_what_signals_tell(void)
{
	hear(SIGUSR1);
	hear(SIGRTMIN);
	say("queue %d\n", sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = 1234}));
	say("kill %d\n", kill(getpid(), SIGUSR1));
	say("raise %d\n", raise(SIGUSR1));
	say("thread %d\n", pthread_kill(pthread_self(), SIGUSR1));
	say("queue %d\n",
	    pthread_sigqueue(pthread_self(), SIGRTMIN, (union sigval){.sival_int = 5678}));
	say("none %d ", sigqueue(getpid(), 65, (union sigval){.sival_int = 0}));
	say("%d\n", errno);
	mark();
	return 0;
}

static pthread_t receivers[3];
static sem_t ready;

static void *receives(void *number)
{
	sigset_t set;
	siginfo_t info;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sem_post(&ready);
	sigwaitinfo(&set, &info);
	mark();
	return (void *)((long)info.si_value.sival_int * 10 + (long)number);
}

int case_signals_to_threads(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	sem_init(&ready, 0, 0);
	for (long i = 0; i < 3; i++)
		pthread_create(&receivers[i], NULL, receives, (void *)i);
	for (int i = 2; i >= 0; i--) {
		void *result;

		sem_wait(&ready);
		pthread_sigqueue(receivers[i], SIGUSR2, (union sigval){.sival_int = i + 1});
		pthread_join(receivers[i], &result);
		say("%ld\n", (long)result);
	}
	return 0;
}

/* The two signals that libc reserves. */
int case_signals_of_libc(void)
{
	sigset_t all;

	for (int signal = 32; signal <= 33; signal++) {
		struct sigaction action = {.sa_handler = SIG_IGN};

		say("%d: %d ", signal, sigaction(signal, &action, NULL));
		say("%d\n", errno);
	}
	sigfillset(&all);
	say("full %d %d, from %d to %d\n", sigismember(&all, 32), sigismember(&all, 33), SIGRTMIN,
	    SIGRTMAX);
	mark();
	return 0;
}

/* One thread changes the user of all threads, by signal 33, also of those that block or wait for
 * all signals. */
static volatile int all_seen;

static void *waits_for_all(void *unused)
{
	sigset_t all;
	struct timespec moment = {.tv_nsec = 1000000};
	uid_t real, effective, saved;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	sem_post(&ready);
	while (!all_seen)
		if (sigtimedwait(&all, NULL, &moment) > 0)
			say("a signal\n");
	getresuid(&real, &effective, &saved);
	return (void *)(unused ? NULL : (void *)(long)effective);
}

int case_user_changed_by_thread(void)
{
	if (geteuid() != 0)
		return CASE_SKIP;
	sem_init(&ready, 0, 0);
	mark();
	for (int i = 0; i < 3; i++)
		pthread_create(&receivers[i], NULL, waits_for_all, NULL);
	for (int i = 0; i < 3; i++)
		sem_wait(&ready);
	say("seteuid %d\n", seteuid(65534));
	all_seen = 1;
	for (int i = 0; i < 3; i++) {
		void *user;

		pthread_join(receivers[i], &user);
		say("user %ld\n", (long)user);
	}
	return seteuid(0);
}

int case_restarted_read(void)
{
	struct sigaction action = {.sa_handler = mark_handler, .sa_flags = SA_RESTART};
	int ends[2];
	char byte;
	pid_t pid;

	if (pipe(ends) != 0)
		return 1;
	sigaction(SIGUSR1, &action, NULL);
	pid = fork();
	if (pid == 0) {
		usleep(20000);
		kill(getppid(), SIGUSR1);
		usleep(20000);
		_exit(write(ends[1], "x", 1) != 1);
	}
	say("read %d\n", (int)read(ends[0], &byte, 1));
	return say_end(pid);
}

static volatile sig_atomic_t depth, deepest;

static void goes_deeper(int signal)
{
	if (++depth > deepest)
		deepest = depth;
	if (depth < 5)
		raise(signal);
	depth--;
}

int case_flags_of_handlers(void)
{
	struct sigaction action = {.sa_handler = goes_deeper, .sa_flags = SA_NODEFER};

	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	say("with SA_NODEFER %d\n", deepest);
	deepest = 0;
	action.sa_flags = 0;
	sigaction(SIGUSR1, &action, NULL);
	depth = 4; /* a raise in the handler stays pending, once */
	raise(SIGUSR1);
	say("without %d\n", deepest);
	sigaction(SIGUSR1, NULL, &action);
	say("flags %x\n", (unsigned)action.sa_flags & ~0x04000000u);
	mark();
	return 0;
}

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
int case_old_functions(void)
{
	say("sigset %d\n", sigset(SIGUSR1, mark_handler) == SIG_DFL);
	say("sighold %d\n", sighold(SIGUSR1));
	raise(SIGUSR1);
	say("sigrelse %d\n", sigrelse(SIGUSR1)); /* one mark */
	say("sigignore %d\n", sigignore(SIGUSR1));
	raise(SIGUSR1);
	say("siginterrupt %d\n", siginterrupt(SIGUSR2, 1));
	say("sysv %d\n", sysv_signal(SIGUSR2, mark_handler) == SIG_DFL);
	raise(SIGUSR2); /* another mark, and then the default action is set again */
	say("default %d\n", signal(SIGUSR2, SIG_IGN) == SIG_DFL);
	say("block %d\n", sigblock(1 << (SIGTERM - 1)));
	say("mask %d\n", sigsetmask(0) == 1 << (SIGTERM - 1));
	return 0;
}

/* The recorder's own signal: these must not replace its handler. */
static volatile sig_atomic_t handled;
static void handles(int signal)
{
	handled += signal > 0;
}

static int is_blocked(int signal)
{
	sigset_t set;

	sigemptyset(&set);
	pthread_sigmask(SIG_BLOCK, NULL, &set);
	return sigismember(&set, signal);
}

int case_tick_signal_by_old_functions(void)
{
	int tick = SIGRTMAX - 3;

	say("sysv %d\n", sysv_signal(tick, handles) == SIG_DFL);
	burn(20);
	raise(tick);
	say("handled %d, default %d\n", handled, sysv_signal(tick, SIG_IGN) == SIG_DFL);
	say("sigset %d\n", sigset(tick, handles) == SIG_IGN);
	burn(20);
	raise(tick);
	say("handled %d\n", handled);
	say("hold %d\n", sigset(tick, SIG_HOLD) == handles);
	say("blocked %d\n", is_blocked(tick));
	say("held %d\n", sigset(tick, SIG_DFL) == SIG_HOLD);
	say("blocked %d\n", is_blocked(tick));
	say("ssignal %d\n", ssignal(tick, handles) == SIG_DFL);
	burn(20);
	raise(tick);
	say("handled %d\n", handled);
	mark();
	return 0;
}

static void *say_blocked(void *unused)
{
	say("blocked %d\n", is_blocked(SIGRTMAX - 3));
	mark();
	return unused;
}

/* What a vfork child resets for the program it executes, and what a thread is given at its
 * start. */
int case_signals_of_others(void)
{
	pthread_attr_t attributes;
	pthread_t thread;
	sigset_t all;
	pid_t pid;

	sigfillset(&all);
	signal(SIGRTMAX - 3, handles);
	pid = vfork();
	if (pid == 0) {
		for (int i = 1; i <= SIGRTMAX; i++)
			signal(i, SIG_DFL);
		sigprocmask(SIG_BLOCK, &all, NULL);
		_exit(0);
	}
	say_end(pid);
	say("blocked %d\n", is_blocked(SIGRTMAX - 3));
	raise(SIGRTMAX - 3);
	say("handled %d\n", handled);
	pthread_attr_init(&attributes);
	pthread_attr_setsigmask_np(&attributes, &all);
	pthread_create(&thread, &attributes, say_blocked, NULL);
	return pthread_join(thread, NULL);
}

/* The program blocks the recorder's signal by a direct system call, as runtimes of other languages
 * do it. */
static long raw(long number, long a, long b, long c, long d)
{
	register long r10 __asm__("r10") = d;
	long result;

	__asm__ volatile("syscall"
	                 : "=a"(result)
	                 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
	                 : "rcx", "r11", "memory");
	return result;
}

int case_masks_by_system_calls(void)
{
	unsigned long all = ~0ul, before = 0, now = 0;

	mark();
	raw(SYS_rt_sigprocmask, SIG_SETMASK, (long)&all, (long)&before, 8);
	burn(20);
	raw(SYS_rt_sigprocmask, SIG_SETMASK, (long)&before, (long)&now, 8);
	say("blocked %lx, before %lx\n", now, before);
	burn(20);
	return 0;
}

/* As the kernel has it. */
struct action {
	void *handler;
	unsigned long flags;
	void *restorer;
	unsigned long mask;
};

static void drop_handlers(void)
{
	struct action action;
	int handled = 0;

	for (int signal = 1; signal < NSIG; signal++) {
		if (syscall(SYS_rt_sigaction, signal, NULL, &action, 8) != 0)
			continue;
		handled += action.handler != NULL;
		action.handler = NULL;
		syscall(SYS_rt_sigaction, signal, &action, NULL, 8);
	}
	say("%d had a handler\n", handled);
	burn(20);
}

/* As Chromium does in the children that it makes, before they execute a program. */
int case_handlers_by_system_calls(void)
{
	struct sigaction own = {.sa_handler = mark_handler};
	struct action action = {.handler = NULL};
	const int first = SIGTRAP;
	pid_t child;

	sigaction(first, &own, NULL);
	say("own handler %d\n", syscall(SYS_rt_sigaction, first, NULL, &action, 8) == 0 &&
	                                action.handler == (void *)mark_handler);
	child = fork();
	if (child == 0) {
		drop_handlers();
		_exit(5);
	}
	say_end(child);
	drop_handlers();
	say("wrong %ld\n", syscall(SYS_rt_sigaction, first, 8l, NULL, 8));
	mark();
	return 0;
}

static volatile sig_atomic_t children;

static void reap(int signal)
{
	int saved = errno;

	(void)signal;
	while (waitpid(-1, NULL, WNOHANG) > 0)
		children++;
	errno = saved;
}

int case_children_reaped_in_handler(void)
{
	struct sigaction action = {.sa_handler = reap, .sa_flags = SA_NOCLDSTOP | SA_RESTART};
	sigset_t child, none;

	sigaction(SIGCHLD, &action, NULL);
	sigemptyset(&none);
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	for (int i = 0; i < 20; i++)
		if (fork() == 0)
			mark_and_leave(i);
	sigprocmask(SIG_BLOCK, &child, NULL);
	while (children < 20)
		sigsuspend(&none);
	say("children %d\n", children);
	return 0;
}

int case_timer_read_back(void)
{
	struct itimerval timer = {{100, 0}, {200, 0}}, now;

	for (int which = ITIMER_REAL; which <= ITIMER_PROF; which++) {
		say("none %d", getitimer(which, &now));
		say(" %ld\n", now.it_value.tv_sec + now.it_value.tv_usec);
		setitimer(which, &timer, NULL);
	}
	mark();
	burn(10);
	for (int which = ITIMER_REAL; which <= ITIMER_PROF; which++) {
		getitimer(which, &now);
		say("%d %ld\n", now.it_value.tv_sec >= 180, now.it_interval.tv_sec);
	}
	return 0;
}

static void lease_broken(int signal, siginfo_t *info, void *context)
{
	(void)context;
	count += signal == SIGRTMIN + 1 && info->si_fd > 0;
	fcntl(info->si_fd, F_SETLEASE, F_UNLCK);
}

int case_lease(void)
{
	struct sigaction action = {.sa_sigaction = lease_broken, .sa_flags = SA_SIGINFO};
	int fd = open("leased", O_RDONLY | O_CREAT, 0600);
	pid_t pid;

	sigaction(SIGRTMIN + 1, &action, NULL);
	if (fcntl(fd, F_SETSIG, SIGRTMIN + 1) != 0 || fcntl(fd, F_SETLEASE, F_RDLCK) != 0)
		return CASE_SKIP;
	pid = fork();
	if (pid == 0)
		_exit(open("leased", O_WRONLY) >= 0 ? (mark(), 3) : 1);
	while (waitpid(pid, NULL, 0) < 0)
		;
	say("broken %d\n", count);
	return 0;
}

static sem_t told;

static void by_thread(union sigval value)
{
	say("notified %d\n", value.sival_int);
	mark();
	sem_post(&told);
}

int case_notified_by_threads(void)
{
	struct sigevent event = {.sigev_notify = SIGEV_THREAD,
	                         .sigev_notify_function = by_thread,
	                         .sigev_value.sival_int = 1};
	struct mq_attr attributes = {.mq_maxmsg = 2, .mq_msgsize = 8};
	struct aiocb request = {.aio_buf = (char[]){"asynchronous"}, .aio_nbytes = 12};
	char name[32];
	mqd_t messages;

	snprintf(name, sizeof(name), "/xer-note-%d", (int)getpid());
	messages = mq_open(name, O_CREAT | O_RDWR, 0600, &attributes);
	if (messages < 0)
		return CASE_SKIP;
	sem_init(&told, 0, 0);
	say("mq_notify %d\n", mq_notify(messages, &event));
	mq_send(messages, "m", 1, 0);
	sem_wait(&told);
	mq_unlink(name);
	request.aio_fildes = open("file", O_RDWR | O_CREAT, 0600);
	request.aio_sigevent = event;
	request.aio_sigevent.sigev_value.sival_int = 2;
	if (aio_write(&request) != 0)
		return 1;
	sem_wait(&told);
	say("written %d\n", (int)aio_return(&request));
	return 0;
}

int case_files_asynchronous(void)
{
	static char blocks[8][100];
	struct aiocb requests[8], *list[8];
	int fd = open("file", O_RDWR | O_CREAT, 0600);

	for (int i = 0; i < 8; i++) {
		requests[i] = (struct aiocb){.aio_fildes = fd,
		                             .aio_offset = i * 100,
		                             .aio_buf = blocks[i],
		                             .aio_nbytes = 100,
		                             .aio_lio_opcode = LIO_WRITE};
		list[i] = &requests[i];
		memset(blocks[i], 'a' + i, 100);
	}
	say("lio %d\n", lio_listio(LIO_WAIT, list, 8, NULL));
	requests[0].aio_offset = 700;
	say("read %d\n", aio_read(list[0]));
	while (aio_error(list[0]) == EINPROGRESS)
		aio_suspend((const struct aiocb *const *)list, 1, NULL);
	say("got %d %c\n", (int)aio_return(list[0]), blocks[0][0]);
	mark();
	return 0;
}

/* Contexts include signal masks. */
static sigjmp_buf back;

int case_masks_of_jumps(void)
{
	sigset_t set, now;
	ucontext_t here;
	volatile int rounds = 0;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	if (sigsetjmp(back, 1) == 0) {
		sigprocmask(SIG_BLOCK, &set, NULL);
		siglongjmp(back, 1);
	}
	sigprocmask(SIG_BLOCK, NULL, &now);
	say("after a jump %d\n", sigismember(&now, SIGUSR1));
	getcontext(&here);
	if (rounds++ == 0) {
		sigprocmask(SIG_BLOCK, &set, NULL);
		setcontext(&here);
	}
	sigprocmask(SIG_BLOCK, NULL, &now);
	say("after setcontext %d, rounds %d\n", sigismember(&now, SIGUSR1), rounds);
	if (sigsetjmp(back, 0) == 0) {
		sigprocmask(SIG_BLOCK, &set, NULL);
		siglongjmp(back, 1);
	}
	sigprocmask(SIG_BLOCK, NULL, &now);
	say("not saved %d\n", sigismember(&now, SIGUSR1));
	mark();
	return 0;
}

/* An alternate stack that is disabled as soon as a handler runs on it. */
enum { AUTODISARM = 1u << 31 }; /* SS_AUTODISARM, which libc's headers lack */
static char room[65536];

static void on_it(int signal)
{
	stack_t now;

	(void)signal;
	sigaltstack(NULL, &now);
	say("flags in the handler %x\n", (unsigned)now.ss_flags);
	mark();
	burn(5);
}

int case_alternate_stack_disarmed(void)
{
	stack_t stack = {.ss_sp = room, .ss_size = sizeof(room), .ss_flags = (int)AUTODISARM}, now;
	struct sigaction action = {.sa_handler = on_it, .sa_flags = SA_ONSTACK};

	say("set %d\n", sigaltstack(&stack, NULL));
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	raise(SIGUSR1);
	sigaltstack(NULL, &now);
	say("flags %x, size %lu\n", (unsigned)now.ss_flags, (unsigned long)now.ss_size);
	return 0;
}

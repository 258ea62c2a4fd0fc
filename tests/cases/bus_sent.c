/* bus_sent.c: cases of SIGBUS that is sent, waited for or passed on, and of what sigaction reports
 * as installed. */
#include "bus.h"
#include "case.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations" /* old functions are tested here \
                                                            */

static void told(int signal, siginfo_t *info, void *context)
{
	(void)context;
	bus_count++;
	say("signal %d code %d", signal, info->si_code);
	if (info->si_code <= 0)
		say(" from myself %d value %d", info->si_pid == getpid(),
		    info->si_code == SI_QUEUE ? info->si_value.sival_int : 0);
	say("\n");
}

static void dies_by_kill(void)
{
	kill(getpid(), SIGBUS);
}

static void dies_by_raise(void)
{
	raise(SIGBUS);
}

static void *sleeps(void *unused)
{
	for (;;)
		pause();
	return unused;
}

static void dies_in_thread(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, sleeps, NULL);
	pthread_kill(thread, SIGBUS);
	pthread_join(thread, NULL);
}

int case_bus_sent(void)
{
	bus_install(told, 0);
	kill(getpid(), SIGBUS);
	raise(SIGBUS);
	pthread_kill(pthread_self(), SIGBUS);
	sigqueue(getpid(), SIGBUS, (union sigval){.sival_int = 42});
	signal(SIGBUS, SIG_DFL);
	bus_faulting_child(dies_by_kill);
	bus_faulting_child(dies_by_raise);
	bus_faulting_child(dies_in_thread);
	mark();
	return 0;
}

int case_bus_waited_for(void)
{
	struct signalfd_siginfo read_info = {0};
	struct timespec none = {0, 0};
	sigset_t set, pending;
	siginfo_t info;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGBUS);
	bus_install(told, 0);
	bus_block(SIG_BLOCK);
	kill(getpid(), SIGBUS);
	sigpending(&pending);
	say("pending %d, called %d\n", sigismember(&pending, SIGBUS), bus_count);
	say("waited for %d\n", sigwaitinfo(&set, &info));
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	sigqueue(getpid(), SIGBUS, (union sigval){.sival_int = 7});
	if (read(fd, &read_info, sizeof(read_info)) != sizeof(read_info))
		return 1;
	say("read %d\n", read_info.ssi_int);
	say("no more: %d\n", sigtimedwait(&set, &info, &none));
	raise(SIGBUS);
	say("called %d\n", bus_count);
	sigdelset(&set, SIGBUS);
	say("suspended: %d\n", sigsuspend(&set));
	raise(SIGBUS);
	say("polled: %d\n", ppoll(NULL, 0, NULL, &set));
	say("called %d\n", bus_count);
	raise(SIGBUS);
	bus_block(SIG_UNBLOCK);
	say("called %d\n", bus_count);
	mark();
	return 0;
}

/* A read that waits, and what happens to it. */
struct interrupted {
	pthread_t reader;
	int end;         /* end of the pipe, -1: nothing is written to it */
	atomic_int over; /* the read has returned */
};

/* Send signals until one has reached the read. If the read starts again, write something. */
static void *sends(void *context)
{
	struct interrupted *to = context;

	do {
		usleep(20000);
		pthread_kill(to->reader, SIGBUS);
	} while (to->end < 0 && !atomic_load(&to->over));
	usleep(20000);
	if (to->end >= 0 && write(to->end, "x", 1) != 1)
		say("no write\n");
	return NULL;
}

int case_bus_interrupts(void)
{
	struct sigaction action = {.sa_handler = bus_counts};

	for (int i = 0; i < 2; i++) {
		struct interrupted to = {.reader = pthread_self()};
		pthread_t thread;
		int ends[2];
		ssize_t result;
		char byte;

		if (pipe(ends) != 0)
			return 1;
		to.end = i ? ends[1] : -1;
		action.sa_flags = i ? SA_RESTART : 0;
		sigaction(SIGBUS, &action, NULL);
		bus_count = 0;
		pthread_create(&thread, NULL, sends, &to);
		result = read(ends[0], &byte, 1);
		say("read: %zd %s, ", result, result < 0 ? strerrorname_np(errno) : "");
		atomic_store(&to.over, 1);
		pthread_join(thread, NULL);
		say("called %d\n", bus_count > 0);
	}
	mark();
	return 0;
}

extern __sighandler_t bsd_signal(int number, __sighandler_t handler);

static void say_former(const char *what, __sighandler_t handler)
{
	say("%s: formerly %s; ", what,
	    handler == SIG_DFL      ? "default"
	    : handler == SIG_IGN    ? "ignored"
	    : handler == bus_counts ? "counts"
	    : handler == SIG_HOLD   ? "held"
	    : handler == SIG_ERR    ? "error"
	                            : "another");
	bus_say_action("now");
}

int case_bus_reported(void)
{
	struct sigaction action = {.sa_handler = bus_counts, .sa_flags = SA_NODEFER | SA_NOCLDSTOP},
			 old;

	bus_say_action("at first");
	sigaction(SIGBUS, &action, &old);
	say("default before %d, flags %x\n", old.sa_handler == SIG_DFL, (unsigned)old.sa_flags);
	sigaddset(&action.sa_mask, SIGUSR1);
	sigaddset(&action.sa_mask, SIGBUS);
	sigaction(SIGBUS, &action, &old);
	say("counts before %d, flags %x\n", old.sa_handler == bus_counts, (unsigned)old.sa_flags);
	bus_say_action("with a mask");
	sigaction(SIGBUS, &old, NULL);
	bus_say_action("as it was");
	say_former("signal", signal(SIGBUS, SIG_DFL));
	say_former("signal", signal(SIGBUS, bus_counts));
	say_former("bsd_signal", bsd_signal(SIGBUS, SIG_IGN));
	say_former("ssignal", ssignal(SIGBUS, bus_counts));
	say_former("sysv_signal", sysv_signal(SIGBUS, bus_counts));
	raise(SIGBUS);
	say_former("sigset", sigset(SIGBUS, bus_counts));
	say_former("sigset", sigset(SIGBUS, SIG_HOLD));
	say_former("sigset", sigset(SIGBUS, bus_counts));
	say("siginterrupt %d\n", siginterrupt(SIGBUS, 0));
	bus_say_action("restarts");
	say("sigignore %d\n", sigignore(SIGBUS));
	bus_say_action("ignored");
	say_former("sysv_signal", sysv_signal(SIGBUS, SIG_DFL));
	bus_install(bus_repairs, SA_RESTART);
	bus_say_action("with information");
	say("error %d\n", sigaction(SIGBUS, NULL, NULL));
	say("called %d\n", bus_count);
	mark();
	return 0;
}

/* What a program finds: the masks that concern SIGBUS. */
static const char *const looker[] = {
	"sh", "-c",
	"sed -n 's/^Sig\\(Blk\\|Ign\\):.*\\(.\\).$/\\1 \\2/p' /proc/self/status | tr '\\n' ' '; echo",
	NULL};

static void spawns(const char *what, posix_spawnattr_t *attributes)
{
	pid_t child = -1;

	say("%s: ", what);
	if (posix_spawn(&child, "/bin/sh", NULL, attributes, (char *const *)looker, environ) == 0)
		say_end(child);
}

int case_bus_spawned(void)
{
	posix_spawnattr_t attributes;
	sigset_t set;
	pid_t child;

	sigemptyset(&set);
	sigaddset(&set, SIGBUS);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setsigdefault(&attributes, &set);
	spawns("default", NULL);
	bus_install(bus_repairs, 0);
	spawns("a handler", NULL);
	signal(SIGBUS, SIG_IGN);
	spawns("ignored", NULL);
	spawns("ignored, reset", &attributes);
	child = fork();
	if (child == 0) {
		bus_block(SIG_BLOCK);
		execv("/bin/sh", (char *const *)looker);
		_exit(1);
	}
	say_end(child);
	mark();
	return 0;
}

/* Handlers that are all different functions. */
#define FOUR(name) NUMBERED(name##0) NUMBERED(name##1) NUMBERED(name##2) NUMBERED(name##3)
#define MANY FOUR(a) FOUR(b) FOUR(c) FOUR(d) FOUR(e) FOUR(f) FOUR(g) FOUR(h) FOUR(i) FOUR(j)
#define NUMBERED(name) \
	static void handler_##name(int signal) \
	{ \
		(void)signal; \
		bus_count++; \
		if (strcmp(#name, "a0") == 0) /* so that their code differs */ \
			bus_count += 1000; \
	}
MANY
#undef NUMBERED
#define NUMBERED(name) handler_##name,
	static void (*const many[])(int) = {MANY};

int case_bus_many_handlers(void)
{
	struct sigaction action = {.sa_flags = SA_RESTART}, old;
	int right = 0;

	for (int round = 0; round < 2; round++)
		for (size_t i = 0; i < sizeof(many) / sizeof(many[0]); i++) {
			action.sa_handler = many[i];
			sigaction(SIGBUS, &action, NULL);
			raise(SIGBUS);
			sigaction(SIGBUS, NULL, &old);
			right += old.sa_handler == many[i];
		}
	say("called %d, right %d\n", bus_count, right);
	bus_install(bus_repairs, 0);
	bus_cut_page();
	bus_cut[BUS_SPOT] = 1;
	bus_tell();
	mark();
	return 0;
}

int case_bus_by_system_call(void)
{
	struct {
		void (*handler)(int);
		unsigned long flags;
		void (*restorer)(void);
		unsigned long mask;
	} action, old;
	struct sigaction now;

	signal(SIGBUS, bus_counts);
	if (syscall(SYS_rt_sigaction, SIGBUS, NULL, &action, 8) != 0)
		return 1;
	action.handler = mark_handler;
	action.flags &= ~(unsigned long)SA_SIGINFO;
	syscall(SYS_rt_sigaction, SIGBUS, &action, &old, 8);
	raise(SIGBUS);
	sigaction(SIGBUS, NULL, &now);
	say("mine %d, called %d\n", now.sa_handler == mark_handler, bus_count);
	/* The old function returns the handler that was set before. */
	syscall(SYS_rt_sigaction, SIGBUS, &old, NULL, 8);
	raise(SIGBUS);
	sigaction(SIGBUS, NULL, &now);
	say("counts %d, called %d\n", now.sa_handler == bus_counts, bus_count);
	return 0;
}

static sem_t handled;
static sigjmp_buf back;
static pthread_t receiver;
static volatile int may_jump;
enum { SIGNALS = 2000 };

static void posts(int signal)
{
	(void)signal;
	bus_count++;
	sem_post(&handled);
	if (may_jump && bus_count % 2)
		siglongjmp(back, 1);
}

static void *sends_many(void *unused)
{
	for (int i = 0; i < SIGNALS; i++) {
		if (i % 2)
			pthread_kill(receiver, SIGBUS);
		else
			kill(getpid(), SIGBUS);
		while (sem_wait(&handled) != 0)
			continue;
	}
	return unused;
}

/* Jumps leave only code that counts no blocks: the blocks that the experiment must have are
 * allocated while no signal comes. */
int case_bus_among_events(void)
{
	pthread_t thread;
	sigset_t set;

	sem_init(&handled, 0, 0);
	receiver = pthread_self();
	signal(SIGBUS, posts);
	bus_block(SIG_BLOCK);
	pthread_create(&thread, NULL, sends_many, NULL); /* blocked in this thread */
	bus_block(SIG_UNBLOCK);
	while (bus_count < SIGNALS / 2)
		free(malloc(100));
	bus_block(SIG_BLOCK);
	for (int i = 0; i < SIGNALS; i++)
		mark();
	sigemptyset(&set);
	while (bus_count < SIGNALS) {
		if (sigsetjmp(back, 1) == 0) {
			may_jump = 1;
			sigsuspend(&set);
		}
		may_jump = 0;
	}
	pthread_join(thread, NULL);
	say("called %d\n", bus_count);
	mark();
	return 0;
}

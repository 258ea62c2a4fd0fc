/* waits.c: cases of waits that a signal of the program ends. Its handler uses CPU time, so that a
 * tick of the recorder is due when it returns: directly after the system call that has failed. */
#include "case.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { BURN_MS = 12, LOOKS = 5, AGAIN_MS = 4000 };

static volatile sig_atomic_t handled;
static sem_t to_send, sent;
static volatile int is_over;
static pthread_t waiting;
static pid_t waiting_tid;
static int silent[2], connection[2], epoll_fd, semaphores, messages;
static aio_context_t requests;
static sigset_t others; /* all but SIGUSR1 */

static void burns(int signal)
{
	(void)signal;
	handled++;
	burn(BURN_MS);
}

static int sleeps(void)
{
	char name[64], stat[512] = "";
	const char *state;
	int fd;

	snprintf(name, sizeof(name), "/proc/self/task/%d/stat", (int)waiting_tid);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, stat, sizeof(stat) - 1) < 0)
		return 0;
	close(fd);
	state = strrchr(stat, ')');
	return state && state[2] == 'S';
}

/* Sends a signal as soon as the other thread waits, and another one if that goes on waiting. */
static void *sends(void *unused)
{
	for (;;) {
		int seen = 0;

		while (sem_wait(&to_send) != 0)
			continue;
		if (is_over)
			return unused;
		while (seen < LOOKS) {
			usleep(1000);
			seen = sleeps() ? seen + 1 : 0;
		}
		pthread_kill(waiting, SIGUSR1);
		for (int ms = 0; ms < AGAIN_MS && sem_trywait(&sent) != 0; ms++) {
			usleep(1000);
			if (ms == AGAIN_MS - 1) {
				pthread_kill(waiting, SIGUSR1);
				while (sem_wait(&sent) != 0)
					continue;
			}
		}
	}
}

/* ---- the calls: each waits for ever, or for a minute */

static const struct timespec minute = {.tv_sec = 60};

static long pauses(void)
{
	return pause();
}
static long suspends(void)
{
	return sigsuspend(&others);
}
static long polls(void)
{
	return poll(NULL, 0, 60000);
}
static long polls_for_ever(void)
{
	struct pollfd end = {.fd = silent[0], .events = POLLIN};

	return poll(&end, 1, -1);
}
static long ppolls(void)
{
	return ppoll(NULL, 0, &minute, &others);
}
static long selects(void)
{
	struct timeval time = {.tv_sec = 60};

	return select(0, NULL, NULL, NULL, &time);
}
static long pselects(void)
{
	return pselect(0, NULL, NULL, NULL, &minute, &others);
}
static long epolls(void)
{
	struct epoll_event event;

	return epoll_wait(epoll_fd, &event, 1, -1);
}
static long epolls_masked(void)
{
	struct epoll_event event;

	return epoll_pwait(epoll_fd, &event, 1, 60000, &others);
}
static long sleeps_a_minute(void)
{
	return nanosleep(&minute, NULL);
}
static long sleeps_by_a_clock(void)
{
	errno = clock_nanosleep(CLOCK_MONOTONIC, 0, &minute, NULL);
	return errno ? -1 : 0;
}
static long waits_for_a_word(void)
{
	static int word;

	return syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &minute, NULL, 0);
}
static long waits_for_a_semaphore(void)
{
	static sem_t none;
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 60;
	return sem_timedwait(&none, &until);
}
static long waits_for_old_semaphores(void)
{
	struct sembuf one = {.sem_op = -1};

	return semtimedop(semaphores, &one, 1, &minute);
}
static long waits_for_a_message(void)
{
	struct {
		long type;
		char text[8];
	} message;

	return msgrcv(messages, &message, sizeof(message.text), 0, 0);
}
static long waits_for_requests(void)
{
	struct io_event event;

	return syscall(SYS_io_getevents, requests, 1, 1, &event, NULL);
}
static long waits_for_a_signal(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	return sigtimedwait(&set, NULL, &minute);
}
static long reads(void)
{
	char byte;

	return read(silent[0], &byte, 1);
}
static long receives(void)
{
	char byte;

	return recv(connection[0], &byte, 1, 0);
}
static long locks(void)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	return fcntl(open("locked", O_RDWR | O_CREAT | O_CLOEXEC, 0600), F_OFD_SETLKW, &lock);
}

static const struct {
	const char *name;
	long (*call)(void);
	int is_restarted; /* by SA_RESTART */
} calls[] = {
	{"pause", pauses, 0},
	{"sigsuspend", suspends, 0},
	{"poll", polls, 0},
	{"poll for ever", polls_for_ever, 0},
	{"ppoll", ppolls, 0},
	{"select", selects, 0},
	{"pselect", pselects, 0},
	{"epoll_wait", epolls, 0},
	{"epoll_pwait", epolls_masked, 0},
	{"nanosleep", sleeps_a_minute, 0},
	{"clock_nanosleep", sleeps_by_a_clock, 0},
	{"futex", waits_for_a_word, 0},
	{"sem_timedwait", waits_for_a_semaphore, 0},
	{"semtimedop", waits_for_old_semaphores, 0},
	{"msgrcv", waits_for_a_message, 0},
	{"io_getevents", waits_for_requests, 0},
	{"sigtimedwait", waits_for_a_signal, 0},
	{"recv", receives, 0},
	{"read", reads, 1},
	{"fcntl", locks, 1},
};

static void prepare(void)
{
	struct timeval time = {.tv_sec = 60};
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	sem_init(&to_send, 0, 0);
	sem_init(&sent, 0, 0);
	waiting = pthread_self();
	waiting_tid = (pid_t)syscall(SYS_gettid);
	sigfillset(&others);
	sigdelset(&others, SIGUSR1);
	if (pipe2(silent, O_CLOEXEC) != 0 ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, connection) != 0)
		exit(CASE_SKIP);
	setsockopt(connection[0], SOL_SOCKET, SO_RCVTIMEO, &time, sizeof(time));
	epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	semaphores = semget(IPC_PRIVATE, 1, 0600);
	messages = msgget(IPC_PRIVATE, 0600);
	syscall(SYS_io_setup, 1, &requests);
	fcntl(open("locked", O_RDWR | O_CREAT | O_CLOEXEC, 0600), F_OFD_SETLK, &lock);
}

/* By the system call: sigaction would take the recorder's signals out of the mask. */
static void install(int flags, int blocks)
{
	struct sigaction action = {.sa_handler = burns, .sa_flags = flags};
	struct {
		void (*handler)(int);
		unsigned long flags;
		void (*restorer)(void);
		unsigned long mask;
	} raw;

	if (blocks)
		sigfillset(&action.sa_mask);
	sigaction(SIGUSR1, &action, NULL);
	if (blocks && syscall(SYS_rt_sigaction, SIGUSR1, NULL, &raw, 8) == 0) {
		raw.mask = ~0ul;
		syscall(SYS_rt_sigaction, SIGUSR1, &raw, NULL, 8);
	}
}

static int interrupted(int flags, int blocks)
{
	pthread_t sender;

	prepare();
	install(flags, blocks);
	pthread_create(&sender, NULL, sends, NULL);
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		long result;

		if (calls[i].is_restarted && flags & SA_RESTART)
			continue;
		handled = 0;
		errno = 0;
		sem_post(&to_send);
		result = calls[i].call();
		say("%s: %ld %s, %d handled\n", calls[i].name, result,
		    errno ? strerrorname_np(errno) : "", (int)handled);
		sem_post(&sent);
	}
	is_over = 1;
	sem_post(&to_send);
	pthread_join(sender, NULL);
	semctl(semaphores, 0, IPC_RMID);
	msgctl(messages, IPC_RMID, NULL);
	mark();
	return 0;
}

int case_interrupted_waits(void)
{
	return interrupted(0, 0);
}
int case_interrupted_waits_all_blocked(void)
{
	return interrupted(0, 1);
}
int case_interrupted_waits_restarting(void)
{
	return interrupted(SA_RESTART, 1);
}

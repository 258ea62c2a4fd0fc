/* wall_known: waits in all functions that block, each of a length that the program measures itself.
 *
 * usage: wall_known
 *
 * Facts: each function do_NAME waits once or several times, for 30 ms where it can, and does
 * nothing else that takes time. For each of them the program prints "do_NAME STATE SECONDS": what
 * it waits for, as a metric of wall-clock time, and how long its calls took, by CLOCK_MONOTONIC.
 * Functions that need not wait at all print the state "any". At last it prints "main any SECONDS",
 * the time from the beginning of main to its end. All errors are told on standard error, and the
 * exit status is 0 if there was none. The thread "helper" does what ends a wait, 30 ms after it was
 * asked to. */
#include <aio.h>
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <pty.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <termios.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))
enum { MS = 30 };

static int errors;
static double spent; /* in the calls of the function that runs */
static const char *running;

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void complain(const char *what)
{
	errors++;
	fprintf(stderr, "%s: %s: %s\n", running, what, strerror(errno));
}

/* Measure a call, which is to be true. */
#define CALL(is_right) \
	do { \
		double call_begin = now(); \
		int call_right = (is_right); \
\
		spent += now() - call_begin; \
		if (!call_right) \
			complain(#is_right); \
	} while (0)

static struct timespec in(int ms)
{
	struct timespec time;

	clock_gettime(CLOCK_REALTIME, &time);
	time.tv_nsec += ms * 1000000L;
	time.tv_sec += time.tv_nsec / 1000000000;
	time.tv_nsec %= 1000000000;
	return time;
}

static const struct timespec span = {.tv_nsec = MS * 1000000L};

/* ---- the helper */

static sem_t asked;
static void (*act)(void);
static int main_thread;

static void *help(void *unused)
{
	pthread_setname_np(pthread_self(), "helper");
	for (;;) {
		while (sem_wait(&asked) < 0)
			continue;
		if (!act)
			return unused;
		nanosleep(&span, NULL);
		act();
	}
}

static void ask(void (*what)(void))
{
	act = what;
	sem_post(&asked);
}

/* ---- time */

NOINLINE void do_sleep(void)
{
	CALL(sleep(1) == 0);
}

NOINLINE void do_usleep(void)
{
	CALL(usleep(MS * 1000) == 0);
}

NOINLINE void do_nanosleep(void)
{
	CALL(nanosleep(&span, NULL) == 0);
}

NOINLINE void do_clock_nanosleep(void)
{
	CALL(clock_nanosleep(CLOCK_MONOTONIC, 0, &span, NULL) == 0);
}

NOINLINE void do_thrd_sleep(void)
{
	CALL(thrd_sleep(&span, NULL) == 0);
}

NOINLINE void do_timerfd(void)
{
	struct itimerspec due = {.it_value = span};
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);
	uint64_t count;

	timerfd_settime(fd, 0, &due, NULL);
	CALL(read(fd, &count, sizeof(count)) == sizeof(count));
	close(fd);
}

/* ---- one of many */

NOINLINE void do_poll(void)
{
	CALL(poll(NULL, 0, MS) == 0);
}

NOINLINE void do_ppoll(void)
{
	CALL(ppoll(NULL, 0, &span, NULL) == 0);
}

NOINLINE void do_select(void)
{
	struct timeval time = {.tv_usec = MS * 1000};

	CALL(select(0, NULL, NULL, NULL, &time) == 0);
}

NOINLINE void do_pselect(void)
{
	CALL(pselect(0, NULL, NULL, NULL, &span, NULL) == 0);
}

NOINLINE void do_epoll(void)
{
	int fd = epoll_create1(0);
	struct epoll_event event;

	CALL(epoll_wait(fd, &event, 1, MS) == 0);
	CALL(epoll_pwait(fd, &event, 1, MS, NULL) == 0);
	CALL(epoll_pwait2(fd, &event, 1, &span, NULL) == 0 || errno == ENOSYS);
	close(fd);
}

/* ---- children */

static pid_t child(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		nanosleep(&span, NULL);
		_exit(0);
	}
	return pid;
}

NOINLINE void do_wait(void)
{
	pid_t pid = child();

	CALL(wait(NULL) == pid);
	pid = child();
	CALL(wait3(NULL, 0, NULL) == pid);
}

NOINLINE void do_waitpid(void)
{
	pid_t pid = child();

	CALL(waitpid(pid, NULL, WNOHANG) == 0);
	CALL(waitpid(pid, NULL, 0) == pid);
	pid = child();
	CALL(wait4(pid, NULL, 0, NULL) == pid);
}

NOINLINE void do_waitid(void)
{
	pid_t pid = child();

	CALL(waitid(P_PID, (id_t)pid, NULL, WEXITED) == 0);
}

NOINLINE void do_shell(void)
{
	FILE *stream;

	CALL(system("sleep 0.03") == 0);
	stream = popen("sleep 0.03", "w");
	if (!stream)
		complain("popen");
	CALL(pclose(stream) == 0);
}

NOINLINE void do_spawn(void)
{
	extern char **environ;
	char *argv[] = {"sleep", "0.03", NULL};
	pid_t pid;

	CALL(posix_spawnp(&pid, "sleep", NULL, NULL, argv, environ) == 0);
	CALL(waitpid(pid, NULL, 0) == pid);
}

/* ---- signals */

static void on_signal(int number)
{
	(void)number;
}

static void send_signal(void)
{
	if (tgkill(getpid(), main_thread, SIGUSR1) < 0)
		complain("tgkill");
}

NOINLINE void do_pause(void)
{
	sigset_t none;

	ask(send_signal);
	CALL(pause() == -1 && errno == EINTR);
	sigemptyset(&none);
	ask(send_signal);
	CALL(sigsuspend(&none) == -1 && errno == EINTR);
}

NOINLINE void do_sigwait(void)
{
	siginfo_t info;
	sigset_t set;
	int number;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	ask(send_signal);
	CALL(sigwait(&set, &number) == 0);
	ask(send_signal);
	CALL(sigwaitinfo(&set, &info) == SIGUSR1);
	CALL(sigtimedwait(&set, &info, &span) == -1 && errno == EAGAIN);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

/* ---- locks */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t held, released;
static int lock_fd;

static void *hold(void *unused)
{
	pthread_mutex_lock(&mutex);
	pthread_rwlock_wrlock(&rwlock);
	sem_post(&held);
	nanosleep(&span, NULL);
	pthread_mutex_unlock(&mutex);
	nanosleep(&span, NULL);
	pthread_rwlock_unlock(&rwlock);
	return unused;
}

NOINLINE void do_locks(void)
{
	struct timespec due;
	pthread_t thread;

	pthread_create(&thread, NULL, hold, NULL);
	sem_wait(&held);
	CALL(pthread_mutex_lock(&mutex) == 0);
	due = in(MS / 2);
	CALL(pthread_rwlock_timedrdlock(&rwlock, &due) == ETIMEDOUT);
	CALL(pthread_rwlock_rdlock(&rwlock) == 0);
	pthread_rwlock_unlock(&rwlock);
	pthread_mutex_unlock(&mutex);
	pthread_join(thread, NULL);
}

static void unlock_file(void)
{
	flock(lock_fd, LOCK_UN);
}

static void unlock_range(void)
{
	struct flock range = {.l_type = F_UNLCK};

	fcntl(lock_fd, F_OFD_SETLK, &range);
}

/* A lock that another open file has, and one that another process has. */
NOINLINE void do_flock(void)
{
	char path[] = "/tmp/xer-wall-XXXXXX";
	struct flock range = {.l_type = F_WRLCK};
	int fd, pipe_ends[2];
	pid_t pid;
	char byte;

	lock_fd = mkstemp(path);
	fd = open(path, O_RDWR);
	unlink(path);
	flock(lock_fd, LOCK_EX);
	ask(unlock_file);
	CALL(flock(fd, LOCK_EX) == 0);
	fcntl(lock_fd, F_OFD_SETLK, &range);
	ask(unlock_range);
	CALL(fcntl(fd, F_OFD_SETLKW, &range) == 0);
	range.l_type = F_UNLCK;
	fcntl(fd, F_OFD_SETLK, &range);
	if (pipe(pipe_ends) < 0)
		complain("pipe");
	pid = fork();
	if (pid == 0) {
		if (lockf(lock_fd, F_LOCK, 0) == 0 && write(pipe_ends[1], "", 1) == 1)
			nanosleep(&span, NULL);
		_exit(0);
	}
	if (read(pipe_ends[0], &byte, 1) == 1)
		CALL(lockf64(fd, F_LOCK, 0) == 0);
	waitpid(pid, NULL, 0);
	close(fd);
	close(lock_fd);
	close(pipe_ends[0]);
	close(pipe_ends[1]);
}

/* ---- conditions */

static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static int semaphores;

static void signal_cond(void)
{
	pthread_mutex_lock(&mutex);
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&mutex);
}

static void post(void)
{
	sem_post(&released);
}

static void meet(void)
{
	pthread_barrier_wait(&barrier);
}

static void raise_set(void)
{
	struct sembuf up = {.sem_op = 1};

	semop(semaphores, &up, 1);
}

NOINLINE void do_conditions(void)
{
	struct sembuf down = {.sem_op = -1};
	struct timespec due;

	pthread_mutex_lock(&mutex);
	ask(signal_cond);
	CALL(pthread_cond_wait(&cond, &mutex) == 0);
	due = in(MS);
	CALL(pthread_cond_timedwait(&cond, &mutex, &due) == ETIMEDOUT);
	pthread_mutex_unlock(&mutex);
	ask(post);
	CALL(sem_wait(&released) == 0);
	pthread_barrier_init(&barrier, NULL, 2);
	ask(meet);
	CALL(pthread_barrier_wait(&barrier) <= 0);
	semaphores = semget(IPC_PRIVATE, 1, 0600);
	ask(raise_set);
	CALL(semop(semaphores, &down, 1) == 0);
	semctl(semaphores, 0, IPC_RMID);
}

static void *linger(void *unused)
{
	nanosleep(&span, NULL);
	return unused;
}

NOINLINE void do_join(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, linger, NULL);
	CALL(pthread_join(thread, NULL) == 0);
}

#include "tests/programs/wall_known_io.h"

static const struct {
	const char *name, *state;
	void (*run)(void);
} steps[] = {
	{"do_sleep", "sleep", do_sleep},
	{"do_usleep", "sleep", do_usleep},
	{"do_nanosleep", "sleep", do_nanosleep},
	{"do_clock_nanosleep", "sleep", do_clock_nanosleep},
	{"do_thrd_sleep", "sleep", do_thrd_sleep},
	{"do_timerfd", "sleep", do_timerfd},
	{"do_poll", "poll", do_poll},
	{"do_ppoll", "poll", do_ppoll},
	{"do_select", "poll", do_select},
	{"do_pselect", "poll", do_pselect},
	{"do_epoll", "poll", do_epoll},
	{"do_wait", "child", do_wait},
	{"do_waitpid", "child", do_waitpid},
	{"do_waitid", "child", do_waitid},
	{"do_shell", "child", do_shell},
	{"do_spawn", "child", do_spawn},
	{"do_pause", "signal", do_pause},
	{"do_sigwait", "signal", do_sigwait},
	{"do_locks", "lock", do_locks},
	{"do_flock", "lock", do_flock},
	{"do_conditions", "cond", do_conditions},
	{"do_join", "join", do_join},
	{"do_pipe", "pipe", do_pipe},
	{"do_msg", "pipe", do_msg},
	{"do_mq", "pipe", do_mq},
	{"do_socket", "socket", do_socket},
	{"do_terminal", "tty", do_terminal},
	{"do_aio", "file", do_aio},
	{"do_others", "any", do_others},
};

int main(void)
{
	struct sigaction action = {.sa_handler = on_signal};
	double begin = now();
	pthread_t helper;

	main_thread = gettid();
	sigaction(SIGUSR1, &action, NULL);
	sem_init(&asked, 0, 0);
	sem_init(&held, 0, 0);
	sem_init(&released, 0, 0);
	pthread_create(&helper, NULL, help, NULL);
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		running = steps[i].name;
		spent = 0;
		steps[i].run();
		printf("%s %s %.6f\n", running, steps[i].state, spent);
	}
	ask(NULL);
	pthread_join(helper, NULL);
	printf("main any %.6f\n", now() - begin);
	return errors != 0;
}

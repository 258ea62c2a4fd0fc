/* stuck: threads that wait for things that do not come, each in a function of its own.
 *
 * usage: stuck SECONDS
 *
 * Facts: after 0.2 seconds it prints "ready". Until SECONDS are over, each of the functions below
 * is in one wait: wait_lock (for a mutex that wait_holding has, which sleeps), wait_cond, wait_sem,
 * wait_poll (compiled without optimization, as are some others, so with a frame pointer),
 * wait_epoll, wait_pipe, wait_accept, wait_child, wait_signal, and main, which joins the first of
 * them. The thread of wait_leave sleeps for 1 second, then computes for 0.3 seconds of CPU time in
 * `compute`, and sleeps again. The thread of `busy` computes 1 ms in 10, from the beginning on. At
 * the end it prints "left NS", when the sleep of wait_leave was over, and "wrong N", the number of
 * calls that ended otherwise than they should. */
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FUNCTION __attribute__((noinline)) static void
#ifdef __clang__
#define PLAIN __attribute__((noinline, optnone)) static void
#else
#define PLAIN __attribute__((noinline, optimize("O0"))) static void
#endif

static double seconds;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;
static atomic_int is_over, wrong;
static atomic_uint_fast64_t left;
static int pipe_ends[2], listener;
static volatile uint64_t sink;

static uint64_t now_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void expect(int is_right)
{
	if (!is_right)
		wrong++;
}

static void rest(double time)
{
	struct timespec left_of_it = {(time_t)time, (long)((time - (double)(time_t)time) * 1e9)};

	expect(nanosleep(&left_of_it, NULL) == 0);
}

FUNCTION compute(double time)
{
	uint64_t end = now_ns(CLOCK_THREAD_CPUTIME_ID) + (uint64_t)(time * 1e9);

	while (now_ns(CLOCK_THREAD_CPUTIME_ID) < end)
		sink++;
}

PLAIN wait_holding(void)
{
	pthread_mutex_lock(&lock);
	rest(seconds);
	pthread_mutex_unlock(&lock);
}

PLAIN wait_lock(void)
{
	usleep(100000);
	expect(pthread_mutex_lock(&lock) == 0);
	pthread_mutex_unlock(&lock);
}

FUNCTION wait_cond(void)
{
	pthread_mutex_lock(&other);
	while (!is_over)
		expect(pthread_cond_wait(&cond, &other) == 0);
	pthread_mutex_unlock(&other);
}

FUNCTION wait_sem(void)
{
	expect(sem_wait(&semaphore) == 0);
}

PLAIN wait_poll(void)
{
	struct pollfd file = {.fd = pipe_ends[0], .events = POLLIN};

	expect(poll(&file, 1, -1) == 1);
}

FUNCTION wait_epoll(void)
{
	struct epoll_event event = {.events = EPOLLIN};
	int fd = epoll_create1(0);

	epoll_ctl(fd, EPOLL_CTL_ADD, pipe_ends[0], &event);
	expect(epoll_wait(fd, &event, 1, -1) == 1);
}

FUNCTION wait_pipe(void)
{
	static int ends[2];
	char byte;

	expect(pipe(ends) == 0);
	if (fork() == 0) {
		rest(seconds);
		_exit(0);
	}
	close(ends[1]);
	expect(read(ends[0], &byte, 1) == 0);
}

PLAIN wait_accept(void)
{
	expect(accept(listener, NULL, NULL) >= 0);
}

FUNCTION wait_child(void)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		rest(seconds);
		_exit(0);
	}
	expect(waitpid(child, &status, 0) == child);
}

FUNCTION wait_signal(void)
{
	sigset_t set;
	int signal;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	expect(sigwait(&set, &signal) == 0 && signal == SIGUSR1);
}

FUNCTION wait_leave(void)
{
	rest(1);
	left = now_ns(CLOCK_REALTIME);
	compute(0.3);
	rest(seconds - 1.5);
}

FUNCTION busy(void)
{
	while (!is_over) {
		compute(0.001);
		usleep(9000);
	}
}

static void (*const functions[])(void) = {wait_holding, wait_lock,   wait_cond,  wait_sem,
                                          wait_poll,    wait_epoll,  wait_pipe,  wait_accept,
                                          wait_child,   wait_signal, wait_leave, busy};
enum { COUNT = sizeof(functions) / sizeof(functions[0]), SIGNALLED = 9 };

static void *run(void *number)
{
	functions[(intptr_t)number]();
	return NULL;
}

static void open_listener(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
	                              .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
	socklen_t size = sizeof(address);

	listener = socket(AF_INET, SOCK_STREAM, 0);
	expect(bind(listener, (struct sockaddr *)&address, size) == 0 && listen(listener, 1) == 0);
}

/* End the waits. */
static void release(const pthread_t threads[COUNT])
{
	struct sockaddr_in address;
	socklen_t size = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	is_over = 1;
	pthread_mutex_lock(&other);
	pthread_cond_broadcast(&cond);
	pthread_mutex_unlock(&other);
	sem_post(&semaphore);
	expect(write(pipe_ends[1], "x", 1) == 1);
	expect(getsockname(listener, (struct sockaddr *)&address, &size) == 0);
	expect(connect(fd, (struct sockaddr *)&address, size) == 0);
	pthread_kill(threads[SIGNALLED], SIGUSR1);
}

int main(int argc, char **argv)
{
	pthread_t threads[COUNT];
	sigset_t set;

	if (argc != 2)
		return 2;
	seconds = atof(argv[1]);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	sem_init(&semaphore, 0, 0);
	expect(pipe(pipe_ends) == 0);
	open_listener();
	for (intptr_t i = 0; i < COUNT; i++)
		pthread_create(&threads[i], NULL, run, (void *)i);
	rest(0.2);
	puts("ready");
	fflush(stdout);
	pthread_join(threads[0], NULL);
	release(threads);
	for (int i = 1; i < COUNT; i++)
		pthread_join(threads[i], NULL);
	printf("left %llu\nwrong %d\n", (unsigned long long)left, (int)wrong);
	return 0;
}

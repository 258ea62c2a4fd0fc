/* cancel.c: cases of threads that are cancelled in each cancellation point in turn. */
#include "case.h"

#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int silent[2], full[2], connection[2], queue;
static sem_t in_it, never;
static pthread_t sleeper;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static const struct timespec far = {.tv_sec = 60};

static void *sleeps(void *unused)
{
	sleep(60);
	return unused;
}

static struct timespec deadline(void)
{
	struct timespec time;

	clock_gettime(CLOCK_REALTIME, &time);
	time.tv_sec += 60;
	return time;
}

static void wait_for_lock(void)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	fcntl(open("locked", O_RDWR), F_SETLKW, &lock);
}

static void end_child(void *pid)
{
	kill((pid_t)(long)pid, SIGKILL);
}

static void wait_for_child(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		for (;;)
			pause();
	}
	pthread_cleanup_push(end_child, (void *)(long)pid);
	waitpid(pid, NULL, 0);
	pthread_cleanup_pop(0);
}

static void wait_timed(void)
{
	struct timespec until = deadline();

	pthread_mutex_lock(&mutex);
	pthread_cond_timedwait(&condition, &mutex, &until);
}

static void wait_for_message(void)
{
	struct {
		long type;
		char text[10];
	} message;

	msgrcv(queue, &message, sizeof(message.text), 0, 0);
}

static char byte, bytes[1 << 20], messages[32];
static sigset_t user;

/* POINT(name, statements): each blocks for ever, in a cancellation point. */
#define POINTS \
	POINT(read, if (read(silent[0], &byte, 1)) return ) \
	POINT(readv, if (readv(silent[0], &(struct iovec){&byte, 1}, 1)) return ) \
	POINT(write, if (write(full[1], bytes, sizeof(bytes)) > 0 && \
	                 write(full[1], bytes, sizeof(bytes))) return ) \
	POINT(open, open("fifo", O_RDONLY)) \
	POINT(fopen, if (fopen("fifo", "r")) return ) \
	POINT(fgetc, fgetc(fdopen(dup(silent[0]), "r"))) \
	POINT(poll, poll(&(struct pollfd){.fd = silent[0], .events = POLLIN}, 1, 60000)) \
	POINT(ppoll, ppoll(&(struct pollfd){.fd = silent[0], .events = POLLIN}, 1, &far, NULL)) \
	POINT(select, select(0, NULL, NULL, NULL, &(struct timeval){60, 0})) \
	POINT(pselect, pselect(0, NULL, NULL, NULL, &far, NULL)) \
	POINT(epoll_wait, struct epoll_event event; \
	      epoll_wait(epoll_create1(0), &event, 1, 60000)) \
	POINT(nanosleep, nanosleep(&far, NULL)) \
	POINT(clock_nanosleep, clock_nanosleep(CLOCK_MONOTONIC, 0, &far, NULL)) \
	POINT(sleep, sleep(60)) \
	POINT(usleep, usleep(900000); usleep(900000); usleep(900000); usleep(900000)) \
	POINT(pause, pause()) \
	POINT(sigsuspend, sigset_t none; sigemptyset(&none); sigsuspend(&none)) \
	POINT(sigwait, int got; sigwait(&user, &got)) \
	POINT(sigwaitinfo, sigwaitinfo(&user, NULL)) \
	POINT(sigtimedwait, sigtimedwait(&user, NULL, &far)) \
	POINT(recv, if (recv(connection[0], &byte, 1, 0)) return ) \
	POINT(recvfrom, if (recvfrom(connection[0], &byte, 1, 0, NULL, NULL)) return ) \
	POINT(recvmsg, \
	      struct msghdr message = {.msg_iov = &(struct iovec){&byte, 1}, .msg_iovlen = 1}; \
	      if (recvmsg(connection[0], &message, 0)) return ) \
	POINT(send, if (send(connection[0], bytes, sizeof(bytes), 0) > 0 && \
	                send(connection[0], bytes, sizeof(bytes), 0)) return ) \
	POINT(fcntl, wait_for_lock()) \
	POINT(waitpid, wait_for_child()) \
	POINT(pthread_join, pthread_join(sleeper, NULL)) \
	POINT(pthread_cond_wait, pthread_mutex_lock(&mutex); \
	      pthread_cond_wait(&condition, &mutex)) \
	POINT(pthread_cond_timedwait, wait_timed()) \
	POINT(sem_wait, sem_wait(&never)) \
	POINT(sem_timedwait, struct timespec until = deadline(); sem_timedwait(&never, &until)) \
	POINT(sem_clockwait, struct timespec until = deadline(); \
	      sem_clockwait(&never, CLOCK_REALTIME, &until)) \
	POINT(msgrcv, wait_for_message()) \
	POINT(mq_receive, mq_receive(mq_open(messages, O_RDONLY), bytes, sizeof(bytes), NULL)) \
	POINT(system, if (system("exec sleep 60")) return )

enum {
#define POINT(name, ...) AT_##name,
	POINTS
#undef POINT
		COUNT
};

static const char *const names[COUNT] = {
#define POINT(name, ...) #name,
	POINTS
#undef POINT
};

static void block_in(int number)
{
	switch (number) {
#define POINT(name, ...) \
	case AT_##name: { \
		__VA_ARGS__; \
		break; \
	}
		POINTS
#undef POINT
	}
}

static void tidy(void *unused)
{
	(void)unused;
	pthread_mutex_trylock(&mutex); /* pthread_cond_wait has locked it again */
	pthread_mutex_unlock(&mutex);
	mark();
}

static void *blocks(void *number)
{
	pthread_cleanup_push(tidy, NULL);
	sem_post(&in_it);
	block_in((int)(long)number);
	pthread_cleanup_pop(0);
	return NULL;
}

static int make_what_blocks(void)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = 8};
	int ready[2];
	pid_t holder;

	sigemptyset(&user);
	sigaddset(&user, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &user, NULL);
	sem_init(&in_it, 0, 0);
	sem_init(&never, 0, 0);
	queue = msgget(IPC_PRIVATE, 0600);
	close(open("locked", O_CREAT | O_RDWR, 0600));
	if (pipe(silent) || pipe(full) || pipe(ready) ||
	    socketpair(AF_UNIX, SOCK_STREAM, 0, connection) || mkfifo("fifo", 0600))
		return -1;
	snprintf(messages, sizeof(messages), "/xer-case-%d", (int)getpid());
	mq_open(messages, O_CREAT | O_RDWR, 0600, &attributes);
	pthread_create(&sleeper, NULL, sleeps, NULL);
	holder = fork(); /* another process holds the lock */
	if (holder == 0) {
		fcntl(open("locked", O_RDWR), F_SETLK, &lock);
		_exit(write(ready[1], "l", 1) != 1 || (read(silent[0], &byte, 1) && pause()));
	}
	return read(ready[0], &byte, 1) == 1 ? holder : -1;
}

int case_cancelled_everywhere(void)
{
	int holder = make_what_blocks();

	if (holder < 0 || queue < 0) {
		say("%d\n", errno);
		return CASE_SKIP;
	}
	for (int i = 0; i < COUNT; i++) {
		pthread_t thread;
		void *result = NULL;

		pthread_create(&thread, NULL, blocks, (void *)(long)i);
		sem_wait(&in_it);
		usleep(20000);
		pthread_cancel(thread);
		pthread_join(thread, &result);
		say("%s %s\n", names[i], result == PTHREAD_CANCELED ? "cancelled" : "ended");
	}
	mq_unlink(messages);
	msgctl(queue, IPC_RMID, NULL);
	kill(holder, SIGKILL);
	return say_end(holder);
}

/* Functions that must not be cancellation points are none, whatever is recorded of them. */
static void *passes(void *unused)
{
	static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
	pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
	pthread_spinlock_t spin;

	(void)unused;
	pthread_spin_init(&spin, 0);
	pthread_cancel(pthread_self());
	pthread_mutex_lock(&other);
	pthread_mutex_unlock(&other);
	pthread_rwlock_rdlock(&rwlock);
	pthread_rwlock_unlock(&rwlock);
	pthread_spin_lock(&spin);
	pthread_spin_unlock(&spin);
	pthread_cond_broadcast(&condition);
	sem_post(&in_it);
	free(realloc(malloc(10), 100000));
	burn(10);
	mark();
	pthread_testcancel();
	mark();
	return NULL;
}

int case_cancelled_nowhere_else(void)
{
	pthread_t thread;
	void *result;

	sem_init(&in_it, 0, 0);
	pthread_create(&thread, NULL, passes, NULL);
	pthread_join(thread, &result);
	say("cancelled %d\n", result == PTHREAD_CANCELED);
	return 0;
}

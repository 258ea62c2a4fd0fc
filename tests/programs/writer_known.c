/* writer_known: waits for what another thread or process writes, for the last at a barrier, and for
 * a System V semaphore. What is written is the id of the thread that writes it, so that the program
 * knows who ended each wait.
 *
 * usage: writer_known
 *
 * Facts: main waits in functions read_NAME, each for about 80 ms, for what write_NAME of another
 * thread or process writes: of a pipe, a message queue of System V and one of POSIX a thread of the
 * program, of a POSIX queue, too, a child that has opened it by its name, of a socket pair, a UNIX
 * socket, a connection of TCP, a second pipe, for which poll waits, and a third one, the second of
 * two for which epoll waits, a child. For each of them it prints "read_NAME write_NAME THREAD". In
 * fill_posix it waits for about 80 ms to write to a POSIX queue that is full, until a child reads;
 * in accept for the child of the UNIX socket, as long. Then the threads "first", "second" and
 * "third" meet three times at one barrier, in meet_1, meet_2 and meet_3, each time another one
 * coming 80 ms late. It prints "meet_N meet_N THREAD", with the thread that the C library says came
 * last. At last main waits in take for the semaphore that "first" gives in give, and prints "take
 * give THREAD". The exit status is 0 if all calls returned what they should. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))
#define KEEP() __asm__("")
enum { LATE_US = 80000, ROUNDS = 3, POSIX_MOST = 2 };

static int errors;
static int ends[2]; /* [0]: to read, [1]: to write */

static void check(int is_right)
{
	errors += !is_right;
}

/* ---- what reads and what writes */

#define WRITE(name) \
	static NOINLINE void write_##name(int fd) \
	{ \
		pid_t self = gettid(); \
\
		check(write(fd, &self, sizeof(self)) == sizeof(self)); \
	}
#define READ(name) \
	static NOINLINE pid_t read_##name(int fd) \
	{ \
		pid_t from = 0; \
\
		check(read(fd, &from, sizeof(from)) == sizeof(from)); \
		return from; \
	}
#define BOTH(name) WRITE(name) READ(name)
BOTH(pipe)
BOTH(pair)
BOTH(path)
BOTH(tcp)
WRITE(polled)
WRITE(epolled)

static NOINLINE pid_t read_polled(int fd)
{
	struct pollfd wanted = {.fd = fd, .events = POLLIN};
	pid_t from = 0;

	check(poll(&wanted, 1, -1) == 1);
	check(read(fd, &from, sizeof(from)) == sizeof(from));
	return from;
}

/* Each descriptor is registered with a pointer, as most programs do it; that of the silent one is
 * closed, and its number used again, before. */
static NOINLINE pid_t read_epolled(int fd)
{
	static int words[2];
	int epoll = epoll_create1(0), silent[2];
	struct epoll_event event = {.events = EPOLLIN, .data.ptr = &words[0]};
	pid_t from = 0;

	check(pipe(silent) == 0 && epoll_ctl(epoll, EPOLL_CTL_ADD, silent[0], &event) == 0);
	check(close(silent[0]) == 0 && close(silent[1]) == 0 && pipe(silent) == 0);
	check(epoll_ctl(epoll, EPOLL_CTL_ADD, silent[0], &event) == 0);
	event.data.ptr = &words[1];
	check(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0);
	check(epoll_wait(epoll, &event, 1, -1) == 1 && event.data.ptr == &words[1]);
	check(read(fd, &from, sizeof(from)) == sizeof(from));
	close(epoll);
	close(silent[0]);
	close(silent[1]);
	return from;
}

static NOINLINE void write_posix(mqd_t queue)
{
	pid_t self = gettid();

	check(mq_send(queue, (const char *)&self, sizeof(self), 0) == 0);
}

static NOINLINE pid_t read_posix(mqd_t queue)
{
	pid_t from = 0;

	check(mq_receive(queue, (char *)&from, sizeof(from), NULL) == sizeof(from));
	return from;
}

static char posix_name[40];

static int open_posix(void)
{
	mqd_t queue = mq_open(posix_name, O_RDWR);

	check(queue >= 0);
	return (int)queue;
}

/* They wait until the time that is given, which is not soon. */
static struct timespec later(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	now.tv_sec += 60;
	return now;
}

static NOINLINE void write_timed(int queue)
{
	struct timespec until = later();
	pid_t self = gettid();

	check(mq_timedsend(queue, (const char *)&self, sizeof(self), 0, &until) == 0);
}

static NOINLINE pid_t read_timed(mqd_t queue)
{
	struct timespec until = later();
	pid_t from = 0;

	check(mq_timedreceive(queue, (char *)&from, sizeof(from), NULL, &until) == sizeof(from));
	return from;
}

static void empty_posix(int queue)
{
	pid_t from;

	check(mq_receive(queue, (char *)&from, sizeof(from), NULL) == sizeof(from));
}

static NOINLINE void fill_posix(mqd_t queue)
{
	pid_t self = gettid();

	for (int i = 0; i < POSIX_MOST + 1; i++)
		check(mq_send(queue, (const char *)&self, sizeof(self), 0) == 0);
}

struct message {
	long type;
	pid_t from;
};

static NOINLINE void write_queue(int queue)
{
	struct message message = {1, gettid()};

	check(msgsnd(queue, &message, sizeof(message.from), 0) == 0);
}

static NOINLINE pid_t read_queue(int queue)
{
	struct message message = {0, 0};

	check(msgrcv(queue, &message, sizeof(message.from), 0, 0) == sizeof(message.from));
	return message.from;
}

static void tell(const char *name, pid_t from)
{
	printf("read_%s write_%s %d\n", name, name, from);
	fflush(stdout);
}

/* ---- by threads and children */

static void *write_news(void *nothing)
{
	usleep(LATE_US);
	write_pipe(ends[1]);
	return nothing;
}

static void *send_news(void *queue)
{
	usleep(LATE_US);
	write_queue(*(int *)queue);
	return NULL;
}

static void *post_news(void *queue)
{
	usleep(LATE_US);
	write_posix(*(mqd_t *)queue);
	return NULL;
}

static void by_threads(void)
{
	int queue = msgget(IPC_PRIVATE, 0600);
	pthread_t thread;

	check(pipe(ends) == 0);
	pthread_create(&thread, NULL, write_news, NULL);
	tell("pipe", read_pipe(ends[0]));
	pthread_join(thread, NULL);
	close(ends[0]);
	close(ends[1]);
	pthread_create(&thread, NULL, send_news, &queue);
	tell("queue", read_queue(queue));
	pthread_join(thread, NULL);
	msgctl(queue, IPC_RMID, NULL);
}

/* The child writes to the end that `open` gives it, late. */
static pid_t start_child(int (*open)(void), void (*write_it)(int fd))
{
	pid_t child = fork();

	if (child != 0)
		return child;
	int fd = open();

	usleep(LATE_US);
	write_it(fd);
	exit(errors != 0);
}

static int other_end(void)
{
	close(ends[0]);
	return ends[1];
}

static void end_child(pid_t child)
{
	int status = 1;

	check(waitpid(child, &status, 0) == child && status == 0);
}

/* A second queue gets the number of the first one, which is no longer there. */
static void by_posix_queue(void)
{
	struct mq_attr attributes = {.mq_maxmsg = POSIX_MOST, .mq_msgsize = sizeof(pid_t)};
	pthread_t thread;
	char names[2][sizeof(posix_name)];
	mqd_t queues[2];
	pid_t child;

	for (int i = 0; i < 2; i++) {
		snprintf(names[i], sizeof(names[i]), "/writer_known.%d.%d", getpid(), i);
		queues[i] = mq_open(names[i], O_RDWR | O_CREAT | O_EXCL, 0600, &attributes);
		check(queues[i] >= 0 && queues[i] == queues[0]);
		if (i == 1)
			break;
		write_posix(queues[0]);
		check(mq_close(queues[0]) == 0 && mq_unlink(names[0]) == 0);
	}
	pthread_create(&thread, NULL, post_news, &queues[1]);
	tell("posix", read_posix(queues[1]));
	pthread_join(thread, NULL);
	strcpy(posix_name, names[1]);
	child = start_child(open_posix, write_timed);
	tell("timed", read_timed(queues[1]));
	end_child(child);
	child = start_child(open_posix, empty_posix);
	fill_posix(queues[1]);
	end_child(child);
	check(mq_close(queues[1]) == 0 && mq_unlink(names[1]) == 0);
}

static struct sockaddr_un place = {.sun_family = AF_UNIX};
static struct sockaddr_in address = {.sin_family = AF_INET};

static int connect_unix(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	usleep(LATE_US);
	check(connect(fd, (struct sockaddr *)&place, sizeof(place)) == 0);
	return fd;
}

static int connect_tcp(void)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	check(connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0);
	return fd;
}

static void by_pairs(void)
{
	pid_t child;

	check(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
	child = start_child(other_end, write_pair);
	close(ends[1]);
	tell("pair", read_pair(ends[0]));
	end_child(child);
	close(ends[0]);
	check(pipe(ends) == 0);
	child = start_child(other_end, write_polled);
	close(ends[1]);
	tell("polled", read_polled(ends[0]));
	end_child(child);
	close(ends[0]);
	check(pipe(ends) == 0);
	child = start_child(other_end, write_epolled);
	close(ends[1]);
	tell("epolled", read_epolled(ends[0]));
	end_child(child);
	close(ends[0]);
}

static void by_connections(void)
{
	socklen_t size = sizeof(address);
	int listener = socket(AF_UNIX, SOCK_STREAM, 0), fd;
	pid_t child;

	snprintf(place.sun_path, sizeof(place.sun_path), "writer_known.%d", getpid());
	check(bind(listener, (struct sockaddr *)&place, sizeof(place)) == 0 &&
	      listen(listener, 1) == 0);
	child = start_child(connect_unix, write_path);
	fd = accept(listener, NULL, NULL);
	tell("path", read_path(fd));
	end_child(child);
	close(fd);
	close(listener);
	unlink(place.sun_path);

	listener = socket(AF_INET, SOCK_STREAM, 0);
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	check(bind(listener, (struct sockaddr *)&address, sizeof(address)) == 0 &&
	      listen(listener, 1) == 0 &&
	      getsockname(listener, (struct sockaddr *)&address, &size) == 0);
	child = start_child(connect_tcp, write_tcp);
	fd = accept(listener, NULL, NULL);
	tell("tcp", read_tcp(fd));
	end_child(child);
	close(fd);
	close(listener);
}

/* ---- barriers and semaphores */

static pthread_barrier_t barrier;
static pid_t last[ROUNDS];
static int semaphores;
static pid_t giver;

#define MEET(number) \
	static NOINLINE void meet_##number(void) \
	{ \
		if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) \
			last[number - 1] = gettid(); \
	}
MEET(1)
MEET(2)
MEET(3)

static NOINLINE void give(void)
{
	struct sembuf one = {.sem_num = 1, .sem_op = 1};

	giver = gettid();
	check(semop(semaphores, &one, 1) == 0);
}

static NOINLINE void take(void)
{
	struct sembuf one = {.sem_num = 1, .sem_op = -1};

	check(semop(semaphores, &one, 1) == 0);
}

static void *meet(void *number)
{
	static const char *const names[] = {"first", "second", "third"};
	int self = (int)(long)number;

	pthread_setname_np(pthread_self(), names[self]);
	for (int i = 0; i < ROUNDS; i++) {
		static void (*const meets[])(void) = {meet_1, meet_2, meet_3};

		if (i == self)
			usleep(LATE_US);
		meets[i]();
	}
	if (self != 0)
		return NULL;
	usleep(LATE_US);
	give();
	return NULL;
}

static void by_meeting(void)
{
	pthread_t threads[ROUNDS];

	semaphores = semget(IPC_PRIVATE, 2, 0600);
	pthread_barrier_init(&barrier, NULL, ROUNDS);
	for (long i = 0; i < ROUNDS; i++)
		pthread_create(&threads[i], NULL, meet, (void *)i);
	take();
	for (int i = 0; i < ROUNDS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < ROUNDS; i++)
		printf("meet_%d meet_%d %d\n", i + 1, i + 1, last[i]);
	printf("take give %d\n", giver);
	semctl(semaphores, 0, IPC_RMID);
}

int main(void)
{
	by_threads();
	by_posix_queue();
	by_pairs();
	by_connections();
	by_meeting();
	KEEP();
	return errors != 0;
}

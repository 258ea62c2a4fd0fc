/* eintr: system calls that a signal would interrupt.
 *
 * usage: eintr [milliseconds]      default: 1000
 *
 * Facts: while a second thread burns CPU, the main thread runs short nanosleep, poll, epoll_wait,
 * select and a read from a pipe that another thread fills, over and over. Between the waits it
 * burns some CPU, so that its own timer runs out now and then. Prints "eintr N": how many calls
 * failed with EINTR. Without a profiler this is 0, and with one it must be. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

static volatile int stop;
static volatile uint64_t sink;
static int pipes[2];

static void burn(int turns)
{
	uint64_t value = sink;

	for (int i = 0; i < turns; i++)
		__asm__ volatile("imul $0x5851f42d, %0, %0" : "+r"(value));
	sink = value;
}

static void *fill(void *unused)
{
	while (!stop) {
		burn(1000000);
		if (write(pipes[1], "x", 1) != 1)
			break;
	}
	return unused;
}

static int count(int result)
{
	return result < 0 && errno == EINTR;
}

static double now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

int main(int argc, char **argv)
{
	double end = now_ms() + (argc > 1 ? atof(argv[1]) : 1000);
	int epoll = epoll_create1(EPOLL_CLOEXEC);
	int interrupted = 0;
	pthread_t id;
	char byte;

	if (pipe(pipes) < 0 || pthread_create(&id, NULL, fill, NULL) != 0)
		return 1;
	while (now_ms() < end) {
		struct timespec pause = {0, 1000000};
		struct timeval short_time = {0, 1000};
		struct epoll_event event;

		interrupted += count(nanosleep(&pause, NULL));
		burn(500000);
		interrupted += count(poll(NULL, 0, 1));
		burn(500000);
		interrupted += count(epoll_wait(epoll, &event, 1, 1));
		burn(500000);
		interrupted += count(select(0, NULL, NULL, NULL, &short_time));
		burn(500000);
		interrupted += count((int)read(pipes[0], &byte, 1));
	}
	stop = 1;
	interrupted += count((int)read(pipes[0], &byte, 1));
	printf("eintr %d\n", interrupted);
	_exit(fflush(stdout) != 0);
}

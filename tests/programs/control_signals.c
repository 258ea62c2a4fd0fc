/* control_signals: sends itself the signals with which a user controls its recording.
 *
 * usage: control_signals PAUSE SAMPLE      numbers of signals
 *
 * Facts: mallocs of 10 bytes: 10 in `one`, signal PAUSE, 20 in `two`, PAUSE, 30 in `three`, PAUSE,
 * 40 in `four`. Before `three` it sends SAMPLE 3 times, and before `two` it blocks all signals
 * until its end. It has a handler for PAUSE, and prints "handled N": how many times that was
 * called. A poll of 300 ms is interrupted by SAMPLE, before there are threads by a timer, then by a
 * thread; "interrupted N" says how many times it failed with EINTR. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t handled;
static int pause_signal, sample_signal;
static void *volatile last;
static pthread_t main_thread;

static void handle(int signal)
{
	(void)signal;
	handled++;
}

#define ALLOCATE(function, count) \
	static __attribute__((noinline)) void function(void) \
	{ \
		for (int i = 0; i < (count); i++) { \
			last = malloc(10); \
			free(last); \
		} \
	}
ALLOCATE(one, 10)
ALLOCATE(two, 20)
ALLOCATE(three, 30)
ALLOCATE(four, 40)

static void *interrupt(void *unused)
{
	(void)unused;
	for (int i = 0; i < 2; i++) {
		usleep(50000);
		pthread_kill(main_thread, sample_signal);
	}
	return NULL;
}

static int wait_alone(void)
{
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = sample_signal};
	struct itimerspec soon = {.it_value = {.tv_nsec = 50000000}};
	timer_t timer;
	int interrupted;

	timer_create(CLOCK_MONOTONIC, &event, &timer);
	timer_settime(timer, 0, &soon, NULL);
	interrupted = poll(NULL, 0, 300) < 0 && errno == EINTR;
	timer_delete(timer);
	return interrupted;
}

static int wait_interrupted(void)
{
	pthread_t thread;
	int interrupted;

	main_thread = pthread_self();
	pthread_create(&thread, NULL, interrupt, NULL);
	interrupted = poll(NULL, 0, 300) < 0 && errno == EINTR;
	pthread_join(thread, NULL);
	return interrupted;
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_handler = handle};
	sigset_t all;
	int interrupted;

	pause_signal = argc > 2 ? atoi(argv[1]) : SIGUSR1;
	sample_signal = argc > 2 ? atoi(argv[2]) : SIGUSR2;
	sigaction(pause_signal, &action, NULL);
	one();
	raise(pause_signal);
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	two();
	raise(pause_signal);
	for (int i = 0; i < 3; i++)
		raise(sample_signal);
	three();
	raise(pause_signal);
	four();
	interrupted = wait_alone() + wait_interrupted();
	printf("handled %d\ninterrupted %d\n", (int)handled, interrupted);
	return 0;
}

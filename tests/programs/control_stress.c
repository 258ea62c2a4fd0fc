/* control_stress: pauses, samples and functions from many threads and from signal handlers at once.
 *
 * usage: control_stress [seconds]      default: 1
 *
 * Facts: 2 threads pause and resume, 2 take samples, 2 announce functions at the same addresses
 * and withdraw them, 4 allocate, lock and write, and all of them get signals, whose handler does
 * all of that too. When they are done, events are resumed, `settled` allocates 50 blocks and
 * frees none, and a sample "settled" is taken. It prints "done". If a call changes errno, it
 * exits 1. */
#include "include/collectorAPI.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 10, PLACES = 8, UNTOUCHED = 7777 };

static atomic_int is_over, errors;
static int null;
static void *volatile last;
static char code[PLACES][64];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void toggle(int i)
{
	if (i & 1)
		collector_pause();
	else
		collector_resume();
}

static void announce(int i)
{
	static Lineno lines[] = {{0, 1}, {8, 2}};

	collector_func_load("made", NULL, "made.jit", code[i % PLACES], 64, 2, lines);
	collector_func_unload(code[i % PLACES]);
}

static void check_errno(void)
{
	if (errno != UNTOUCHED)
		atomic_fetch_add(&errors, 1);
}

static void handle(int signal)
{
	static atomic_int count;
	int saved = errno, i = atomic_fetch_add(&count, 1);

	(void)signal;
	errno = UNTOUCHED;
	toggle(i);
	if (i % 3 == 0)
		collector_sample("by a handler");
	if (i % 5 == 0)
		announce(i);
	check_errno();
	errno = saved;
}

static void *work(void *index)
{
	int kind = (int)(long)index;
	void *volatile block;

	for (int i = 0; !atomic_load(&is_over); i++) {
		errno = UNTOUCHED;
		if (kind < 2)
			toggle(i);
		else if (kind < 4)
			collector_sample("by a thread");
		else if (kind < 6)
			announce(i + kind);
		check_errno();
		if (kind < 6)
			usleep(20);
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
		block = malloc(100);
		free(block);
		if (write(null, "x", 1) != 1)
			atomic_fetch_add(&errors, 1);
	}
	return NULL;
}

static __attribute__((noinline)) void settled(void)
{
	for (int i = 0; i < 50; i++)
		last = malloc(200);
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
	double seconds = argc > 1 ? atof(argv[1]) : 1;
	pthread_t thread[THREADS];
	struct timespec start, now;
	int i = 0;

	null = open("/dev/null", O_WRONLY);
	sigaction(SIGURG, &action, NULL);
	clock_gettime(CLOCK_MONOTONIC, &start);
	for (long k = 0; k < THREADS; k++)
		pthread_create(&thread[k], NULL, work, (void *)k);
	do {
		pthread_kill(thread[i++ % THREADS], SIGURG);
		usleep(300);
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((double)(now.tv_sec - start.tv_sec) +
	                 (double)(now.tv_nsec - start.tv_nsec) * 1e-9 <
	         seconds);
	atomic_store(&is_over, 1);
	for (int k = 0; k < THREADS; k++)
		pthread_join(thread[k], NULL);
	collector_pause();
	collector_resume();
	settled();
	collector_sample("settled");
	puts("done");
	return atomic_load(&errors) != 0;
}

/* control_known: a program that controls its own recording.
 *
 * Facts, for calls of malloc, read and pthread_mutex_trylock in each function:
 *   function   recorded   malloc            read   trylock
 *   before     yes        120               10     10       20 blocks of 50 bytes are kept
 *   meanwhile  no         50                10     10       12 of the kept blocks are freed
 *   after      yes        30                10     10       25 blocks of meanwhile are freed
 *   behind     no         10                10     10       the recording has been terminated
 * 8 of the kept blocks, 400 bytes, are never freed. `before` and `after` use 0.1 s of CPU time each
 * in `burn`, `meanwhile` uses 0.3 s in `burn_unseen`. Pause and resume are called twice each; the
 * second call changes nothing. Samples: "first" after `before`, "second one <&>" after `after`, and
 * a third one that is not taken. It prints "done" and exits 3. */
#include "include/collectorAPI.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

enum { KEPT = 20, MEANWHILE = 50 };

static void *kept[KEPT], *others[MEANWHILE];
static void *volatile last;
static int zero;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static double used(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static NOINLINE void burn(double seconds)
{
	for (double end = used() + seconds; used() < end;)
		continue;
}

static NOINLINE void burn_unseen(double seconds)
{
	for (double end = used() + seconds; used() < end;)
		continue;
}

#define CALLS() \
	do { \
		char byte; \
\
		for (int i = 0; i < 10; i++) { \
			if (read(zero, &byte, 1) != 1 || pthread_mutex_trylock(&mutex) != 0) \
				exit(1); \
			pthread_mutex_unlock(&mutex); \
		} \
	} while (0)

static NOINLINE void before(void)
{
	for (int i = 0; i < 100; i++) {
		last = malloc(10);
		free(last);
	}
	for (int i = 0; i < KEPT; i++)
		kept[i] = malloc(50);
	CALLS();
	burn(0.1);
}

static NOINLINE void meanwhile(void)
{
	for (int i = 0; i < MEANWHILE; i++)
		others[i] = malloc(30);
	for (int i = 0; i < MEANWHILE / 2; i++)
		free(others[i]);
	for (int i = 0; i < 12; i++)
		free(kept[i]);
	CALLS();
	burn_unseen(0.3);
}

static NOINLINE void after(void)
{
	for (int i = 0; i < 30; i++) {
		last = malloc(20);
		free(last);
	}
	for (int i = MEANWHILE / 2; i < MEANWHILE; i++)
		free(others[i]);
	CALLS();
	burn(0.1);
}

static NOINLINE void behind(void)
{
	for (int i = 0; i < 10; i++)
		last = malloc(40);
	CALLS();
}

int main(void)
{
	zero = open("/dev/zero", O_RDONLY);
	before();
	collector_sample("first");
	collector_pause();
	collector_pause();
	meanwhile();
	collector_resume();
	collector_resume();
	after();
	collector_sample("second one <&>");
	collector_terminate_expt();
	behind();
	collector_sample("third");
	puts("done");
	return 3;
}

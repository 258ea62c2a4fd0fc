/* chain_known: a chain of waits that ends in work.
 *
 * Facts: main sleeps 100 ms in sleep_first and starts three threads. "holder" sleeps 100 ms in
 * before, takes `lock` in hold, and sleeps 300 ms with it once "user" wants it. That waits for the
 * lock in use, and burns 100 ms of CPU time in burn after it has it. "idle" sleeps 50 ms in idle,
 * and nobody waits for it any more. Main joins user first, then the others, which have ended by
 * then. So the critical path is: sleep_first, main until it starts user, hold, burn; before is what
 * main waits for in sem_wait. Prints "BURNT HELD SLEPT": the least seconds of burn and sleep_first,
 * and how long user waited for the lock, by its own clock. */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t is_held;
static atomic_int is_wanted;
static double waited;

NOINLINE void burn(double seconds)
{
	struct timespec time;
	double end = 0;

	do {
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
		end = end == 0 ? (double)time.tv_sec + (double)time.tv_nsec * 1e-9 + seconds : end;
	} while ((double)time.tv_sec + (double)time.tv_nsec * 1e-9 < end);
}

NOINLINE void sleep_first(void)
{
	usleep(100000);
}

NOINLINE void before(void)
{
	usleep(100000);
}

NOINLINE void hold(void)
{
	pthread_mutex_lock(&lock);
	sem_post(&is_held);
	while (!is_wanted)
		usleep(1000);
	usleep(300000);
	pthread_mutex_unlock(&lock);
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

NOINLINE void use(void)
{
	double from = now();

	is_wanted = 1;
	pthread_mutex_lock(&lock);
	waited = now() - from;
	burn(0.1);
	pthread_mutex_unlock(&lock);
}

NOINLINE void idle(void)
{
	usleep(50000);
}

static void *holder(void *unused)
{
	before();
	hold();
	return unused;
}

static void *user(void *unused)
{
	use();
	return unused;
}

static void *idler(void *unused)
{
	idle();
	return unused;
}

static pthread_t start(void *(*body)(void *), const char *name)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, body, NULL) != 0)
		exit(1);
	pthread_setname_np(thread, name);
	return thread;
}

int main(void)
{
	pthread_t threads[3];

	sleep_first();
	sem_init(&is_held, 0, 0);
	threads[0] = start(holder, "holder");
	sem_wait(&is_held);
	threads[1] = start(user, "user");
	threads[2] = start(idler, "idle");
	pthread_join(threads[1], NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[2], NULL);
	printf("0.1 %.6f 0.1\n", waited);
	return 0;
}

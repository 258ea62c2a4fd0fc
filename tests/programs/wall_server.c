/* wall_server: threads that wait for each other: who holds the lock, who wakes whom.
 *
 * usage: wall_server [ROUNDS]
 *
 * Facts: the thread "flusher" does ROUNDS (3) times: it sleeps 150 ms in wait_for_time, takes
 * log_lock in flush_log, sleeps 60 ms in slow_sync with it, gives it back, and signals the
 * condition `flushed`. The thread "server" handles requests until the flusher has ended: each
 * computes for 1 ms of CPU time in compute, takes log_lock in log_request, and sleeps 5 ms in
 * handle. So in each round it waits up to 60 ms in log_request, while the flusher sleeps in
 * slow_sync. The thread "worker" waits for `flushed` in wait_for_flush, computes for 5 ms of CPU
 * time in work_up, and writes a byte to a pipe in tell, which main reads in read_news. Main joins
 * all in join_all. Prints "ROUNDS longest SECONDS": the longest wait in log_request. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t flush_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t flushed = PTHREAD_COND_INITIALIZER;
static int rounds = 3, flushes, is_over, news[2];
static double longest;

static double read_clock(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void burn(double seconds)
{
	double end = read_clock(CLOCK_THREAD_CPUTIME_ID) + seconds;

	while (read_clock(CLOCK_THREAD_CPUTIME_ID) < end)
		continue;
}

/* ---- the flusher */

NOINLINE void wait_for_time(void)
{
	usleep(150000);
}

NOINLINE void slow_sync(void)
{
	usleep(60000);
}

NOINLINE void flush_log(void)
{
	pthread_mutex_lock(&log_lock);
	slow_sync();
	pthread_mutex_unlock(&log_lock);
	pthread_mutex_lock(&flush_lock);
	flushes++;
	pthread_cond_signal(&flushed);
	pthread_mutex_unlock(&flush_lock);
}

static void *flusher(void *unused)
{
	for (int i = 0; i < rounds; i++) {
		wait_for_time();
		flush_log();
	}
	__atomic_store_n(&is_over, 1, __ATOMIC_RELAXED);
	return unused;
}

/* ---- the server */

NOINLINE void compute(void)
{
	burn(0.001);
}

NOINLINE void log_request(void)
{
	double begin = read_clock(CLOCK_MONOTONIC), waited;

	pthread_mutex_lock(&log_lock);
	waited = read_clock(CLOCK_MONOTONIC) - begin;
	longest = waited > longest ? waited : longest;
	pthread_mutex_unlock(&log_lock);
}

NOINLINE void handle(void)
{
	compute();
	log_request();
	usleep(5000);
}

static void *server(void *unused)
{
	while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED))
		handle();
	return unused;
}

/* ---- the worker */

NOINLINE void wait_for_flush(int number)
{
	pthread_mutex_lock(&flush_lock);
	while (flushes <= number)
		pthread_cond_wait(&flushed, &flush_lock);
	pthread_mutex_unlock(&flush_lock);
}

NOINLINE void work_up(void)
{
	burn(0.005);
}

NOINLINE void tell(void)
{
	if (write(news[1], "x", 1) != 1)
		perror("write");
}

static void *worker(void *unused)
{
	for (int i = 0; i < rounds; i++) {
		wait_for_flush(i);
		work_up();
		tell();
	}
	return unused;
}

/* ---- main */

NOINLINE void read_news(void)
{
	char byte;

	if (read(news[0], &byte, 1) != 1)
		perror("read");
}

NOINLINE void join_all(const pthread_t *threads, int count)
{
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
	static void *(*const bodies[])(void *) = {flusher, server, worker};
	static const char *const names[] = {"flusher", "server", "worker"};
	enum { THREADS = sizeof(bodies) / sizeof(bodies[0]) };
	pthread_t threads[THREADS];

	rounds = argc > 1 ? atoi(argv[1]) : rounds;
	if (pipe(news) < 0)
		return 1;
	for (int i = 0; i < THREADS; i++) {
		if (pthread_create(&threads[i], NULL, bodies[i], NULL) != 0)
			return 1;
		pthread_setname_np(threads[i], names[i]);
	}
	for (int i = 0; i < rounds; i++)
		read_news();
	join_all(threads, THREADS);
	printf("%d longest %.6f\n", rounds, longest);
	return 0;
}

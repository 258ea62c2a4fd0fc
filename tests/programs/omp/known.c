/* known.c: known numbers of OpenMP constructs, with THREADS threads (3, or the first argument).
 *
 *   region in `rounds`  10 times: an explicit barrier and a critical section in every thread, and
 *                       a lock that every thread takes once; in `tasks`, once: a single construct
 *                       that makes 20 tasks and waits for them twice; in `loop`, 5 times: a loop
 *   with dynamic chunks, whose halves differ by 1:2; in `nested`, 2 times, in each of whose threads
 *   a region of 2 threads begins: 2 + 2 * THREADS in all; in `late`, once, from another function,
 *   in a thread of its own: its stack shows which thread made it. It prints sums, which are the
 *   same however it runs. */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 10, TASKS = 20, LOOPS = 5, ITERATIONS = 64 };

static volatile double sink;
/* Each is protected in its own way. */
static long sum, locked, added;
static omp_lock_t lock;

__attribute__((noinline)) static void work(long n)
{
	double value = 0;

	for (long i = 0; i < n; i++)
		value += (double)i * 0.5;
	sink = value;
}

__attribute__((noinline)) static void rounds(void)
{
#pragma omp parallel
	{
		work(1000 * (omp_get_thread_num() + 1));
#pragma omp barrier
#pragma omp critical
		sum++;
		omp_set_lock(&lock);
		locked++;
		omp_unset_lock(&lock);
	}
}

__attribute__((noinline)) static void do_task(int i)
{
	work(1000 + i);
#pragma omp atomic
	added += i;
}

__attribute__((noinline)) static void tasks(void)
{
#pragma omp parallel
#pragma omp single
	{
		for (int i = 0; i < TASKS / 2; i++)
#pragma omp task firstprivate(i)
			do_task(i);
#pragma omp taskwait
		for (int i = 0; i < TASKS / 2; i++)
#pragma omp task firstprivate(i) if (i % 2)
			do_task(i);
#pragma omp taskwait
	}
}

__attribute__((noinline)) static void loop(void)
{
	long part = 0;

#pragma omp parallel
#pragma omp for schedule(dynamic, 4) reduction(+ : part)
	for (int i = 0; i < ITERATIONS; i++) {
		work(i < ITERATIONS / 2 ? 200 : 400);
		part += i;
	}
	sum += part;
}

__attribute__((noinline)) static void nested(void)
{
#pragma omp parallel
#pragma omp parallel num_threads(2)
#pragma omp critical
	sum++;
}

__attribute__((noinline)) static void late(void)
{
#pragma omp parallel
	work(20 * 1000 * 1000);
}

static void *in_thread(void *unused)
{
	late();
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	omp_set_dynamic(0);
	omp_set_max_active_levels(2);
	omp_set_num_threads(argc > 1 ? atoi(argv[1]) : 3);
	omp_init_lock(&lock);
	for (int i = 0; i < ROUNDS; i++)
		rounds();
	tasks();
	for (int i = 0; i < LOOPS; i++)
		loop();
	for (int i = 0; i < 2; i++)
		nested();
	pthread_create(&thread, NULL, in_thread, NULL);
	pthread_join(thread, NULL);
	printf("%ld %ld %ld\n", sum, locked, added);
	return 0;
}

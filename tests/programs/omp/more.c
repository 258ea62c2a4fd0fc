/* more.c: OpenMP constructs by other entry points, in known numbers, with 3 threads.
 *
 *   locks   30 times a lock that its owner can take again, twice each: 60; 30 critical sections
 *   loops   8 loops whose chunks the runtime gives out, by each thread: 24. Two in 64-bit numbers,
 *           two with ordered sections, one with both, one that waits for earlier iterations
 *           (doacross), one with a schedule by the environment and unsigned numbers, one with
 *           ordered sections and chunks of one size
 *   tasks   5 made in one place, 7 in another
 *   deep    a task that makes a task and waits for it, nested 60 times: 60 tasks from one place
 *   spread  2 task loops: one of 6 tasks, one of 4 tasks that are not deferred
 * It prints sums, which are the same however it runs. */
#include <omp.h>
#include <stdio.h>

enum { ROUNDS = 10, ITERATIONS = 30 };

static long sum, ordered, made;
static omp_nest_lock_t nest;
static long order[ITERATIONS + 1];

__attribute__((noinline)) static void locks(void)
{
#pragma omp parallel num_threads(3)
	for (int i = 0; i < ROUNDS; i++) {
		omp_set_nest_lock(&nest);
		omp_set_nest_lock(&nest);
		sum++;
		omp_unset_nest_lock(&nest);
		omp_unset_nest_lock(&nest);
#pragma omp critical
		sum++;
	}
}

__attribute__((noinline)) static void loops(unsigned long long from)
{
	long part = 0;

#pragma omp parallel num_threads(3) reduction(+ : part)
	{
#pragma omp for schedule(dynamic, 2)
		for (unsigned long long i = from; i < from + ITERATIONS; i++)
			part++;
#pragma omp for schedule(guided)
		for (unsigned long long i = from; i < from + ITERATIONS; i++)
			part++;
#pragma omp for ordered schedule(dynamic, 2)
		for (int i = 0; i < ITERATIONS; i++)
#pragma omp ordered
			ordered++;
#pragma omp for ordered schedule(guided)
		for (int i = 0; i < ITERATIONS; i++)
#pragma omp ordered
			ordered++;
#pragma omp for ordered schedule(dynamic, 2)
		for (unsigned long long i = from; i < from + ITERATIONS; i++)
#pragma omp ordered
			ordered++;
#pragma omp for ordered(1) schedule(dynamic, 1)
		for (int i = 1; i <= ITERATIONS; i++) {
#pragma omp ordered depend(sink : i - 1)
			order[i] = order[i - 1] + 1;
#pragma omp ordered depend(source)
		}
#pragma omp for schedule(runtime)
		for (unsigned long long i = from; i < from + ITERATIONS; i++)
			part++;
#pragma omp for ordered schedule(static, 2)
		for (int i = 0; i < ITERATIONS; i++)
#pragma omp ordered
			ordered++;
	}
	sum += part;
}

__attribute__((noinline)) static void add(void)
{
#pragma omp atomic
	made++;
}

__attribute__((noinline)) static void tasks(void)
{
#pragma omp parallel num_threads(3)
#pragma omp single
	{
		for (int i = 0; i < 5; i++)
#pragma omp task
			add();
#pragma omp taskwait
		for (int i = 0; i < 7; i++)
#pragma omp task
			add();
	}
}

__attribute__((noinline)) static void deeper(int depth)
{
	if (depth == 0)
		return;
#pragma omp task
	deeper(depth - 1);
#pragma omp taskwait
	add();
}

__attribute__((noinline)) static void deep(void)
{
#pragma omp parallel num_threads(3)
#pragma omp single
	deeper(60);
}

__attribute__((noinline)) static void spread(long *each)
{
#pragma omp parallel num_threads(3)
#pragma omp single
	{
#pragma omp taskloop num_tasks(6)
		for (int i = 0; i < ITERATIONS; i++) {
			each[i]++;
			add();
		}
#pragma omp taskloop num_tasks(4) if (0)
		for (unsigned long i = 0; i < 20; i++) {
			each[i]++;
			add();
		}
	}
}

int main(int argc, char **argv)
{
	long each[ITERATIONS] = {0}, wrong = 0;

	(void)argv;
	omp_set_dynamic(0);
	omp_init_nest_lock(&nest);
	locks();
	loops(1ull << 63 | (unsigned)argc);
	tasks();
	deep();
	spread(each);
	for (int i = 0; i < ITERATIONS; i++)
		wrong += each[i] != 1 + (i < 20);
	printf("%ld %ld %ld %ld %ld\n", sum, ordered, made, order[ITERATIONS], wrong);
	return 0;
}

/* pinned: threads that stay on a CPU each.
 *
 * usage: pinned SECONDS
 *
 * Facts: there is a thread on each of the first two CPUs that the process may use. It burns SECONDS
 * of CPU time on the first one, and twice as much on the second. It prints "CPU nanoseconds" for
 * each. With one CPU it prints nothing, and ends with 77. */
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static struct work {
	int cpu;
	double seconds;
	uint64_t used_ns;
} works[2];

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void *burn(void *argument)
{
	struct work *work = argument;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(work->cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) != 0)
		exit(1);
	while (cpu_ns() < work->seconds * 1e9)
		continue;
	work->used_ns = cpu_ns();
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	cpu_set_t allowed;
	int count = 0;

	sched_getaffinity(0, sizeof(allowed), &allowed);
	for (int cpu = 0; cpu < CPU_SETSIZE && count < 2; cpu++)
		if (CPU_ISSET(cpu, &allowed))
			works[count++].cpu = cpu;
	if (argc < 2 || count < 2)
		return 77;
	for (int i = 0; i < 2; i++) {
		works[i].seconds = atof(argv[1]) * (i + 1);
		pthread_create(&threads[i], NULL, burn, &works[i]);
	}
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < 2; i++)
		printf("%d %llu\n", works[i].cpu, (unsigned long long)works[i].used_ns);
	return 0;
}

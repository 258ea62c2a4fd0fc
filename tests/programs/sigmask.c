/* sigmask: a thread that blocks all signals and burns CPU.
 *
 * usage: sigmask [seconds]      default: 1
 *
 * Facts: the thread blocks every signal before it enters blocked_burn; then it checks that its
 * signal mask still has every signal it blocked, except SIGKILL, SIGSTOP and the two that glibc
 * keeps. Nearly all CPU time is in blocked_burn. Exit status 0 if the mask was unchanged; prints
 * "cpu_ns N". */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double seconds = 1;
static volatile uint64_t sink;

static double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

__attribute__((noinline)) static void blocked_burn(void)
{
	uint64_t value = 1;

	while (cpu_seconds() < seconds)
		for (int i = 0; i < 100000; i++)
			__asm__ volatile("imul $0x5851f42d, %0, %0" : "+r"(value));
	sink = value;
}

static void *run(void *unused)
{
	sigset_t all, now;

	(void)unused;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	blocked_burn();
	pthread_sigmask(SIG_BLOCK, NULL, &now);
	for (int i = 1; i < 32; i++)
		if (i != SIGKILL && i != SIGSTOP && !sigismember(&now, i))
			return (void *)1;
	return NULL;
}

int main(int argc, char **argv)
{
	struct timespec now;
	pthread_t id;
	void *result;

	if (argc > 1)
		seconds = atof(argv[1]);
	pthread_create(&id, NULL, run, NULL);
	pthread_join(id, &result);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	printf("cpu_ns %llu\n",
	       (unsigned long long)now.tv_sec * 1000000000u + (unsigned long long)now.tv_nsec);
	return result != NULL;
}

/* queued: threads, and signals that are queued while they live.
 *
 * usage: queued THREADS SIGNALS
 *
 * Facts: prints "queued N": how many of SIGNALS signals could be queued while THREADS threads wait.
 * Each thread has used CPU time before. Exit status 0 if all could. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_barrier_t all_there, all_over;

static void *wait_for_all(void *unused)
{
	for (volatile int i = 0; i < 100000; i++)
		continue;
	pthread_barrier_wait(&all_there);
	pthread_barrier_wait(&all_over);
	return unused;
}

int main(int argc, char **argv)
{
	int threads = argc > 2 ? atoi(argv[1]) : 0, signals = argc > 2 ? atoi(argv[2]) : 0,
	    done = 0;
	pthread_t *thread = calloc((size_t)threads + 1, sizeof(*thread));
	sigset_t set;

	if (!thread)
		return 2;
	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	sigprocmask(SIG_BLOCK, &set, NULL);
	pthread_barrier_init(&all_there, NULL, (unsigned)threads + 1);
	pthread_barrier_init(&all_over, NULL, (unsigned)threads + 1);
	for (int i = 0; i < threads; i++)
		if (pthread_create(&thread[i], NULL, wait_for_all, NULL) != 0)
			return 2;
	pthread_barrier_wait(&all_there);
	for (int i = 0; i < signals; i++)
		done += sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = i}) == 0;
	printf("queued %d\n", done);
	pthread_barrier_wait(&all_over);
	for (int i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	free(thread);
	return done < signals;
}

/* crash: makes a known number of heap events, then kills itself.
 *
 * usage: crash [events [threads [exit]]]      default: 1000, 1
 *
 * Facts: each thread runs `allocate`, which calls malloc(40) `events` times and frees nothing. When
 * all have done so, the process sends itself SIGKILL (with a third argument it leaves by _exit
 * instead). So there are events x threads allocations of 40 bytes from `allocate`, none freed. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static int events = 1000;
static void *volatile kept;

__attribute__((noinline)) static void *allocate(void *unused)
{
	for (int i = 0; i < events; i++)
		kept = malloc(40);
	return unused;
}

int main(int argc, char **argv)
{
	int threads = argc > 2 ? atoi(argv[2]) : 1;
	pthread_t ids[64];

	if (argc > 1)
		events = atoi(argv[1]);
	for (int i = 1; i < threads && i < 64; i++)
		if (pthread_create(&ids[i], NULL, allocate, NULL) != 0)
			return 1;
	allocate(NULL);
	for (int i = 1; i < threads && i < 64; i++)
		pthread_join(ids[i], NULL);
	if (argc > 3)
		_exit(0);
	kill(getpid(), SIGKILL);
	return 1;
}

/* mixed: events of all kinds.
 *
 * usage: mixed [rounds]      default: 100000
 *
 * Facts: each round locks and unlocks a mutex, allocates and frees a block of 100 bytes, and writes
 * one byte to /dev/null: with everything traced, these are four events. */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void *volatile kept;

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 100000;
	int null = open("/dev/null", O_WRONLY);

	for (long i = 0; i < rounds; i++) {
		pthread_mutex_lock(&mutex);
		kept = malloc(100);
		free(kept);
		pthread_mutex_unlock(&mutex);
		if (write(null, "x", 1) != 1)
			return 1;
	}
	return 0;
}

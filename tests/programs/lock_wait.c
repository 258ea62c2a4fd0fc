/* lock_wait: a thread that waits for a lock for a known time, twice.
 *
 * usage: lock_wait MILLISECONDS [FILE]
 *
 * Facts: hold_here has the lock for so long, and wait_here waits for it nearly as long; then the
 * same again. With FILE, it ends when that is there, or after 20 s. */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum { MS = 1000, WAITS = 20000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t held;
static unsigned ms;

__attribute__((noinline)) static void hold_here(void)
{
	pthread_mutex_lock(&lock);
	pthread_barrier_wait(&held);
	usleep(ms * MS);
	pthread_mutex_unlock(&lock);
}

__attribute__((noinline)) static void wait_here(void)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
}

static void *hold(void *unused)
{
	(void)unused;
	hold_here();
	return NULL;
}

int main(int argc, char **argv)
{
	ms = argc > 1 ? (unsigned)atoi(argv[1]) : 100;
	pthread_barrier_init(&held, NULL, 2);
	for (int i = 0; i < 2; i++) {
		pthread_t holder;

		pthread_create(&holder, NULL, hold, NULL);
		pthread_barrier_wait(&held);
		wait_here();
		pthread_join(holder, NULL);
	}
	for (int i = 0; argc > 2 && i < WAITS && access(argv[2], F_OK) != 0; i++)
		usleep(MS);
	return 0;
}

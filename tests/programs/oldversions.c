/* oldversions: linked with old versions of functions, which behave differently from those of
 * today.
 *
 * usage: oldversions cond | quick_exit N
 *
 * Facts: `cond` runs 50 rounds in which a thread waits for an old condition variable, allocated by
 * malloc with the size of a pointer, as old programs did. Each round has 1 or more calls of
 * pthread_cond_wait@GLIBC_2.2.5 in wait_old, and one of pthread_cond_timedwait@GLIBC_2.2.5 in
 * time_out, which times out. It prints "rounds 50 timeouts 50". An old condition variable is a
 * pointer: it checks that the 40 bytes after it are left alone. `quick_exit N` leaves by
 * quick_exit@GLIBC_2.10. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

__asm__(".symver old_init, pthread_cond_init@GLIBC_2.2.5");
__asm__(".symver old_wait, pthread_cond_wait@GLIBC_2.2.5");
__asm__(".symver old_timedwait, pthread_cond_timedwait@GLIBC_2.2.5");
__asm__(".symver old_signal, pthread_cond_signal@GLIBC_2.2.5");
__asm__(".symver old_quick_exit, quick_exit@GLIBC_2.10");
int old_init(void *cond, const pthread_condattr_t *attributes);
int old_wait(void *cond, pthread_mutex_t *mutex);
int old_timedwait(void *cond, pthread_mutex_t *mutex, const struct timespec *time);
int old_signal(void *cond);
void old_quick_exit(int status);

enum { ROUNDS = 50, GUARD = 40 };

static struct {
	void *cond;
	unsigned char guard[GUARD];
} old;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int turn, rounds, timeouts;

static __attribute__((noinline)) void wait_old(void)
{
	while (!turn)
		old_wait(&old.cond, &mutex);
	rounds++;
}

static __attribute__((noinline)) void time_out(void)
{
	struct timespec time;

	clock_gettime(CLOCK_REALTIME, &time);
	timeouts += old_timedwait(&old.cond, &mutex, &time) == ETIMEDOUT;
}

static void *waker(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&mutex);
	turn = 1;
	old_signal(&old.cond);
	pthread_mutex_unlock(&mutex);
	return NULL;
}

static int run(void)
{
	unsigned char guard[GUARD];

	memset(old.guard, 0x5a, GUARD);
	memset(guard, 0x5a, GUARD);
	old_init(&old.cond, NULL);
	for (int i = 0; i < ROUNDS; i++) {
		pthread_t thread;

		turn = 0;
		pthread_mutex_lock(&mutex);
		pthread_create(&thread, NULL, waker, NULL);
		wait_old();
		time_out();
		pthread_mutex_unlock(&mutex);
		pthread_join(thread, NULL);
	}
	printf("rounds %d timeouts %d\n", rounds, timeouts);
	return memcmp(old.guard, guard, GUARD) != 0;
}

int main(int argc, char **argv)
{
	if (argc > 2 && strcmp(argv[1], "quick_exit") == 0)
		old_quick_exit(atoi(argv[2]));
	return run();
}

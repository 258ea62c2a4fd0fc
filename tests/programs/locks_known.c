/* locks_known: locks that are more than taken and released.
 *
 * usage: locks_known robust|count|once|cancel
 *
 * Facts: "robust": in do_robust, a thread ends while it holds a robust mutex; the next lock returns
 * EOWNERDEAD and holds it ("died 1"); unlock without consistent; one more lock fails with
 * ENOTRECOVERABLE ("lost 1"). "count": 10 locks of a free mutex, and of a free lock for reading and
 * for writing. "once": do_once, in a second thread, waits 50 ms for pthread_once whose routine the
 * main thread runs, and do_call_once the same for call_once; 10 more calls of each wait for
 * nothing. Prints "runs 2": how often routines ran. "cancel": threads wait for a condition in
 * wait_cond, for a semaphore in wait_semaphore, and for the second one's end in wait_join, and are
 * cancelled after 100 ms, in the order condition, end, semaphore. Prints "cancelled 3". */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <threads.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

static pthread_mutex_t robust;

static void *dies(void *unused)
{
	pthread_mutex_lock(&robust);
	return unused;
}

static NOINLINE int do_robust(void)
{
	pthread_mutexattr_t attributes;
	pthread_t thread;
	int died, lost;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&robust, &attributes);
	pthread_create(&thread, NULL, dies, NULL);
	pthread_join(thread, NULL);
	died = pthread_mutex_lock(&robust) == EOWNERDEAD;
	pthread_mutex_unlock(&robust);
	lost = pthread_mutex_lock(&robust) == ENOTRECOVERABLE;
	return printf("died %d lost %d\n", died, lost) < 0;
}

static int do_count(void)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

	for (int i = 0; i < 10; i++) {
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
		pthread_rwlock_rdlock(&lock);
		pthread_rwlock_unlock(&lock);
		pthread_rwlock_wrlock(&lock);
		pthread_rwlock_unlock(&lock);
	}
	return 0;
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static once_flag flag = ONCE_FLAG_INIT;
static sem_t running;
static volatile int runs;

static void routine(void)
{
	runs++;
	sem_post(&running);
	usleep(50000);
}

static NOINLINE void do_once(void)
{
	pthread_once(&once, routine);
}

static NOINLINE void do_call_once(void)
{
	call_once(&flag, routine);
}

static void *waits(void *unused)
{
	sem_wait(&running);
	do_once();
	sem_wait(&running);
	do_call_once();
	return unused;
}

static int do_all_once(void)
{
	pthread_t thread;

	sem_init(&running, 0, 0);
	pthread_create(&thread, NULL, waits, NULL);
	pthread_once(&once, routine);
	call_once(&flag, routine);
	pthread_join(thread, NULL);
	for (int i = 0; i < 10; i++) {
		do_once();
		do_call_once();
	}
	return printf("runs %d\n", runs) < 0;
}

static pthread_t second;
static sem_t never;

static void unlock(void *mutex)
{
	pthread_mutex_unlock(mutex);
}

static NOINLINE void *wait_cond(void *unused)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

	pthread_mutex_lock(&mutex);
	pthread_cleanup_push(unlock, &mutex);
	for (;;)
		pthread_cond_wait(&condition, &mutex);
	pthread_cleanup_pop(1);
	return unused;
}

static NOINLINE void *wait_semaphore(void *unused)
{
	while (sem_wait(&never) != 0)
		continue;
	return unused;
}

static NOINLINE void *wait_join(void *unused)
{
	pthread_join(second, NULL);
	return unused;
}

static int cancel(pthread_t thread)
{
	void *result;

	return pthread_cancel(thread) == 0 && pthread_join(thread, &result) == 0 &&
	       result == PTHREAD_CANCELED;
}

static int do_cancel(void)
{
	pthread_t first, third;
	int cancelled;

	sem_init(&never, 0, 0);
	pthread_create(&first, NULL, wait_cond, NULL);
	pthread_create(&second, NULL, wait_semaphore, NULL);
	pthread_create(&third, NULL, wait_join, NULL);
	usleep(100000);
	cancelled = cancel(first);
	cancelled += cancel(third);
	cancelled += cancel(second);
	return printf("cancelled %d\n", cancelled) < 0;
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "robust") == 0)
		return do_robust();
	if (argc > 1 && strcmp(argv[1], "count") == 0)
		return do_count();
	if (argc > 1 && strcmp(argv[1], "cancel") == 0)
		return do_cancel();
	return argc > 1 && strcmp(argv[1], "once") == 0 ? do_all_once() : 2;
}

/* sync_known: exact numbers of calls of every function that waits.
 *
 * usage: sync_known [threads]      default: 8
 *
 * Facts: each of the threads runs these functions once; each function makes the given number of
 * calls that wait: do_mutex 100 (normal, recursive and error-checking mutexes), do_trylock 20 (10
 * of them fail with EBUSY), do_timedlock 10 (5 of them fail with ETIMEDOUT after 1 ms), do_rwlock
 * 40, do_spin 30, do_semaphore 25, do_c11 15, do_barrier 5 (all threads meet), do_sysv 6, including
 * the calls that create objects. The main thread waits in `join_all`: one join a thread. The calls
 * of pthread_cond_wait in do_cond are 1 to 3 a thread (a spurious wake-up is possible). It prints
 * "errors N": calls that did not return what they should, 0. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <threads.h>
#include <time.h>

enum { THREADS_MAX = 64 };

static int thread_count = 8;
static atomic_int errors;
static pthread_barrier_t meeting;
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static int is_open;

#define EXPECT(call, value) \
	do { \
		if ((call) != (value)) \
			atomic_fetch_add(&errors, 1); \
	} while (0)

__attribute__((noinline)) static void do_mutex(void)
{
	static const int types[] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE,
	                            PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_ADAPTIVE_NP};

	for (int t = 0; t < 4; t++) {
		pthread_mutexattr_t attributes;
		pthread_mutex_t mutex;

		pthread_mutexattr_init(&attributes);
		pthread_mutexattr_settype(&attributes, types[t]);
		if (t == 1)
			pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
		pthread_mutex_init(&mutex, &attributes);
		for (int i = 0; i < 25; i++) {
			EXPECT(pthread_mutex_lock(&mutex), 0);
			EXPECT(pthread_mutex_unlock(&mutex), 0);
		}
		pthread_mutex_destroy(&mutex);
	}
}

__attribute__((noinline)) static void do_trylock(void)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

	for (int i = 0; i < 10; i++) {
		EXPECT(pthread_mutex_trylock(&mutex), 0);
		EXPECT(pthread_mutex_trylock(&mutex), EBUSY);
		pthread_mutex_unlock(&mutex);
	}
}

static struct timespec in_a_ms(void)
{
	struct timespec time;

	clock_gettime(CLOCK_REALTIME, &time);
	time.tv_nsec += 1000000;
	if (time.tv_nsec >= 1000000000) {
		time.tv_nsec -= 1000000000;
		time.tv_sec++;
	}
	return time;
}

__attribute__((noinline)) static void do_timedlock(void)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

	for (int i = 0; i < 5; i++) {
		struct timespec time = in_a_ms();

		EXPECT(pthread_mutex_timedlock(&mutex, &time), 0);
		EXPECT(pthread_mutex_timedlock(&mutex, &time), ETIMEDOUT);
		pthread_mutex_unlock(&mutex);
	}
}

__attribute__((noinline)) static void do_rwlock(void)
{
	pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

	for (int i = 0; i < 10; i++) {
		EXPECT(pthread_rwlock_rdlock(&lock), 0);
		EXPECT(pthread_rwlock_tryrdlock(&lock), 0);
		pthread_rwlock_unlock(&lock);
		pthread_rwlock_unlock(&lock);
		EXPECT(pthread_rwlock_wrlock(&lock), 0);
		EXPECT(pthread_rwlock_trywrlock(&lock), EBUSY);
		pthread_rwlock_unlock(&lock);
	}
}

__attribute__((noinline)) static void do_spin(void)
{
	pthread_spinlock_t lock;

	pthread_spin_init(&lock, 0);
	for (int i = 0; i < 15; i++) {
		EXPECT(pthread_spin_lock(&lock), 0);
		EXPECT(pthread_spin_trylock(&lock), EBUSY);
		pthread_spin_unlock(&lock);
	}
}

__attribute__((noinline)) static void do_semaphore(void)
{
	sem_t semaphore;

	sem_init(&semaphore, 0, 20);
	for (int i = 0; i < 20; i++)
		EXPECT(sem_wait(&semaphore), 0);
	for (int i = 0; i < 5; i++) {
		EXPECT(sem_trywait(&semaphore), -1);
		EXPECT(errno, EAGAIN);
	}
}

__attribute__((noinline)) static void do_c11(void)
{
	mtx_t mutex;

	mtx_init(&mutex, mtx_plain);
	for (int i = 0; i < 10; i++) {
		EXPECT(mtx_lock(&mutex), thrd_success);
		if (i < 5)
			EXPECT(mtx_trylock(&mutex), thrd_busy);
		mtx_unlock(&mutex);
	}
}

__attribute__((noinline)) static void do_sysv(void)
{
	int set = semget(IPC_PRIVATE, 1, 0600);
	struct sembuf up = {.sem_op = 1}, down = {.sem_op = -1};
	struct timespec time = {.tv_nsec = 1000000};

	for (int i = 0; i < 2; i++) {
		EXPECT(semop(set, &up, 1), 0);
		EXPECT(semop(set, &down, 1), 0);
	}
	EXPECT(semtimedop(set, &up, 1, &time), 0);
	EXPECT(semtimedop(set, &down, 1, &time), 0);
	semctl(set, 0, IPC_RMID);
}

__attribute__((noinline)) static void do_barrier(void)
{
	for (int i = 0; i < 5; i++) {
		int result = pthread_barrier_wait(&meeting);

		if (result != 0 && result != PTHREAD_BARRIER_SERIAL_THREAD)
			atomic_fetch_add(&errors, 1);
	}
}

__attribute__((noinline)) static void do_cond(void)
{
	pthread_mutex_lock(&gate);
	do
		pthread_cond_wait(&opened, &gate);
	while (!is_open);
	pthread_mutex_unlock(&gate);
}

static void *run(void *unused)
{
	(void)unused;
	do_mutex();
	do_trylock();
	do_timedlock();
	do_rwlock();
	do_spin();
	do_semaphore();
	do_c11();
	do_sysv();
	do_barrier();
	do_cond();
	return NULL;
}

__attribute__((noinline)) static void join_all(pthread_t *threads)
{
	for (int i = 0; i < thread_count; i++)
		EXPECT(pthread_join(threads[i], NULL), 0);
}

/* Until no thread waits any more. */
static void open_gate(void)
{
	struct timespec pause = {.tv_nsec = 20000000};

	nanosleep(&pause, NULL);
	for (int i = 0; i < 50; i++) {
		struct timespec shortly = {.tv_nsec = 2000000};

		nanosleep(&shortly, NULL);
		pthread_mutex_lock(&gate);
		is_open = 1;
		pthread_cond_broadcast(&opened);
		pthread_mutex_unlock(&gate);
	}
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS_MAX];

	if (argc > 1)
		thread_count = atoi(argv[1]);
	if (thread_count < 1 || thread_count > THREADS_MAX)
		return 2;
	pthread_barrier_init(&meeting, NULL, (unsigned)thread_count);
	for (int i = 0; i < thread_count; i++)
		pthread_create(&threads[i], NULL, run, NULL);
	open_gate();
	join_all(threads);
	printf("errors %d\n", atomic_load(&errors));
	return 0;
}

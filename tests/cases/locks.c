/* locks.c: cases of locks of every kind, alone and between processes. */
#include "case.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sem.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex;
static long counter;

static void *counts(void *unused)
{
	for (int i = 0; i < 2000; i++) {
		if (pthread_mutex_lock(&mutex) != 0)
			break;
		counter++;
		pthread_mutex_unlock(&mutex);
	}
	return unused;
}

static void four(void *(*function)(void *))
{
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, function, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
}

int case_mutexes_of_every_kind(void)
{
	for (int type = PTHREAD_MUTEX_NORMAL; type <= PTHREAD_MUTEX_ADAPTIVE_NP; type++)
		for (int protocol = PTHREAD_PRIO_NONE; protocol <= PTHREAD_PRIO_INHERIT; protocol++)
			for (int robust = 0; robust < 2; robust++) {
				pthread_mutexattr_t attributes;

				pthread_mutexattr_init(&attributes);
				pthread_mutexattr_settype(&attributes, type);
				pthread_mutexattr_setprotocol(&attributes, protocol);
				pthread_mutexattr_setrobust(&attributes, robust);
				if (pthread_mutex_init(&mutex, &attributes) != 0) {
					say("%d %d %d: none\n", type, protocol, robust);
					continue;
				}
				counter = 0;
				four(counts);
				say("%d %d %d: %ld, destroyed %d\n", type, protocol, robust,
				    counter, pthread_mutex_destroy(&mutex));
			}
	mark();
	return 0;
}

static pthread_rwlock_t rwlock;

static void *reads_and_writes(void *unused)
{
	for (int i = 0; i < 1000; i++) {
		if (i % 4) {
			pthread_rwlock_rdlock(&rwlock);
			pthread_rwlock_unlock(&rwlock);
		} else if (pthread_rwlock_wrlock(&rwlock) == 0) {
			counter++;
			pthread_rwlock_unlock(&rwlock);
		}
	}
	return unused;
}

int case_rwlocks(void)
{
	struct timespec past = {1, 0};

	for (int kind = PTHREAD_RWLOCK_PREFER_READER_NP;
	     kind <= PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP; kind++) {
		pthread_rwlockattr_t attributes;

		pthread_rwlockattr_init(&attributes);
		pthread_rwlockattr_setkind_np(&attributes, kind);
		pthread_rwlock_init(&rwlock, &attributes);
		counter = 0;
		four(reads_and_writes);
		say("written %ld\n", counter);
	}
	say("write %d\n", pthread_rwlock_wrlock(&rwlock));
	say("again %d %d\n", pthread_rwlock_wrlock(&rwlock), pthread_rwlock_rdlock(&rwlock));
	say("try %d %d\n", pthread_rwlock_trywrlock(&rwlock), pthread_rwlock_tryrdlock(&rwlock));
	say("timed %d\n", pthread_rwlock_timedwrlock(&rwlock, &past));
	say("clock %d\n", pthread_rwlock_clockrdlock(&rwlock, CLOCK_MONOTONIC, &past));
	mark();
	return 0;
}

static once_flag flag = ONCE_FLAG_INIT;
static mtx_t c11_mutex;
static cnd_t c11_condition;
static tss_t c11_key;
static int c11_rounds;

static void once(void)
{
	say("once\n");
}
static void key_end(void *value)
{
	say("key %ld\n", (long)value);
	mark();
}

static int c11_thread(void *unused)
{
	(void)unused;
	call_once(&flag, once);
	tss_set(c11_key, (void *)42);
	mtx_lock(&c11_mutex);
	c11_rounds++;
	cnd_signal(&c11_condition);
	mtx_unlock(&c11_mutex);
	return 7;
}

int case_threads_of_c11(void)
{
	struct timespec past = {1, 0};
	thrd_t thread;
	int result;

	mtx_init(&c11_mutex, mtx_timed);
	cnd_init(&c11_condition);
	tss_create(&c11_key, key_end);
	mtx_lock(&c11_mutex);
	thrd_create(&thread, c11_thread, NULL);
	while (c11_rounds == 0)
		cnd_wait(&c11_condition, &c11_mutex);
	mtx_unlock(&c11_mutex);
	thrd_join(thread, &result);
	mtx_lock(&c11_mutex);
	say("timed %d\n", cnd_timedwait(&c11_condition, &c11_mutex, &past) == thrd_timedout);
	say("lock %d\n", mtx_timedlock(&c11_mutex, &past) == thrd_timedout);
	mtx_unlock(&c11_mutex);
	call_once(&flag, once);
	say("result %d\n", result);
	return 0;
}

struct shared {
	pthread_mutex_t mutex;
	pthread_cond_t condition;
	pthread_barrier_t barrier;
	sem_t semaphore;
	int turn;
};

/* Two processes take turns by every kind of lock that shared memory can hold. */
static void play(struct shared *shared, int me)
{
	for (int i = 0; i < 50; i++) {
		pthread_mutex_lock(&shared->mutex);
		while (shared->turn % 2 != me)
			pthread_cond_wait(&shared->condition, &shared->mutex);
		shared->turn++;
		pthread_cond_signal(&shared->condition);
		pthread_mutex_unlock(&shared->mutex);
	}
	pthread_barrier_wait(&shared->barrier);
	if (me)
		sem_post(&shared->semaphore);
	else
		sem_wait(&shared->semaphore);
}

int case_locks_between_processes(void)
{
	struct shared *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
	                             MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_mutexattr_t mutexes;
	pthread_condattr_t conditions;
	pthread_barrierattr_t barriers;
	pid_t pid;

	pthread_mutexattr_init(&mutexes);
	pthread_mutexattr_setpshared(&mutexes, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&shared->mutex, &mutexes);
	pthread_condattr_init(&conditions);
	pthread_condattr_setpshared(&conditions, PTHREAD_PROCESS_SHARED);
	pthread_cond_init(&shared->condition, &conditions);
	pthread_barrierattr_init(&barriers);
	pthread_barrierattr_setpshared(&barriers, PTHREAD_PROCESS_SHARED);
	pthread_barrier_init(&shared->barrier, &barriers, 2);
	sem_init(&shared->semaphore, 1, 0);
	pid = fork();
	if (pid == 0) {
		play(shared, 1);
		mark_and_leave(3);
	}
	play(shared, 0);
	say("turns %d\n", shared->turn);
	return say_end(pid);
}

int case_semaphores_of_system_v(void)
{
	int set = semget(IPC_PRIVATE, 1, IPC_CREAT | 0600);
	struct sembuf down = {.sem_op = -1, .sem_flg = SEM_UNDO}, up = {.sem_op = 1};
	struct timespec moment = {.tv_nsec = 1000000};
	pid_t pid;

	if (set < 0)
		return CASE_SKIP;
	pid = fork();
	if (pid == 0) {
		semop(set, &down, 1);
		mark_and_leave(3); /* its lock is released when it ends */
	}
	semop(set, &up, 1);
	say_end(pid);
	say("value %d\n", semctl(set, 0, GETVAL));
	semop(set, &down, 1);
	say("timed %d ", semtimedop(set, &down, 1, &moment));
	say("%d\n", errno);
	return semctl(set, 0, IPC_RMID);
}

static volatile int forks_done;

static void *locks_always(void *unused)
{
	while (!forks_done) {
		pthread_mutex_lock(&mutex);
		counter++;
		pthread_mutex_unlock(&mutex);
		free(malloc(50));
	}
	return unused;
}

static void hold(void)
{
	pthread_mutex_lock(&mutex);
}
static void let_go(void)
{
	pthread_mutex_unlock(&mutex);
}

/* As libraries do it: they hold their locks over fork, so that the child can use them. */
int case_locks_over_fork(void)
{
	pthread_t thread;

	pthread_mutex_init(&mutex, NULL);
	pthread_atfork(hold, let_go, let_go);
	pthread_create(&thread, NULL, locks_always, NULL);
	for (int i = 0; i < 10; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			pthread_mutex_lock(&mutex);
			pthread_mutex_unlock(&mutex);
			mark_and_leave(3);
		}
		say_end(pid);
	}
	forks_done = 1;
	return pthread_join(thread, NULL);
}

static pthread_once_t tried = PTHREAD_ONCE_INIT;
static int tries;

static void try(void)
{
	if (++tries == 1)
		pthread_exit(NULL); /* so that the initialization is not completed */
	say("done\n");
}

static void *tries_once(void *unused)
{
	pthread_once(&tried, try);
	mark();
	return unused;
}

int case_once_and_again(void)
{
	for (int i = 0; i < 3; i++) {
		pthread_t thread;

		pthread_create(&thread, NULL, tries_once, NULL);
		pthread_join(thread, NULL);
	}
	say("tries %d\n", tries);
	return 0;
}

static sem_t may_end;

static void *waits_a_moment(void *unused)
{
	sem_wait(&may_end);
	mark();
	return unused;
}

int case_joins(void)
{
	struct timespec until;
	pthread_t thread;
	void *result = &thread;
	clockid_t clock;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 20;
	sem_init(&may_end, 0, 0);
	pthread_create(&thread, NULL, waits_a_moment, &counter);
	say("clock %d\n", pthread_getcpuclockid(thread, &clock));
	say("try %d\n", pthread_tryjoin_np(thread, &result));
	sem_post(&may_end);
	say("timed %d", pthread_timedjoin_np(thread, &result, &until));
	say(" result %d\n", result == &counter);
	say("self %d\n", pthread_join(pthread_self(), NULL));
	return 0;
}

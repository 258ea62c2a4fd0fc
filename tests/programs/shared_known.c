/* shared_known: waits for what another process gives: of objects that both share.
 *
 * usage: shared_known
 *
 * Facts: in memory that a forked child shares, main waits in functions take_NAME, each for about
 * 80 ms, for the child's give_NAME: a mutex that the child holds, a semaphore, a condition
 * variable, a futex, a semaphore of System V, and at last at a barrier, to which the child comes
 * late. For each it prints "take_NAME give_NAME PROCESS". Then main sleeps, while the child ends.
 * The exit status is 0 if all calls returned what they should. */
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/sem.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))
enum { LATE_US = 80000 };

static struct shared {
	pthread_mutex_t held, mutex;
	pthread_cond_t cond;
	pthread_barrier_t barrier;
	sem_t begun, semaphore;
	int is_given, futex, set;
} * shared;

static int errors;

static void check(int is_right)
{
	errors += !is_right;
}

/* ---- the child */

static NOINLINE void give_mutex(void)
{
	check(pthread_mutex_lock(&shared->held) == 0);
	check(sem_post(&shared->begun) == 0);
	usleep(LATE_US);
	check(pthread_mutex_unlock(&shared->held) == 0);
}

static NOINLINE void give_sem(void)
{
	check(sem_post(&shared->semaphore) == 0);
}

static NOINLINE void give_cond(void)
{
	pthread_mutex_lock(&shared->mutex);
	shared->is_given = 1;
	check(pthread_cond_signal(&shared->cond) == 0);
	pthread_mutex_unlock(&shared->mutex);
}

static NOINLINE void give_futex(void)
{
	__atomic_store_n(&shared->futex, 1, __ATOMIC_SEQ_CST);
	check(syscall(SYS_futex, &shared->futex, FUTEX_WAKE, 1, NULL, NULL, 0) >= 0);
}

static NOINLINE void give_set(void)
{
	struct sembuf one = {.sem_op = 1};

	check(semop(shared->set, &one, 1) == 0);
}

static NOINLINE void give_barrier(void)
{
	check(pthread_barrier_wait(&shared->barrier) >= PTHREAD_BARRIER_SERIAL_THREAD);
}

static void give_all(void)
{
	static void (*const gives[])(void) = {give_sem, give_cond, give_futex, give_set,
	                                      give_barrier};

	give_mutex();
	for (size_t i = 0; i < sizeof(gives) / sizeof(gives[0]); i++) {
		usleep(LATE_US);
		gives[i]();
	}
}

/* ---- main */

static NOINLINE void take_mutex(void)
{
	check(pthread_mutex_lock(&shared->held) == 0);
}

static NOINLINE void take_sem(void)
{
	check(sem_wait(&shared->semaphore) == 0);
}

static NOINLINE void take_cond(void)
{
	pthread_mutex_lock(&shared->mutex);
	while (!shared->is_given)
		check(pthread_cond_wait(&shared->cond, &shared->mutex) == 0);
	pthread_mutex_unlock(&shared->mutex);
}

static NOINLINE void take_futex(void)
{
	while (__atomic_load_n(&shared->futex, __ATOMIC_SEQ_CST) == 0)
		syscall(SYS_futex, &shared->futex, FUTEX_WAIT, 0, NULL, NULL, 0);
}

static NOINLINE void take_set(void)
{
	struct sembuf one = {.sem_op = -1};

	check(semop(shared->set, &one, 1) == 0);
}

static NOINLINE void take_barrier(void)
{
	check(pthread_barrier_wait(&shared->barrier) != 1);
}

static void make(void)
{
	pthread_mutexattr_t mutex;
	pthread_condattr_t cond;
	pthread_barrierattr_t barrier;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
	              0);
	if (shared == MAP_FAILED)
		exit(2);
	pthread_mutexattr_init(&mutex);
	pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&shared->held, &mutex);
	pthread_mutex_init(&shared->mutex, &mutex);
	pthread_condattr_init(&cond);
	pthread_condattr_setpshared(&cond, PTHREAD_PROCESS_SHARED);
	pthread_cond_init(&shared->cond, &cond);
	pthread_barrierattr_init(&barrier);
	pthread_barrierattr_setpshared(&barrier, PTHREAD_PROCESS_SHARED);
	pthread_barrier_init(&shared->barrier, &barrier, 2);
	sem_init(&shared->begun, 1, 0);
	sem_init(&shared->semaphore, 1, 0);
	shared->set = semget(IPC_PRIVATE, 1, 0600);
}

int main(void)
{
	static void (*const takes[])(void) = {take_mutex, take_sem, take_cond,
	                                      take_futex, take_set, take_barrier};
	static const char *const names[] = {"mutex", "sem", "cond", "futex", "set", "barrier"};
	int status = 1;
	pid_t child;

	make();
	child = fork();
	if (child == 0) {
		give_all();
		exit(errors != 0);
	}
	check(sem_wait(&shared->begun) == 0);
	for (size_t i = 0; i < sizeof(takes) / sizeof(takes[0]); i++) {
		takes[i]();
		printf("take_%s give_%s %d\n", names[i], names[i], child);
		fflush(stdout);
	}
	usleep(LATE_US);
	check(waitpid(child, &status, 0) == child && status == 0);
	semctl(shared->set, 0, IPC_RMID);
	return errors != 0;
}

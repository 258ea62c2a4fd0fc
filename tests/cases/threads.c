/* threads.c: cases of ways to make, use and end a thread. */
#include "case.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
#include <linux/futex.h>

static int rounds;

static int run_threads(int count, const pthread_attr_t *attributes, void *(*function)(void *))
{
	pthread_t threads[64];

	for (int i = 0; i < count; i++)
		if (pthread_create(&threads[i], attributes, function, NULL) != 0)
			return 1;
	for (int i = 0; i < count; i++)
		if (pthread_join(threads[i], NULL) != 0)
			return 1;
	return 0;
}

int case_thread(void)
{
	return run_threads(1, NULL, mark_thread);
}

int case_threads_64(void)
{
	return run_threads(64, NULL, mark_thread);
}

int case_threads_one_by_one(void)
{
	for (int i = 0; i < 300; i++)
		if (run_threads(1, NULL, mark_thread) != 0)
			return 1;
	return 0;
}

int case_thread_least_stack(void)
{
	pthread_attr_t attributes;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 16384);
	return run_threads(4, &attributes, mark_thread);
}

/* Nothing of this may call the recorder, which needs more stack. */
#define ALONE __attribute__((no_instrument_function, noinline))

enum { FULL_STACK = 32768, LEFT = 1024 };

ALONE static void spin(void)
{
	for (volatile int i = 0; i < 50000000; i++)
		continue;
}

/* A new thread's stack is below its first frame, and a page of its own is below that. */
ALONE static void *fill_and_spin(void *low)
{
	size_t frame = getauxval(AT_MINSIGSTKSZ);
	size_t room = (size_t)((char *)__builtin_frame_address(0) - (char *)low);
	volatile char *full = __builtin_alloca(room - (frame ? frame : MINSIGSTKSZ) - LEFT);

	full[0] = 1;
	spin();
	return NULL;
}

int case_thread_with_a_full_stack(void)
{
	char *memory = mmap(NULL, FULL_STACK + 4096, PROT_READ | PROT_WRITE,
	                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_attr_t attributes;
	pthread_t thread;

	mprotect(memory, 4096, PROT_NONE);
	pthread_attr_init(&attributes);
	pthread_attr_setstack(&attributes, memory + 4096, FULL_STACK);
	for (int i = 0; i < 3; i++) {
		say("create %d\n",
		    pthread_create(&thread, &attributes, fill_and_spin, memory + 4096));
		say("join %d\n", pthread_join(thread, NULL));
	}
	mark();
	return 0;
}

int case_thread_own_stack(void)
{
	pthread_attr_t attributes;
	void *memory = mmap(NULL, 1 << 17, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
	                    0);
	int status;

	pthread_attr_init(&attributes);
	pthread_attr_setstack(&attributes, memory, 1 << 17);
	status = run_threads(1, &attributes, mark_thread);
	return status + munmap(memory, 1 << 17);
}

static sem_t done;

static void *detached(void *unused)
{
	mark();
	sem_post(&done);
	return unused;
}

int case_thread_detached(void)
{
	pthread_attr_t attributes;
	pthread_t thread;

	sem_init(&done, 0, 0);
	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	for (int i = 0; i < 5; i++)
		pthread_create(&thread, &attributes, detached, NULL);
	for (int i = 0; i < 5; i++)
		sem_wait(&done);
	return 0;
}

static int c11(void *unused)
{
	(void)unused;
	mark();
	return 42;
}

int case_thread_c11(void)
{
	thrd_t thread;
	int result = 0;

	thrd_create(&thread, c11, NULL);
	thrd_join(thread, &result);
	return result;
}

static void *exiting(void *unused)
{
	mark();
	pthread_exit(unused);
}

int case_thread_pthread_exit(void)
{
	return run_threads(3, NULL, exiting);
}

static void *outlives_main(void *unused)
{
	usleep(30000);
	mark();
	say("alive\n");
	return unused;
}

int case_main_thread_first(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, outlives_main, NULL);
	pthread_exit(NULL);
}

static void cleanup(void *text)
{
	mark();
	say("cleanup %s\n", (char *)text);
}

static int ends[2];

static void *reads(void *unused)
{
	char byte;

	pthread_cleanup_push(cleanup, "read");
	sem_post(&done);
	say("read %d\n", (int)read(ends[0], &byte, 1));
	pthread_cleanup_pop(0);
	return unused;
}

static int cancel(void *(*function)(void *))
{
	pthread_t thread;
	void *result;

	sem_init(&done, 0, 0);
	pthread_create(&thread, NULL, function, NULL);
	sem_wait(&done);
	usleep(10000);
	pthread_cancel(thread);
	pthread_join(thread, &result);
	say("cancelled %d\n", result == PTHREAD_CANCELED);
	return 0;
}

int case_cancel_in_read(void)
{
	return pipe(ends) + cancel(reads);
}

static void *waits(void *unused)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

	pthread_mutex_lock(&mutex);
	pthread_cleanup_push(cleanup, "wait");
	sem_post(&done);
	pthread_cond_wait(&condition, &mutex);
	pthread_cleanup_pop(0);
	return unused;
}

int case_cancel_in_cond_wait(void)
{
	return cancel(waits);
}

static void *waits_sem(void *unused)
{
	sem_t never;

	sem_init(&never, 0, 0);
	pthread_cleanup_push(cleanup, "sem");
	sem_post(&done);
	sem_wait(&never);
	pthread_cleanup_pop(0);
	return unused;
}

int case_cancel_in_sem_wait(void)
{
	return cancel(waits_sem);
}

static void *spins(void *unused)
{
	int before;

	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &before);
	sem_post(&done);
	for (;;)
		__asm__ volatile("" ::: "memory");
	return unused;
}

int case_cancel_asynchronous(void)
{
	mark();
	return cancel(spins);
}

static void *disabled(void *unused)
{
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	sem_post(&done);
	usleep(30000);
	mark();
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
	free(malloc(100)); /* must not be a cancellation point, also when it is recorded */
	rounds++;
	pthread_testcancel();
	rounds++;
	return unused;
}

int case_cancel_only_where_it_may(void)
{
	cancel(disabled);
	say("came to %d\n", rounds);
	return 0;
}

static pthread_key_t key;

static void key_end(void *value)
{
	mark();
	if (++rounds < 3)
		pthread_setspecific(key, value);
}

static void *uses_key(void *unused)
{
	pthread_setspecific(key, &key);
	return unused;
}

int case_thread_keys(void)
{
	pthread_key_create(&key, key_end);
	run_threads(1, NULL, uses_key);
	say("rounds %d\n", rounds);
	return 0;
}

int case_thread_many_keys(void)
{
	pthread_key_t keys[1000]; /* the recorder has one of the 1024 */
	int count = 0;

	while (count < 1000 && pthread_key_create(&keys[count], NULL) == 0)
		count++;
	say("keys %d\n", count);
	mark();
	return 0;
}

static int raw_thread(void *unused)
{
	(void)unused;
	for (volatile int i = 0; i < 100000; i++)
		;
	return 0;
}

int case_raw_thread(void)
{
	static int tid = 1;
	char *memory = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
	                    0);
	int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
	            CLONE_SYSVSEM | CLONE_CHILD_CLEARTID | CLONE_PARENT_SETTID;

	if (clone(raw_thread, memory + (1 << 16), flags, NULL, &tid, NULL, &tid) < 0)
		return 1;
	while (__atomic_load_n(&tid, __ATOMIC_ACQUIRE) != 0)
		sched_yield();
	mark();
	return 0;
}

static void *blocks_all(void *unused)
{
	sigset_t all, now;
	int count = 0;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	burn(20);
	mark();
	pthread_sigmask(SIG_BLOCK, NULL, &now);
	for (int i = 1; i <= SIGRTMAX; i++)
		count += sigismember(&now, i);
	say("blocked %d\n", count);
	return unused;
}

int case_thread_blocks_all_signals(void)
{
	return run_threads(2, NULL, blocks_all);
}

int case_robust_mutex(void)
{
	pthread_mutex_t *mutex = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
	                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_mutexattr_t attributes;
	pid_t pid;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
	pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(mutex, &attributes);
	pid = fork();
	if (pid == 0) {
		pthread_mutex_lock(mutex);
		mark_and_leave(0);
	}
	say_end(pid);
	say("owner died %d\n", pthread_mutex_lock(mutex) == EOWNERDEAD);
	return pthread_mutex_consistent(mutex) + pthread_mutex_unlock(mutex);
}

int case_mutex_errors(void)
{
	pthread_mutexattr_t attributes;
	pthread_mutex_t mutex;
	struct timespec past = {1, 0}, bad = {1, -1};

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&mutex, &attributes);
	say("unlock %d\n", pthread_mutex_unlock(&mutex));
	say("lock %d\n", pthread_mutex_lock(&mutex));
	say("again %d\n", pthread_mutex_lock(&mutex));
	say("try %d\n", pthread_mutex_trylock(&mutex));
	say("timed %d\n", pthread_mutex_timedlock(&mutex, &past));
	say("bad %d\n", pthread_mutex_timedlock(&mutex, &bad));
	errno = 77;
	pthread_mutex_trylock(&mutex);
	say("errno %d\n", errno);
	mark();
	return 0;
}

static pthread_barrier_t barrier;
static volatile int serial;

static void *meets(void *unused)
{
	for (int i = 0; i < 10; i++)
		if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
			serial++;
	mark();
	return unused;
}

int case_barrier(void)
{
	pthread_barrier_init(&barrier, NULL, 4);
	run_threads(4, NULL, meets);
	say("serial %d\n", serial);
	return 0;
}

int case_semaphore_errors(void)
{
	sem_t empty;
	struct timespec past = {1, 0};

	sem_init(&empty, 0, 0);
	say("try %d ", sem_trywait(&empty));
	say("%d\n", errno);
	say("timed %d ", sem_timedwait(&empty, &past));
	say("%d\n", errno);
	mark();
	return 0;
}

int case_thread_names(void)
{
	char name[16];

	pthread_setname_np(pthread_self(), "<&\"'>]]>\n\t\x01\xff");
	pthread_getname_np(pthread_self(), name, sizeof(name));
	say("%s\n", name);
	mark();
	return 0;
}

int case_thread_affinity(void)
{
	cpu_set_t set;
	int last;

	sched_getaffinity(0, sizeof(set), &set);
	say("CPUs %d\n", CPU_COUNT(&set));
	for (last = CPU_SETSIZE - 1; !CPU_ISSET(last, &set); last--)
		;
	CPU_ZERO(&set);
	CPU_SET(last, &set);
	say("set %d\n", sched_setaffinity(0, sizeof(set), &set));
	mark();
	return sched_getcpu() != last;
}

static void *exits(void *unused)
{
	mark();
	exit(6);
	return unused;
}

static void *allocates(void *unused)
{
	for (;;)
		free(malloc(64));
	return unused;
}

int case_exit_in_thread(void)
{
	pthread_t threads[3];

	pthread_create(&threads[0], NULL, allocates, NULL);
	pthread_create(&threads[1], NULL, allocates, NULL);
	pthread_create(&threads[2], NULL, exits, NULL);
	pause();
	return 1;
}

int case_thread_refused(void)
{
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, (size_t)1 << 46);
	say("error %d\n", pthread_create(&thread, &attributes, mark_thread, NULL));
	mark();
	return 0;
}

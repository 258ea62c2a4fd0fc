/* Tests of libcollector/events/sync_owner.c: who ended a wait. */
#include "libcollector/events/sync_wait.h"
#include "tests/unit/libcollector/scratch.h"

#include <criterion/criterion.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

static uint32_t tid;

static void set_up(void)
{
	scratch_open();
	thread_current();
	tid = atomic_load(&col_self->tid);
}

TestSuite(sync_signal, .init = set_up, .fini = scratch_remove);

static __attribute__((noinline)) void put(uint64_t object)
{
	struct caller caller = CALLER;

	sync_signal_put(object, &caller);
}

Test(sync_signal, is_of_an_object_and_a_time)
{
	struct sync_signal signal = {0, 0};
	uint64_t before = col_ticks(), after;

	cr_expect_eq(sync_signal_find(0x1000, 0, UINT64_MAX, tid + 1, &signal), 0);
	put(0x1000);
	after = col_ticks();
	cr_expect_eq(sync_signal_find(0x1000, before, after, tid + 1, &signal), 1);
	cr_expect_eq(signal.tid, tid);
	cr_expect_neq(signal.stack, 0);
	cr_expect_eq(sync_signal_find(0x1040, before, after, tid + 1, &signal), 0, "another one");
	cr_expect_eq(sync_signal_find(0x1000, after + 1, UINT64_MAX, tid + 1, &signal), 0,
	             "it was before the wait");
	cr_expect_eq(sync_signal_find(0x1000, 0, before - 1, tid + 1, &signal), 0,
	             "it was behind the wait");
	cr_expect_eq(sync_signal_find(0x1000, before, after, tid, &signal), 0,
	             "a thread does not end its own wait");
}

Test(sync_signal, of_many_objects_some_are_missing_and_none_is_wrong)
{
	struct sync_signal signal;
	uint64_t before = col_ticks();
	size_t known = 0;

	for (uint64_t i = 1; i <= 4000; i++)
		put(i << 6);
	for (uint64_t i = 1; i <= 4000; i++)
		known += (size_t)sync_signal_find(i << 6, before, UINT64_MAX, tid + 1, &signal);
	cr_expect_gt(known, 500);
	cr_expect_leq(known, 1024);
}

/* The words of a barrier as the C library has them: who has come, and in the second the rounds that
 * are over. */
Test(sync_signal, each_round_of_a_barrier_has_its_own)
{
	pthread_barrier_t barrier;
	uint64_t object = (uint64_t)&barrier, first;

	pthread_barrier_init(&barrier, NULL, 1);
	first = sync_signal_of(FMT_sync_func_BARRIER_WAIT, object);
	cr_expect_eq(first, sync_signal_of(FMT_sync_func_BARRIER_WAIT, object));
	pthread_barrier_wait(&barrier);
	cr_expect_neq(first, sync_signal_of(FMT_sync_func_BARRIER_WAIT, object));
	cr_expect_eq(sync_signal_of(FMT_sync_func_MUTEX_LOCK, object), 0);
	pthread_barrier_destroy(&barrier);
}

Test(sync_signal, objects_that_processes_share_have_other_keys)
{
	pthread_cond_t cond;
	pthread_condattr_t shared;
	sem_t semaphore;

	sem_init(&semaphore, 0, 0);
	cr_expect_eq(sync_signal_of(FMT_sync_func_SEM_WAIT, (uint64_t)&semaphore),
	             (uint64_t)&semaphore);
	sem_init(&semaphore, 1, 0);
	cr_expect_neq(sync_signal_of(FMT_sync_func_SEM_WAIT, (uint64_t)&semaphore),
	              (uint64_t)&semaphore);
	pthread_cond_init(&cond, NULL);
	cr_expect_eq(sync_signal_of(FMT_sync_func_COND_WAIT, (uint64_t)&cond), (uint64_t)&cond);
	pthread_condattr_init(&shared);
	pthread_condattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
	pthread_cond_init(&cond, &shared);
	cr_expect_neq(sync_signal_of(FMT_sync_func_COND_WAIT, (uint64_t)&cond), (uint64_t)&cond);
	cr_expect_neq(sync_signal_of_futex(64, FUTEX_WAIT), 64);
	cr_expect_eq(sync_signal_of_futex(64, FUTEX_WAIT_PRIVATE), 64);
}

/* It has moved in glibc 2.41. */
Test(sync_signal, the_word_of_a_condition_is_found)
{
	union {
		unsigned words[sizeof(pthread_cond_t) / sizeof(unsigned)];
		pthread_cond_t cond;
	} made = {.words = {0}};
	pthread_condattr_t shared;

	cr_expect_eq(sync_cond_word(&made.cond), SYNC_NO_WORD);
	made.words[7] = 1;
	cr_expect_eq(sync_cond_word(&made.cond), 7);
	made.words[9] = 1;
	cr_expect_eq(sync_cond_word(&made.cond), SYNC_NO_WORD);
	made.words[7] = 0;
	made.words[9] = 3;
	cr_expect_eq(sync_cond_word(&made.cond), SYNC_NO_WORD);
	pthread_condattr_init(&shared);
	pthread_condattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
	pthread_cond_init(&made.cond, &shared);
	cr_expect_eq(sync_cond_word(&made.cond),
	             offsetof(struct __pthread_cond_s, __wrefs) / sizeof(unsigned));
}

/* Its signals are there, without their stacks, which are nodes of its own. */
Test(sync_signal, of_what_is_shared_a_child_may_give_one)
{
	uint64_t key = sync_signal_of_futex(0x2000, FUTEX_WAKE),
		 own = sync_signal_of_futex(0x3000, FUTEX_WAKE_PRIVATE), before = col_ticks();
	static const struct col_thread self = {.tid = 77}; /* those that are known stay behind */
	struct sync_signal signal = {0, 0};
	int status = 1;
	pid_t child;

	sync_share();
	sync_share();
	child = fork();
	cr_assert_geq(child, 0);
	if (child == 0) {
		sync_share_in_child();
		sync_signal_note(&self, key, 7);
		sync_signal_note(&self, own, 7);
		_exit(0);
	}
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert_eq(status, 0);
	cr_expect_eq(sync_signal_find(key, before, UINT64_MAX, 1, &signal), 1);
	cr_expect_eq(signal.tid, 77);
	cr_expect_eq(signal.stack, 0);
	cr_expect_eq(sync_signal_find(own, before, UINT64_MAX, 1, &signal), 0);
	put(key);
	cr_expect_eq(sync_signal_find(key, before, UINT64_MAX, 1, &signal), 1);
	cr_expect_neq(signal.stack, 0);
}

static int operate(struct sync_wait *wait, short operation, unsigned short number, short flags)
{
	const struct sembuf one = {.sem_num = number, .sem_op = operation, .sem_flg = flags};

	*wait = SYNC_WAIT(SEMOP, COND, 5, 0);
	return sync_operate(wait, &one, 1);
}

Test(sync_signal, semaphores_of_a_set_are_told_apart)
{
	uint64_t before = col_ticks();
	struct sync_signal signal;
	struct sync_wait wait;

	cr_expect_eq(operate(&wait, -1, 1, IPC_NOWAIT), 0);
	cr_expect_eq(operate(&wait, 0, 1, 0), 1);
	cr_expect_eq(wait.signal, 0, "who takes ends that, which is not seen");
	wall_start();
	cr_expect_eq(operate(&wait, 1, 2, 0), 0);
	cr_expect_eq(operate(&wait, -1, 1, 0), 1);
	cr_expect_eq(sync_signal_find(wait.signal, before, UINT64_MAX, tid + 1, &signal), 0);
	cr_expect_eq(operate(&wait, -1, 2, 0), 1);
	cr_expect_eq(sync_signal_find(wait.signal, before, UINT64_MAX, tid + 1, &signal), 1);
	cr_expect_eq(signal.tid, tid);
	cr_expect_eq(sync_operate(&wait, NULL, 1), 0, "the kernel says what is wrong");
}

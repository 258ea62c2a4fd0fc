/* Tests that a lock tells who has it. */
#include "libcollector/events/sync_wait.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <unistd.h>

static uint32_t owner_of(enum fmt_sync_func func, const void *lock)
{
	return sync_owner_of(func, (uint64_t)(uintptr_t)lock);
}

Test(sync_owner, of_a_mutex)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

	cr_assert_eq(owner_of(FMT_sync_func_MUTEX_LOCK, &mutex), 0);
	pthread_mutex_lock(&mutex);
	cr_expect_eq(owner_of(FMT_sync_func_MUTEX_LOCK, &mutex), (uint32_t)gettid());
	cr_expect_eq(owner_of(FMT_sync_func_MUTEX_CLOCKLOCK, &mutex), (uint32_t)gettid());
	pthread_mutex_unlock(&mutex);
	cr_assert_eq(owner_of(FMT_sync_func_MUTEX_LOCK, &mutex), 0);
}

Test(sync_owner, of_a_lock_for_writing_and_of_no_reader)
{
	pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

	pthread_rwlock_wrlock(&lock);
	cr_expect_eq(owner_of(FMT_sync_func_RDLOCK, &lock), (uint32_t)gettid());
	cr_expect_eq(owner_of(FMT_sync_func_WRLOCK, &lock), (uint32_t)gettid());
	pthread_rwlock_unlock(&lock);
	pthread_rwlock_rdlock(&lock);
	cr_expect_eq(owner_of(FMT_sync_func_WRLOCK, &lock), 0);
	pthread_rwlock_unlock(&lock);
}

static void *tell_id(void *id)
{
	*(uint32_t *)id = (uint32_t)gettid();
	pause();
	return NULL;
}

Test(sync_owner, of_the_end_of_a_thread)
{
	_Atomic(uint32_t) id = 0;
	pthread_t thread;

	cr_assert_eq(pthread_create(&thread, NULL, tell_id, &id), 0);
	while (id == 0)
		usleep(100);
	cr_expect_eq(sync_owner_of(FMT_sync_func_JOIN, (uint64_t)thread), id);
	cr_expect_eq(sync_owner_of(FMT_sync_func_THRD_JOIN, (uint64_t)thread), id);
	pthread_cancel(thread);
	pthread_join(thread, NULL);
}

Test(sync_owner, nothing_else_has_one)
{
	pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

	cr_assert_eq(owner_of(FMT_sync_func_COND_WAIT, &cond), 0);
}

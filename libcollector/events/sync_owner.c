/* sync_owner.c: who has a lock, is waited for, or ended a wait. The words of locks are part of the
 * C library's binary interface: programs initialize locks with them. */
#include "libcollector/events/sync_wait.h"

#include "libcollector/hook/hook.h"

#include <linux/futex.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sem.h>
#include <time.h>

static uint32_t of_mutex(const pthread_mutex_t *mutex)
{
	return (uint32_t)__atomic_load_n(&mutex->__data.__owner, __ATOMIC_RELAXED);
}

static uint32_t of_rwlock(const pthread_rwlock_t *lock)
{
	return (uint32_t)__atomic_load_n(&lock->__data.__cur_writer, __ATOMIC_RELAXED);
}

/* The clock of a thread's CPU time has its id: the complement, above three bits for the kind of
 * clock (Linux, include/linux/posix-timers.h). */
static uint32_t of_thread(pthread_t thread)
{
	clockid_t clock;

	return pthread_getcpuclockid(thread, &clock) == 0 ? ~(uint32_t)(clock >> 3) : 0;
}

uint32_t sync_owner_of(enum fmt_sync_func func, uint64_t object)
{
	const void *lock = (const void *)(uintptr_t)object;

	switch (func) {
	case FMT_sync_func_MUTEX_LOCK:
	case FMT_sync_func_MUTEX_TIMEDLOCK:
	case FMT_sync_func_MUTEX_CLOCKLOCK:
	case FMT_sync_func_MTX_LOCK:
	case FMT_sync_func_MTX_TIMEDLOCK:
		return of_mutex(lock);
	case FMT_sync_func_RDLOCK:
	case FMT_sync_func_TIMEDRDLOCK:
	case FMT_sync_func_CLOCKRDLOCK:
	case FMT_sync_func_WRLOCK:
	case FMT_sync_func_TIMEDWRLOCK:
	case FMT_sync_func_CLOCKWRLOCK:
		return of_rwlock(lock);
	case FMT_sync_func_JOIN:
	case FMT_sync_func_TIMEDJOIN:
	case FMT_sync_func_CLOCKJOIN:
	case FMT_sync_func_THRD_JOIN:
		return of_thread((pthread_t)object);
	default:
		return 0;
	}
}

/* ---- who ended a wait
 *
 * A table like that of sync_site.h: small, without a lock, and a later entry takes the place of an
 * earlier one. It is written by signals that somebody waits for, so those that nobody waits for
 * cost a look at the object. See doc/decisions/86-wall-clock.md. */

enum { SIGNALS_BITS = 10, SIGNALS = 1 << SIGNALS_BITS };

/* Two threads may write an entry at a time: the seal tells whether the others belong together. */
struct entry {
	_Atomic(uint64_t) who; /* id of the thread << 32 | node */
	_Atomic(uint64_t) at;  /* event time */
	_Atomic(uint64_t) of;  /* the process whose node it is */
	_Atomic(uint64_t) seal;
};
static struct entry signals[SIGNALS];

/* Of objects that processes share. Forked children have it, too, and the objects at the same
 * addresses; a program that is executed begins one of its own. NULL: there is none. */
struct shared {
	_Atomic(uint64_t) processes;
	struct entry signals[SIGNALS];
};
static _Atomic(struct shared *) shared;
static uint64_t process; /* of shared->processes; ids may be the same in two namespaces */

/* What a key has above the 47 bits of an address of a program: the object is shared; it is a
 * semaphore of System V, and the rest is its number; the round of a barrier. */
#define SHARED (UINT64_C(1) << 63)
#define NUMBERED (UINT64_C(1) << 62)
enum { ROUND_SHIFT = 48, ROUND_BITS = 14 };

void sync_share_in_child(void)
{
	struct shared *ours = atomic_load(&shared);

	if (ours)
		process = atomic_fetch_add(&ours->processes, 1) + 1;
}

static struct entry *entry_of(uint64_t key)
{
	uint64_t mixed = (key ^ key >> 32) * 0x9e3779b97f4a7c15u;
	struct shared *ours = key & SHARED ? atomic_load(&shared) : NULL;

	return &(ours ? ours->signals : signals)[mixed >> (64 - SIGNALS_BITS)];
}

static uint64_t seal_of(uint64_t key, uint64_t who, uint64_t at, uint64_t of)
{
	enum { ONE = 21, TWO = 43 };

	return key ^ who ^ (at << ONE | at >> (64 - ONE)) ^ (of << TWO | of >> (64 - TWO));
}

void sync_signal_note(const struct col_thread *thread, uint64_t object, uint32_t stack)
{
	struct entry *entry = entry_of(object);
	uint64_t who = (uint64_t)atomic_load(&thread->tid) << 32 | stack;
	uint64_t at = col_ticks(), of = process;

	atomic_store_explicit(&entry->who, who, memory_order_relaxed);
	atomic_store_explicit(&entry->at, at, memory_order_relaxed);
	atomic_store_explicit(&entry->of, of, memory_order_relaxed);
	atomic_store_explicit(&entry->seal, seal_of(object, who, at, of), memory_order_relaxed);
}

void sync_signal_put(uint64_t object, const struct caller *caller)
{
	struct col_thread *thread = scope_enter();

	if (!thread)
		return;
	sync_signal_note(thread, object, stack_of(thread, caller));
	scope_leave(thread);
}

/* ---- keys: the address of an object, and whether processes share it, which the C library's words
 * of it say. They may be read as long as the program may use the object. */

static uint64_t key_if(const void *object, int is_shared)
{
	return (uint64_t)(uintptr_t)object | (is_shared ? SHARED : 0);
}

/* The word of a condition variable that has its waiters and kind. It has moved in glibc 2.41, and
 * the recorder may have been built with an earlier one. */
static unsigned cond_at = offsetof(struct __pthread_cond_s, __wrefs) / sizeof(unsigned);

static inline unsigned word_of_cond(const pthread_cond_t *cond)
{
	return __atomic_load_n((const unsigned *)cond + cond_at, __ATOMIC_RELAXED);
}

enum { COND_IS_SHARED = 1 };

unsigned sync_cond_word(const pthread_cond_t *made)
{
	enum { WORDS = sizeof(pthread_cond_t) / sizeof(unsigned) };
	const unsigned *words = (const unsigned *)made;
	unsigned found = SYNC_NO_WORD;

	for (unsigned i = 0; i < WORDS; i++)
		if (words[i] != 0) {
			if (words[i] != COND_IS_SHARED || found != SYNC_NO_WORD)
				return SYNC_NO_WORD;
			found = i;
		}
	return found;
}

/* Ask the C library that is there: in one that it has made, only that word is not zero. */
static void find_cond_word(void)
{
	pthread_condattr_t attributes;
	pthread_cond_t made;
	unsigned found;

	memset(&made, 0, sizeof(made));
	pthread_condattr_init(&attributes);
	if (pthread_condattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED) == 0 &&
	    REAL(pthread_cond_init)(&made, &attributes) == 0) {
		found = sync_cond_word(&made);
		cond_at = found == SYNC_NO_WORD ? cond_at : found;
	}
	pthread_condattr_destroy(&attributes);
}

static uint64_t key_of_cond(const pthread_cond_t *cond)
{
	return key_if(cond, (int)(word_of_cond(cond) & COND_IS_SHARED));
}

/* A cnd_t is a pthread_cond_t. */
static uint64_t key_of_c11(const cnd_t *cond)
{
	return key_of_cond((const pthread_cond_t *)cond);
}

static uint64_t key_of_sem(const sem_t *semaphore)
{
	enum { IS_SHARED = 2 }; /* its word */

	return key_if(semaphore, ((const int *)semaphore)[IS_SHARED] != 0);
}

/* Each round of a barrier has a key of its own: a thread that leaves early may come to the next
 * round before others have left this one. The C library's second word of a barrier is the same for
 * all threads of a round, and changes when the last one comes; should it be something else, rounds
 * are told apart no more. */
static uint64_t key_of_round(const int *barrier)
{
	enum { ROUND = 1, IS_SHARED = 3 };
	uint64_t round = (unsigned)__atomic_load_n(barrier + ROUND, __ATOMIC_RELAXED) &
	                 ((1U << ROUND_BITS) - 1);

	return key_if(barrier, barrier[IS_SHARED] != 0) ^ round << ROUND_SHIFT;
}

void sync_share(void)
{
	find_cond_word();
	if (!atomic_load(&shared))
		atomic_store(&shared, sys_mmap(sizeof(struct shared), PROT_READ | PROT_WRITE,
		                               MAP_SHARED | MAP_ANONYMOUS, -1, 0));
	sync_share_in_child();
}

uint64_t sync_signal_of_futex(uint64_t object, long operation)
{
	return key_if((const void *)(uintptr_t)object, !(operation & FUTEX_PRIVATE_FLAG));
}

uint64_t sync_signal_of(enum fmt_sync_func func, uint64_t object)
{
	const void *at = (const void *)(uintptr_t)object;

	switch (func) {
	case FMT_sync_func_COND_WAIT:
	case FMT_sync_func_COND_TIMEDWAIT:
	case FMT_sync_func_COND_CLOCKWAIT:
		return key_of_cond(at);
	case FMT_sync_func_CND_WAIT:
	case FMT_sync_func_CND_TIMEDWAIT:
		return key_of_c11(at);
	case FMT_sync_func_SEM_WAIT:
	case FMT_sync_func_SEM_TIMEDWAIT:
	case FMT_sync_func_SEM_CLOCKWAIT:
		return key_of_sem(at);
	case FMT_sync_func_BARRIER_WAIT:
		return key_of_round(at);
	default:
		return 0;
	}
}

int sync_signal_find(uint64_t object, uint64_t from, uint64_t to, uint32_t tid,
                     struct sync_signal *out)
{
	const struct entry *entry = entry_of(object);
	uint64_t who = atomic_load_explicit(&entry->who, memory_order_relaxed);
	uint64_t at = atomic_load_explicit(&entry->at, memory_order_relaxed);
	uint64_t of = atomic_load_explicit(&entry->of, memory_order_relaxed);

	if (atomic_load_explicit(&entry->seal, memory_order_relaxed) !=
	            seal_of(object, who, at, of) ||
	    at < from || at > to || (uint32_t)(who >> 32) == tid)
		return 0;
	*out = (struct sync_signal){.tid = (uint32_t)(who >> 32),
	                            .stack = of == process ? (uint32_t)who : 0};
	return 1;
}

/* ---- System V semaphores */

/* The identifier of a set and the number of a semaphore in it: no address. All processes share it.
 */
static uint64_t semaphore_of(uint64_t set, const struct sembuf *operation)
{
	enum { SHIFT = 32 };

	return SHARED | NUMBERED | (uint64_t)operation->sem_num << SHIFT | (uint32_t)set;
}

int sync_operate(struct sync_wait *wait, const struct sembuf *operations, size_t count)
{
	enum { MOST = 1024 }; /* the kernel takes 500 */
	int blocks = 0;

	/* The kernel says what is wrong with others. */
	if (count > MOST || !sys_is_readable(operations, count * sizeof(*operations)))
		return 0;
	for (size_t i = 0; i < count; i++) {
		uint64_t key = semaphore_of(wait->object, &operations[i]);

		if (operations[i].sem_op > 0 && wall_is_on())
			sync_signal_put(key, &wait->caller);
		if (operations[i].sem_op < 0 && !wait->signal)
			wait->signal = key;
		blocks |= operations[i].sem_op <= 0 && !(operations[i].sem_flg & IPC_NOWAIT);
	}
	return blocks;
}

/* ---- wrappers: does anybody wait? The C library's words of the objects tell, which are part of
 * its binary interface, and which it looks at itself. */

static inline int has_waiters(const pthread_cond_t *cond)
{
	enum { SHIFT = 3 };

	return word_of_cond(cond) >> SHIFT != 0;
}

/* A cnd_t is a pthread_cond_t. */
static inline int has_c11_waiters(const cnd_t *cond)
{
	return has_waiters((const pthread_cond_t *)cond);
}

/* Their number is in the highest half of its first word. */
static inline int has_sem_waiters(const sem_t *semaphore)
{
	return __atomic_load_n((const unsigned *)semaphore + 1, __ATOMIC_RELAXED) != 0;
}

#define SIGNAL(name, type, is_waited_for, key_of) \
	static __attribute__((noinline)) int name##_traced(type *object) \
	{ \
		struct caller caller = CALLER; \
\
		sync_signal_put(key_of(object), &caller); \
		return REAL(name)(object); \
	} \
	EXPORT int name(type *object) \
	{ \
		if (likely(!wall_is_on() || !is_waited_for(object)) && \
		    likely(hook_real.name != NULL)) \
			return hook_real.name(object); \
		return name##_traced(object); \
	}

SIGNAL(pthread_cond_signal, pthread_cond_t, has_waiters, key_of_cond)
SIGNAL(pthread_cond_broadcast, pthread_cond_t, has_waiters, key_of_cond)
SIGNAL(cnd_signal, cnd_t, has_c11_waiters, key_of_c11)
SIGNAL(cnd_broadcast, cnd_t, has_c11_waiters, key_of_c11)
SIGNAL(sem_post, sem_t, has_sem_waiters, key_of_sem)

HOOK_VERSION(pthread_cond_signal, pthread_cond_signal, "@@GLIBC_2.3.2");
HOOK_VERSION(pthread_cond_broadcast, pthread_cond_broadcast, "@@GLIBC_2.3.2");

/* thread.c: a state for every thread, however it was made. See thread.h. */
#include "thread.h"

#include "child.h"
#include "descent.h"
#include "exec.h"
#include "hook.h"
#include "signals.h"
#include "tick.h"
#include "tree.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdarg.h>
#include <sys/prctl.h>

enum { DIRECTORY_BUFFER = 2048 };

__thread struct col_thread *col_self;

static _Atomic(struct col_thread *) all;
static pthread_key_t exit_key;
static int has_exit_key;
static atomic_uint starting;   /* threads that pthread_create is making and that have not said yet who they are */
static atomic_uint scanning;

struct col_thread *thread_first(void)
{
	return atomic_load_explicit(&all, memory_order_acquire);
}

/* The first memo of a context, or one that holds what did not fit in the last. */
static struct walk_memo *replace_memo(struct col_thread *thread, enum col_context context)
{
	struct walk_memo *old = thread->memo[context];
	uint32_t capacity = old ? old->capacity * 16 : WALK_FRAMES_MIN;
	struct walk_memo *memo = capacity <= WALK_FRAMES_MAX ? walk_memo_create(capacity) : NULL;

	if (!memo) {
		if (old)
			old->is_too_small = 0;
		return old;
	}
	memo->home = thread->home;
	thread->memo[context] = memo;
	if (old)
		walk_memo_destroy(old);
	return memo;
}

struct walk_memo *thread_memo(struct col_thread *thread, enum col_context context)
{
	struct walk_memo *memo = thread->memo[context];

	return likely(memo && !memo->is_too_small) ? memo : replace_memo(thread, context);
}

static int is_alive(uint32_t tid)
{
	return SYS3(SYS_tgkill, col.pid, tid, 0) != -ESRCH;
}

/* May another thread have this state? */
static int is_free(struct col_thread *state, unsigned *use)
{
	*use = atomic_load(&state->use);
	return *use == COL_UNUSED || (*use == COL_ENDING && !is_alive(atomic_load(&state->ending)));
}

/* An unused state, or a new one. NULL if there is no memory. */
static struct col_thread *take_state(void)
{
	struct col_thread *state;
	unsigned use;

	for (state = thread_first(); state; state = state->next)
		if (is_free(state, &use) && atomic_compare_exchange_strong(&state->use, &use, COL_USED)) {
			atomic_store(&state->ending, 0);
			return state;
		}
	state = sys_mmap_anonymous(sizeof(*state));
	if (!state)
		return NULL;
	sys_madvise(state, sizeof(*state), MADV_DONTFORK);
	atomic_store(&state->use, COL_USED);
	state->next = thread_first();
	while (!atomic_compare_exchange_weak(&all, &state->next, state))
		continue;
	return state;
}

/* A thread's start is known: begin to record it. */
static void begin(struct col_thread *state, uint32_t tid)
{
	state->depth = 0;
	state->exit_rounds = 0;
	state->java_waits = 0;
	state->last_stack = 0;
	state->rest_ns = 0;
	state->epoch = atomic_load(&col.epoch);
	state->name[0] = '\0';
	state->home = state->pointer = 0;
	functrace_thread_begin(state);
	omp_forget(&state->omp);
	state->mpi.state = FMT_mpi_state_NONE;
	for (int i = 0; i < COL_CONTEXTS; i++)
		if (state->memo[i])
			walk_memo_forget(state->memo[i]);
	atomic_store(&state->accounted_ns, 0);
	state->user_us = state->system_us = 0;
	atomic_store_explicit(&state->tid, tid, memory_order_release);
	col_count(&col.count.threads, 1);
	tick_arm(state);
}

static void end(struct col_thread *state)
{
	tick_disarm(state);
	atomic_store(&state->tid, 0);
	atomic_store_explicit(&state->use, COL_UNUSED, memory_order_release);
}

/* The calling thread has told all of itself. The kernel lists it until it is gone, and nobody may take it for one that is unknown. */
static void end_self(struct col_thread *state)
{
	tick_disarm(state);
	atomic_store(&state->ending, atomic_load(&state->tid));
	atomic_store(&state->tid, 0);
	atomic_store(&state->use, COL_ENDING);
}

static struct col_thread *find_state(uint32_t tid)
{
	struct col_thread *state = thread_first();

	while (state && atomic_load_explicit(&state->tid, memory_order_relaxed) != tid)
		state = state->next;
	return state;
}

/* `thread` writes about the one with the id `tid`. */
static void write_about(struct col_thread *thread, enum col_context context, uint32_t tid, const char name[16],
                        enum fmt_thread_origin origin, uint64_t start_ns, uint64_t ticks)
{
	struct fmt_thread record = {.kind = FMT_KIND_thread, .origin = (uint8_t)origin, .tid = tid, .start_ns = start_ns};

	memcpy(record.name.text, name, sizeof(record.name.text));
	col_slot_write(&thread->slot[context][FMT_STREAM_OVERVIEW], FMT_STREAM_OVERVIEW, atomic_load(&thread->tid), &record, sizeof(record), ticks);
}

static void write_record_now(struct col_thread *thread, enum col_context context, enum fmt_thread_origin origin)
{
	write_about(thread, context, atomic_load(&thread->tid), thread->name, origin, sys_clock_ns(CLOCK_MONOTONIC), col_ticks());
}

void thread_write_main(struct col_thread *thread, enum col_context context, const struct birth_moment *start)
{
	static const char gone[16];
	const struct col_thread *first = find_state((uint32_t)col.pid);

	write_about(thread, context, (uint32_t)col.pid, first ? first->name : gone, FMT_thread_origin_MAIN, start->mono_ns, start->ticks);
}

void thread_check_name(struct col_thread *thread, enum col_context context)
{
	char name[16] = "";

	if (SYS2(SYS_prctl, PR_GET_NAME, name) < 0 || memcmp(name, thread->name, sizeof(name)) == 0)
		return;
	memcpy(thread->name, name, sizeof(name));
	write_record_now(thread, context, FMT_thread_origin_RENAMED);
}

/* Runs when a thread ends. Others' destructors may still allocate: stay for the last round. */
static void at_thread_exit(void *value)
{
	struct col_thread *state = value;

	if (!col_is_recording())
		return;
	if (++state->exit_rounds < PTHREAD_DESTRUCTOR_ITERATIONS) {
		pthread_setspecific(exit_key, state);
		return;
	}
	tick_disarm(state);
	tick_residual(state, state, COL_NORMAL);
	col_self = NULL;
	functrace_thread_end();
	exec_forget_list();
	end_self(state);
}

/* States from an earlier experiment: threads keep theirs. What a thread is in now, it is still in. */
static void begin_again(void)
{
	for (struct col_thread *state = thread_first(); state; state = state->next) {
		uint32_t tid = atomic_load(&state->tid);
		int depth = state->depth;
		uintptr_t pointer = state->pointer;

		if (tid && is_alive(tid)) {
			begin(state, tid);
			state->depth = depth;
			state->pointer = pointer;
		} else if (tid) {
			end(state);
		}
	}
}

/* The calling thread has `state`: from here on it is known as itself. */
static void become(struct col_thread *state)
{
	col_self = state;
	state->home = (uintptr_t)__builtin_frame_address(0);
	state->pointer = (uintptr_t)__builtin_thread_pointer();
	if (state->memo[COL_NORMAL]) /* the handler looks after its own */
		state->memo[COL_NORMAL]->home = state->home;
	state->depth++;
	if (has_exit_key)
		pthread_setspecific(exit_key, state);
	state->depth--;
	SYS2(SYS_prctl, PR_GET_NAME, state->name);
}

struct col_thread *thread_adopt_self(void)
{
	uint32_t tid = sys_tid();
	struct col_thread *state = tid ? find_state(tid) : NULL;

	if (!state) {
		state = tid ? take_state() : NULL;
		if (!state) {
			col_count(&col.count.lost_threads, 1);
			return NULL;
		}
		begin(state, tid);
	}
	become(state);
	write_record_now(state, COL_NORMAL, FMT_thread_origin_FOUND);
	return state;
}

/* The only thread's: of the start, or of a forked child. */
static uint32_t first_tid(void)
{
	uint32_t tid = sys_tid();

	return tid ? tid : (uint32_t)col.pid;
}

int thread_open(void)
{
	uint32_t tid = first_tid();
	struct col_thread *state;

	begin_again();
	state = col_self ? col_self : take_state();
	if (!state)
		return -ENOMEM;
	if (!has_exit_key)
		has_exit_key = pthread_key_create(&exit_key, at_thread_exit) == 0;
	if (!col_self)
		begin(state, tid);
	atomic_store(&state->accounted_ns, col.descriptor.step.thread_ns & ~(uint64_t)15);
	become(state);
	if (!col.descriptor.step.lineage[0])
		write_record_now(state, COL_NORMAL, tid == (uint32_t)col.pid ? FMT_thread_origin_MAIN : FMT_thread_origin_FOUND);
	thread_scan();
	return 0;
}

/* The old states are not mapped here: see take_state. */
int thread_restart(void)
{
	struct col_thread *state;

	atomic_store(&all, NULL);
	atomic_store(&starting, 0);
	atomic_store(&scanning, 0);
	state = take_state();
	if (!state)
		return -ENOMEM;
	begin(state, first_tid());
	become(state);
	return 0;
}

void thread_keep_memory(struct col_thread *thread, int advice)
{
	for (int i = 0; i < COL_CONTEXTS; i++) {
		if (thread->memo[i])
			walk_memo_advise(thread->memo[i], advice);
		for (int k = 0; k < FMT_STREAMS; k++)
			if (thread->slot[i][k].map)
				sys_madvise(thread->slot[i][k].map, thread->slot[i][k].map_size, advice);
	}
	functrace_keep_memory(advice);
	tree_advise(advice);
	sys_madvise(thread, sizeof(*thread), advice);
}

/* ---- threads that nobody announced ---- */

struct directory_entry {
	uint64_t inode;
	int64_t next;
	uint16_t size;
	uint8_t type;
	char name[];
};

static uint32_t parse_tid(const char *name)
{
	uint32_t tid = 0;

	for (; *name >= '0' && *name <= '9'; name++)
		tid = tid * 10 + (uint32_t)(*name - '0');
	return *name ? 0 : tid;
}

static void found(uint32_t tid)
{
	struct col_thread *state;

	if (tid == 0 || find_state(tid))
		return;
	state = take_state();
	if (state)
		begin(state, tid);
	else
		col_count(&col.count.lost_threads, 1);
}

static int is_ending(uint32_t tid)
{
	struct col_thread *state = thread_first();

	while (state && atomic_load(&state->ending) != tid)
		state = state->next;
	return state != NULL;
}

/* A thread in the kernel's list. One that is starting has or gets its state by itself, one that is ending has had it, and a second one
 * would count its time twice. `starting` is read first: if it is 0, the starter of a listed thread is through; and last whether it
 * is alive: only then its state cannot have gone to another one meanwhile. */
static void listed(uint32_t tid)
{
	if (atomic_load(&starting) || tid == 0 || find_state(tid) || is_ending(tid) || !is_alive(tid))
		return;
	found(tid);
}

static void drop_dead(void)
{
	for (struct col_thread *state = thread_first(); state; state = state->next) {
		uint32_t tid = atomic_load(&state->tid);

		if (tid && !is_alive(tid) && atomic_compare_exchange_strong(&state->tid, &tid, 0))
			end(state);
	}
}

/* The kernel tells the number of threads as that of the directory's links: equal numbers save the look at each,
 * which thousands of threads would pay for every second. */
static int all_are_known(int fd)
{
	struct stat status;
	uint64_t known = 2;

	for (struct col_thread *state = thread_first(); state; state = state->next)
		known += atomic_load_explicit(&state->tid, memory_order_relaxed) != 0;
	return sys_fstat(fd, &status) == 0 && status.st_nlink == known;
}

static void read_list(int fd)
{
	char buffer[DIRECTORY_BUFFER] __attribute__((aligned(8)));
	long len;

	while ((len = SYS3(SYS_getdents64, fd, buffer, sizeof(buffer))) > 0)
		for (long at = 0; at < len;) {
			const struct directory_entry *entry = (const struct directory_entry *)(buffer + at);

			listed(parse_tid(entry->name));
			at += entry->size;
		}
}

void thread_scan(void)
{
	long fd;

	if (atomic_exchange(&scanning, 1))
		return;
	fd = sys_openat(AT_FDCWD, "/proc/self/task", O_RDONLY | O_DIRECTORY, 0);
	if (fd >= 0 && !all_are_known((int)fd)) {
		drop_dead();
		read_list((int)fd);
	}
	if (fd >= 0)
		sys_close((int)fd);
	atomic_store(&scanning, 0);
}

/* A child made by clone without sharing memory is a forked one. */
struct cloned {
	int (*run)(void *);
	void *argument;
	uint32_t number;
};

static int run_cloned(void *argument)
{
	struct cloned cloned = *(struct cloned *)argument;

	child_begin('f', cloned.number);
	return cloned.run(cloned.argument);
}

static int clone_child(int (*run)(void *), void *stack, int flags, void *argument, pid_t *parent_tid, void *tls, pid_t *child_tid)
{
	struct cloned cloned = {run, argument, 0};
	int pid;

	child_look();
	if (!col.is_recorded || !run)
		return REAL(clone)(run, stack, flags, argument, parent_tid, tls, child_tid);
	cloned.number = descent_number('f');
	pid = REAL(clone)(run_cloned, stack, flags, &cloned, parent_tid, tls, child_tid);
	if (pid > 0)
		child_log("clone", pid, cloned.number);
	return pid;
}

/* The C library's clone, used for threads behind the back of libpthread, and for children. */
EXPORT int clone(int (*run)(void *), void *stack, int flags, void *argument, ...)
{
	pid_t *parent_tid, *child_tid;
	void *tls;
	va_list more;
	int tid;

	va_start(more, argument);
	parent_tid = va_arg(more, pid_t *);
	tls = va_arg(more, void *);
	child_tid = va_arg(more, pid_t *);
	va_end(more);
	if (!(flags & CLONE_VM))
		return clone_child(run, stack, flags, argument, parent_tid, tls, child_tid);
	tid = REAL(clone)(run, stack, flags, argument, parent_tid, tls, child_tid);
	if (tid > 0 && flags & CLONE_THREAD && col_is_recording())
		found((uint32_t)tid);
	if (tid > 0 && !(flags & (CLONE_THREAD | CLONE_VFORK)))
		child_log_sharer(tid);
	return tid;
}

/* ---- threads made by the program ---- */

/* The creator takes the state of the new thread and leaves in it what to run. */
static struct col_thread *prepare(void *(*run)(void *), int (*run_c11)(void *), void *argument)
{
	struct col_thread *state = col_is_recording() ? take_state() : NULL;

	if (state) {
		atomic_fetch_add(&starting, 1);
		state->run = run;
		state->run_c11 = run_c11;
		state->argument = argument;
		state->blocked = signals_believed();
	}
	return state;
}

static void give_up(struct col_thread *state)
{
	atomic_fetch_sub(&starting, 1);
	end(state);
}

static void begin_thread(struct col_thread *state)
{
	sys_sigset tick = SYS_SIGBIT(TICK_SIGNAL);
	uint32_t tid = sys_tid();

	if (!col_is_recording()) {
		atomic_fetch_sub(&starting, 1);
		return;
	}
	if (!tid) {
		col_count(&col.count.lost_threads, 1);
		give_up(state);
		return;
	}
	sys_sigmask(SIG_UNBLOCK, &tick, NULL);
	signals_believe(state->blocked);
	begin(state, tid);
	atomic_fetch_sub(&starting, 1);
	become(state);
	write_record_now(state, COL_NORMAL, FMT_thread_origin_CREATED);
}

/* Both end in a jump to the program's function, so that no frame of ours stands in its stacks. The state may be another thread's by then. */
static void *run_posix(void *argument)
{
	struct col_thread *state = argument;
	void *(*run)(void *) = state->run;

	argument = state->argument;
	begin_thread(state);
	return run(argument);
}

static int run_c11(void *argument)
{
	struct col_thread *state = argument;
	int (*run)(void *) = state->run_c11;

	argument = state->argument;
	begin_thread(state);
	return run(argument);
}

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument)
{
	struct col_thread *start = prepare(run, NULL, argument);
	int error;

	if (!start)
		return REAL(pthread_create)(thread, attributes, run, argument);
	error = REAL(pthread_create)(thread, attributes, run_posix, start);
	if (error)
		give_up(start);
	return error;
}

EXPORT int thrd_create(thrd_t *thread, thrd_start_t run, void *argument)
{
	struct col_thread *start = prepare(NULL, run, argument);
	int error;

	if (!start)
		return REAL(thrd_create)(thread, run, argument);
	error = REAL(thrd_create)(thread, run_c11, start);
	if (error != thrd_success)
		give_up(start);
	return error;
}

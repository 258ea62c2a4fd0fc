/* tick_sample.c: clock samples and their weights. See tick_sample.h.
 * See doc/decisions/01-sample-weights.md and doc/decisions/85-clock.md. */
#include "libcollector/profile/tick_sample.h"

#include "libcollector/profile/tick_timer.h"
#include "libcollector/thread/memo.h"
#include "libcollector/unwind/walk.h"

enum { RESTS = 4, MEMORY = 8 };

/* A mean in which the last ones count most. */
static atomic_uint_fast64_t life_ns;

static void note_life(uint64_t ns)
{
	uint64_t mean = atomic_load_explicit(&life_ns, memory_order_relaxed);

	atomic_store_explicit(&life_ns, mean ? mean - mean / MEMORY + ns / MEMORY : ns + 1,
	                      memory_order_relaxed);
}

uint64_t tick_life_ns(void)
{
	return atomic_load_explicit(&life_ns, memory_order_relaxed);
}

/* The CPU time of the thread since its last sample, which counts as recorded from now on; in steps
 * of 16 ns (datakind.def). What a thread used before the recording of events began does not
 * count. */
static uint64_t take_cpu_time(struct col_thread *thread, clockid_t clock)
{
	uint64_t now = sys_clock_ns(clock) & ~(uint64_t)15;
	uint64_t before = atomic_load(&thread->accounted_ns);
	uint32_t epoch = atomic_load(&col.epoch);

	if (now <= before || !atomic_compare_exchange_strong(&thread->accounted_ns, &before, now))
		return 0;
	if (unlikely(thread->epoch != epoch)) {
		thread->epoch = epoch;
		return 0;
	}
	return now - before;
}

/* The same, by any thread, with what no sample in the kernel has taken. */
static uint64_t take_all(struct col_thread *thread)
{
	uint64_t taken = take_cpu_time(thread, sys_thread_clock(atomic_load(&thread->tid)));

	return taken + atomic_exchange(&thread->owed_ns, 0);
}

void tick_forget_past(struct col_thread *thread)
{
	atomic_store(&thread->accounted_ns,
	             sys_clock_ns(sys_thread_clock(atomic_load(&thread->tid))) & ~(uint64_t)15);
	atomic_store(&thread->owed_ns, 0);
}

static void write_sample(struct col_thread *writer, enum col_context context,
                         enum fmt_clock_state state, uint8_t omp, uint8_t mpi, uint32_t stack,
                         uint64_t cpu_ns)
{
	struct fmt_clock record = {
		.kind = FMT_KIND_clock,
		.state = (uint8_t)state,
		.omp = omp,
		.mpi = mpi,
		.stack = stack,
		.cpu_ns = cpu_ns,
	};

	if (col_slot_write(&writer->slot[context][FMT_STREAM_PROFILE], FMT_STREAM_PROFILE,
	                   atomic_load(&writer->tid), &record, sizeof(record), col_ticks()) < 0)
		return;
	col_count(&col.count.samples, 1);
	col_count(&col.count.sampled_ns, cpu_ns);
}

void tick_residual(struct col_thread *thread, struct col_thread *writer, enum col_context context)
{
	uint64_t cpu_ns;

	if (!atomic_load(&col.switches->on[SOURCE_CLOCK]))
		return;
	cpu_ns = take_all(thread);
	if (cpu_ns)
		write_sample(writer, context, FMT_clock_state_RESIDUAL, thread->omp.state,
		             thread->mpi.state, thread->last_stack, cpu_ns);
	note_life(atomic_load(&thread->accounted_ns));
}

void tick_forget(struct col_thread *thread)
{
	take_all(thread);
}

/* True if the kernel has counted more system than user time for this thread since the last look. */
static int is_mostly_system(struct col_thread *thread)
{
	struct rusage now;
	int64_t user_us, system_us;
	int is_mostly;

	if (SYS2(SYS_getrusage, RUSAGE_THREAD, &now) < 0)
		return 0;
	user_us = now.ru_utime.tv_sec * 1000000 + now.ru_utime.tv_usec;
	system_us = now.ru_stime.tv_sec * 1000000 + now.ru_stime.tv_usec;
	is_mostly = system_us - thread->system_us > user_us - thread->user_us;
	thread->user_us = user_us;
	thread->system_us = system_us;
	return is_mostly;
}

/* Has the thread a page at this address without a fault, as the kernel's page map says? 0 also if
 * that cannot be read. */
static int has_page(uint64_t address)
{
	enum { PRESENT = 63 };
	int fd = (int)sys_openat(AT_FDCWD, "/proc/self/pagemap", O_RDONLY, 0);
	uint64_t entry = 0;

	if (fd < 0)
		return 0;
	if (sys_pread(fd, &entry, sizeof(entry), address / SYS_PAGE * sizeof(entry)) !=
	    sizeof(entry))
		entry = 0;
	sys_close(fd);
	return (int)(entry >> PRESENT);
}

/* The interrupted instruction is about to come to pages that are there already: it raises no
 * faults, and was interrupted. */
static int meets_no_faults(const ucontext_t *context)
{
	uint64_t next[ARCH_STRINGS];
	int count = arch_string_next(context, next);

	for (int i = 0; i < count; i++)
		if (!has_page(next[i]))
			return 0;
	return count > 0;
}

/* A tick during a system call is delivered when the call returns, or is about to be restarted; one
 * during a page fault, when the instruction that raised it is about to be executed again. Where
 * that is in doubt, the kernel's own accounting decides, which counts scheduler ticks. */
static enum fmt_clock_state state_of(struct col_thread *thread, const ucontext_t *context,
                                     enum tick_reason reason)
{
	if (reason == TICK_USER)
		return FMT_clock_state_USER;
	switch (arch_fault_of(context, sys_is_readable)) {
	case ARCH_FAULT_SURE:
		return FMT_clock_state_SYSTEM;
	case ARCH_FAULT_DOUBTFUL:
		if (!meets_no_faults(context) && is_mostly_system(thread))
			return FMT_clock_state_SYSTEM;
		break;
	case ARCH_FAULT_NONE:
		break;
	}
	return arch_is_in_call(arch_context_pc(context)) ? FMT_clock_state_SYSTEM
	                                                 : FMT_clock_state_USER;
}

/* Walking a stack that is too deep for the memo takes longer than the time between two ticks. The
 * program, and signals for the process, would wait forever, so the program runs without ticks for
 * some time, which the next sample covers. Not for one slow sample: a virtual machine may have
 * stood still in it, which counts as CPU time. */
static void have_rest(struct col_thread *thread, uint64_t spent_ticks)
{
	uint64_t limit_us = tick_period_us() / 2, now_ns, spent_ns;
	int was_slow = thread->is_slow;

	thread->is_slow = 0;
	if (likely(spent_ticks / (col.descriptor.clock_hz / 1000000 + 1) <= limit_us))
		return;
	/* It may have waited for a processor. */
	now_ns = sys_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	spent_ns = now_ns - atomic_load(&thread->accounted_ns);
	thread->is_slow = spent_ns > limit_us * 1000;
	if (thread->is_slow && was_slow)
		thread->rest_ns = now_ns + RESTS * spent_ns;
}

/* The weight of a sample. Where the kernel tells periods that end in user code alone, those that
 * ended in the kernel are owed to the next sample there. */
static uint64_t take_weight(struct col_thread *thread, const struct tick *tick, int has_rested)
{
	uint64_t cpu_ns = take_cpu_time(thread, CLOCK_THREAD_CPUTIME_ID);
	uint64_t period_ns = tick->period_ns & ~(uint64_t)15;

	if (tick->reason == TICK_SYSTEM)
		return cpu_ns ? cpu_ns + atomic_exchange(&thread->owed_ns, 0) : 0;
	if (tick->reason != TICK_USER || has_rested || cpu_ns < period_ns + tick_period_us() * 500)
		return cpu_ns;
	atomic_fetch_add(&thread->owed_ns, cpu_ns - period_ns);
	return period_ns;
}

void tick_sample(struct col_thread *thread, const ucontext_t *context, const struct tick *tick)
{
	uint64_t start = col_ticks(), cpu_ns, rest_ns = thread->rest_ns;
	enum fmt_clock_state state;

	if (unlikely(rest_ns) && sys_clock_ns(CLOCK_THREAD_CPUTIME_ID) < rest_ns)
		return;
	state = state_of(thread, context, tick->reason);
	if (tick->reason == TICK_SYSTEM && state == FMT_clock_state_USER)
		return;
	thread->rest_ns = 0;
	cpu_ns = take_weight(thread, tick, rest_ns != 0);
	if (cpu_ns == 0)
		return;
	thread->last_stack = memo_walk(thread, COL_HANDLER, arch_context_pc(context),
	                               arch_context_sp(context), arch_context_fp(context), context);
	write_sample(thread, COL_HANDLER, state, thread->omp.state, thread->mpi.state,
	             thread->last_stack, cpu_ns);
	if (tick->reason == TICK_FULL || tick->reason == TICK_USER)
		col_count(&col.count.perf_samples, 1);
	have_rest(thread, col_ticks() - start);
}

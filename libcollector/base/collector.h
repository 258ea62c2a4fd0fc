/* collector.h: the state of the collector inside the target, shared by its modules.
 *
 * Rules for every line of this library (they are why it looks as it does):
 *  - no malloc, stdio, locale, exit; no libc call that sets errno or is a cancellation point: sys.h
 * only;
 *  - no lock that a signal handler could wait for: locks are tried, and work is queued or counted
 * as lost;
 *  - a process that is not ours (a forked child) sees recording == 0 and touches nothing.
 *
 * Contexts: "handler" is the collector's own tick handler; "normal" is everything else, including
 * the program's own signal handlers. A thread has separate slots, memo and text for the two. */
#ifndef XER_COLLECTOR_COLLECTOR_H
#define XER_COLLECTOR_COLLECTOR_H

#include "libcollector/base/sys.h"

#include "format/descriptor.h"
#include "format/layout.h"
#include "format/record.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define EXPORT __attribute__((visibility("default")))

enum col_context { COL_NORMAL, COL_HANDLER, COL_CONTEXTS };

/* The sources of events: the rows of source.def. */
enum source_id {
#define SOURCE(id, setting, ...) SOURCE_##id,
#include "libcollector/base/source.def"
	SOURCES
};

/* Counters written to log.xml at the end; the names are the format's. Those of events of each
 * source and of events lost for each file are beside them. */
#define COL_COUNTERS(COUNTER) \
	COUNTER(samples) \
	COUNTER(perf_samples) \
	COUNTER(map_events) \
	COUNTER(mpi_untracked) \
	COUNTER(uring_rings) \
	COUNTER(uring_calls) \
	COUNTER(uring_requests) \
	COUNTER(calls_erased) \
	COUNTER(calls_unhooked) \
	COUNTER(user_truncated) \
	COUNTER(user_overwritten) \
	COUNTER(threads) \
	COUNTER(stacks_truncated) \
	COUNTER(stacks_guessed) \
	COUNTER(stacks_failed) \
	COUNTER(stacks_slow) \
	COUNTER(lost_reentrant) \
	COUNTER(lost_threads) \
	COUNTER(lost_log) \
	COUNTER(lost_files) \
	COUNTER(lost_objects) \
	COUNTER(sampled_ns)

struct col_counters {
#define COUNTER(name) atomic_uint_fast64_t name;
	COL_COUNTERS(COUNTER)
#undef COUNTER
	atomic_uint_fast64_t events[SOURCES]; /* summed up over threads when totals are written */
	atomic_uint_fast64_t lost[FMT_STREAMS];
};

/* What is recorded of the heap: new blocks and their ends; only the ends, while events are paused;
 * with HEAP_CHOSEN, those of chosen blocks alone. */
enum heap_mode {
	HEAP_OFF,
	HEAP_NEW = 1,
	HEAP_FREES = 2,
	HEAP_CHOSEN = 4,
	HEAP_ON = HEAP_NEW | HEAP_FREES,
	HEAP_SAMPLED = HEAP_ON | HEAP_CHOSEN
};

/* Lives on a page that fork wipes, so a single load tells a recorded process from a forked child of
 * any kind. */
struct col_switches {
	atomic_uint recording;
	atomic_uint on[SOURCES]; /* does a source record now, and what of it; 0: nothing */
	atomic_uint has_states;  /* `col_self` is this process's; it stays when recording ends */
};

struct collector {
	struct col_switches *switches; /* never NULL: all zero until recording starts */
	struct descriptor descriptor;
	int pid;
	int is_recorded;          /* this process is; a forked child learns it from the switches */
	int is_followed;          /* its children and images are, as far as the user wants them */
	atomic_uint is_quiet;     /* a descendant that has recorded nothing yet, see child.h */
	atomic_uint is_unsettled; /* a forked child that has no directory yet, see child.h */
	atomic_uint generation;   /* the highest of any address, see generation.h */
	atomic_uint closing;
	atomic_uint events_stopped;
	atomic_uint epoch; /* grows when events begin later than their thread */
	struct col_counters count;
};

extern struct collector col __attribute__((visibility("hidden")));

static inline int col_is_recording(void)
{
	return (int)atomic_load_explicit(&col.switches->recording, memory_order_relaxed);
}

/* What a source records now; 0: nothing. */
static inline unsigned col_on(enum source_id source)
{
	return atomic_load_explicit(&col.switches->on[source], memory_order_relaxed);
}

static inline void col_count(atomic_uint_fast64_t *counter, uint64_t n)
{
	atomic_fetch_add_explicit(counter, n, memory_order_relaxed);
}

/* Now, in event time: TSC ticks or CLOCK_MONOTONIC_RAW ns, as the descriptor says. Signal-safe. */
static inline uint64_t col_ticks(void)
{
	if (likely(col.descriptor.clock_is_tsc))
		return arch_ticks();
	return sys_clock_ns(CLOCK_MONOTONIC_RAW);
}

/* Times in ticks and in ns. In whole numbers: where the program has floating-point traps on, a
 * conversion is one. Without overflow for any clock below 18 GHz. Signal-safe. */
enum { COL_NS = 1000000000 };
static inline uint64_t col_ticks_of(uint64_t ns)
{
	uint64_t hz = col.descriptor.clock_hz;

	return ns / COL_NS * hz + ns % COL_NS * hz / COL_NS;
}

static inline uint64_t col_ns_of(uint64_t ticks)
{
	uint64_t hz = col.descriptor.clock_hz;

	return ticks / hz * COL_NS + ticks % hz * COL_NS / hz;
}

/* From 1 to `most`, at random: a program that is run often is not to be seen at the same moments
 * each time. Signal-safe. */
static inline uint64_t col_any_of(uint64_t most)
{
	uint64_t hash = (col_ticks() ^ (uint64_t)sys_gettid() << 40) * 0x9e3779b97f4a7c15u;

	return (hash ^ hash >> 29) * 0xbf58476d1ce4e5b9u % most + 1;
}

/* The CPU that the thread runs on, which the kernel keeps in the thread's rseq area. If libc has
 * not registered one (GLIBC_TUNABLES, an old kernel), a negative number is there. Signal-safe. */
extern const ptrdiff_t __rseq_offset __attribute__((weak));
enum { COL_RSEQ_CPU = 4 }; /* cpu_id in struct rseq */
static inline uint16_t col_cpu(void)
{
	int32_t cpu = -1;

	if (likely(&__rseq_offset))
		cpu = *(const volatile int32_t *)((const char *)arch_libc_pointer() +
		                                  __rseq_offset + COL_RSEQ_CPU);
	return (uint16_t)(likely(cpu >= 0) ? cpu : sched_getcpu());
}

/* End the recording of events for good; usage samples go on. `why`, if not NULL, is a reason for
 * the user. Signal-safe. */
void col_stop_events(const char *why);

/* Is this the recorded process, still recording? A vfork child shares its memory, and is not.
 * Signal-safe. */
static inline int process_is_recorded(void)
{
	return col_is_recording() && sys_getpid() == col.pid;
}

#endif

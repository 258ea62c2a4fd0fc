/* calls.h: pairs entries with exits and sums up calls: by function, and by the path of calls that
 * led to them.
 *
 * Each thread has a stack of open calls. An exit that does not belong to the innermost call ends
 * the calls inside the one that it belongs to (they were left by an exception or a jump); an exit
 * of a call that is not open counts as stray. Calls that are open at the end last until the
 * thread's last event. Both kinds have a time, but are not complete calls: they are in no
 * distribution. Memory depends on functions, paths and depth, not on the number of events. */
#ifndef XER_EXPERIMENT_XRAY_CALLS_H
#define XER_EXPERIMENT_XRAY_CALLS_H

#include "experiment/base/histogram.h"
#include "experiment/experiment.h"
#include "experiment/table/index.h"

#include <errno.h>

enum {
	CALLS_DEPTH_MAX = 1 << 20, /* open calls of a thread; deeper ones are counted, not timed */
	CALLS_PATHS_MAX = 1
	                  << 19, /* beyond that, a call counts for the path that it is made from */
	CALLS_PAGE_SHIFT = 12,
	CALLS_PAGE = 1 << CALLS_PAGE_SHIFT,
	CALLS_NONE = -1
};

/* A path of calls: a function below a path. Path 0 is the root. Times are in ticks. */
struct calls_path {
	uint32_t function, parent;
	uint32_t last_function, last_child; /* the child that was wanted last */
	uint32_t is_recursive;              /* the function is in the path above too */
	uint32_t zero;
	uint64_t count, self;
};

struct calls_open {
	uint64_t begin, inner; /* inner: time in calls that this one made */
	uint32_t path, function;
};

struct calls_thread {
	uint32_t tid;
	size_t depth, capacity;
	uint64_t too_deep;       /* open calls beyond CALLS_DEPTH_MAX */
	uint64_t tsc;            /* of its last event */
	struct calls_open *open; /* open[depth] */
};

struct calls {
	double ns_per_tick;
	uint64_t multiplier;                           /* the same, times 2^32 */
	uint32_t *pages[1 << (28 - CALLS_PAGE_SHIFT)]; /* from numbers to indices plus 1 */
	struct exp_call_function
		*functions; /* until the end: times in ticks, spread the sum of squares */
	size_t function_count, function_capacity;
	struct calls_path *paths;
	size_t path_count, path_capacity;
	struct exp_index children; /* parent << 32 | function */
	struct calls_thread *threads;
	size_t thread_count, thread_capacity;
	struct exp_index by_tid;
	uint64_t wasted; /* steps of searches that found nothing */
	struct exp_calls shown;
	/* If not NULL: does a call that has ended count? path, tid, end, ticks altogether and
	 * without those inside. */
	int (*ask)(void *context, const struct calls_thread *thread, uint32_t path, uint64_t tsc,
	           uint64_t ticks, uint64_t self);
	void *context;
	int rc; /* -ENOMEM once something failed */
};

/* Begin with an empty set. Returns 0 or -ENOMEM. Free with calls_fini, whatever was returned. */
int calls_init(struct calls *calls, double hz);
void calls_fini(struct calls *calls);

/* Index of a function's number (28 bits), made if it is new. UINT32_MAX if out of memory. */
uint32_t calls_function_new(struct calls *calls, uint32_t id);

/* Index of a thread, made if it is new; the pointer is good until the next call. NULL if out of
 * memory. */
struct calls_thread *calls_thread(struct calls *calls, uint32_t tid);

/* The rare cases of the functions below. */
uint32_t calls_path_new(struct calls *calls, uint32_t parent, uint32_t function);
int calls_grow(struct calls *calls, struct calls_thread *thread);
void calls_exit_other(struct calls *calls, struct calls_thread *thread, uint32_t function,
                      uint64_t tsc);

/* End all open calls of a thread without an exit. */
void calls_abandon(struct calls *calls, struct calls_thread *thread);

/* All events are there: complete calls->shown. */
void calls_finish(struct calls *calls);

static inline uint32_t calls_function(struct calls *calls, uint32_t id)
{
	const uint32_t *page = calls->pages[id >> CALLS_PAGE_SHIFT];
	uint32_t index = !page ? 0 : page[id % CALLS_PAGE];

	return index != 0 ? index - 1 : calls_function_new(calls, id);
}

static inline uint64_t calls_ns(const struct calls *calls, uint64_t ticks)
{
	return (uint64_t)((unsigned __int128)ticks * calls->multiplier >> 32);
}

static inline void calls_enter(struct calls *calls, struct calls_thread *thread, uint32_t function,
                               uint64_t tsc)
{
	uint32_t parent = thread->depth == 0 ? 0 : thread->open[thread->depth - 1].path;
	const struct calls_path *path = &calls->paths[parent];
	uint32_t child = path->last_child;

	if (path->last_function != function)
		child = calls_path_new(calls, parent, function);
	if (thread->depth == thread->capacity && calls_grow(calls, thread) != 0)
		return;
	thread->open[thread->depth++] = (struct calls_open){
		.begin = tsc, .path = child, .function = function};
}

/* End the innermost call. Returns whether it counts; *ticks: what it took. */
static inline int calls_pop(struct calls *calls, struct calls_thread *thread, uint64_t tsc,
                            uint64_t *ticks)
{
	const struct calls_open *open = &thread->open[--thread->depth];
	struct calls_path *path = &calls->paths[open->path];
	struct exp_call_function *function = &calls->functions[open->function];
	uint64_t self;

	*ticks = tsc > open->begin ? tsc - open->begin : 0;
	self = *ticks > open->inner ? *ticks - open->inner : 0;
	if (thread->depth > 0)
		thread->open[thread->depth - 1].inner += *ticks;
	if (calls->ask && !calls->ask(calls->context, thread, open->path, tsc, *ticks, self))
		return 0;
	path->count++;
	path->self += self;
	function->self_ns += self;
	function->total_ns += path->is_recursive ? 0 : *ticks;
	return 1;
}

static inline void calls_exit(struct calls *calls, struct calls_thread *thread, uint32_t function,
                              uint64_t tsc)
{
	struct exp_call_function *totals = &calls->functions[function];
	uint64_t ticks, ns;

	if (thread->depth == 0 || thread->open[thread->depth - 1].function != function ||
	    thread->too_deep != 0) {
		calls_exit_other(calls, thread, function, tsc);
		return;
	}
	if (!calls_pop(calls, thread, tsc, &ticks))
		return;
	ns = calls_ns(calls, ticks);
	totals->count++;
	totals->sum_ns += (double)ns;
	totals->spread += (double)ns * (double)ns;
	if (ns < totals->min_ns)
		totals->min_ns = ns;
	if (ns > totals->max_ns)
		totals->max_ns = ns;
	if (exp_histogram_add(&totals->ns, ns) != 0)
		calls->rc = -ENOMEM;
}

#endif

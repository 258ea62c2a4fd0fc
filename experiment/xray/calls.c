/* calls.c: the rare cases of calls.h: new functions, paths and threads, exits out of order, and the
 * end. */
#include "experiment/xray/calls.h"

#include "experiment/base/clock.h"
#include "experiment/table/arena.h"
#include "format/slack.h"

#include <stdlib.h>
#include <string.h>

enum { WASTE_MAX = 64, WASTE_FREE = 1 << 20, SEARCH_MIN = 64 };

static uint32_t add_path(struct calls *calls, uint32_t parent, uint32_t function)
{
	if (exp_array_reserve(&calls->paths, &calls->path_capacity, calls->path_count,
	                      sizeof(*calls->paths)) != 0) {
		calls->rc = -ENOMEM;
		return parent;
	}
	calls->paths[calls->path_count] = (struct calls_path){
		.function = function, .parent = parent, .last_function = UINT32_MAX};
	return (uint32_t)calls->path_count++;
}

int calls_init(struct calls *calls, double hz)
{
	memset(calls, 0, sizeof(*calls));
	calls->ns_per_tick = hz > 0 ? 1e9 / hz : 1;
	calls->multiplier = (uint64_t)(calls->ns_per_tick * 4294967296.0 + 0.5);
	add_path(calls, 0, UINT32_MAX);
	return calls->rc;
}

void calls_fini(struct calls *calls)
{
	for (size_t i = 0; i < sizeof(calls->pages) / sizeof(calls->pages[0]); i++)
		free(calls->pages[i]);
	for (size_t i = 0; i < calls->function_count; i++)
		exp_histogram_fini(&calls->functions[i].ns);
	for (size_t i = 0; i < calls->thread_count; i++)
		free(calls->threads[i].open);
	free(calls->functions);
	free(calls->paths);
	free(calls->threads);
	exp_index_fini(&calls->children);
	exp_index_fini(&calls->by_tid);
}

uint32_t calls_function_new(struct calls *calls, uint32_t id)
{
	uint32_t **page = &calls->pages[id >> CALLS_PAGE_SHIFT];

	if (!*page)
		*page = calloc(CALLS_PAGE, sizeof(**page));
	if (!*page || exp_array_reserve(&calls->functions, &calls->function_capacity,
	                                calls->function_count, sizeof(*calls->functions)) != 0) {
		calls->rc = -ENOMEM;
		return UINT32_MAX;
	}
	calls->functions[calls->function_count] = (struct exp_call_function){.id = id,
	                                                                     .min_ns = UINT64_MAX};
	(*page)[id % CALLS_PAGE] = (uint32_t)++calls->function_count;
	return (uint32_t)calls->function_count - 1;
}

struct calls_thread *calls_thread(struct calls *calls, uint32_t tid)
{
	uint32_t at = exp_index_find(&calls->by_tid, tid);

	if (at != EXP_INDEX_NONE)
		return &calls->threads[at];
	if (exp_array_reserve(&calls->threads, &calls->thread_capacity, calls->thread_count,
	                      sizeof(*calls->threads)) != 0 ||
	    exp_index_add(&calls->by_tid, tid, (uint32_t)calls->thread_count) != 0) {
		calls->rc = -ENOMEM;
		return NULL;
	}
	calls->threads[calls->thread_count] = (struct calls_thread){.tid = tid};
	return &calls->threads[calls->thread_count++];
}

static int is_in_path(const struct calls *calls, uint32_t path, uint32_t function)
{
	for (; path != 0; path = calls->paths[path].parent)
		if (calls->paths[path].function == function)
			return 1;
	return 0;
}

/* Recursion makes a path for each depth. Beyond CALLS_PATHS_MAX a call counts for the path that it
 * is made from. */
uint32_t calls_path_new(struct calls *calls, uint32_t parent, uint32_t function)
{
	uint64_t key = (uint64_t)parent << 32 | function;
	uint32_t child = exp_index_find(&calls->children, key);

	if (child == EXP_INDEX_NONE) {
		if (calls->path_count == CALLS_PATHS_MAX) {
			calls->shown.pathless++;
			return parent;
		}
		child = add_path(calls, parent, function);
		if (child == parent)
			return parent;
		calls->paths[child].is_recursive = calls->paths[parent].function == function ||
		                                   is_in_path(calls, parent, function);
		if (exp_index_add(&calls->children, key, child) != 0)
			calls->rc = -ENOMEM;
	}
	calls->paths[parent].last_function = function;
	calls->paths[parent].last_child = child;
	return child;
}

int calls_grow(struct calls *calls, struct calls_thread *thread)
{
	if (thread->capacity < CALLS_DEPTH_MAX &&
	    exp_array_reserve(&thread->open, &thread->capacity, thread->depth,
	                      sizeof(*thread->open)) == 0) {
		/* A call that finds room takes it without asking. */
		slack_open(thread->open, thread->capacity * sizeof(*thread->open));
		return 0;
	}
	if (thread->capacity < CALLS_DEPTH_MAX)
		calls->rc = -ENOMEM;
	thread->too_deep++;
	calls->shown.too_deep++;
	return -1;
}

/* End the innermost call, whose exit was not seen. */
static void cut(struct calls *calls, struct calls_thread *thread, uint64_t tsc)
{
	struct exp_call_function
		*function = &calls->functions[thread->open[thread->depth - 1].function];
	uint64_t ticks;

	function->cut += (uint64_t)calls_pop(calls, thread, tsc, &ticks);
}

/* How far a search may go: far, but not so often that damaged input takes time without end. */
static size_t search_depth(const struct calls *calls, const struct calls_thread *thread)
{
	uint64_t bound = WASTE_FREE + calls->shown.exits * WASTE_MAX;

	if (calls->wasted < bound || thread->depth < SEARCH_MIN)
		return thread->depth;
	return SEARCH_MIN;
}

void calls_exit_other(struct calls *calls, struct calls_thread *thread, uint32_t function,
                      uint64_t tsc)
{
	size_t steps = search_depth(calls, thread), at = thread->depth;

	if (thread->too_deep != 0) {
		thread->too_deep--;
		return;
	}
	while (at > thread->depth - steps && thread->open[at - 1].function != function)
		at--;
	if (at == thread->depth - steps) {
		calls->wasted += steps;
		calls->shown.stray++;
		return;
	}
	while (thread->depth > at) {
		cut(calls, thread, tsc);
		calls->shown.unwound++;
	}
	calls_exit(calls, thread, function, tsc);
}

void calls_abandon(struct calls *calls, struct calls_thread *thread)
{
	while (thread->depth > 0) {
		cut(calls, thread, thread->tsc);
		calls->shown.open++;
	}
	thread->too_deep = 0;
}

static void finish_function(const struct calls *calls, struct exp_call_function *function)
{
	function->total_ns = exp_whole((double)function->total_ns * calls->ns_per_tick);
	function->self_ns = exp_whole((double)function->self_ns * calls->ns_per_tick);
	if (function->count == 0) {
		function->min_ns = 0;
		return;
	}
	function->spread -= function->sum_ns * function->sum_ns / (double)function->count;
	if (function->spread < 0)
		function->spread = 0;
}

void calls_finish(struct calls *calls)
{
	for (size_t i = 0; i < calls->thread_count; i++)
		calls_abandon(calls, &calls->threads[i]);
	for (size_t i = 0; i < calls->function_count; i++)
		finish_function(calls, &calls->functions[i]);
	calls->shown.functions = calls->functions;
	calls->shown.function_count = calls->function_count;
	calls->shown.threads = calls->thread_count;
	calls->shown.paths = calls->path_count - 1;
}

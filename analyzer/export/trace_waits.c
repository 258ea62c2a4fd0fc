/* trace_waits.c: what an exported trace tells of a wait: the object by name, who had it or ended
 * the wait, and where. See trace.h. */
#include "analyzer/export/trace.h"

#include "analyzer/base/memory.h"
#include "analyzer/report/axis.h"
#include "analyzer/report/stacks.h"
#include "analyzer/views/events/waitowner.h"
#include "format/record.h"

#include <stdlib.h>

struct trace_waits {
	struct trace *trace;
	const struct dataset_experiment *at;
	struct exp_index objects;        /* an address -> number of its name */
	struct exp_index sites;          /* a node of an experiment -> number of its name */
	struct exp_index threads;        /* an id in one -> number of "thread 4711 (server)" */
	const struct exp_wait **longest; /* longest[count]: of wall-clock time, by their ends */
	size_t count;
};

static int by_end(const void *left, const void *right)
{
	const struct exp_wait *const *a = left, *const *b = right;

	return (*a)->time_s < (*b)->time_s ? -1 : (*a)->time_s > (*b)->time_s;
}

struct trace_waits *trace_waits_create(struct trace *trace, const struct dataset_experiment *at)
{
	const struct exp_wall *wall = &at->whole->wall;
	struct trace_waits *waits = memory_take(1, sizeof(*waits));

	waits->trace = trace;
	waits->at = at;
	waits->count = wall->longest_count;
	waits->longest = memory_take(waits->count, sizeof(*waits->longest));
	for (size_t i = 0; i < waits->count; i++)
		waits->longest[i] = &wall->longest[i];
	if (waits->count > 1)
		qsort(waits->longest, waits->count, sizeof(*waits->longest), by_end);
	return waits;
}

void trace_waits_destroy(struct trace_waits *waits)
{
	exp_index_fini(&waits->objects);
	exp_index_fini(&waits->sites);
	exp_index_fini(&waits->threads);
	free(waits->longest);
	free(waits);
}

/* Numbers of names, each made once. */
static uint32_t keep(struct exp_index *index, uint64_t key, struct trace *trace, char *name)
{
	uint32_t number = trace_name(trace, name);

	free(name);
	if (exp_index_add(index, key, number) != 0)
		memory_fail();
	return number;
}

void trace_waits_object(struct trace_waits *waits, struct trace_event *event,
                        const struct exp_wait *wait)
{
	uint32_t name;

	if (wait->object == 0)
		return;
	/* A process, a thread and an address are told apart by the function. */
	name = exp_index_find(&waits->objects, wait->object << 8 | wait->func);
	if (name == EXP_INDEX_NONE)
		name = keep(&waits->objects, wait->object << 8 | wait->func, waits->trace,
		            wait_object_name(waits->trace->job->dataset, waits->at, wait));
	if (name != TRACE_WORD_UNKNOWN)
		trace_add_argument(event, TRACE_WORD_OBJECT, TRACE_NAME, name);
	if (wait->family == FMT_wait_family_SYNC)
		trace_add_argument(event, TRACE_WORD_ADDRESS, TRACE_ADDRESS, wait->object);
}

/* "thread 4711 (server)", with its process if that is another one. */
static char *thread_text(const struct trace_waits *waits, const struct wait_waker *waker,
                         double time_s)
{
	const struct dataset *dataset = waits->trace->job->dataset;
	char *text;
	size_t size;
	FILE *out = memory_stream(&text, &size);

	if (waker->at != waits->at) {
		fprintf(out, "process %lld, ", (long long)waker->at->info->pid);
		time_s += (double)(axis_offset_ns(dataset, waits->at) -
		                   axis_offset_ns(dataset, waker->at)) /
		          1e9;
	}
	wait_put_thread(out, waker->at->whole, waker->tid, time_s);
	memory_stream_end(out, &text);
	return text;
}

/* The same wait in wall-clock data, which know more of it; the wait itself if it is not among those
 * that are kept. */
static const struct exp_wait *find_wall(const struct trace_waits *waits,
                                        const struct exp_wait *wait)
{
	const double near_s = 1e-7;
	size_t low = 0, high = waits->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (waits->longest[middle]->time_s < wait->time_s - near_s)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < waits->count && waits->longest[low]->time_s < wait->time_s + near_s; low++)
		if (waits->longest[low]->tid == wait->tid &&
		    waits->longest[low]->family == wait->family &&
		    waits->longest[low]->func == wait->func)
			return waits->longest[low];
	return wait;
}

struct wait_waker trace_waits_waker(const struct trace_waits *waits, const struct exp_wait *wait,
                                    const struct exp_wait **known)
{
	*known = wait->owner != 0 ? wait : find_wall(waits, wait);
	if (!waits->trace->writers)
		return (struct wait_waker){.at = NULL};
	return wait_find_waker(waits->trace->job->dataset, waits->trace->writers, waits->at,
	                       *known);
}

/* A thread or a node of the experiment of that thread. */
static uint64_t key_of(const struct wait_waker *waker, uint32_t number)
{
	return (uint64_t)waker->at->id << 32 | number;
}

void trace_waits_owner(struct trace_waits *waits, struct trace_event *event,
                       const struct exp_wait *wait)
{
	static const struct {
		enum trace_word who, where;
	} words[] = {[WAIT_HOLDER] = {TRACE_WORD_HELD_BY, TRACE_WORD_HELD_AT},
	             [WAIT_JOINED] = {TRACE_WORD_END_OF, TRACE_WORD_HELD_AT},
	             [WAIT_SIGNALLER] = {TRACE_WORD_SIGNALLED_BY, TRACE_WORD_SIGNALLED_AT},
	             [WAIT_RELEASER] = {TRACE_WORD_RELEASED_BY, TRACE_WORD_RELEASED_AT},
	             [WAIT_WRITER] = {TRACE_WORD_WRITTEN_BY, TRACE_WORD_WRITTEN_AT}};
	const struct exp_wait *known;
	struct wait_waker waker = trace_waits_waker(waits, wait, &known);
	uint32_t name;

	if (!waker.at)
		return;
	name = exp_index_find(&waits->threads, key_of(&waker, waker.tid));
	if (name == EXP_INDEX_NONE)
		name = keep(&waits->threads, key_of(&waker, waker.tid), waits->trace,
		            thread_text(waits, &waker, known->time_s));
	trace_add_argument(event, TRACE_WORD_OWNER, TRACE_NUMBER, waker.tid);
	if (waker.at != waits->at)
		trace_add_argument(event, TRACE_WORD_OWNER_PROCESS, TRACE_NUMBER,
		                   (uint64_t)waker.at->info->pid);
	trace_add_argument(event, words[waker.kind].who, TRACE_NAME, name);
	if (waker.site == EXP_NO_INDEX)
		return;
	name = exp_index_find(&waits->sites, key_of(&waker, waker.site));
	if (name == EXP_INDEX_NONE)
		name = keep(&waits->sites, key_of(&waker, waker.site), waits->trace,
		            stacks_name_node(waits->trace->job->dataset, waits->trace->job->choices,
		                             waker.at, waker.site));
	trace_add_argument(event, words[waker.kind].where, TRACE_NAME, name);
}

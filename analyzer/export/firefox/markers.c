/* markers.c: see markers.h. The events are those of trace.h. If they are too many, the shortest
 * are left out. */
#include "analyzer/export/firefox/markers.h"

#include "analyzer/base/memory.h"

#include <stdlib.h>

static int is_marker(const struct trace_event *event)
{
	return event->kind != FXT_EVENT_COUNTER && event->category != TRACE_WORD_SAMPLED &&
	       event->category != TRACE_WORD_CALLS;
}

/* Instants are left out last. */
static uint64_t length_of(const struct export_marker *marker)
{
	return marker->is_instant ? UINT64_MAX : marker->end_ns - marker->begin_ns;
}

static int longest_first(const void *left, const void *right)
{
	uint64_t a = length_of(left), b = length_of(right);

	return a > b ? -1 : a < b;
}

/* Keep the longest. Arguments of the others stay; they are no more than those that are kept. */
static void drop(struct export_markers *markers)
{
	if (markers->count <= EXPORT_MARKERS_MAX)
		return;
	qsort(markers->markers, markers->count, sizeof(*markers->markers), longest_first);
	markers->left_out += markers->count - EXPORT_MARKERS_MAX;
	for (size_t i = EXPORT_MARKERS_MAX; i < markers->count; i++)
		markers->instants_left_out += markers->markers[i].is_instant;
	markers->count = EXPORT_MARKERS_MAX;
}

/* Move the arguments of what is kept together. */
static void pack(struct export_markers *markers)
{
	struct trace_argument *packed = memory_take(markers->argument_count, sizeof(*packed));
	size_t count = 0;

	for (size_t i = 0; i < markers->count; i++) {
		struct export_marker *marker = &markers->markers[i];
		size_t from = marker->arguments;

		marker->arguments = count;
		for (unsigned j = 0; j < marker->argument_count; j++)
			packed[count++] = markers->arguments[from + j];
	}
	free(markers->arguments);
	markers->arguments = packed;
	markers->argument_capacity = markers->argument_count;
	markers->argument_count = count;
}

static int by_tid_and_begin(const void *left, const void *right)
{
	const struct export_thread *a = left, *b = right;

	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

/* Each event asks for its thread, so they are sorted. */
static void sort_threads(struct export_markers *markers)
{
	const struct exp_data_set *set = markers->at->whole;

	free(markers->by_tid);
	markers->by_tid = memory_take(set->thread_count, sizeof(*markers->by_tid));
	for (size_t i = 0; i < set->thread_count; i++)
		markers->by_tid[i] = (struct export_thread){set->threads[i].tid, (uint32_t)i};
	qsort(markers->by_tid, set->thread_count, sizeof(*markers->by_tid), by_tid_and_begin);
}

/* As exp_thread_at: the last of that id that had begun, else the first. */
static uint32_t thread_of(const struct export_markers *markers, uint64_t tid, uint64_t ns)
{
	const struct exp_data_set *set = markers->at->whole;
	const struct export_thread *threads = markers->by_tid;
	int64_t start_ns = markers->at->info->start_real_ns - markers->trace->origin_ns;
	double time_s = ((double)ns - (double)start_ns) / 1e9;
	size_t from = 0, to = set->thread_count;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (threads[middle].tid < (uint32_t)tid)
			from = middle + 1;
		else
			to = middle;
	}
	if (from == set->thread_count || threads[from].tid != (uint32_t)tid)
		return 0;
	while (from + 1 < set->thread_count && threads[from + 1].tid == (uint32_t)tid &&
	       set->threads[threads[from + 1].index].time_s <= time_s)
		from++;
	return threads[from].index + 1;
}

static void event(struct trace *trace, const struct trace_event *at)
{
	struct export_markers *markers = trace->context;
	struct export_marker marker = {.category = at->category,
	                               .name = at->name,
	                               .node = at->node,
	                               .begin_ns = at->begin_ns,
	                               .end_ns = at->end_ns,
	                               .arguments = markers->argument_count,
	                               .argument_count = (uint8_t)at->argument_count,
	                               .is_instant = at->kind == FXT_EVENT_INSTANT};
	uint64_t tid = at->category == TRACE_WORD_STATE ? at->tid - TRACE_STATES : at->tid;

	if (!is_marker(at))
		return;
	if (marker.is_instant || marker.end_ns < marker.begin_ns)
		marker.end_ns = marker.begin_ns;
	marker.thread = thread_of(markers, tid, marker.end_ns);
	markers->markers = memory_grow(markers->markers, markers->count, &markers->capacity,
	                               sizeof(*markers->markers));
	markers->markers[markers->count++] = marker;
	for (unsigned i = 0; i < at->argument_count; i++) {
		markers->arguments = memory_grow(markers->arguments, markers->argument_count,
		                                 &markers->argument_capacity,
		                                 sizeof(*markers->arguments));
		markers->arguments[markers->argument_count++] = at->arguments[i];
	}
	if (markers->count == 2 * EXPORT_MARKERS_MAX) {
		drop(markers);
		pack(markers);
	}
}

static void nothing(struct trace *trace)
{
	(void)trace;
}

static void name(struct trace *trace, uint32_t number)
{
	(void)trace;
	(void)number;
}

static void process(struct trace *trace, uint64_t id, uint32_t number,
                    const struct exp_quality *quality)
{
	(void)trace;
	(void)id;
	(void)number;
	(void)quality;
}

static void thread(struct trace *trace, uint64_t id, uint64_t tid, uint32_t number)
{
	(void)trace;
	(void)id;
	(void)tid;
	(void)number;
}

static int by_thread_and_begin(const void *left, const void *right)
{
	const struct export_marker *a = left, *b = right;

	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	if (a->begin_ns != b->begin_ns)
		return a->begin_ns < b->begin_ns ? -1 : 1;
	return a->arguments < b->arguments ? -1 : a->arguments > b->arguments;
}

void export_markers_init(struct export_markers *markers, struct export_job *job)
{
	static const struct trace_format format = {.has_stacks = 1,
	                                           .begin = nothing,
	                                           .end = nothing,
	                                           .name = name,
	                                           .process = process,
	                                           .thread = thread,
	                                           .event = event};

	*markers = (struct export_markers){.count = 0};
	markers->trace = trace_open(job, &format, markers);
}

void export_markers_read(struct export_markers *markers, const struct dataset_experiment *at)
{
	markers->count = markers->argument_count = 0;
	markers->left_out = markers->instants_left_out = 0;
	markers->at = at;
	sort_threads(markers);
	trace_put_experiment(markers->trace, at);
	drop(markers);
	if (markers->count > 1)
		qsort(markers->markers, markers->count, sizeof(*markers->markers),
		      by_thread_and_begin);
}

void export_markers_fini(struct export_markers *markers)
{
	trace_close(markers->trace);
	free(markers->markers);
	free(markers->arguments);
	free(markers->by_tid);
}

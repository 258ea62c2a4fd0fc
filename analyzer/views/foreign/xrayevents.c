/* xrayevents.c: the calls of a foreign log as trace events. */
#include "analyzer/views/foreign/xrayforms.h"

#include "analyzer/base/memory.h"
#include "analyzer/views/foreign/xraysorted.h"

#include <stdlib.h>
#include <string.h>

/* A path of calls: llvm-xray numbers them in order of their first entries. */
struct frame {
	uint32_t function, parent;          /* parent: number + 1, 0 none */
	uint32_t first_child, next_sibling; /* number + 1 */
};

struct thread {
	uint32_t tid, top; /* top: number + 1 */
};

struct frames {
	struct frame *at; /* at[count] */
	size_t count, capacity;
	struct thread *threads; /* threads[thread_count] */
	size_t thread_count, thread_capacity;
	uint32_t roots;
};

static struct thread *find_thread(struct frames *frames, uint32_t tid)
{
	for (size_t i = 0; i < frames->thread_count; i++)
		if (frames->threads[i].tid == tid)
			return &frames->threads[i];
	frames->threads = memory_grow(frames->threads, frames->thread_count,
	                              &frames->thread_capacity, sizeof(*frames->threads));
	frames->threads[frames->thread_count] = (struct thread){.tid = tid};
	return &frames->threads[frames->thread_count++];
}

/* The frame of a function below a parent (number + 1, 0 none), made if it is new. Returns its
 * number + 1. */
static uint32_t find_frame(struct frames *frames, uint32_t parent, uint32_t function)
{
	uint32_t first = parent == 0 ? frames->roots : frames->at[parent - 1].first_child;

	for (uint32_t at = first; at != 0; at = frames->at[at - 1].next_sibling)
		if (frames->at[at - 1].function == function)
			return at;
	frames->at = memory_grow(frames->at, frames->count, &frames->capacity, sizeof(*frames->at));
	frames->at[frames->count++] = (struct frame){
		.function = function, .parent = parent, .next_sibling = first};
	*(parent == 0 ? &frames->roots
	              : &frames->at[parent - 1].first_child) = (uint32_t)frames->count;
	return (uint32_t)frames->count;
}

static void put_name(FILE *out, const struct xraylogs_source *source, uint32_t function)
{
	char number[XRAYLOGS_NUMBER];
	const char *name = xraylogs_name(source, function, "", number);

	print_json_string(out, name, strlen(name));
}

static void put_trace_record(FILE *out, const struct xraylogs_source *source,
                             const struct xraylog_record *record, char phase, uint32_t frame,
                             int is_first)
{
	const struct xraylog *log = source->log;
	double us = log->cycle_frequency != 0
	                    ? 1e6 / (double)log->cycle_frequency * (double)record->tsc
	                    : (double)record->tsc;

	fprintf(out, "%s\n    { \"name\" : ", is_first ? "" : ",");
	put_name(out, source, record->function);
	fprintf(out,
	        ", \"ph\" : \"%c\", \"tid\" : \"%u\", \"pid\" : \"%u\", \"ts\" : \"%.*f\", \"sf\" : \"%u\" }",
	        phase, record->tid, log->version >= 3 ? record->pid : 1, log->version >= 3 ? 4 : 3,
	        us, frame - 1);
}

static void put_frames(FILE *out, const struct xraylogs_source *source, const struct frames *frames)
{
	fputs("\n  ],\n  \"displayTimeUnit\": \"ns\",\n  \"stackFrames\": {", out);
	for (size_t i = 0; i < frames->count; i++) {
		fprintf(out, "%s\n    \"%zu\" : { \"name\" : ", i == 0 ? "" : ",", i);
		put_name(out, source, frames->at[i].function);
		if (frames->at[i].parent != 0)
			fprintf(out, ", \"parent\": \"%u\"", frames->at[i].parent - 1);
		fputs(" }", out);
	}
	fputs("\n  }\n}\n", out);
}

struct events {
	FILE *out;
	const struct xraylogs_source *source;
	struct frames frames;
	int has_begun;
};

static void put_trace_event(struct events *events, const struct xraylog_record *record)
{
	struct frames *frames = &events->frames;
	struct thread *thread;

	if (record->kind == XRAYLOG_CUSTOM || record->kind == XRAYLOG_TYPED)
		return;
	thread = find_thread(frames, record->tid);
	if (record->kind == XRAYLOG_ENTER || record->kind == XRAYLOG_ENTER_ARGUMENT) {
		thread->top = find_frame(frames, thread->top, record->function);
		put_trace_record(events->out, events->source, record, 'B', thread->top,
		                 !events->has_begun);
		events->has_begun = 1;
	} else if (thread->top != 0) {
		put_trace_record(events->out, events->source, record, 'E', thread->top,
		                 !events->has_begun);
		thread->top = frames->at[thread->top - 1].parent;
	}
}

void xrayforms_put_events(FILE *out, const struct xraylogs_source *source)
{
	struct events events = {.out = out, .source = source};
	struct sorter *sorter = xraysorted_begin(source->log);
	struct xraylog_record record;

	fputs("{\n  \"traceEvents\": [", out);
	while (xraysorted_next(sorter, &record))
		put_trace_event(&events, &record);
	put_frames(out, source, &events.frames);
	free(events.frames.at);
	free(events.frames.threads);
	sorter_free(sorter);
}

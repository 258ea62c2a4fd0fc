/* trace_stacks.c: turns clock samples into durations of functions. If a function is at the same
 * depth in successive stacks of a thread, it is assumed to have run from the first to the last of
 * them. A sample stands for the CPU time before it; if a thread did not run for longer than half of
 * that, all its functions end. */
#include "analyzer/export/trace.h"

#include "format/record.h"
#include "analyzer/base/memory.h"

#include <stdlib.h>
#include <string.h>

enum {
	DEPTH_MAX = 4096, /* of functions; of a deeper stack the outermost are left out */
	TEXT_FRAMES = 24  /* the same, in text */
};

#define NOT_RESOLVED UINT16_MAX

struct frame {
	uint32_t name;
	uint64_t begin_ns;
};

/* What is open in a thread, outermost first. */
struct thread {
	uint64_t tid;
	uint64_t last_ns;
	uint32_t node; /* of the last sample */
	struct frame *frames;
	size_t count, capacity;
};

struct trace_stacks {
	struct trace *trace;
	const struct dataset_experiment *at;
	const struct exp_nodes *nodes;
	unsigned char *is_parent;
	uint32_t *first, *names; /* names[first[node]..]: the functions of a node, counts[node]
	                            many, outermost first */
	uint16_t *counts;
	size_t name_count, name_capacity;
	struct thread *threads;
	size_t thread_count, thread_capacity;
	struct exp_index by_tid;
	struct exp_index texts; /* a node -> number of its stack as text */
	uint32_t path[DEPTH_MAX];
};

struct trace_stacks *trace_stacks_create(struct trace *trace, const struct dataset_experiment *at)
{
	struct trace_stacks *stacks = memory_take(1, sizeof(*stacks));
	size_t count = at->whole->nodes.count;

	stacks->trace = trace;
	stacks->at = at;
	stacks->nodes = &at->whole->nodes;
	stacks->is_parent = tree_find_parents(stacks->nodes);
	stacks->first = memory_take(count, sizeof(*stacks->first));
	stacks->counts = memory_take(count, sizeof(*stacks->counts));
	memset(stacks->counts, 0xff, count * sizeof(*stacks->counts));
	return stacks;
}

static void add_function(struct trace_stacks *stacks, const struct sym_function *function)
{
	stacks->names = memory_grow(stacks->names, stacks->name_count, &stacks->name_capacity,
	                            sizeof(*stacks->names));
	stacks->names[stacks->name_count++] = trace_name_function(
		stacks->trace, shown_function(stacks->trace->job->dataset->shown, function));
}

/* Find the functions of a node. The recorder's own are left out unless they are wanted. */
static void resolve(struct trace_stacks *stacks, uint32_t node)
{
	const struct dataset *dataset = stacks->trace->job->dataset;
	const struct exp_nodes *nodes = stacks->nodes;
	const struct sym_frame *frames;
	enum frames_kind kind;
	int count, last;

	stacks->first[node] = (uint32_t)stacks->name_count;
	stacks->counts[node] = 0;
	count = frames_find(dataset->symbols, stacks->at->experiment, nodes->pc[node],
	                    nodes->generation[node], tree_is_leaf(nodes, stacks->is_parent, node),
	                    dataset->mode, &frames, &kind);
	if (count < 0)
		memory_fail();
	if (count < 1 || kind != FRAMES_SHOWN)
		return;
	/* A function inlined at the beginning of a traced one was not called there. */
	last = node < nodes->traced ? 0 : count - 1;
	for (int i = count - 1; i >= last; i--)
		add_function(stacks, frames[i].function);
	stacks->counts[node] = (uint16_t)(count - last);
}

uint32_t trace_stacks_function(struct trace_stacks *stacks, uint32_t node)
{
	if (node >= stacks->nodes->count)
		return TRACE_WORD_UNKNOWN;
	if (stacks->counts[node] == NOT_RESOLVED)
		resolve(stacks, node);
	return stacks->counts[node] == 0 ? TRACE_WORD_UNKNOWN : stacks->names[stacks->first[node]];
}

static struct thread *find_thread(struct trace_stacks *stacks, uint64_t tid)
{
	uint32_t known = exp_index_find(&stacks->by_tid, tid);

	if (known != EXP_INDEX_NONE)
		return &stacks->threads[known];
	stacks->threads = memory_grow(stacks->threads, stacks->thread_count,
	                              &stacks->thread_capacity, sizeof(*stacks->threads));
	stacks->threads[stacks->thread_count] = (struct thread){.tid = tid, .node = EXP_NO_INDEX};
	if (exp_index_add(&stacks->by_tid, tid, (uint32_t)stacks->thread_count) != 0)
		memory_fail();
	return &stacks->threads[stacks->thread_count++];
}

/* End all but the outermost `keep` functions of a thread at `ns`. */
static void end_frames(struct trace_stacks *stacks, struct thread *thread, size_t keep, uint64_t ns)
{
	while (thread->count > keep) {
		const struct frame *frame = &thread->frames[--thread->count];
		const struct trace_event event = {.kind = FXT_EVENT_COMPLETE,
		                                  .category = TRACE_WORD_SAMPLED,
		                                  .name = frame->name,
		                                  .process = (uint64_t)stacks->at->info->pid,
		                                  .tid = thread->tid + TRACE_SAMPLED,
		                                  .node = EXP_NO_INDEX,
		                                  .begin_ns = frame->begin_ns,
		                                  .end_ns = ns};

		stacks->trace->format->event(stacks->trace, &event);
	}
}

/* The functions of a stack, innermost first, in stacks->path. Returns their number. */
static size_t find_path(struct trace_stacks *stacks, uint32_t node)
{
	size_t count = 0;

	while (node < stacks->nodes->count) {
		if (stacks->counts[node] == NOT_RESOLVED)
			resolve(stacks, node);
		for (unsigned i = stacks->counts[node]; i > 0 && count < DEPTH_MAX; i--)
			stacks->path[count++] = stacks->names[stacks->first[node] + i - 1];
		node = stacks->nodes->parent[node] < node ? stacks->nodes->parent[node]
		                                          : EXP_NO_INDEX;
	}
	return count;
}

uint32_t trace_stacks_text(struct trace_stacks *stacks, uint32_t node)
{
	uint32_t known = exp_index_find(&stacks->texts, node);
	struct trace *trace = stacks->trace;
	size_t depth, size;
	char *text;
	FILE *out;

	if (known != EXP_INDEX_NONE)
		return known;
	depth = find_path(stacks, node);
	out = memory_stream(&text, &size);
	for (size_t i = 0; i < depth && i < TEXT_FRAMES; i++) {
		const struct trace_name *name = &trace->names[stacks->path[i]];

		fprintf(out, i ? " <- %.*s" : "%.*s", (int)name->size, name->text);
	}
	if (depth > TEXT_FRAMES)
		fputs(" <- ...", out);
	memory_stream_end(out, &text);
	known = trace_name_bytes(trace, text, size);
	free(text);
	if (exp_index_add(&stacks->texts, node, known) != 0)
		memory_fail();
	return known;
}

/* The thread is in another stack from `ns` on: end the functions that it left, begin those that it
 * entered. */
static void change_stack(struct trace_stacks *stacks, struct thread *thread, uint32_t node,
                         uint64_t ns)
{
	size_t count = find_path(stacks, node), same = 0;

	while (same < count && same < thread->count &&
	       thread->frames[same].name == stacks->path[count - same - 1])
		same++;
	end_frames(stacks, thread, same, ns);
	for (; same < count; same++) {
		thread->frames = memory_grow(thread->frames, thread->count, &thread->capacity,
		                             sizeof(*thread->frames));
		thread->frames[thread->count++] = (struct frame){stacks->path[count - same - 1],
		                                                 ns};
	}
	thread->node = node;
}

void trace_stacks_sample(struct trace_stacks *stacks, uint64_t tid, uint64_t ns, uint64_t cpu_ns,
                         uint32_t node)
{
	struct thread *thread = find_thread(stacks, tid);
	uint64_t begin = ns > cpu_ns ? ns - cpu_ns : 0;

	/* A sample older than the one before it has no place on the axis any more. */
	if (ns <= thread->last_ns)
		return;
	if (begin > thread->last_ns + cpu_ns / 2)
		end_frames(stacks, thread, 0, thread->last_ns);
	else
		begin = thread->last_ns;
	if (thread->node != node || thread->count == 0)
		change_stack(stacks, thread, node, begin);
	thread->last_ns = ns;
}

void trace_stacks_destroy(struct trace_stacks *stacks)
{
	for (size_t i = 0; i < stacks->thread_count; i++) {
		end_frames(stacks, &stacks->threads[i], 0, stacks->threads[i].last_ns);
		free(stacks->threads[i].frames);
	}
	free(stacks->threads);
	exp_index_fini(&stacks->by_tid);
	exp_index_fini(&stacks->texts);
	free(stacks->names);
	free(stacks->counts);
	free(stacks->first);
	free(stacks->is_parent);
	free(stacks);
}

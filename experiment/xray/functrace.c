/* functrace.c: reads the function trace: sums up its calls, and makes nodes of their paths.
 * See doc/decisions/28-call-pairing.md. */
#include "experiment/xray/functrace.h"

#include "experiment/base/internal.h"
#include "experiment/streams/load_context.h"
#include "experiment/streams/readers.h"
#include "experiment/xray/calls.h"
#include "experiment/xray/foreign.h"
#include "format/layout.h"

#include <errno.h>
#include <stdlib.h>

struct reader {
	struct exp_load *load;
	struct calls *calls;
	struct calls_thread *thread;
};

static int on_buffer(void *context, uint32_t tid, uint64_t tsc)
{
	struct reader *reader = context;

	reader->thread = calls_thread(reader->calls, tid);
	if (!reader->thread || exp_load_use(reader->load, tid, tsc) < 0)
		return -ENOMEM;
	exp_load_time(reader->load, tsc);
	return 0;
}

static const uint8_t *on_functions(void *context, const uint8_t *at, const uint8_t *end,
                                   uint64_t *tsc)
{
	struct reader *reader = context;
	struct calls *calls = reader->calls;
	struct calls_thread *thread = reader->thread;
	uint64_t time = *tsc, entries = 0, exits = 0, until = reader->load->experiment->until;

	if (!until)
		until = UINT64_MAX;

	for (; at < end; at += sizeof(uint64_t)) {
		uint64_t word;
		uint32_t function;

		memcpy(&word, at, sizeof(word));
		if ((word & 1) != 0 || word == 0 || (word >> 1 & 7) > FDR_ENTER_ARG)
			break;
		time += word >> 32;
		if (time > until)
			continue;
		function = calls_function(calls, (uint32_t)word >> 4);
		if (calls->rc != 0)
			return NULL;
		if ((word >> 1 & 7) == FDR_EXIT || (word >> 1 & 7) == FDR_TAIL_EXIT) {
			calls_exit(calls, thread, function, time);
			exits++;
		} else {
			calls_enter(calls, thread, function, time);
			entries++;
		}
	}
	calls->shown.entries += entries;
	calls->shown.exits += exits;
	thread->tsc = time;
	*tsc = time;
	return at;
}

static int on_argument(void *context, uint64_t value)
{
	struct reader *reader = context;

	(void)value;
	reader->calls->shown.arguments++;
	return 0;
}

static int on_event(void *context, const uint8_t *payload, uint32_t size, uint64_t tsc)
{
	struct reader *reader = context;

	(void)tsc;
	if (payload[0] == FMT_KIND_trace_begin && size >= sizeof(struct fmt_trace_begin))
		calls_abandon(reader->calls, reader->thread);
	else
		reader->calls->shown.events++;
	return 0;
}

/* ---- which function a number means ---- */

static void on_name(void *context, struct exp_cursor *cursor)
{
	struct calls *calls = context;
	struct exp_call_function *function;
	struct fmt_function named;
	uint32_t index;

	if (cursor->payload[0] != FMT_KIND_function)
		return;
	memcpy(&named, cursor->payload, cursor->payload_size < sizeof(named) ? 0 : sizeof(named));
	if (cursor->payload_size < sizeof(named) || named.id > FDR_FUNCTION_MAX) {
		exp_cursor_fault(cursor, "not a function");
		return;
	}
	/* Most functions of a program are never called. */
	if (!calls->pages[named.id >> CALLS_PAGE_SHIFT] ||
	    calls->pages[named.id >> CALLS_PAGE_SHIFT][named.id % CALLS_PAGE] == 0)
		return;
	index = calls_function(calls, named.id);
	function = &calls->functions[index];
	function->address = named.addr;
	function->generation = named.generation;
}

static int read_names(struct exp_load *load, struct calls *calls)
{
	struct exp_stream stream;
	int rc, is_mapped;

	for (size_t i = 0; load->experiment->foreign && i < calls->function_count; i++)
		calls->functions[i].address = experiment_foreign_address(
			load->experiment, calls->functions[i].id, &is_mapped);
	rc = exp_stream_open(load->experiment, exp_stream_names[FMT_STREAM_FUNCTABLE], &stream);

	if (rc != 0)
		return rc == -ENOMEM ? rc : 0;
	rc = exp_stream_each(&stream, on_name, calls);
	exp_stream_close(&stream);
	return rc;
}

/* ---- the whole ---- */

int functrace_walk_experiment(struct experiment *experiment, const struct functrace_sink *sink)
{
	struct exp_stream stream;
	int rc;

	if (experiment->foreign)
		return foreign_walk(experiment->foreign, sink);
	rc = exp_stream_open(experiment, exp_stream_names[FMT_STREAM_FUNCTRACE], &stream);
	if (rc != 0)
		return rc;
	rc = functrace_walk(&stream, sink);
	exp_stream_close(&stream);
	return rc;
}

/* Paths become nodes: their parents come before them. */
static int add_nodes(struct exp_load *load, const struct calls *calls)
{
	load->set.nodes.traced = load->nodes.count;
	for (size_t i = 1; i < calls->path_count; i++) {
		const struct calls_path *path = &calls->paths[i];
		const struct exp_call_function *function = &calls->functions[path->function];
		uint32_t parent = path->parent == 0
		                          ? EXP_NODE_NONE
		                          : (uint32_t)load->set.nodes.traced + path->parent - 1;
		int rc = exp_nodes_add(&load->nodes, function->address, parent,
		                       function->generation);

		if (rc != 0)
			return rc;
	}
	return 0;
}

static int pair(struct exp_load *load)
{
	struct calls *calls = load->calls;
	struct reader reader = {.load = load, .calls = calls};
	struct functrace_sink sink = {on_buffer, on_functions, on_argument, on_event, &reader};
	int rc = functrace_walk_experiment(load->experiment, &sink);

	if (calls->rc != 0)
		rc = calls->rc;
	if (rc == 0)
		rc = read_names(load, calls);
	if (rc != 0)
		return rc;
	for (size_t i = 0; i < calls->thread_count; i++)
		exp_load_time(load, calls->threads[i].tsc);
	calls_finish(calls);
	return 0;
}

/* The tables are large, and most of thousands of descendants have no trace. */
int exp_functrace_exists(const struct experiment *experiment)
{
	uint64_t size;
	int is_packed;

	return experiment->foreign ||
	       (!exp_directory_lacks(experiment, exp_stream_names[FMT_STREAM_FUNCTRACE]) &&
	        exp_data_file_find(experiment->directory, exp_stream_names[FMT_STREAM_FUNCTRACE],
	                           &size, &is_packed));
}

/* Walk the trace; `ask` as in struct calls. */
static int read_stream(struct exp_load *load,
                       int (*ask)(void *context, const struct calls_thread *thread, uint32_t path,
                                  uint64_t tsc, uint64_t ticks, uint64_t self))
{
	int rc;

	if (!exp_functrace_exists(load->experiment))
		return 0;
	load->calls = malloc(sizeof(*load->calls));
	rc = !load->calls ? -ENOMEM : calls_init(load->calls, load->experiment->clock.hz);
	if (rc != 0)
		return rc;
	load->calls->ask = ask;
	load->calls->context = load;
	rc = pair(load);
	if (rc == -ENOENT || rc == -EBADMSG) {
		exp_functrace_free(load);
		return 0;
	}
	return rc;
}

int exp_functrace_read(struct exp_load *load)
{
	int rc = 0;

	if (load->has_others_nodes) {
		load->set.nodes.traced = load->experiment->load->set.nodes.traced;
		return 0;
	}
	load->set.nodes.traced = load->nodes.count;
	rc = read_stream(load, NULL);
	return rc != 0 || !load->calls ? rc : add_nodes(load, load->calls);
}

/* Credit a call, as the selection wants it. */
static int ask(void *context, const struct calls_thread *thread, uint32_t path, uint64_t tsc,
               uint64_t ticks, uint64_t self)
{
	struct exp_load *load = context;
	struct exp_fact fact = {
		.data = EXP_DATA_FUNCTRACE,
		.ticks = tsc,
		.wait_ticks = ticks,
		.buffer_ticks = tsc,
		.tid = thread->tid,
		.node = path == 0 ? EXP_NO_INDEX : (uint32_t)(load->set.nodes.traced + path - 1),
	};
	uint32_t row = exp_load_row_of(load, &fact);

	if (row == EXP_ROW_NONE)
		return 0;
	exp_load_add(load, EXP_TRACE_CALLS, row, 1);
	exp_load_add(load, EXP_TRACE_TIME, row, self);
	return 1;
}

static int add_values(struct exp_load *load)
{
	const struct calls *calls = load->calls;

	for (size_t i = 1; i < calls->path_count; i++) {
		uint32_t row = exp_load_node_row(load, (uint32_t)(load->set.nodes.traced + i - 1));

		if (row == EXP_ROW_NONE)
			return -ENOMEM;
		exp_load_add(load, EXP_TRACE_CALLS, row, calls->paths[i].count);
		exp_load_add(load, EXP_TRACE_TIME, row, calls->paths[i].self);
	}
	return 0;
}

int exp_functrace_values(struct exp_load *load)
{
	int rc = 0;

	if (load->has_others_nodes ? !(load->experiment->load->set.have & EXP_DATA_FUNCTRACE)
	                           : !load->calls)
		return 0;
	if (exp_load_need(load, EXP_TRACE_CALLS) != 0 || exp_load_need(load, EXP_TRACE_TIME) != 0)
		return -ENOMEM;
	if (!load->selection) {
		rc = add_values(load);
	} else {
		exp_functrace_free(load);
		rc = read_stream(load, ask);
	}
	if (rc != 0 || !load->calls)
		return rc;
	exp_load_metric_ns(load, EXP_TRACE_TIME);
	load->set.have |= EXP_DATA_FUNCTRACE;
	load->set.calls = load->calls->shown;
	for (size_t i = 0; i < load->calls->function_count; i++)
		load->set.quality.calls += load->calls->functions[i].count +
		                           load->calls->functions[i].cut;
	return 0;
}

void exp_functrace_free(struct exp_load *load)
{
	if (!load->calls)
		return;
	calls_fini(load->calls);
	free(load->calls);
	load->calls = NULL;
}

/* events.c: reads the events of a process that the filters let through, each once. The same reading
 * adds up what each thread has of the metrics. See events.h. */
#include "analyzer/export/sqlite/events.h"

#include "analyzer/base/memory.h"

#include <stdlib.h>

static uint32_t row_of(struct sql_walk *walk, uint32_t thread)
{
	uint32_t *row = &walk->row_of[thread];

	if (*row == 0) {
		walk->thread_of[walk->row_count++] = thread;
		*row = walk->row_count;
	}
	return *row - 1;
}

static void put_event(struct sql_walk *walk, const struct sql_event *event)
{
	switch (event->fact->data) {
	case EXP_DATA_SYNC:
		sql_waits_sync(walk, event);
		break;
	case EXP_DATA_WALL:
		sql_waits_wall(walk, event);
		break;
	case EXP_DATA_PROFILE:
		sql_waits_sample(walk, event);
		sql_event_put(walk, event);
		break;
	default:
		sql_event_put(walk, event);
	}
}

static uint32_t on_fact(void *context, const struct exp_fact *fact)
{
	struct sql_walk *walk = context;
	struct sql_event event = {.fact = fact};
	int64_t thread;

	if (walk->filters && !filters_select(walk->filters, fact))
		return EXP_ROW_NONE;
	if (!filter_run_value(walk->thread, fact, &thread) || thread < 0 ||
	    (uint64_t)thread > walk->at->whole->thread_count)
		thread = 0;
	event.thread = walk->process->first_thread + thread;
	event.span = axis_span_of(walk->at->experiment, 0, fact);
	if (walk->puts_events)
		put_event(walk, &event);
	return walk->adds_up ? row_of(walk, (uint32_t)thread) : EXP_ROW_NONE;
}

static uint64_t next_cut(void *context, uint64_t ticks)
{
	const struct sql_walk *walk = context;

	return filters_next_cut(walk->filters, ticks);
}

static int on_begin(void *context, const struct exp_nodes *nodes)
{
	struct sql_walk *walk = context;
	int status = walk->filters ? filters_begin(walk->filters, nodes) : 0;

	free(walk->node_of);
	walk->node_of = sql_nodes_find(nodes, &walk->at->whole->nodes);
	return status != 0 ? status : filter_run_begin(walk->thread, nodes);
}

static void put_thread_metric(const struct sql_walk *walk, uint32_t thread, unsigned metric,
                              uint64_t value)
{
	struct cell *row = database_row(walk->database, SQL_THREAD_METRIC);

	cell_integer(&row[SQL_THREAD_METRIC_thread], walk->process->first_thread + thread);
	cell_integer(&row[SQL_THREAD_METRIC_metric], metric);
	cell_count(&row[SQL_THREAD_METRIC_value], value);
}

static void put_thread_metrics(const struct sql_walk *walk, const struct exp_nodes *nodes)
{
	const struct export_job *job = walk->sql->job;

	for (uint32_t at = 0; at < walk->row_count && at < nodes->row_count; at++) {
		uint64_t of[EXP_METRICS];
		struct metric_values values;

		for (size_t i = 0; i < EXP_METRICS; i++)
			of[i] = nodes->value[i] ? nodes->value[i][at] : 0;
		values = tree_values_of(of);
		for (size_t i = 0; i < job->metric_count; i++)
			if (values.of[job->metrics[i]] != 0)
				put_thread_metric(walk, walk->thread_of[at], job->metrics[i],
				                  values.of[job->metrics[i]]);
	}
}

static void read_events(struct sql_walk *walk, int puts_events, int adds_up)
{
	const struct dataset *dataset = walk->sql->job->dataset;
	const struct filter_place place = filters_place(dataset, walk->at);
	struct exp_selection selection = {.context = walk,
	                                  .begin = on_begin,
	                                  .row = on_fact,
	                                  .is_grouped = 1,
	                                  .wants_frees = puts_events != 0};
	struct expression_error error;
	struct expression *thread = expression_compile("THRID", &error);
	const struct exp_data_set *set;

	walk->puts_events = puts_events;
	walk->adds_up = adds_up;
	filters_ask(dataset->filters, &selection);
	if (filters_are_set(dataset->filters)) {
		walk->filters = filters_open(dataset->filters, &place);
		selection.next_cut = puts_events ? NULL : next_cut;
	}
	walk->thread = filter_run_create(thread, &place);
	if (experiment_select(walk->at->experiment, &selection, &set) != 0)
		memory_fail();
	if (adds_up)
		put_thread_metrics(walk, &set->nodes);
	exp_data_set_destroy(set);
	filter_run_destroy(walk->thread);
	if (walk->filters)
		filters_close(walk->filters);
	expression_destroy(thread);
}

void sql_events_put(struct sql *sql, const struct sql_process *process)
{
	struct sql_walk walk = {.sql = sql,
	                        .database = sql->database,
	                        .process = process,
	                        .at = process->at,
	                        .clock_states.type = "clock_state",
	                        .heap_funcs.type = "heap_func",
	                        .map_funcs.type = "map_func",
	                        .io_funcs.type = "io_func",
	                        .sync_funcs.type = "sync_func",
	                        .wall_states.type = "wall_state",
	                        .omp_events.type = "omp_event",
	                        .mpi_messages.type = "mpi_message"};
	size_t threads = process->at->whole->thread_count + 1;
	int is_cut;

	walk.row_of = memory_take(threads, sizeof(*walk.row_of));
	walk.thread_of = memory_take(threads, sizeof(*walk.thread_of));
	sql_files_put(&walk);
	walk.waits = sql_waits_create(&walk);
	/* Where filters may cut waits of wall-clock time, metrics have a part, and events the
	 * whole. */
	is_cut = filters_are_set(sql->job->dataset->filters) &&
	         (process->at->whole->have & EXP_DATA_WALL);
	read_events(&walk, 1, !is_cut);
	if (is_cut)
		read_events(&walk, 0, 1);
	database_flush(sql->database);
	sql_waits_destroy(&walk);
	exp_index_fini(&walk.files);
	free(walk.node_of);
	free(walk.row_of);
	free(walk.thread_of);
}

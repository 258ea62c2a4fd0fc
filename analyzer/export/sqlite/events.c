/* events.c: the events of a process that the filters let through, a row each, in one reading. The
 * same reading adds up what each thread has of the metrics. See sqlite.h. */
#include "analyzer/export/sqlite/sqlite.h"

#include "analyzer/base/memory.h"
#include "analyzer/data/filters.h"
#include "analyzer/report/axis.h"
#include "format/record.h"

#include <stdlib.h>

/* A reading. */
struct walk {
	struct sql *sql;
	struct database *database;
	const struct sql_process *process;
	const struct dataset_experiment *at;
	struct filters_run *filters;
	struct filter_run *thread;
	uint32_t *row_of;    /* by number of a thread: its row of values + 1, 0: none yet */
	uint32_t *thread_of; /* by row: number of the thread */
	uint32_t row_count;
};

/* What the rows of all events begin with. */
struct event {
	const struct exp_fact *fact;
	int64_t thread;
	struct axis_span span;
};

static void put_stack(const struct walk *walk, struct cell *cell, const uint32_t *places,
                      uint32_t node)
{
	uint32_t stack = sql_stack(walk->sql, places, walk->process->places.count, node);

	if (stack != 0)
		cell_integer(cell, stack);
}

static void put_own_stack(const struct walk *walk, struct cell *cell, const struct event *event)
{
	put_stack(walk, cell, walk->process->places.own, event->fact->node);
}

static void put_sample(const struct walk *walk, const struct event *event)
{
	const struct exp_fact *fact = event->fact;
	struct cell *row = database_row(walk->database, SQL_SAMPLE);

	cell_integer(&row[SQL_SAMPLE_thread], event->thread);
	cell_integer(&row[SQL_SAMPLE_time_ns], event->span.end_ns);
	put_stack(walk, &row[SQL_SAMPLE_stack], walk->process->places.clock, fact->node);
	cell_integer(&row[SQL_SAMPLE_cpu], fact->cpu);
	cell_count(&row[SQL_SAMPLE_cpu_ns], fact->cpu_ns);
	cell_text(&row[SQL_SAMPLE_state], fmt_enum_name("clock_state", fact->type));
}

static void put_counter_sample(const struct walk *walk, const struct event *event)
{
	const struct exp_fact *fact = event->fact;
	struct cell *row = database_row(walk->database, SQL_COUNTER_SAMPLE);

	cell_integer(&row[SQL_COUNTER_SAMPLE_thread], event->thread);
	cell_integer(&row[SQL_COUNTER_SAMPLE_time_ns], event->span.end_ns);
	put_own_stack(walk, &row[SQL_COUNTER_SAMPLE_stack], event);
	cell_integer(&row[SQL_COUNTER_SAMPLE_cpu], fact->cpu);
	cell_integer(&row[SQL_COUNTER_SAMPLE_metric], METRIC_COUNTER0 + (int64_t)fact->type);
	cell_count(&row[SQL_COUNTER_SAMPLE_count], fact->bytes);
}

static void put_event(struct walk *walk, const struct event *event)
{
	switch (event->fact->data) {
	case EXP_DATA_PROFILE:
		put_sample(walk, event);
		break;
	case EXP_DATA_COUNTERS:
		put_counter_sample(walk, event);
		break;
	default:
		break;
	}
}

static uint32_t row_of(struct walk *walk, uint32_t thread)
{
	uint32_t *row = &walk->row_of[thread];

	if (*row == 0) {
		walk->thread_of[walk->row_count++] = thread;
		*row = walk->row_count;
	}
	return *row - 1;
}

static uint32_t on_fact(void *context, const struct exp_fact *fact)
{
	struct walk *walk = context;
	struct event event = {.fact = fact};
	int64_t thread;

	if (!filters_select(walk->filters, fact))
		return EXP_ROW_NONE;
	if (!filter_run_value(walk->thread, fact, &thread) || thread < 0 ||
	    (uint64_t)thread > walk->at->whole->thread_count)
		thread = 0;
	event.thread = walk->process->first_thread + thread;
	event.span = axis_span_of(walk->at->experiment, 0, fact);
	put_event(walk, &event);
	return row_of(walk, (uint32_t)thread);
}

static int on_begin(void *context, const struct exp_nodes *nodes)
{
	struct walk *walk = context;
	int status = filters_begin(walk->filters, nodes);

	return status != 0 ? status : filter_run_begin(walk->thread, nodes);
}

static void put_thread_metrics(const struct walk *walk, const struct exp_nodes *nodes)
{
	const struct export_job *job = walk->sql->job;

	for (uint32_t at = 0; at < walk->row_count && at < nodes->row_count; at++) {
		uint64_t of[EXP_METRICS];
		struct metric_values values;

		for (size_t i = 0; i < EXP_METRICS; i++)
			of[i] = nodes->value[i] ? nodes->value[i][at] : 0;
		values = tree_values_of(of);
		for (size_t i = 0; i < job->metric_count; i++) {
			unsigned metric = job->metrics[i];
			struct cell *row;

			if (values.of[metric] == 0)
				continue;
			row = database_row(walk->database, SQL_THREAD_METRIC);
			cell_integer(&row[SQL_THREAD_METRIC_thread],
			             walk->process->first_thread + walk->thread_of[at]);
			cell_integer(&row[SQL_THREAD_METRIC_metric], metric);
			cell_count(&row[SQL_THREAD_METRIC_value], values.of[metric]);
		}
	}
}

static void read_events(struct walk *walk)
{
	const struct dataset *dataset = walk->sql->job->dataset;
	const struct filter_place place = filters_place(dataset, walk->at);
	struct exp_selection selection = {.context = walk,
	                                  .begin = on_begin,
	                                  .row = on_fact,
	                                  .is_grouped = 1,
	                                  .wants_frees = 1};
	struct expression_error error;
	struct expression *thread = expression_compile("THRID", &error);
	const struct exp_data_set *set;

	filters_ask(dataset->filters, &selection);
	walk->filters = filters_open(dataset->filters, &place);
	walk->thread = filter_run_create(thread, &place);
	if (experiment_select(walk->at->experiment, &selection, &set) != 0)
		memory_fail();
	put_thread_metrics(walk, &set->nodes);
	exp_data_set_destroy(set);
	filter_run_destroy(walk->thread);
	filters_close(walk->filters);
	expression_destroy(thread);
}

void sql_events_put(struct sql *sql, const struct sql_process *process)
{
	struct walk walk = {
		.sql = sql, .database = sql->database, .process = process, .at = process->at};
	size_t threads = process->at->whole->thread_count + 1;

	walk.row_of = memory_take(threads, sizeof(*walk.row_of));
	walk.thread_of = memory_take(threads, sizeof(*walk.thread_of));
	read_events(&walk);
	free(walk.row_of);
	free(walk.thread_of);
}

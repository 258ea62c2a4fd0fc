/* load.c: reads all data streams of an experiment into one set of totals. */
#include "experiment/streams/load.h"

#include "experiment/open/parallel.h"
#include "experiment/fxt/fxtlog.h"
#include "experiment/fxt/samples.h"
#include "experiment/base/totals.h"
#include "experiment/base/xmlread.h"
#include "format/layout.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char *const exp_stream_names[] = {
#define STREAM(id, name, role) name,
#include "format/datakind.def"
};

enum { LIVE_TRIES = 3, SLACK_S = 1 };

long exp_load_use(struct exp_load *load, uint32_t tid, uint64_t tsc)
{
	if (exp_array_reserve(&load->uses, &load->use_capacity, load->use_count,
	                      sizeof(*load->uses)) != 0)
		return -ENOMEM;
	load->uses[load->use_count] = (struct exp_buffer_use){.tid = tid, .tsc = tsc};
	return (long)load->use_count++;
}

void exp_load_unknown_stack(struct exp_load *load, const struct exp_cursor *cursor)
{
	if (load->unknown_stacks++ > 0)
		return;
	load->unknown_stream = cursor->stream->name;
	load->unknown_offset = exp_cursor_payload_offset(cursor);
}

int exp_load_metric(struct exp_load *load, enum exp_metric metric)
{
	load->value[metric] = calloc(load->row_capacity + 1, sizeof(*load->value[metric]));
	return !load->value[metric] ? -ENOMEM : 0;
}

struct in_order {
	struct exp_load *load;
	void (*on_event)(void *context, const struct exp_cursor *cursor);
	void *context;
};

static int run_in_order(void *context, struct exp_cursor *cursor, uint64_t until)
{
	const struct in_order *walk = context;
	struct exp_load *load = walk->load;
	int more;

	do {
		if (exp_load_note_buffer(load, cursor) != 0)
			load->rc = -ENOMEM;
		else
			walk->on_event(walk->context, cursor);
		more = exp_cursor_next(cursor);
	} while (more && cursor->key <= until && load->rc == 0);
	return more && load->rc == 0;
}

int exp_load_in_order(struct exp_load *load, struct exp_stream *stream,
                      void (*on_event)(void *context, const struct exp_cursor *cursor),
                      void *context)
{
	struct in_order walk = {load, on_event, context};
	int rc = exp_stream_merge(stream, run_in_order, &walk);

	return rc != 0 ? rc : load->rc;
}

uint64_t exp_load_ns(const struct exp_load *load, uint64_t ticks)
{
	return exp_whole((double)ticks * (1e9 / load->experiment->clock.hz));
}

void exp_load_metric_ns(struct exp_load *load, enum exp_metric metric)
{
	for (size_t i = 0; i < load->row_count; i++)
		load->value[metric][i] = exp_load_ns(load, load->value[metric][i]);
	load->no_stack[metric] = exp_load_ns(load, load->no_stack[metric]);
}

/* The slack is for clocks that disagree. */
int exp_load_is_wait(const struct exp_load *load, uint64_t tsc, uint64_t wait)
{
	const struct exp_clock *clock = &load->experiment->clock;
	int64_t passed = (int64_t)(tsc - clock->start.ticks);

	return (double)wait <= (passed > 0 ? (double)passed : 0) + clock->hz * SLACK_S;
}

int exp_load_cut_wait(const struct exp_load *load, uint64_t tsc, struct fmt_u48 *wait)
{
	int64_t passed = (int64_t)(tsc - load->experiment->clock.start.ticks);

	if (exp_load_is_wait(load, tsc, fmt_u48_get(wait)))
		return 1;
	if (!load->experiment->info.is_attached)
		return 0;
	fmt_u48_put(wait, passed > 0 ? (uint64_t)passed : 0);
	return 1;
}

void exp_load_fini(struct exp_load *load)
{
	if (!load->has_others_nodes)
		exp_nodes_fini(&load->nodes);
	for (size_t i = 0; i < EXP_METRICS; i++)
		free(load->value[i]);
	free(load->others);
	free(load->usage);
	free(load->threads);
	free(load->gcs);
	free(load->java_allocs);
	free(load->uses);
	free(load->sync_objects);
	free(load->sync_waits);
	free(load->io_files);
	free(load->io_descriptors);
	free(load->omp_constructs);
	free(load->mpi_functions);
	free(load->mpi_peers);
	exp_functrace_free(load);
	exp_arena_fini(&load->arena);
}

void exp_load_destroy(struct exp_load *load)
{
	if (!load)
		return;
	exp_load_fini(load);
	free(load);
}

void exp_load_count_other(struct exp_load *load, uint32_t row)
{
	if (row == EXP_NODE_NONE || (load->selection && load->selection->is_grouped))
		return;
	if (!load->others)
		load->others = calloc(load->row_count, sizeof(*load->others));
	if (!load->others)
		load->rc = -ENOMEM;
	else
		load->others[row]++;
}

static uint64_t value_of(const struct exp_load *load, enum exp_metric metric, size_t node)
{
	return !load->value[metric] ? 0 : load->value[metric][node];
}

static uint64_t count_events(const struct exp_load *load, size_t node)
{
	uint64_t events = exp_samples_counted(load, node) +
	                  (!load->others ? 0 : load->others[node]);

	for (size_t i = 0; i < exp_event_total_count; i++)
		events += value_of(load, exp_event_totals[i], node);
	return events;
}

/* Count the stacks that events name, and those that are not whole. */
static void count_stacks(struct exp_load *load)
{
	struct exp_quality *quality = &load->set.quality;

	for (size_t i = 0; i < load->nodes.count; i++) {
		uint64_t events = count_events(load, i);
		unsigned marks = load->nodes.marks[i];

		if (events == 0)
			continue;
		quality->stacks++;
		quality->stack_events += events;
		quality->truncated += (marks & EXP_STACK_TRUNCATED) != 0;
		quality->guessed += (marks & EXP_STACK_GUESSED) != 0;
		quality->failed += (marks & EXP_STACK_FAILED) != 0;
		if (marks & (EXP_STACK_TRUNCATED | EXP_STACK_FAILED))
			quality->truncated_events += events;
	}
}

static void count_losses(struct exp_load *load)
{
	const struct exp_info *info = &load->experiment->info;

	for (size_t i = 0; i < info->counter_count; i++) {
		uint64_t lost;

		if (strncmp(info->counters[i].name, "lost_", 5) == 0 &&
		    exp_number_parse(info->counters[i].value, &lost) == 0)
			load->set.quality.lost += lost;
	}
}

/* CPU time of the process: by its end, else by the latest usage sample. */
static uint64_t find_cpu_time(const struct exp_load *load)
{
	uint64_t cpu_ns = load->experiment->info.cpu_ns;

	if (cpu_ns == 0)
		cpu_ns = experiment_counter(load->experiment, "cpu_ns", 0);
	for (size_t i = 0; i < load->usage_count && load->experiment->info.cpu_ns == 0; i++)
		if (load->usage[i].cpu_ns > cpu_ns)
			cpu_ns = load->usage[i].cpu_ns;
	return cpu_ns;
}

/* The stacks of a load that is not grouped, without values. */
static void tell_nodes(const struct exp_load *load, struct exp_nodes *out)
{
	out->count = load->row_count;
	if (load->selection && load->selection->is_grouped)
		return;
	out->pc = load->nodes.pc;
	out->parent = load->nodes.parent;
	out->generation = load->nodes.generation;
}

static void finish(struct exp_load *load)
{
	struct experiment *experiment = load->experiment;
	struct exp_data_set *set = &load->set;
	int any = load->first_tsc <= load->last_tsc;

	tell_nodes(load, &set->nodes);
	for (size_t i = 0; i < EXP_METRICS; i++) {
		set->nodes.value[i] = load->value[i];
		set->nodes.no_stack[i] = load->no_stack[i];
	}
	set->usage = load->usage;
	set->usage_count = load->usage_count;
	set->threads = load->threads;
	set->thread_count = load->thread_count;
	set->gcs = load->gcs;
	set->gc_count = load->gc_count;
	set->java_allocs = load->java_allocs;
	set->java_alloc_count = load->java_alloc_count;
	if (set->nodes.pc)
		count_stacks(load);
	count_losses(load);
	set->quality.cpu_ns = find_cpu_time(load);
	if (!load->selection)
		exp_log_apply_clock(experiment, any ? load->last_tsc : 0);
	if (any) {
		set->first_s = exp_clock_seconds(&experiment->clock, load->first_tsc);
		set->last_s = exp_clock_seconds(&experiment->clock, load->last_tsc);
	}
	if (set->have & EXP_DATA_HEAP)
		set->heap.moment_count = exp_timeline_tell(&load->timeline, &experiment->clock,
		                                           set->heap.leak_bytes, set->heap.leaks,
		                                           set->heap.moments);
	if (load->peak_tsc != 0)
		set->heap.peak_time_s = exp_clock_seconds(&experiment->clock, load->peak_tsc);
	if (load->map_peak_tsc != 0)
		set->heap.maps.peak_time_s = exp_clock_seconds(&experiment->clock,
		                                               load->map_peak_tsc);
}

/* Stacks do not change once a process has ended, so that their numbers can be kept by others. */
static int read_nodes(struct exp_load *load)
{
	struct experiment *experiment = load->experiment;
	int rc = 0;

	if (experiment->load && experiment->info.status != EXP_RUNNING) {
		load->nodes = experiment->load->nodes;
		load->has_others_nodes = 1;
	} else {
		rc = exp_nodes_read(experiment, &load->nodes);
	}
	return rc;
}

/* All stacks are there: make rows of them, and tell the selection. */
static int begin(struct exp_load *load)
{
	const struct exp_selection *selection = load->selection;
	const struct exp_nodes nodes = {.count = load->nodes.count,
	                                .traced = load->set.nodes.traced,
	                                .pc = load->nodes.pc,
	                                .parent = load->nodes.parent,
	                                .generation = load->nodes.generation};

	if (!selection || !selection->is_grouped)
		load->row_count = load->nodes.count;
	load->row_capacity = load->row_count;
	return !selection || !selection->begin ? 0 : selection->begin(selection->context, &nodes);
}

static int read_streams(struct exp_load *load)
{
	int rc = read_nodes(load);

	if (rc == 0)
		rc = exp_overview_read(load);
	if (rc == 0)
		rc = exp_usage_name(load);
	if (rc == 0)
		rc = exp_samples_read(load);
	if (rc == 0)
		rc = exp_fxtlog_nodes(load);
	if (rc == 0)
		rc = exp_functrace_read(load);
	if (rc == 0)
		rc = begin(load);
	if (rc == 0)
		rc = exp_functrace_values(load);
	if (rc == 0)
		rc = exp_load_events(load);
	if (rc == 0)
		exp_omp_finish(load);
	if (rc == 0)
		rc = exp_samples_values(load);
	if (rc == 0)
		rc = exp_user_read(load);
	if (rc == 0)
		rc = exp_javaheap_read(load);
	if (rc == 0)
		rc = exp_fxtlog_values(load);
	if (rc == 0)
		rc = exp_threads_finish(load);
	return rc;
}

static int load_once(struct experiment *experiment, const struct exp_selection *selection,
                     struct exp_load **out)
{
	struct exp_load *load = calloc(1, sizeof(*load));
	int rc;

	if (!load)
		return -ENOMEM;
	load->experiment = experiment;
	load->selection = selection;
	load->first_tsc = UINT64_MAX;
	rc = read_streams(load);
	if (rc != 0) {
		exp_load_destroy(load);
		return rc;
	}
	*out = load;
	return 0;
}

/* A live process may have named stacks that it made after we had read frameinfo. */
static int is_complete(const struct exp_load *load)
{
	return load->unknown_stacks == 0 || load->experiment->info.status != EXP_RUNNING;
}

int exp_load_make(struct experiment *experiment, const struct exp_selection *selection,
                  struct exp_load **out)
{
	struct exp_load *load = NULL;
	int rc = 0;

	for (int try = 0; rc == 0 && try < LIVE_TRIES && (try == 0 || !is_complete(load)); try++) {
		exp_load_destroy(load);
		load = NULL;
		rc = load_once(experiment, selection, &load);
	}
	if (rc != 0)
		return rc;
	if (load->unknown_stacks > 0 && experiment->info.status != EXP_RUNNING)
		exp_warn(
			experiment,
			"%s: offset %llu: the first of %llu events of stacks that %s does not have",
			load->unknown_stream, (unsigned long long)load->unknown_offset,
			(unsigned long long)load->unknown_stacks,
			exp_stream_names[FMT_STREAM_FRAMEINFO]);
	finish(load);
	*out = load;
	return 0;
}

int experiment_load(struct experiment *experiment, const struct exp_data_set **out)
{
	int rc = !experiment->load ? exp_load_make(experiment, NULL, &experiment->load) : 0;

	if (rc == 0)
		*out = &experiment->load->set;
	return rc;
}

/* load.c: reads all data streams of an experiment into one set of totals. */
#include "experiment/open/load.h"

#include "experiment/base/internal.h"
#include "experiment/base/xmlread.h"
#include "experiment/fxt/fxtlog.h"
#include "experiment/fxt/kernelparts.h"
#include "experiment/fxt/samples.h"
#include "experiment/open/log.h"
#include "experiment/open/parallel.h"
#include "experiment/open/stackends.h"
#include "experiment/program/program.h"
#include "experiment/streams/keep.h"
#include "experiment/streams/pauses.h"
#include "experiment/streams/readers.h"
#include "experiment/xray/functrace.h"
#include "format/layout.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LIVE_TRIES = 5 };

void exp_load_destroy(struct exp_load *load)
{
	if (!load)
		return;
	exp_functrace_free(load);
	exp_load_fini(load);
	free(load);
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

	for (size_t i = 0; i < load->usage_count && load->experiment->info.cpu_ns == 0; i++)
		if (load->usage[i].cpu_ns > cpu_ns)
			cpu_ns = load->usage[i].cpu_ns;
	return cpu_ns;
}

static void tell_nodes(const struct exp_load *load, struct exp_nodes *out)
{
	const struct exp_rows *rows = &load->rows;

	out->row_count = rows->count;
	for (size_t i = 0; i < EXP_METRICS; i++) {
		out->value[i] = rows->value[i];
		out->no_stack[i] = rows->no_stack[i];
	}
	if (load->selection && load->selection->is_grouped)
		return;
	out->count = load->nodes.count;
	out->pc = load->nodes.pc;
	out->parent = load->nodes.parent;
	out->generation = load->nodes.generation;
	out->row_of = rows->of;
	out->node_of = rows->node;
}

/* Returns 0 or -ENOMEM. */
static int finish(struct exp_load *load)
{
	struct experiment *experiment = load->experiment;
	struct exp_data_set *set = &load->set;
	int any = load->first_tsc <= load->last_tsc;

	tell_nodes(load, &set->nodes);
	set->nodes.is_program = experiment->program_count > 0;
	set->usage = load->usage;
	set->usage_count = load->usage_count;
	set->threads = load->threads;
	set->thread_count = load->thread_count;
	set->threads_by_tid = load->threads_by_tid;
	set->gcs = load->gcs;
	set->gc_count = load->gc_count;
	set->java_allocs = load->java_allocs;
	set->java_alloc_count = load->java_alloc_count;
	if (set->nodes.pc && exp_stacks_count(load) != 0)
		return -ENOMEM;
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
	return 0;
}

/* Stacks do not change once a process has ended, so their numbers can be kept. */
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

/* All stacks are there: tell the selection. */
static int begin(struct exp_load *load)
{
	const struct exp_selection *selection = load->selection;
	const struct exp_nodes nodes = {.count = load->nodes.count,
	                                .traced = load->set.nodes.traced,
	                                .pc = load->nodes.pc,
	                                .parent = load->nodes.parent,
	                                .generation = load->nodes.generation};

	return !selection || !selection->begin ? 0 : selection->begin(selection->context, &nodes);
}

/* All stacks but those of traced functions, which are known when the trace has been read. */
static int read_stacks(struct exp_load *load)
{
	int rc = read_nodes(load);

	if (rc == 0)
		rc = exp_overview_read(load);
	if (rc == 0)
		rc = exp_usage_name(load);
	if (rc == 0)
		rc = exp_samples_read(load);
	if (rc == 0)
		rc = exp_kernelparts_read(load);
	if (rc == 0)
		rc = exp_fxtlog_nodes(load);
	if (rc == 0)
		rc = exp_program_nodes(load);
	return rc;
}

static int read_streams(struct exp_load *load)
{
	int rc = read_stacks(load);

	if (rc == 0)
		rc = exp_functrace_read(load);
	if (rc == 0)
		rc = begin(load);
	if (rc == 0)
		rc = exp_functrace_values(load);
	if (load->first_tsc <= load->last_tsc)
		load->known_tsc = load->last_tsc;
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
	if (rc == 0)
		rc = exp_wall_finish(load);
	return rc;
}

/* Most of thousands of processes have none. */
static const struct exp_io no_io;

static int load_once(struct experiment *experiment, const struct exp_selection *selection,
                     int (*read)(struct exp_load *load), struct exp_load **out)
{
	struct exp_load *load = calloc(1, sizeof(*load));
	int rc;

	if (!load)
		return -ENOMEM;
	load->experiment = experiment;
	load->selection = selection;
	load->first_tsc = UINT64_MAX;
	load->set.io = &no_io;
	rc = read(load);
	if (rc != 0) {
		exp_load_destroy(load);
		return rc;
	}
	*out = load;
	return 0;
}

/* A live process may have named stacks that it made after we had read frameinfo. Each process of
 * the tree may have dropped what we were about to read, also of one that has ended. */
static int is_complete(const struct exp_load *load)
{
	struct experiment *experiment = load->experiment;

	return !exp_keep_has_moved(experiment, load->last_tsc) &&
	       (experiment->info.status != EXP_RUNNING || load->unknown_stacks == 0);
}

static int make(struct experiment *experiment, const struct exp_selection *selection,
                struct exp_load **out)
{
	struct exp_load *load = NULL;
	int rc = 0;

	for (int try = 0; rc == 0 && try < LIVE_TRIES && (try == 0 || !is_complete(load)); try++) {
		exp_load_destroy(load);
		load = NULL;
		rc = load_once(experiment, selection, read_streams, &load);
	}
	if (rc != 0)
		return rc;
	/* What began before the time that is kept may have a stack that is not. */
	if (load->unknown_stacks > 0 && experiment->info.status != EXP_RUNNING &&
	    !experiment->kept_from)
		exp_warn(
			experiment,
			"%s: offset %llu: the first of %llu events of stacks that %s does not have",
			load->unknown_stream, (unsigned long long)load->unknown_offset,
			(unsigned long long)load->unknown_stacks,
			exp_stream_names[FMT_STREAM_FRAMEINFO]);
	rc = finish(load);
	if (rc != 0)
		exp_load_destroy(load);
	else
		*out = load;
	return rc;
}

int exp_load_make(struct experiment *experiment, const struct exp_selection *selection,
                  struct exp_load **out)
{
	int held = exp_directory_hold(experiment), rc;

	if (held < 0)
		exp_warn(experiment, "it cannot be opened again: %s", strerror(-held));
	rc = make(experiment, selection, out);
	exp_directory_let_go(experiment, held);
	return rc;
}

int exp_load_stacks(struct experiment *experiment, struct exp_load **out, int *is_whole)
{
	int held = exp_directory_hold(experiment);
	int rc = load_once(experiment, NULL, read_stacks, out);

	if (rc == 0)
		tell_nodes(*out, &(*out)->set.nodes);
	*is_whole = !exp_functrace_exists(experiment);
	exp_directory_let_go(experiment, held);
	return rc;
}

uint64_t exp_load_cpu_ns(const struct experiment *experiment)
{
	struct experiment copy = *experiment; /* of which nothing is told, and nothing kept */
	struct exp_load load = {.experiment = &copy, .first_tsc = UINT64_MAX};
	uint64_t cpu_ns;

	if (experiment->load)
		return experiment->load->set.quality.cpu_ns;
	copy.reporter = (struct exp_reporter){.warn = NULL};
	cpu_ns = find_cpu_time(&load);
	if (cpu_ns == 0 && exp_overview_read(&load) == 0)
		cpu_ns = find_cpu_time(&load);
	exp_load_fini(&load);
	return cpu_ns;
}

int experiment_load(struct experiment *experiment, const struct exp_data_set **out)
{
	int rc = !experiment->load ? exp_load_make(experiment, NULL, &experiment->load) : 0;

	if (rc == 0)
		*out = &experiment->load->set;
	return rc;
}

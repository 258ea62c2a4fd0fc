/* load_context.c: the totals that the readers of the data streams share: rows of values, buffers of
 * threads, times. */
#include "experiment/streams/load_context.h"

#include "experiment/streams/stream.h"
#include "format/layout.h"

#include <errno.h>
#include <stdlib.h>

enum { SLACK_S = 1 };

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

uint32_t exp_load_add_row(struct exp_load *load, uint32_t node)
{
	uint32_t row = exp_rows_add(&load->rows, node, load->nodes.count);

	if (row == EXP_ROW_NONE)
		load->rc = -ENOMEM;
	return row;
}

static enum fmt_stream stream_of(enum exp_data data)
{
	switch (data) {
#define DATAKIND(id, number, stream, ...) \
	case EXP_DATA_##id: \
		return FMT_STREAM_##stream;
#include "format/datakind.def"
	}
	return FMT_STREAM_NONE;
}

int exp_load_kind(struct exp_load *load, enum exp_data data, enum exp_metric first,
                  enum exp_metric last,
                  int (*read)(struct exp_load *load, struct exp_stream *stream))
{
	enum fmt_stream id = stream_of(data);
	struct exp_stream stream;
	int rc = id == FMT_STREAM_NONE
	                 ? -ENOENT
	                 : exp_stream_open(load->experiment, exp_stream_names[id], &stream);

	if (rc != 0)
		return rc == -ENOMEM ? rc : 0;
	for (enum exp_metric metric = first; metric <= last && rc == 0; metric++)
		rc = exp_load_need(load, metric);
	if (rc == 0) {
		load->set.have |= data;
		rc = read(load, &stream);
	}
	exp_stream_close(&stream);
	return rc;
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
	struct exp_rows *rows = &load->rows;

	for (size_t i = 0; i < rows->count; i++)
		rows->value[metric][i] = exp_load_ns(load, rows->value[metric][i]);
	rows->no_stack[metric] = exp_load_ns(load, rows->no_stack[metric]);
}

/* The slack is for clocks that disagree. */
int exp_load_is_wait(const struct exp_load *load, uint64_t tsc, uint64_t wait)
{
	const struct exp_clock *clock = &load->experiment->clock;
	int64_t passed = (int64_t)(tsc - clock->start.ticks);

	return (double)wait <= (passed > 0 ? (double)passed : 0) + clock->hz * SLACK_S;
}

int exp_load_cut_wait(const struct exp_load *load, uint64_t tsc, uint16_t *high,
                      struct fmt_u48 *wait)
{
	int64_t passed = (int64_t)(tsc - load->experiment->clock.start.ticks);

	if (exp_load_is_wait(load, tsc, fmt_ticks_get(*high, wait)))
		return 1;
	if (!load->experiment->info.is_attached)
		return 0;
	fmt_ticks_put(high, wait, passed > 0 ? (uint64_t)passed : 0);
	return 1;
}

void exp_load_fini(struct exp_load *load)
{
	if (!load->has_others_nodes)
		exp_nodes_fini(&load->nodes);
	exp_rows_fini(&load->rows);
	free(load->usage);
	free(load->threads);
	free(load->threads_by_tid);
	free(load->stack_ends);
	free(load->gcs);
	free(load->java_allocs);
	free(load->uses);
	free(load->wall_waits);
	free(load->lives);
	free(load->sync_objects);
	free(load->sync_waits);
	free(load->io_files);
	free(load->io_descriptors);
	free(load->omp_constructs);
	free(load->mpi_functions);
	free(load->mpi_peers);
	exp_arena_fini(&load->arena);
}

void exp_load_count_other(struct exp_load *load, uint32_t row)
{
	if (row == EXP_NODE_NONE || (load->selection && load->selection->is_grouped))
		return;
	if (exp_rows_count_other(&load->rows, row) != 0)
		load->rc = -ENOMEM;
}

int exp_load_profile_metrics(struct exp_load *load)
{
	static const enum exp_metric metrics[] = {EXP_CPU_USER, EXP_CPU_SYSTEM, EXP_CPU_RESIDUAL,
	                                          EXP_SAMPLES};
	int rc = 0;

	for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]) && rc == 0; i++)
		rc = exp_load_need(load, metrics[i]);
	if (rc == 0)
		load->set.have |= EXP_DATA_PROFILE;
	return rc;
}

/* load.h: what experiment_load gathers, shared by the readers of the data streams. */
#ifndef XER_EXPERIMENT_STREAMS_LOAD_CONTEXT_H
#define XER_EXPERIMENT_STREAMS_LOAD_CONTEXT_H

#include "experiment/base/internal.h"
#include "experiment/streams/nodes.h"
#include "experiment/streams/reuse.h"
#include "experiment/streams/rows.h"
#include "experiment/streams/selection.h"
#include "experiment/streams/stream.h"
#include "experiment/streams/timeline.h"
#include "format/record.h"

#include <errno.h>

/* What one buffer of a thread held. */
struct exp_buffer_use {
	uint32_t tid;
	uint64_t tsc;
	uint64_t samples, cpu_ns;
};

struct exp_load {
	struct experiment *experiment;
	struct exp_data_set set;
	struct exp_node_table nodes;
	int has_others_nodes;                  /* the nodes belong to the experiment's first load */
	const struct exp_selection *selection; /* NULL: all events count, at their stacks */
	struct exp_rows rows;                  /* of values */
	struct exp_usage *usage;
	size_t usage_count, usage_capacity;
	struct exp_thread *threads;
	size_t thread_count, thread_capacity;
	uint32_t *threads_by_tid; /* NULL: they are few */
	struct exp_gc *gcs;
	size_t gc_count, gc_capacity;
	struct exp_java_alloc *java_allocs;
	size_t java_alloc_count, java_alloc_capacity;
	struct exp_buffer_use *uses;
	size_t use_count, use_capacity;
	uint64_t first_tsc, last_tsc; /* of all events; first > last: there are none */
	uint64_t known_tsc;           /* last_tsc before events are read, at once or in turn */
	struct exp_arena arena;       /* names of files */
	struct exp_wait *wall_waits;
	struct exp_life *lives; /* lives[life_count]: wall.h */
	size_t life_count;
	size_t pieces; /* into which times of threads were divided */
	struct exp_sync_object *sync_objects;
	struct exp_sync_wait *sync_waits;
	struct exp_io_file *io_files;
	struct exp_io_descriptor *io_descriptors;
	struct exp_omp_construct *omp_constructs;
	enum {
		OMP_NOT_ASKED,
		OMP_SAMPLED,
		OMP_RECORDED
	} omp_waits; /* how waits of OpenMP are known */
	int has_omp; /* an event of OpenMP was read */
	struct exp_mpi_function *mpi_functions;
	struct exp_mpi_peer *mpi_peers;
	struct exp_stack_end *stack_ends;
	uint64_t peak_tsc, map_peak_tsc;
	struct calls *calls;          /* NULL: there is no function trace */
	struct exp_timeline timeline; /* of the heap */
	uint64_t unknown_stacks;      /* events whose stack frameinfo does not have */
	const char *unknown_stream;   /* where the first of them is */
	uint64_t unknown_offset;
	int rc; /* -ENOMEM once something failed */
};

/* What only the reader of one kind of data writes, OWN(KIND, field); it is moved when a load is
 * joined to another one. */
#define EXP_LOAD_OWN(OWN) \
	OWN(HEAP, set.heap), OWN(HEAP, timeline), OWN(HEAP, peak_tsc), OWN(HEAP, map_peak_tsc), \
		OWN(WALL, set.wall), OWN(WALL, wall_waits), OWN(WALL, lives), \
		OWN(WALL, life_count), OWN(SYNC, set.sync), OWN(SYNC, sync_objects), \
		OWN(SYNC, sync_waits), OWN(IO, set.io), OWN(IO, io_files), \
		OWN(IO, io_descriptors), OWN(OMP, set.omp), OWN(OMP, omp_constructs), \
		OWN(MPI, set.mpi), OWN(MPI, mpi_functions), OWN(MPI, mpi_peers)

/* Free what a load holds, but not itself. */
void exp_load_fini(struct exp_load *load);

/* Note the buffer that a cursor is in. Returns the index of its use, or -ENOMEM. */
long exp_load_use(struct exp_load *load, uint32_t tid, uint64_t tsc);

/* Make a row for a node. Returns it; or EXP_ROW_NONE, and load->rc, if there is no memory. */
uint32_t exp_load_add_row(struct exp_load *load, uint32_t node);

/* The row of a node, made if it is new; the same number for EXP_NODE_NONE, no stack. */
static inline uint32_t exp_load_node_row(struct exp_load *load, uint32_t node)
{
	uint32_t row = exp_rows_find(&load->rows, node);

	return row != EXP_NO_INDEX || node == EXP_NODE_NONE ? row : exp_load_add_row(load, node);
}

/* The row for an event of a load with a selection; EXP_ROW_NONE: it does not count.
 * (selection.c) */
uint32_t exp_load_ask(struct exp_load *load, const struct exp_cursor *cursor,
                      struct exp_fact *fact);

/* The same for any load, all of the fact being known. */
uint32_t exp_load_row_of(struct exp_load *load, const struct exp_fact *fact);

/* Where an event counts: EXP_NODE_NONE: it has no stack; EXP_ROW_NONE: nowhere. Of `fact`, only
 * the stack, fact->node, is read if there is no selection. */
static inline uint32_t exp_load_row(struct exp_load *load, const struct exp_cursor *cursor,
                                    struct exp_fact *fact)
{
	return !load->selection ? exp_load_node_row(load, fact->node)
	                        : exp_load_ask(load, cursor, fact);
}

/* Note that an event that no metric counts has a stack. */
void exp_load_count_other(struct exp_load *load, uint32_t row);

/* Allocate those of a profile (profile.c). Returns 0 or -ENOMEM. */
int exp_load_profile_metrics(struct exp_load *load);

/* Allocate the values of a metric unless that has been done. Returns 0 or -ENOMEM. */
static inline int exp_load_need(struct exp_load *load, enum exp_metric metric)
{
	return exp_rows_need(&load->rows, metric);
}

/* Give the file of a kind of data to `read`, with room for the totals from `first` to `last`; all
 * is well if there is no such file. Returns 0 or -ENOMEM. */
int exp_load_kind(struct exp_load *load, enum exp_data data, enum exp_metric first,
                  enum exp_metric last,
                  int (*read)(struct exp_load *load, struct exp_stream *stream));

/* Give all events of a stream, in order of time, to on_event, noting their buffers. Returns 0 or
 * -ENOMEM, also when on_event has left that in load->rc. */
int exp_load_in_order(struct exp_load *load, struct exp_stream *stream,
                      void (*on_event)(void *context, const struct exp_cursor *cursor),
                      void *context);

/* Ticks to ns by the fitted clock; and all values of a metric, which were summed up in ticks. */
uint64_t exp_load_ns(const struct exp_load *load, uint64_t ticks);
void exp_load_metric_ns(struct exp_load *load, enum exp_metric metric);

/* True if a wait of `wait` ticks that ended at `tsc` can have begun after the recording did. */
int exp_load_is_wait(const struct exp_load *load, uint64_t tsc, uint64_t wait);

/* The same; but what began in an earlier recording of the same process is cut to what is of this
 * one. */
int exp_load_cut_wait(const struct exp_load *load, uint64_t tsc, uint16_t *high,
                      struct fmt_u48 *wait);

/* Note the cursor's buffer if it is a new one. Returns 0 or -ENOMEM. */
static inline int exp_load_note_buffer(struct exp_load *load, struct exp_cursor *cursor)
{
	if (cursor->noted == cursor->buffers)
		return 0;
	cursor->noted = cursor->buffers;
	return exp_load_use(load, cursor->tid, cursor->buffer_tsc) < 0 ? -ENOMEM : 0;
}

static inline void exp_load_time(struct exp_load *load, uint64_t tsc)
{
	if (tsc < load->first_tsc)
		load->first_tsc = tsc;
	if (tsc > load->last_tsc)
		load->last_tsc = tsc;
}

/* Count the cursor's event as one whose stack frameinfo does not have. */
void exp_load_unknown_stack(struct exp_load *load, const struct exp_cursor *cursor);

/* Index of the stack of the cursor's event; EXP_NODE_NONE (and counted) if it is damaged, or 0:
 * none. */
static inline uint32_t exp_load_stack(struct exp_load *load, const struct exp_cursor *cursor,
                                      uint32_t id)
{
	uint32_t node;

	if (id == 0)
		return EXP_NODE_NONE;
	node = exp_nodes_find(&load->nodes, id);
	if (node == EXP_NODE_NONE)
		exp_load_unknown_stack(load, cursor);
	else if (load->nodes.reuse)
		node = exp_reuse_at(load->nodes.reuse, node, cursor->tsc);
	return node;
}

/* The value of a row, or of events without a stack. */
static inline uint64_t *exp_load_value(struct exp_load *load, enum exp_metric metric, uint32_t row)
{
	return row == EXP_NODE_NONE ? &load->rows.no_stack[metric] : &load->rows.value[metric][row];
}

static inline void exp_load_raise(struct exp_load *load, enum exp_metric metric, uint32_t row,
                                  uint64_t amount)
{
	uint64_t *value = exp_load_value(load, metric, row);

	if (amount > *value)
		*value = amount;
}

static inline void exp_load_add(struct exp_load *load, enum exp_metric metric, uint32_t row,
                                uint64_t amount)
{
	*exp_load_value(load, metric, row) += amount;
}

#endif

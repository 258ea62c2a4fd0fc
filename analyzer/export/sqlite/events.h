/* events.h: the reading of a process's events into the tables of events.
 *
 *   events.c        the reading, and what threads have of the metrics
 *   event_rows.c    samples, the heap, input and output, calls, user events, OpenMP, MPI
 *   event_waits.c   waits, what was waited for, who ended them, and the states of threads */
#ifndef XER_ANALYZER_EXPORT_SQLITE_EVENTS_H
#define XER_ANALYZER_EXPORT_SQLITE_EVENTS_H

#include "analyzer/data/filters.h"
#include "analyzer/export/sqlite/sqlite.h"
#include "analyzer/report/axis.h"

/* The names of an enumeration, each looked for once. */
struct sql_names {
	const char *type;
	const char *names[256];
};
const char *sql_name(struct sql_names *names, uint32_t value);

/* A reading. */
struct sql_walk {
	struct sql *sql;
	struct database *database;
	const struct sql_process *process;
	const struct dataset_experiment *at;
	struct filters_run *filters; /* NULL: nothing is filtered */
	struct filter_run *thread;
	int puts_events, adds_up; /* what this reading is for */
	uint32_t *node_of;        /* by node of this reading: that of the first; NULL: the same */
	uint32_t *row_of;         /* by number of a thread: its row of values + 1, 0: none yet */
	uint32_t *thread_of;      /* by row: number of the thread */
	uint32_t row_count;
	struct exp_index files; /* number of a file -> index of its id */
	struct sql_names clock_states, heap_funcs, map_funcs, io_funcs, sync_funcs, wall_states,
		omp_events, mpi_messages;
	struct sql_waits *waits;
};

/* An event, and what the rows of all of them begin with. */
struct sql_event {
	const struct exp_fact *fact;
	int64_t thread; /* id */
	struct axis_span span;
};

/* The stack of an event that is no clock sample. */
void sql_put_stack(const struct sql_walk *walk, struct cell *cell, const struct sql_event *event);

/* Id of a file by its number in the process, 0: it is not known. */
int64_t sql_io_file(const struct sql_walk *walk, uint64_t number);

/* Write the names of the process's files. */
void sql_files_put(struct sql_walk *walk);

/* Write an event of any kind but waits. */
void sql_event_put(struct sql_walk *walk, const struct sql_event *event);

/* ---- event_waits.c */

struct sql_waits *sql_waits_create(struct sql_walk *walk);
void sql_waits_sync(struct sql_walk *walk, const struct sql_event *event);
void sql_waits_wall(struct sql_walk *walk, const struct sql_event *event);
void sql_waits_sample(struct sql_walk *walk, const struct sql_event *event);

/* Write the states of the process's threads. The names that rows may refer to are freed: they must
 * have been written. */
void sql_waits_destroy(struct sql_walk *walk);

#endif

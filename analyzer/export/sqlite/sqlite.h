/* sqlite.h: experiments as a database, for export sqlite.
 *
 *   schema.def, schema.h   the tables, and what their columns mean
 *   database.c             rows into the tables
 *   sqlite.c               what is written, in order
 *   functions.c            functions, load objects and source files, each once
 *   stacks.c               the tree of call stacks of all processes, and its values
 *   call_paths.c           the same by functions alone
 *   processes.c            processes and what is known of them without reading events
 *   events.h               the events that the filters let through
 *   views.def, views.c     views that give the tables of xer_print back
 *
 * Nothing is kept of an event that has been written. Memory grows with stacks and processes. */
#ifndef XER_ANALYZER_EXPORT_SQLITE_SQLITE_H
#define XER_ANALYZER_EXPORT_SQLITE_SQLITE_H

#include "analyzer/export/export.h"
#include "analyzer/export/sqlite/database.h"
#include "analyzer/export/trace.h"
#include "analyzer/model/tree.h"
#include "experiment/table/hash.h"
#include "experiment/table/index.h"

/* Ids of the stacks of a process's events, by node: of clock samples, and of all others; 0: there
 * is none. */
struct sql_stacks {
	const uint32_t *own, *clock; /* [count] */
	size_t count;
};

/* What is known of a process while its rows are written. */
struct sql_process {
	const struct dataset_experiment *at;
	struct tree_places places; /* of its stacks in the tree, until there are ids: */
	struct sql_stacks stacks;
	int64_t first_thread; /* id of its thread 0; those of its others follow */
};

struct sql {
	struct export_job *job;
	struct database *database;
	struct sql_process *processes; /* processes[process_count] */
	size_t process_count, process_capacity;
	struct tree *tree;    /* the stacks of all processes, frame by frame */
	uint32_t *ids;        /* by node of the tree: id in the database; of the root 0 */
	uint32_t *call_paths; /* by node of the tree: id of its functions */
	uint32_t *parents;    /* by id: that of the parent, 0: it is outermost */
	int64_t thread_count;
	uint32_t io_file_count, object_count; /* ids that were given */
	struct trace trace;                   /* its job and writers alone: who ended waits */
	/* Source files, each once: */
	const char **files; /* files[file_count], by id - 1; borrowed */
	size_t file_count, file_capacity;
	struct exp_hash by_path;
	size_t function_count; /* functions that have a row */
};

/* ---- functions.c */

/* Ids of a function and of a source file, which get a row when they are first asked for; 0: the
 * file is not known. */
int64_t sql_function(struct sql *sql, const struct sym_function *function);
int64_t sql_file(struct sql *sql, const char *path);

/* Write all load objects; no function may be asked for afterwards. */
void sql_objects_put(struct sql *sql);

/* ---- call_paths.c */

/* By node of a tree: how many there are below it, and itself. The caller frees. */
uint32_t *sql_tree_sizes(const struct tree *tree);

/* Write the stacks of the tree by functions alone. */
void sql_call_paths_put(struct sql *sql);

/* ---- stacks.c */

/* Put the stacks of all processes into one tree, and write them. */
void sql_stacks_put(struct sql *sql);

/* Write the metrics that there are, and the values of the stacks of all processes, whose stacks
 * have ids afterwards. */
void sql_metrics_put(struct sql *sql);

/* A process that runs may have other nodes when it is read again. By node: what it was in `old`,
 * EXP_NO_INDEX: it was not there; NULL: those that were there have their numbers still. The caller
 * frees. */
uint32_t *sql_nodes_find(const struct exp_nodes *now, const struct exp_nodes *old);

void sql_stacks_fini(struct sql *sql);

/* ---- processes.c */

/* Write the experiments that were opened, and each process with its threads, settings and usage. */
void sql_processes_put(struct sql *sql);

/* ---- events.c */

/* Write the events of a process, and what each of its threads has of the metrics. */
void sql_events_put(struct sql *sql, const struct sql_process *process);

/* ---- views.c */

/* Make the views. */
void sql_views_put(struct sql *sql);

#endif

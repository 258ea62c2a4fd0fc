/* firefox.h: a profile for the Firefox Profiler: the file (firefox.c), a thread (firefox_thread.c),
 * what its samples are (firefox_samples.c), its tables (firefox_tables.h). */
#ifndef XER_ANALYZER_EXPORT_FIREFOX_FIREFOX_H
#define XER_ANALYZER_EXPORT_FIREFOX_FIREFOX_H

#include "analyzer/export/export.h"
#include "analyzer/export/firefox/markers.h"
#include "analyzer/export/rows.h"

/* What a stack brought in one slice of time. Times are ns since the start of the experiment. */
struct firefox_sample {
	uint64_t time_ns;
	uint32_t node; /* of the tree; TREE_ROOT: no stack */
	uint64_t weight;
	uint64_t cpu_ns; /* that was spent since the sample before it */
};

struct firefox_samples {
	struct firefox_sample *samples; /* samples[count], in order of time */
	size_t count, capacity;
};

/* An experiment, of which one thread is written after the other. */
struct firefox_process {
	struct export_job *job;
	const struct dataset_experiment *at;
	const char *name; /* "redis-server 4711" */
	const char *pid;  /* unique in the file */
	struct tree *tree;
	struct tree_places places;
	struct export_rows rows;
	struct export_markers *markers;
	struct exp_index tids; /* those that are there */
	size_t repeats;        /* of one of them */
	/* By node, item, function: its number in the tables of a thread + 1, 0: it is not there. */
	uint32_t *stacks, *frames, *functions;
};

/* A thread, its number in the process from 1, 0: what belongs to no thread that is known; its rows
 * and markers. */
struct firefox_thread {
	struct firefox_process *process;
	unsigned number;
	size_t row, row_end, marker, marker_end;
};

/* The samples of a thread in the metric of the job, and its CPU time; what it allocated. The caller
 * frees out->samples. */
void firefox_find_samples(const struct firefox_thread *thread, struct firefox_samples *out);
void firefox_find_allocations(const struct firefox_thread *thread, struct firefox_samples *out);

/* Write a thread. */
void firefox_put_thread(struct firefox_thread *thread, int is_first);

/* Write the categories of frames and markers; the index of a marker's. */
void firefox_put_categories(FILE *out);
unsigned firefox_category(const struct trace *trace, const struct export_marker *marker);

/* Write what the fields of markers are. */
void firefox_put_schemas(FILE *out);

/* The type of a marker's fields, NULL: it has none. */
const char *firefox_type(const struct export_marker *marker);

#endif

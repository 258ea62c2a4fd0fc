/* export.h: call stacks with their metrics in the formats of other tools.
 *
 * An exporter gets the stacks process by process: one tree at a time, which lives while it is visited, so that
 * memory does not grow with the number of processes. */
#ifndef XER_ANALYZER_EXPORT_H
#define XER_ANALYZER_EXPORT_H

#include "analyzer/session.h"

/* What is exported. */
struct export_job {
	struct session *session;
	FILE *out;
	unsigned metrics[METRIC_VALUES]; /* metrics[metric_count]: those that there are data for */
	size_t metric_count;
	unsigned metric; /* the one that rows are sorted by, for formats of one value */
	struct tree *functions; /* numbers the functions: the items of its tree */
	int trouble;     /* set if the exporter failed other than by writing to `out` */
};

/* The stacks of one process. */
struct export_part {
	const struct session_experiment *at;
	const char *name; /* "redis-server 4711" */
	const struct tree *tree;
	size_t index;     /* 0 for the first part */
};

/* Visit every selected process in order. A tree's nodes have their parents before them. */
void export_each(struct export_job *job, enum tree_mode mode,
		 void (*visit)(struct export_job *job, const struct export_part *part, void *context), void *context);

/* The exporters. Each writes the whole of its file to job->out, and says in `trouble` if that is not whole. */
void export_folded(struct export_job *job);
void export_speedscope(struct export_job *job);
void export_pprof(struct export_job *job);
void export_callgrind(struct export_job *job);
void export_firefox(struct export_job *job);
void export_dot(struct export_job *job);
void export_fxt(struct export_job *job);
void export_chrome(struct export_job *job);

/* The unit of a metric in the words of `names`: for times (ns), bytes, counts. */
const char *export_unit(unsigned metric, const char *const names[3]);

/* The number of a function in this export: from 1 on, in order of the first calls; and the function of a number below
 * export_function_count. Number 0 is <Total>, which is in no call stack. */
size_t export_function_number(struct export_job *job, const struct sym_function *function);
const struct sym_function *export_function(const struct export_job *job, size_t number);
size_t export_function_count(const struct export_job *job);

/* Number all functions of a tree. */
void export_number_functions(struct export_job *job, const struct tree *tree);

/* The earliest start of the selected experiments as CLOCK_REALTIME in ns. */
int64_t export_start_ns(const struct session *session);

#endif

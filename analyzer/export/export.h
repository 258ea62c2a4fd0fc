/* export.h: call stacks with their metrics in the formats of other tools.
 *
 * An exporter gets the stacks process by process, or thread by thread: one tree at a time, which
 * exists only while it is visited, so that memory does not grow with the number of processes. */
#ifndef XER_ANALYZER_EXPORT_EXPORT_H
#define XER_ANALYZER_EXPORT_EXPORT_H

#include "analyzer/data/dataset.h"
#include "analyzer/model/choices.h"
#include "analyzer/print/output.h"

/* What is exported. */
struct export_job {
	const struct dataset *dataset;
	const struct choices *choices;
	struct output *output;
	FILE *out;
	unsigned metrics[METRIC_VALUES]; /* metrics[metric_count]: those that there are data for */
	size_t metric_count;
	unsigned metric;        /* the one that rows are sorted by, for formats of one value */
	struct tree *functions; /* numbers the functions: the items of its tree */
	int trouble;            /* set if the exporter failed other than by writing to `out` */
};

/* What makes a part of an export. */
enum export_split {
	EXPORT_ALL, /* one part of all processes */
	EXPORT_PROCESSES,
	EXPORT_THREADS /* of each process */
};

/* The stacks of all processes, of one, or of one of its threads. */
struct export_part {
	const struct dataset_experiment *at; /* NULL: all */
	const char *name;                    /* "redis-server 4711" */
	const char *program;                 /* "redis-server" */
	const struct tree *tree;
	const char *thread_name; /* "Thread 2, burn50"; NULL: the part is the process. The rest is
	                            of threads alone */
	unsigned thread; /* its number in the process, from 1; 0: events of which the thread is not
	                    known */
	const struct exp_thread *info; /* NULL if thread is 0 */
};

/* "Thread 2, server". number: from 1, of `info`; 0: it is not known. The caller frees. */
char *export_name_thread(unsigned number, const struct exp_thread *info);

/* Visit every selected process, or thread with events, in order. A tree's nodes have their parents
 * before them. */
void export_each(struct export_job *job, enum tree_mode mode, enum export_split split,
                 void (*visit)(struct export_job *job, const struct export_part *part,
                               void *context),
                 void *context);

/* The exporters. Each writes its whole file to job->out, and sets `trouble` if the file is not
 * complete. */
void export_folded(struct export_job *job);
void export_folded_threads(struct export_job *job);
void export_speedscope(struct export_job *job);
void export_pprof(struct export_job *job);
void export_callgrind(struct export_job *job);
void export_firefox(struct export_job *job);
void export_dot(struct export_job *job);
void export_fxt(struct export_job *job);
void export_chrome(struct export_job *job);

/* Make a database in the empty file `path` (analyzer/export/sqlite). Returns NULL, or why it is not
 * complete; the caller frees that. */
char *export_sqlite(struct export_job *job, const char *path);

/* Write clock samples as the files of the thread sampler, cpuN.fxt, into a directory that has none
 * of them. */
void export_sampler(const struct dataset *dataset, struct output *output, const char *directory);

/* The unit of a metric in the words of `names`: for times (ns), bytes, counts. */
const char *export_unit(unsigned metric, const char *const names[3]);

/* The number of a function in this export: from 1 on, in order of the first calls; and the function
 * of a number below export_function_count. Number 0 is <Total>, which is in no call stack. */
size_t export_function_number(struct export_job *job, const struct sym_function *function);
const struct sym_function *export_function(const struct export_job *job, size_t number);
size_t export_function_count(const struct export_job *job);

/* Number all functions of a tree. */
void export_number_functions(struct export_job *job, const struct tree *tree);

/* The addresses of a stack, pcs[FXT_SAMPLE_PCS_MAX], leaf first, without marks; the outermost of
 * more are left out. Returns how many. */
size_t export_pcs(const struct exp_nodes *nodes, uint32_t node, uint64_t *pcs);

/* The earliest start of the selected experiments as CLOCK_REALTIME in ns. */
int64_t export_start_ns(const struct dataset *dataset);

#endif

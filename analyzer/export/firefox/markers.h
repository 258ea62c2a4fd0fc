/* markers.h: the events of one experiment, kept by thread: for formats that have all of a thread
 * in one place. */
#ifndef XER_ANALYZER_EXPORT_FIREFOX_MARKERS_H
#define XER_ANALYZER_EXPORT_FIREFOX_MARKERS_H

#include "analyzer/export/trace.h"

struct export_marker {
	uint32_t thread;         /* its number in the process, from 1; 0: not known */
	uint32_t category, name; /* names of the trace */
	uint32_t node;           /* its stack, EXP_NO_INDEX: none */
	uint64_t begin_ns, end_ns;
	size_t arguments; /* arguments[argument_count] of the list begin here */
	uint8_t argument_count, is_instant;
};

/* A thread of the experiment, by its place in the list of threads. */
struct export_thread {
	uint32_t tid, index;
};

struct export_markers {
	struct export_marker *markers; /* markers[count], by thread and begin */
	size_t count, capacity;
	struct trace_argument *arguments;
	size_t argument_count, argument_capacity;
	size_t left_out, instants_left_out; /* the shortest of too many; and of these, instants */

	const struct dataset_experiment *at;
	struct export_thread *by_tid; /* its threads, by id and begin */
	struct trace *trace;          /* has the names */
};

/* At most so many of an experiment are kept. */
enum { EXPORT_MARKERS_MAX = 1 << 18 };

/* Begin; read those of an experiment, which replace those of the one before; end. Sampled stacks,
 * traced calls and counters are no markers. */
void export_markers_init(struct export_markers *markers, struct export_job *job);
void export_markers_read(struct export_markers *markers, const struct dataset_experiment *at);
void export_markers_fini(struct export_markers *markers);

#endif

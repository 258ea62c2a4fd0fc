/* trace.h: the events of experiments on one time axis, for exports that show what happened when.
 *
 *   trace.c         the events of each selected experiment that the filters let through, one after
 * the other trace_names.c   every name once, with a number trace_stacks.c  clock samples that
 * follow each other closely become durations of functions trace_fxt.c, trace_chrome.c  the two
 * formats
 *
 * Nothing is kept of an event that has been written. Times are ns since the start of the earliest
 * experiment. */
#ifndef XER_ANALYZER_EXPORT_TRACE_H
#define XER_ANALYZER_EXPORT_TRACE_H

#include "analyzer/export/export.h"
#include "analyzer/base/sink.h"
#include "experiment/base/hash.h"
#include "experiment/base/index.h"
#include "experiment/streams/selection.h"
#include "format/fxt.h"

/* Ids of threads that are shown beside those of the system: the sampled functions of thread N are
 * thread N + this. */
enum { TRACE_SAMPLED = 1 << 30, TRACE_ARGUMENTS_MAX = 6 };

/* A name; its number is that in the list of names. */
struct trace_name {
	char *text;
	uint32_t size;
	char *form; /* as the format writes it, if it prepares that */
};

enum trace_value { TRACE_NUMBER, TRACE_ADDRESS, TRACE_NAME };

struct trace_argument {
	uint32_t name;
	enum trace_value type;
	uint64_t value; /* of TRACE_NAME the number of a name */
};

/* An event of a thread: an instant at begin_ns, a counter whose arguments are its values, or from
 * begin_ns to end_ns. */
struct trace_event {
	enum fxt_event_kind kind; /* FXT_EVENT_INSTANT, _COUNTER or _COMPLETE */
	uint32_t category, name;
	uint64_t process, tid;
	uint64_t begin_ns, end_ns;
	unsigned argument_count;
	struct trace_argument arguments[TRACE_ARGUMENTS_MAX];
};

struct trace;

/* How a format writes it. */
struct trace_format {
	void (*begin)(struct trace *trace);
	void (*end)(struct trace *trace);
	void (*name)(struct trace *trace, uint32_t number); /* there is a new name */
	void (*process)(struct trace *trace, uint64_t process, uint32_t name,
	                const struct exp_quality *quality);
	void (*thread)(struct trace *trace, uint64_t process, uint64_t tid, uint32_t name);
	/* A load object of a process and its number there; may be NULL. */
	void (*object)(struct trace *trace, uint64_t ns, uint64_t process, uint16_t number,
	               const struct exp_object *object);
	void (*event)(struct trace *trace, const struct trace_event *event);
	/* A clock sample, frames pcs[count], leaf first, count <= FXT_SAMPLE_PCS_MAX; may be NULL.
	 */
	void (*sample)(struct trace *trace, uint64_t ns, uint64_t process, uint64_t tid,
	               const uint64_t *pcs, size_t count);
};

/* The numbers of names that many events have. */
/* clang-format off */
#define TRACE_WORDS \
	WORD(PROCESS, "process") WORD(SAMPLED, "sampled") WORD(IO, "io") WORD(SYNC, "sync") WORD(WALL, "wait") WORD(STATE, "state") WORD(CALLS, "calls") \
	WORD(HEAP, "heap") WORD(USER, "user") WORD(OMP, "omp") WORD(MPI, "mpi") WORD(RANK, "rank") WORD(USAGE, "usage") WORD(BYTES, "bytes") WORD(FD, "fd") WORD(FILE, "file") \
	WORD(ERRNO, "errno") WORD(OBJECT, "object") WORD(LIVE, "heap live bytes") WORD(CPU_TIME, "CPU time (ns)") \
	WORD(USER_TIME, "user time") WORD(SYSTEM_TIME, "system time") WORD(RESIDENT, "peak resident set (KiB)") \
	WORD(FAULTS, "page faults") WORD(MINOR, "minor") WORD(MAJOR, "major") WORD(SWITCHES, "context switches") \
	WORD(VOLUNTARY, "voluntary") WORD(INVOLUNTARY, "involuntary") WORD(SAMPLE, "usage sample") WORD(LABEL, "label") \
	WORD(D1, "d1") WORD(D2, "d2") WORD(D3, "d3") WORD(D4, "d4") WORD(D5, "d5") WORD(SAMPLES, "samples") WORD(SAMPLED_NS, "sampled_ns") WORD(UNKNOWN, "?") WORD(OWNER, "owner")
/* clang-format on */
enum trace_word {
#define WORD(name, text) TRACE_WORD_##name,
	TRACE_WORDS
#undef WORD
		TRACE_WORD_COUNT
};

struct trace {
	struct export_job *job;
	const struct trace_format *format;
	struct sink sink;
	struct trace_name *names;
	size_t name_count, name_capacity;
	struct exp_hash by_text;
	uint32_t *functions; /* by index of a function: number of its name + 1, 0: not known yet */
	size_t function_count;
	int is_begun; /* for the format: an event was written */
};

/* The number of a text, made if it is new (trace_names.c). NULL is "?". */
uint32_t trace_name(struct trace *trace, const char *text);
uint32_t trace_name_bytes(struct trace *trace, const char *text, size_t size);
uint32_t trace_name_function(struct trace *trace, const struct sym_function *function);
void trace_names_begin(struct trace *trace);
void trace_names_fini(struct trace *trace);

/* ---- sampled stacks of one experiment (trace_stacks.c) */

struct trace_stacks;
struct trace_stacks *trace_stacks_create(struct trace *trace, const struct dataset_experiment *at);

/* A sample of `tid` that stands for the last cpu_ns before `ns`, at `node`. */
void trace_stacks_sample(struct trace_stacks *stacks, uint64_t tid, uint64_t ns, uint64_t cpu_ns,
                         uint32_t node);

/* End all durations. */
void trace_stacks_destroy(struct trace_stacks *stacks);

/* Number of the name of the function of a traced call's node. */
uint32_t trace_stacks_function(struct trace_stacks *stacks, uint32_t node);

/* ---- all of it (trace.c) */

void trace_export(struct export_job *job, const struct trace_format *format);

#endif

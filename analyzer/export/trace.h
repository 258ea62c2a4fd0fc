/* trace.h: the events of experiments on one time axis, for exports that show what happened when.
 *
 *   trace.c          the selected experiments, one after the other
 *   trace_process.c  what is known of one without reading events
 *   trace_events.c   its events that the filters let through
 *   trace_waits.c    of waits: what for, who had it, where
 *   trace_names.c    every name once, with a number
 *   trace_stacks.c   clock samples that follow each other closely become durations of functions
 *   trace_states.c   waits and clock samples become the states of threads
 *   trace_fxt.c, trace_chrome.c   the two formats; firefox/markers.c keeps events for a third one
 *
 * Nothing is kept of an event that has been written, but for states: 16 bytes of each wait and
 * sample until the end. Times are ns since the start of the earliest experiment. */
#ifndef XER_ANALYZER_EXPORT_TRACE_H
#define XER_ANALYZER_EXPORT_TRACE_H

#include "analyzer/base/sink.h"
#include "analyzer/export/export.h"
#include "analyzer/report/writers.h"
#include "experiment/streams/selection.h"
#include "experiment/table/hash.h"
#include "experiment/table/index.h"
#include "format/fxt.h"

/* Ids of threads that are shown beside those of the system: the sampled functions of thread N are
 * thread N + TRACE_SAMPLED, its states N + TRACE_STATES. */
enum { TRACE_STATES = 1 << 29, TRACE_SAMPLED = 1 << 30, TRACE_ARGUMENTS_MAX = 10 };

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
	uint32_t node; /* its stack, EXP_NO_INDEX: none */
	unsigned argument_count;
	struct trace_argument arguments[TRACE_ARGUMENTS_MAX];
};

static inline void trace_add_argument(struct trace_event *event, uint32_t name,
                                      enum trace_value type, uint64_t value)
{
	event->arguments[event->argument_count++] = (struct trace_argument){name, type, value};
}

struct trace;

/* How a format writes it. */
struct trace_format {
	int has_stacks; /* it takes the stacks of events from their nodes, and needs no text of them
	                 */
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
	WORD(D1, "d1") WORD(D2, "d2") WORD(D3, "d3") WORD(D4, "d4") WORD(D5, "d5") WORD(SAMPLES, "samples") WORD(SAMPLED_NS, "sampled_ns") WORD(UNKNOWN, "?") WORD(OWNER, "owner") \
	WORD(ADDRESS, "address") WORD(STACK, "stack") WORD(HELD_BY, "held_by") WORD(HELD_AT, "held_at") WORD(END_OF, "end_of") WORD(SIGNALLED_BY, "signalled_by") WORD(SIGNALLED_AT, "signalled_at") WORD(RELEASED_BY, "released_by") WORD(RELEASED_AT, "released_at") WORD(WRITTEN_BY, "written_by") WORD(WRITTEN_AT, "written_at") WORD(OWNER_PROCESS, "owner_process") \
	WORD(LIFE, "life") WORD(BEGIN, "process begin") WORD(END, "process end") WORD(COMMAND, "command") WORD(STATUS, "status") WORD(PARENT, "parent")
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
	void *context; /* of the format */
	int64_t origin_ns;
	struct sink sink;
	struct trace_name *names;
	size_t name_count, name_capacity;
	struct exp_hash by_text;
	uint32_t *functions; /* by index of a function: number of its name + 1, 0: not known yet */
	size_t function_count;
	struct writers *writers; /* NULL: there is no wall-clock time */
	int is_begun;            /* for the format: an event was written */
};

/* The number of a text, made if it is new (trace_names.c). NULL is "?". */
uint32_t trace_name(struct trace *trace, const char *text);
uint32_t trace_name_bytes(struct trace *trace, const char *text, size_t size);
uint32_t trace_name_function(struct trace *trace, const struct sym_function *function);
void trace_names_begin(struct trace *trace);
void trace_names_fini(struct trace *trace);

/* ---- one experiment */

/* A process whose events are written. */
struct trace_process {
	struct trace *trace;
	const struct dataset_experiment *at;
	uint64_t id;
	int64_t start_ns; /* on the axis of the trace */
};

/* A time since the start of the experiment on the axis of the trace. Hostile ones may be beyond the
 * type. */
static inline uint64_t trace_on_axis(const struct trace_process *process, int64_t since_start_ns)
{
	int64_t ns;

	return !__builtin_add_overflow(process->start_ns, since_start_ns, &ns) && ns > 0
	               ? (uint64_t)ns
	               : 0;
}

/* Are the states of its threads known? */
static inline int trace_has_states(const struct trace_process *process)
{
	return (process->at->whole->have & EXP_DATA_WALL) != 0;
}

/* Write the process with its threads, its begin and its end, and its usage (trace_process.c). */
void trace_process_put(const struct trace_process *process);

/* Write its load objects, and its events that the filters let through (trace_events.c). */
void trace_events_put(const struct trace_process *process);

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

/* Number of a stack as text, innermost first: "write <- flush_log <- main". */
uint32_t trace_stacks_text(struct trace_stacks *stacks, uint32_t node);

/* ---- states of the threads of one experiment (trace_states.c) */

/* Gets a state (enum fmt_wall_state) of a thread; those of one are in order. */
typedef void trace_states_put(void *context, uint64_t tid, uint64_t begin_ns, uint64_t end_ns,
                              unsigned state);
struct trace_states;
struct trace_states *trace_states_create(trace_states_put *put, void *context);

/* A wait of `tid` in a state (enum fmt_wall_state); a sample that ended at ns, of cpu_ns spent
 * before that, as USER or SYSTEM. */
void trace_states_wait(struct trace_states *states, uint64_t tid, uint64_t begin_ns,
                       uint64_t end_ns, unsigned state);
void trace_states_sample(struct trace_states *states, uint64_t tid, uint64_t ns, uint64_t cpu_ns,
                         unsigned state);

/* Put the states of all threads. */
void trace_states_destroy(struct trace_states *states);

/* ---- what is told of waits (trace_waits.c) */

struct trace_waits;
struct wait_waker;
struct trace_waits *trace_waits_create(struct trace *trace, const struct dataset_experiment *at);
void trace_waits_destroy(struct trace_waits *waits);

/* Who had what was waited for, or ended the wait; and of a wait of -s or -i the same wait of -w,
 * which knows more: *known. */
struct wait_waker trace_waits_waker(const struct trace_waits *waits, const struct exp_wait *wait,
                                    const struct exp_wait **known);

/* Arguments of a wait of synchronization: its object by name, and its address. */
void trace_waits_object(struct trace_waits *waits, struct trace_event *event,
                        const struct exp_wait *wait);

/* Who had what was waited for, and where it took it; nothing if that is not known. */
void trace_waits_owner(struct trace_waits *waits, struct trace_event *event,
                       const struct exp_wait *wait);

/* ---- all of it (trace.c) */

/* Make a trace, write the events of an experiment, end it. */
struct trace *trace_open(struct export_job *job, const struct trace_format *format, void *context);
void trace_put_experiment(struct trace *trace, const struct dataset_experiment *at);
void trace_close(struct trace *trace);

/* All of that, with every selected experiment. */
void trace_export(struct export_job *job, const struct trace_format *format);

#endif

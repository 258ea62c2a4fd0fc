/* data.h: what experiment_load returns: totals by call-stack node, and data that do not belong to
 * stacks.
 *
 * All of it is valid until experiment_close. It is a part of experiment.h, which is the header to
 * include. */
#ifndef XER_EXPERIMENT_DATA_H
#define XER_EXPERIMENT_DATA_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Totals kept for each call-stack node; times in ns. format/datakind.def, which is installed with
 * this header, says what each of them is. */
enum exp_metric {
#define TOTAL(id, kind, role, meaning) EXP_##id,
#include "format/datakind.def"
	EXP_METRICS,
	EXP_COUNTER = EXP_COUNTER0,
	EXP_COUNTER_LAST = EXP_COUNTER7
};

/* The kinds of data: EXP_DATA_HEAP and so on, a bit each. */
enum exp_data {
#define DATAKIND(id, number, ...) EXP_DATA_##id = 1 << (number),
#include "format/datakind.def"
};

/* The name of the counter whose events are metric EXP_COUNTER + slot, NULL if there is none. Equal
 * names have one slot in all experiments that this process has opened. */
const char *experiment_counter_name(unsigned slot);

#define EXP_NO_INDEX UINT32_MAX

/* The call-stack tree: nodes 0 .. count-1 in order of id; parent index < own index, UINT32_MAX at
 * roots. */
struct exp_nodes {
	size_t count;
	const uint64_t *pc; /* values below FMT_PC_MARKS are marks, see format/record.h */
	const uint32_t *parent;
	const uint32_t *generation;
	size_t traced; /* nodes from here on are paths of traced calls: pc is the function's
	                  beginning, 0 unknown */
	/* Exclusive totals. Nodes with events of their own have a row of values: most have none. */
	size_t row_count;
	const uint32_t *row_of;  /* of[count]: the row of a node, EXP_NO_INDEX: none; NULL: no
	                            node has one */
	const uint32_t *node_of; /* node_of[row_count], in no order */
	const uint64_t *value[EXP_METRICS]; /* value[metric][row]; NULL for metrics without data */
	uint64_t no_stack[EXP_METRICS];     /* totals of events whose stack is 0 or damaged */
	int is_program; /* they are the functions of a program that was opened in place of an
	                   experiment, and have no values */
};

/* The exclusive total of a node. */
static inline uint64_t exp_node_value(const struct exp_nodes *nodes, enum exp_metric metric,
                                      size_t node)
{
	uint32_t row = !nodes->row_of ? EXP_NO_INDEX : nodes->row_of[node];

	return row == EXP_NO_INDEX || !nodes->value[metric] ? 0 : nodes->value[metric][row];
}

/* One usage record of the overview. */
struct exp_usage {
	const char *label; /* the name that the program or user gave the sample, NULL: none */
	double time_s;
	unsigned reason; /* enum fmt_sample_reason */
	uint32_t number, tid;
	uint64_t user_ns, system_ns, cpu_ns, maxrss_kib, minflt, majflt, inblock, oublock, nvcsw,
		nivcsw, nswap, threads, sampled_ns;
};

enum { EXP_THREAD_NAME = 248 };

struct exp_thread {
	uint32_t tid;
	double time_s;
	unsigned origin;            /* enum fmt_thread_origin */
	char name[EXP_THREAD_NAME]; /* of Java threads the whole, of others up to 15 bytes */
	uint64_t samples, cpu_ns;   /* of its clock samples */
};

/* Objects of one Java class that one stack allocated, as sampled: only some of the small ones are
 * recorded, and each stands for many. */
struct exp_java_alloc {
	uint32_t class_id; /* its number, 0: not known */
	uint32_t node;     /* EXP_NO_INDEX: no stack */
	uint64_t samples;
	double objects, bytes; /* estimated */
	double bytes_variance; /* of that estimate, estimated; of objects it may be far off */
};

/* A garbage collection of a Java machine, during which all of its threads are stopped. */
struct exp_gc {
	double time_s; /* of its end */
	uint64_t ns;
};

enum { EXP_HISTOGRAM = 65 }; /* bucket 0: size 0; bucket n: sizes with n significant bits */

/* What was live at one moment. */
struct exp_heap_moment {
	double time_s;
	uint64_t bytes, blocks;
};

enum { EXP_MOMENTS_MAX = 25 };

/* Memory mapped without a file: mmap, mremap, growth of the program break. */
struct exp_heap_maps {
	uint64_t maps, map_bytes;     /* ranges that were mapped */
	uint64_t unmaps, unmap_bytes; /* calls that unmapped known ranges, or parts of them, and
	                                 what they unmapped */
	uint64_t unknown_unmaps; /* calls for ranges that were not mapped in the recording, or are
	                            of files */
	uint64_t live_bytes;     /* at the end */
	uint64_t peak_bytes;
	double peak_time_s;
};

struct exp_heap {
	uint64_t allocs, alloc_bytes, frees, unmatched_frees, leaks, leak_bytes;
	uint64_t temps; /* allocations that the next heap call of their thread freed */
	uint64_t
		lost_frees; /* allocations at an address that was still live: its free is missing */
	uint64_t peak_bytes;
	double peak_time_s;
	uint64_t smallest, largest;
	uint64_t size_count[EXP_HISTOGRAM];
	uint64_t leak_size_count[EXP_HISTOGRAM];
	struct exp_heap_moment moments[EXP_MOMENTS_MAX]; /* the first ones equally far apart, the
	                                                    last is the last event */
	unsigned moment_count;
	struct exp_heap_maps maps;
	/* If blocks were sampled, all numbers of blocks and bytes are estimates, but for those of
	 * maps; `temps` is not known, and 0. */
	uint64_t sampled_every; /* bytes on average, 0: all blocks were recorded */
	uint64_t recorded;      /* allocations that were recorded */
};

/* What a thread can wait for. */
enum exp_sync_class {
	EXP_SYNC_OTHER, /* of a kind that is not known here */
	EXP_SYNC_MUTEX,
	EXP_SYNC_COND,
	EXP_SYNC_RWLOCK,
	EXP_SYNC_SPIN,
	EXP_SYNC_BARRIER,
	EXP_SYNC_SEMAPHORE,
	EXP_SYNC_SEMAPHORE_SET, /* System V: its address is an identifier */
	EXP_SYNC_JOIN,          /* its address is a pthread_t */
	EXP_SYNC_FUTEX,
	EXP_SYNC_MONITOR, /* of Java: its address is the number of its class << 32 | its identity
	                     hash */
	EXP_SYNC_ONCE     /* a routine that is run once */
};

/* An object of synchronization that was waited for. If another stack creates an object at the same
 * address again, that is another object. */
struct exp_sync_object {
	uint64_t address;
	uint64_t mutex;         /* of a condition variable: the one of its longest wait, else 0 */
	uint8_t object_class;   /* enum exp_sync_class */
	uint32_t creation;      /* node of the call that created it, EXP_NO_INDEX if none was
	                         * recorded */
	uint32_t node;          /* of its longest wait, EXP_NO_INDEX: no stack */
	uint64_t count, failed; /* waits, and those of them that ended without it */
	uint64_t wait_ns, longest_ns;
	uint64_t threads; /* set of the threads that waited: bit n the n-th of the stream, bit 63
	                     all further ones */
	uint64_t open;    /* those of the waits that had not ended when the recording did */
};

/* The error of a wait that had not ended when the recording did, and lasts until then: the highest
 * number that the kernel keeps for errors, which no call returns. */
enum { EXP_SYNC_OPEN = 4095 };

struct exp_sync_wait {
	double time_s; /* of its end */
	uint64_t wait_ns;
	uint32_t tid;
	uint64_t mutex;  /* that was given up while waiting for a condition variable, else 0 */
	uint32_t object; /* index, EXP_NO_INDEX if there were too many objects */
	uint32_t node;   /* EXP_NO_INDEX: no stack */
	uint32_t error;  /* errno value, 0: granted, EXP_SYNC_OPEN */
	uint8_t func;    /* enum fmt_sync_func */
};

struct exp_sync {
	const struct exp_sync_object
		*objects; /* objects[object_count] in order of their first waits */
	size_t object_count;
	const struct exp_sync_wait *longest; /* longest[longest_count], the longest first */
	size_t longest_count;
	uint64_t open; /* waits that had not ended when the recording did */
};

/* A wait of a thread, of any kind (wall-clock time). */
struct exp_wait {
	double time_s; /* of its end */
	uint64_t span_ns;
	uint64_t wait_ns; /* span_ns without other waits in that time, as those of a signal
	                     handler */
	uint32_t tid;
	uint32_t node;   /* EXP_NO_INDEX: no stack */
	uint64_t object; /* an address, the number of a file, a process: as experiment(5) says of
	                    the record `wait`; 0: unknown */
	uint32_t owner;  /* thread that had the lock when it began, that is joined, or that ended it
	                    by a signal; 0: unknown */
	uint32_t site;   /* node of where that took the lock or signalled, EXP_NO_INDEX: unknown */
	uint32_t error;  /* errno value, 0: none, EXP_SYNC_OPEN: it had not ended */
	uint8_t state;   /* enum fmt_wall_state */
	uint8_t family;  /* enum fmt_wait_family */
	uint8_t func;    /* of that family's enumeration */
	uint8_t is_earlier; /* it began before the thread's waits were recorded: time_s less span_ns
	                       is the moment at which it was seen first */
	uint32_t ready;     /* after a wait for several descriptors, how many were ready, of which
	                       `object` is the first; else 0 */
};

struct exp_wall {
	const struct exp_wait *longest; /* longest[longest_count], the longest first */
	size_t longest_count;
	uint64_t open; /* waits that had not ended when the recording did */
};

enum exp_io_class { EXP_IO_OTHER, EXP_IO_READ, EXP_IO_WRITE, EXP_IO_ERROR, EXP_IO_CLASSES };

/* Totals by enum exp_io_class; a call that failed counts under error alone. */
struct exp_io_totals {
	uint64_t count[EXP_IO_CLASSES], bytes[EXP_IO_CLASSES], wait_ns[EXP_IO_CLASSES];
};

struct exp_io_file {
	uint32_t number; /* as recorded; 0: descriptors of which it is not known what they stand for
	                  */
	unsigned type;   /* enum fmt_file_type */
	uint32_t file_system; /* f_type of statfs(2), 0: none */
	const char
		*name; /* name[name_size] and a NUL, any bytes; NULL if its name was not recorded */
	size_t name_size;
	struct exp_io_totals totals;
	const char *end; /* of a connection: the name of the own end, as io_file of experiment(5)
	                    has it; empty: unknown, or none; NULL if the name was not recorded */
};

struct exp_io_descriptor {
	uint32_t file; /* index */
	uint32_t fd;   /* UINT32_MAX: none */
	struct exp_io_totals totals;
};

/* A construct of OpenMP: an event of one kind at one place of the program. */
struct exp_omp_construct {
	unsigned event; /* enum fmt_omp_event */
	uint32_t node;  /* of the first stack that reached it, EXP_NO_INDEX: no stack */
	uint64_t count;
	uint64_t time_ns, longest_ns;
	/* Of parallel regions only: */
	uint64_t most_threads, threads; /* of a team; of all teams */
	uint64_t work_ns;               /* of all threads, without recorded waits */
	uint64_t wait_ns; /* of all threads: recorded waits, and until the slowest one came to the
	                     end */
	uint64_t lost_ns; /* lost by uneven shares: the work of all threads if each had worked as
	                   * long as the busiest one, minus work_ns */
};

struct exp_omp {
	const struct exp_omp_construct
		*constructs; /* constructs[count] in order of their first ends */
	size_t count;
	uint64_t unended; /* regions that had not ended when the recording did */
};

/* The calls of one class. */
struct exp_io_sizes {
	uint64_t smallest, largest, longest_ns;
	uint64_t size_count[EXP_HISTOGRAM];
};

/* The calls of one function. */
struct exp_io_function {
	uint64_t count, errors, bytes, wait_ns;
};

enum { EXP_IO_FUNCTIONS = 256, EXP_IO_ERRORS = 134 };

struct exp_io {
	const struct exp_io_file *files; /* files[file_count]; some may only have been named */
	size_t file_count;
	const struct exp_io_descriptor
		*descriptors; /* descriptors[descriptor_count], each file with each number */
	size_t descriptor_count;
	struct exp_io_totals totals;
	struct exp_io_sizes sizes[EXP_IO_CLASSES];
	struct exp_io_function functions[EXP_IO_FUNCTIONS]; /* by enum fmt_io_func */
	uint64_t errors[EXP_IO_ERRORS];                     /* by errno value, 0: an unknown one */
};

/* How many values of which size, exact below 64 and with a relative error of at most 1/64 above. */
struct exp_histogram {
	uint64_t *counts; /* NULL while it is empty */
	uint32_t first, octaves;
};

/* The value that a share of all values, 0 <= share <= 1, does not exceed; 0 if there are none. */
uint64_t experiment_quantile(const struct exp_histogram *histogram, double share);

/* The calls of one traced function. Those in `cut` have no recorded exit: they have a time, but are
 * not in what is below. */
struct exp_call_function {
	uint32_t id;         /* its number in the trace */
	uint32_t generation; /* of its address */
	uint64_t address;    /* 0: not known */
	uint64_t count, cut; /* complete calls; others */
	uint64_t total_ns;   /* in the function and what it called; of recursive calls, only the
	                      * outermost */
	uint64_t self_ns;
	uint64_t min_ns, max_ns;
	double sum_ns; /* of all calls */
	double spread; /* sum of squares of their differences from the mean, ns * ns */
	struct exp_histogram ns;
};

struct exp_calls {
	const struct exp_call_function
		*functions; /* functions[function_count] in order of their first calls */
	size_t function_count;
	size_t threads, paths;
	uint64_t entries, exits, arguments, events;
	uint64_t unwound;  /* calls that were left without an exit: by an exception, a jump, a lost
	                      record */
	uint64_t open;     /* calls that had not ended when the trace of their thread did */
	uint64_t stray;    /* exits of calls that were not open */
	uint64_t too_deep; /* calls that were not timed, for their depth */
	uint64_t pathless; /* calls that count for the path from which they were made */
};

struct exp_quality {
	/* Events of each kind: clock samples, heap events, waits, calls, ... */
#define DATAKIND(id, number, stream, reader, stage, count, ...) uint64_t count;
#include "format/datakind.def"
	uint64_t sampled_ns; /* the CPU time that the clock samples stand for */
	uint64_t cpu_ns;     /* CPU time of the process by the last usage record or exit event */
	uint64_t lost;       /* events known to be lost, all kinds */
	uint64_t stacks, truncated, guessed,
		failed; /* distinct stacks that events name, and those with marks */
	uint64_t stack_events, truncated_events; /* events that name a stack, and those cut short */
	uint64_t wall_ns;         /* time of all threads, from their begins to their ends, */
	uint64_t wall_unknown_ns; /* and what of it is neither CPU time nor a wait, nor spent
	                             without a CPU */
	uint64_t user_samples; /* those of the clock samples that found the thread in user code */
	/* Sums of the squares of what samples stand for, which tell how exact shares are: ns * ns
	 * of the clock, with what threads used after their last samples; events * events of each
	 * counter. */
	double sampled_squares, counter_squares[EXP_COUNTER_LAST - EXP_COUNTER + 1];
};

/* Cut stacks that end at one frame: its callers were not found. */
struct exp_stack_end {
	uint32_t node;    /* of that frame; it may be a mark */
	unsigned is_deep; /* walks ended there for their length, so its code is not the reason */
	uint64_t events;
};

struct exp_data_set {
	unsigned have; /* enum exp_data: streams that exist and were read */
	struct exp_nodes nodes;
	const struct exp_usage *usage;
	size_t usage_count;
	const struct exp_thread *threads;
	size_t thread_count;
	const uint32_t *threads_by_tid; /* their indices by id, then by time; NULL: they are few */
	const struct exp_gc *gcs;       /* gcs[gc_count] in order of time */
	size_t gc_count;
	const struct exp_java_alloc
		*java_allocs; /* java_allocs[java_alloc_count] in order of class and node */
	size_t java_alloc_count;
	struct exp_heap heap;
	struct exp_wall wall;
	struct exp_sync sync;
	const struct exp_io *io; /* never NULL */
	struct exp_calls calls;
	struct exp_omp omp;
	const struct exp_mpi *mpi; /* see mpi.h; NULL: there are no calls */
	struct exp_quality quality;
	/* stack_ends[stack_end_count], in order of nodes; of events that were chosen: none. */
	const struct exp_stack_end *stack_ends;
	size_t stack_end_count;
	double first_s, last_s; /* times of the first and the last event */
};

#ifdef __cplusplus
}
#endif

#endif

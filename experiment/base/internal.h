/* internal.h: the experiment as the modules of libexperiment share it. */
#ifndef XER_EXPERIMENT_BASE_INTERNAL_H
#define XER_EXPERIMENT_BASE_INTERNAL_H

#include "experiment/base/index.h"
#include "experiment/base/arena.h"
#include "experiment/base/clock.h"
#include "experiment/experiment.h"
#include "format/layout.h"

struct exp_load;
struct exp_method;
struct exp_samples;
struct exp_fxtindexes;
struct exp_sampled;

/* Generations from here on mean an instant: a moment, and the generation that was then. */
#define EXP_GENERATION_INSTANTS (UINT32_C(1) << 31)

struct exp_instant {
	uint64_t ticks;
	uint32_t generation;
};

/* Methods of Java (java.h), in order of their numbers. */
struct exp_methods {
	uint64_t serial; /* another one for each experiment that was ever opened */
	struct exp_method *methods;
	size_t count, capacity;
	const char **classes; /* names by number - 1, NULL: not known */
	size_t class_count, class_capacity;
};

struct experiment {
	struct exp_info info;
	struct exp_reporter reporter;
	struct exp_arena arena; /* all strings and small tables */
	int directory;          /* descriptor of the experiment directory */
	char *founder;          /* path of the founder's directory */
	struct exp_clock clock;
	struct exp_usage
		end_usage; /* of a process that ended with nothing to record, else cpu_ns is 0 */
	uint64_t end_ticks;
	uint64_t kept_from;          /* event time: older events are passed over; 0: none are */
	uint64_t kept_stamp;         /* another one when something was dropped since (keep.h) */
	uint64_t until;              /* event time: later events are passed over; 0: none are */
	struct exp_sampled *sampled; /* of a founder: descendants that no collector was in
	                        (sampled.h); NULL: it has no samples */
	int is_at_work;              /* somebody still writes samples */
	uint64_t ended_ns;   /* when the process became another program that the kernel has told of,
	                        0: it did not */
	uint64_t kernel_pid; /* of its process in samples: info.pid, but in another namespace */
	uint64_t began_ns;   /* when the process began to execute this image, CLOCK_MONOTONIC; 0:
	                        nobody has told (samplermap.h) */
	uint64_t *event_ticks;      /* of info.events; 0: the event has no time */
	struct exp_object *objects; /* in order of the file */
	size_t object_count;
	uint32_t *by_start;             /* indices of objects, in order of start */
	uint64_t *highest_end;          /* highest end of by_start[0..i] */
	struct exp_function *functions; /* in order of the file */
	size_t function_count;
	uint32_t *functions_by_start;    /* indices, in order of start */
	uint64_t *functions_highest_end; /* highest end of functions_by_start[0..i] */
	struct exp_instant *epochs;      /* epochs[epoch_count]: when each generation of the
	                                    address map began, by time */
	size_t epoch_count;
	int has_reuse;                /* functions lay at the same place at different times */
	struct exp_instant *instants; /* instants[instant_count] */
	size_t instant_count, instant_capacity;
	struct exp_methods methods;         /* of Java */
	struct exp_kernel_function *kernel; /* kernel[kernel_count] by start; NULL: stacks have
	                                       no part of the kernel (addressmap.h) */
	size_t kernel_count, kernel_capacity;
	struct exp_index kernel_nodes; /* of clock samples with a part of the kernel
	                                  (exp_kernel_key): their nodes */
	struct exp_fxtlog *fxtlog; /* the FXT file that stands for an experiment directory; NULL:
	                              there is none */
	struct xraylog
		*foreign; /* the log that stands for an experiment directory; NULL: there is one */
	uint64_t *foreign_functions; /* foreign_functions[number]: their addresses by an
	                                instrumentation map */
	size_t foreign_function_count;
	uint64_t *program; /* program[program_count]: addresses of the functions of the program that
	                      stands for an experiment directory; NULL: there is none */
	size_t program_count;
	struct exp_fxtindexes *indexes; /* of the founder's files of samples */
	struct exp_samples
		*samples[1 + FMT_COUNTERS_MAX]; /* of each sampler, NULL: none (samplers.h,
	                                           samples.h); the first is of CPU time */
	unsigned counted;                       /* bit n: there is a counter of slot n */
	struct exp_load *load;                  /* what experiment_load read, NULL before */
};

/* May the data files be in the middle of a change: of a process that is recorded, or that was when
 * its files were copied? */
static inline int exp_is_live(const struct experiment *experiment)
{
	return experiment->info.status == EXP_RUNNING || experiment->info.status == EXP_SNAPSHOT;
}

/* Report a fault in the input and remember that the experiment is damaged. The experiment's path
 * and ": " are put before the text. */
void exp_warn(struct experiment *experiment, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The same for a message that exp_warn has made for a copy of the experiment. */
void exp_warn_told(struct experiment *experiment, const char *message);

/* Open a regular file below the directory, never following a link and never blocking.
 * Returns a descriptor, or -errno (-EBADMSG: not a regular file). */
int exp_file_open(int directory, const char *name);

#endif

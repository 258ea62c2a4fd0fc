/* internal.h: the experiment as the modules of libexperiment share it. */
#ifndef XER_EXPERIMENT_BASE_INTERNAL_H
#define XER_EXPERIMENT_BASE_INTERNAL_H

#include "experiment/base/clock.h"
#include "experiment/experiment.h"
#include "experiment/table/arena.h"
#include "experiment/table/index.h"
#include "format/layout.h"

struct exp_load;
struct exp_method;
struct exp_samples;
struct exp_fxtindexes;
struct exp_sampled;
struct exp_place;

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
	struct exp_arena arena;  /* all strings and small tables */
	int directory;           /* descriptor of the experiment directory; -1: it is not open
	                            (directory.h), or there is none */
	int is_resting;          /* it is opened when it is used */
	uint64_t files;          /* a Bloom filter of the names in it, of one hash; 0: not known */
	struct exp_place *place; /* of the founder; NULL: of none that is open */
	char *founder;           /* path of the founder's directory */
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

/* Is this the path of the library that xcollect puts into programs? */
int exp_path_is_recorder(const char *path);

/* Write all bytes. Returns 0 or -errno. */
int exp_bytes_write(int fd, const void *bytes, size_t len);

/* ---- the directory of an experiment
 *
 * A founder holds its directory open. A descendant that was opened with its founder holds none: a
 * tree may have more processes than descriptors are allowed. Its directory is opened again below
 * that of the founder while it is used. */

/* A place for a founder's descriptor, or one more owner of an existing place (NULL: a new one).
 * Returns NULL if there is no memory. */
struct exp_place *exp_place_share(struct exp_place *place);

/* One owner less. The last one closes the descriptor. */
void exp_place_release(struct exp_place *place);

/* Give the place a descriptor, unless it has one already; is it the place's? */
void exp_place_offer(struct exp_place *place, int directory);
int exp_place_is(const struct exp_place *place, int directory);

/* What the founder lends to its descendants, as long as the place lives; in memory of this arena.
 * NULL: nothing. */
struct exp_arena *exp_place_arena(struct exp_place *place);
void exp_place_lend(struct exp_place *place, const struct exp_info *lent);
const struct exp_info *exp_place_lent(const struct exp_place *place);

/* Have the directory in experiment->directory until exp_directory_let_go. Returns 1 if it is to be
 * let go, 0 if it is held anyway or there is none, or -errno: it is gone, or is another one now. */
int exp_directory_hold(struct experiment *experiment);

/* `held`: what exp_directory_hold has returned. */
void exp_directory_let_go(struct experiment *experiment, int held);

/* A descriptor of the directory, for a moment, or -errno (-ENOENT: there is none). The caller gives
 * it back. */
int exp_directory_get(const struct experiment *experiment);
void exp_directory_put(const struct experiment *experiment, int directory);

/* A descendant that was opened with its founder: its directory is not needed for now. */
void exp_directory_rest(struct experiment *experiment);

/* The process has ended, and its files are complete: remember which there are. Thousands of
 * processes have few of all kinds. */
void exp_directory_list(struct experiment *experiment);

/* Is there surely no file of this name? */
int exp_directory_lacks(const struct experiment *experiment, const char *name);

/* Open a regular file of the experiment as exp_file_open does. */
int exp_own_file_open(const struct experiment *experiment, const char *name);

#endif

/* internal.h: the experiment as the modules of libexperiment share it. */
#ifndef XER_EXPERIMENT_BASE_INTERNAL_H
#define XER_EXPERIMENT_BASE_INTERNAL_H

#include "experiment/base/arena.h"
#include "experiment/base/clock.h"
#include "experiment/experiment.h"
#include "format/layout.h"

struct exp_load;
struct exp_method;
struct exp_samples;
struct exp_fxtindexes;
struct exp_kin;

/* Generations from here on mean an epoch: a moment, and the generation that was then. */
#define EXP_GENERATION_EPOCHS (UINT32_C(1) << 31)

struct exp_epoch {
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

/* An object with what the reader alone needs. */
struct exp_map_object {
	uint64_t id;
	struct exp_object object;
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
	struct exp_kin *kin; /* of a founder: descendants that no collector was in (kin.h); NULL: it
	                        has no samples */
	int is_at_work;      /* somebody still writes samples */
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
	int has_reuse;                   /* functions lay at the same place at different times */
	struct exp_epoch *epochs;        /* epochs[epoch_count] */
	size_t epoch_count, epoch_capacity;
	struct exp_methods methods; /* of Java */
	struct exp_fxtlog *fxtlog;  /* the FXT file that stands for an experiment directory; NULL:
	                               there is none */
	struct xraylog
		*foreign; /* the log that stands for an experiment directory; NULL: there is one */
	uint64_t *foreign_functions; /* foreign_functions[number]: their addresses by an
	                                instrumentation map */
	size_t foreign_function_count;
	struct exp_fxtindexes *indexes; /* of the founder's files of samples */
	struct exp_samples
		*samples[1 + FMT_COUNTERS_MAX]; /* of each sampler, NULL: none (samplers.h,
	                                           samples.h); the first is of CPU time */
	unsigned counted;                       /* bit n: there is a counter of slot n */
	struct exp_load *load;                  /* what experiment_load read, NULL before */
};

/* Report a fault in the input and remember that the experiment is damaged. The experiment's path
 * and ": " are put before the text. */
void exp_warn(struct experiment *experiment, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The same for a message that exp_warn has made for a copy of the experiment. */
void exp_warn_told(struct experiment *experiment, const char *message);

/* Open a log of LLVM's XRay runtime as an experiment (foreign.c). Returns 0, or -errno with the
 * cause: -ENOTDIR if the file is no such log. */
int exp_foreign_open(struct experiment *experiment, struct exp_cause *cause);
void exp_foreign_close(struct experiment *experiment);

/* Open a regular file below the directory, never following a link and never blocking.
 * Returns a descriptor, or -errno (-EBADMSG: not a regular file). */
int exp_file_open(int directory, const char *name);

/* Read log.xml (log.c): fills info and the clock. Returns 0, -EBADMSG (foreign), -EPROTO (another
 * version), -ENODATA (empty) or another -errno; `cause` then has the reason without the
 * experiment's path. */
int exp_log_read(struct experiment *experiment, struct exp_cause *cause);

/* Read of the founder's log what is the same in a whole tree: all that is read of a descendant that
 * has no log. Returns 0 or -ENOMEM. */
int exp_log_inherit(struct experiment *experiment);

/* Make the experiment's table of objects, to be looked up by address (map.c). Returns 0 or -ENOMEM.
 */
int exp_map_index(struct experiment *experiment, const struct exp_map_object *objects,
                  size_t count);

/* Read map.xml (map.c): fills the objects. A missing or damaged map is warned about. Returns 0 or
 * -ENOMEM. */
int exp_map_read(struct experiment *experiment);

/* Functions that the program made, as map.xml tells of them (dynamic.c). Zeroed at first. */
struct exp_dynamic {
	struct experiment *experiment;
	struct exp_function *functions;
	size_t count, capacity;
	struct exp_image_copy *images; /* images[image_count] */
	size_t image_count, image_capacity;
};
struct exp_element;

/* An ELF file that the program had in memory, registered for debuggers. */
struct exp_image_copy {
	uint64_t entry, offset,
		size; /* address of the registration; where in dyntext the file is */
	uint32_t generation;
	uint64_t ticks_from, ticks_to;
};

/* Take an <image>, an <image_unload>; then make functions of their symbols (jitimage.c). Return 0
 * or -ENOMEM. */
int exp_image_copy_load(struct exp_dynamic *dynamic, const struct exp_element *element);
int exp_image_copy_unload(struct exp_dynamic *dynamic, const struct exp_element *element);
int exp_image_copies_read(struct exp_dynamic *dynamic);

/* Take a function. Returns 0 or -ENOMEM. */
int exp_dynamic_add(struct exp_dynamic *dynamic, const struct exp_function *function);

/* Take a <function>, a <function_unload>. Return 0 or -ENOMEM. */
int exp_dynamic_load(struct exp_dynamic *dynamic, const struct exp_element *element);
int exp_dynamic_unload(struct exp_dynamic *dynamic, const struct exp_element *element);

/* Take a <code>. Returns 0 or -ENOMEM. */
int exp_dynamic_code(struct exp_dynamic *dynamic, const struct exp_element *element);

/* All have been taken: give them to the experiment. Frees `dynamic`. Returns 0 or -ENOMEM. */
int exp_dynamic_finish(struct exp_dynamic *dynamic);

/* The generation for this moment (dynamic.c). Returns it, or 0 if out of memory. */
uint32_t exp_epoch_add(struct experiment *experiment, uint64_t ticks, uint32_t generation);

/* The moment and the generation that a generation means: UINT64_MAX and itself, if it is no epoch.
 */
struct exp_epoch exp_epoch_of(const struct experiment *experiment, uint32_t generation);

/* The function at run-time address pc at that moment, or NULL. Before the first there it is the
 * first. (dynamic.c) */
const struct exp_function *exp_function_then(const struct experiment *experiment, uint64_t pc,
                                             struct exp_epoch then);

/* Add the moments when another function begins or ends to be at pc to at[count]. Returns the new
 * count, at most `max`. */
size_t exp_function_moments(const struct experiment *experiment, uint64_t pc, uint32_t generation,
                            uint64_t *at, size_t count, size_t max);

/* Free what experiment_load made (load.c); NULL is allowed. */
void exp_load_destroy(struct exp_load *load);

/* Give the events of info their times by the clock, and info its duration (log.c). last_ticks:
 * time of the last event of any data stream, 0 if unknown. */
void exp_log_apply_clock(struct experiment *experiment, uint64_t last_ticks);

#endif

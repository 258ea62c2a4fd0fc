/* options.h: what the user asked xcollect for. */
#ifndef XER_COLLECT_OPTIONS_OPTIONS_H
#define XER_COLLECT_OPTIONS_OPTIONS_H

#include "collect/base/cause.h"
#include "collect/machine/counters.h"
#include "collect/machine/profileclock.h"
#include "collect/options/calls.h"
#include "collect/options/hooks.h"
#include "format/compress.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

enum { OPTIONS_COMMENTS = 10 };

enum options_action {
	OPTIONS_RECORD,
	OPTIONS_VERSION,
	OPTIONS_HELP,
	OPTIONS_GROUP_DEFINE,
	OPTIONS_GROUP_DELETE,
	OPTIONS_GROUP_LIST,
	OPTIONS_COUNTERS,
	OPTIONS_SNAPSHOT
};

/* All pointers are borrowed from the command line or static. */
struct request {
	enum options_action action;
	const char *range;         /* of the values of the option that was refused for it */
	uint64_t profile_us;       /* 0: off */
	struct profileclock clock; /* that takes its samples (profileclock_find) */
	uint64_t sample_ms;        /* 0: off */
#define SWITCH(field, ...) int field;
#include "format/datakind.def"
	uint64_t heap_mean; /* of the heap, a block is recorded every so many bytes, 0: all */
	int sync;
	enum { MPI_AS_LAUNCHER, MPI_OFF, MPI_ON } mpi; /* calls */
	const char *mpi_launcher;                      /* "off", "on", or the name of an MPI */
	unsigned omp; /* 0: off, 1: stacks, 2: constructs too, as the descriptor has it */
	uint64_t sync_threshold_ns; /* shortest wait to record */
	unsigned sync_kinds;        /* bit 0: native, bit 1: monitors of Java */
	struct hooks hooks;         /* of user events */
	const char *group;          /* to define or delete */
	uint64_t sampler_ns;        /* 0: off */
	uint64_t sampler_bytes;     /* of each CPU's file */
	int sampler_cpus;           /* whole CPUs are sampled, and not threads */
	uint32_t sampler_stack;     /* bytes of the stack that are copied for each sample, 0: frame
	                               pointers */
	int sampler_timers; /* perf_event_open is refused: timers take the samples (sampler_prepare)
	                     */
	struct counters counters;   /* of -h */
	int kernel;                 /* stacks have the kernel's part */
	const char *kernel_refused; /* why not, though it was asked for; NULL: it is not refused */
	int functrace;
	struct calls calls; /* which ones, if functrace */
	enum {
		JAVA_DEFAULT,
		JAVA_OFF,
		JAVA_ON
	} java;                /* by default it is recorded, but nothing is said if it cannot be */
	const char *java_path; /* of the Java machine to be used, NULL: not said */
	const char *java_arguments;     /* of the machine, at blanks; NULL: none */
	int pause_signal, start_paused; /* signal 0: none */
	int sample_signal, snapshot_signal;
	int snapshot_crash;           /* the crash of a child makes one */
	uint64_t snapshot_wait_ms;    /* of a wait that makes a snapshot, 0: none does */
	int stop;                     /* the program, before it begins */
	uint64_t from_ms, to_ms;      /* when events are recorded; to 0: to the end */
	uint64_t limit_bytes;         /* of event data, 0: none */
	uint64_t keep_bytes, keep_ms; /* the newest data of so much, and of so long; 0: of any */
	const char *archive;          /* "off", or what xer_archive -a takes */
	enum compress compress;       /* what, at the end */
	const char *follow;
	const char *output; /* NULL: the default name */
	int overwrite;
	const char *directory;        /* NULL: the current one */
	const char *experiment_group; /* of this run; NULL: none */
	const char *groups[2];        /* groups[group_count]: of -g */
	unsigned group_count;
	unsigned repeat, warmup; /* runs that are recorded, 0: one, without more ado; before them,
	                            runs that are not */
	const char *versus; /* the word between two programs that take turns; NULL: there is one */
	int is_warmup;      /* this run is not recorded (repeat.c) */
	pid_t attach;       /* the process to attach to, 0: none */
	pid_t snapshot;     /* the recorded process to copy what there is of, 0: none */
	int dry_run;
	int verbose;
	const char *comments[OPTIONS_COMMENTS];
	size_t comment_count;
	char **target; /* the target's argv, NULL-terminated; empty only if action is not RECORD */
};

/* Read the command line. Returns 0, or 125 with `cause`. */
int options_parse(char **argv, struct request *out, struct cause *cause);

/* Is the program run several times, or are there two? (repeat.h) */
int options_repeats(const struct request *request);

/* Are MPI calls recorded? */
int options_traces_mpi(const struct request *request);

/* Does the program start an MPI job? */
int options_launches_mpi(const struct request *request);

/* What was asked for by --omp. */
const char *options_omp(const struct request *request);

/* Print the help that the option table gives. */
void options_help(FILE *to);

#endif

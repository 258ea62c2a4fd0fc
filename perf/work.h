/* work.h: what is sampled, and into which files: an event and a ring for each CPU, which new
 * threads and processes inherit, or which takes all that runs there. */
#ifndef XER_PERF_WORK_H
#define XER_PERF_WORK_H

#include "sampler/ring.h"

#include <stdint.h>
#include <sys/types.h>

struct work;

struct work_settings {
	struct ring_settings ring;
	uint64_t file_bytes; /* of each CPU's file */
	pid_t pid;
	int per_cpu;      /* each CPU is sampled, whoever runs there, and samples of others than the
	                     process and its descendants are dropped: -EACCES, -EPERM if that is not
	                     permitted */
	int directory;    /* the experiment; borrowed */
	const char *name; /* of the directory of the files in it */
	const char *path, *archiver; /* see mapfile_begin */
	int end; /* a socket: sampling ends when a byte comes; -1: when nobody is left to be sampled
	          */
};

/* Open the events, off, and the files in the directory `name` of the experiment.
 * ring.enable_on_exec: of the thread `pid`, which is about to execute a program; else of all its
 * process's threads. Returns 0, then work_close frees, or -errno: -EACCES and -EPERM: the system
 * forbids it. */
int work_open(struct work **out, const struct work_settings *settings);

/* It is not needed: delete the files, and free everything. */
void work_abandon(struct work *work);

/* Begin, if that does not happen automatically. */
void work_enable(struct work *work);

/* What was done. */
struct work_counts {
	struct ring_counts ring;
	uint64_t samples, one_frame, cut_stacks, deep_stacks, of_archiver; /* in the files */
	uint64_t no_room, no_map; /* samples, and records of the map, that are not */
	uint64_t cpu_ns;
};

/* Write samples until the end; then close the files. */
void work_run(struct work *work, struct work_counts *out);

/* Let go of everything. */
void work_close(struct work *work);

#endif

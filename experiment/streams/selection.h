/* selection.h: load a part of an experiment's events, or sort them into rows chosen by the caller.
 *
 * The data streams are read again, with a question for each event. Call-stack nodes keep their
 * numbers between the loads of an experiment, unless it is still being recorded. */
#ifndef XER_EXPERIMENT_STREAMS_SELECTION_H
#define XER_EXPERIMENT_STREAMS_SELECTION_H

#include "experiment/experiment.h"

struct exp_user_event;

/* The properties of an event. Fields that its kind of data does not have are 0. */
struct exp_fact {
	enum exp_data data;
	uint32_t type;         /* enum fmt_clock_state, fmt_heap_func (fmt_map_func if is_map),
	                          fmt_sync_func or fmt_io_func */
	int is_map;            /* of the heap's data: memory was mapped, not allocated */
	uint64_t ticks;        /* when it ended */
	uint64_t wait_ticks;   /* how long it took: waits and calls */
	uint64_t begin_ticks;  /* when it began; 0: wait_ticks before its end */
	uint32_t state;        /* enum fmt_wall_state, of wall-clock time: */
	uint32_t waits;        /* how many waits it stands for, 0: time between waits */
	uint64_t buffer_ticks; /* when the thread's buffer that holds it was begun */
	uint32_t tid;
	uint32_t cpu;
	uint32_t node;        /* EXP_NO_INDEX: no stack */
	uint32_t error;       /* errno value */
	uint64_t bytes;       /* asked for, read or written */
	uint64_t cpu_ns;      /* of a clock sample */
	uint32_t owner, site; /* of a wait of wall-clock time: as exp_wait has them */
	uint64_t address;     /* of a block or an object of synchronization */
	uint32_t class;    /* enum exp_sync_class of a wait for an object, exp_io_class of a call */
	uint32_t file, fd; /* of a call: number of an exp_io_file, descriptor */
	uint32_t mpi_state;                /* enum fmt_mpi_state, of a clock sample */
	uint32_t omp_state;                /* enum fmt_omp_state, of a clock sample */
	const struct fmt_mpi *mpi;         /* of a call of MPI */
	const struct exp_user_event *user; /* of a user event: see usertrace.h */
	const struct exp_java_alloc *java; /* a sampled object of Java, of the heap's data; NULL */
	int is_leaked;       /* an allocation that is never freed; only if selection->wants_leaks */
	uint64_t live_bytes; /* of the heap, this allocation included */
	uint64_t leaked_bytes; /* of the allocations so far that are never freed; only if
	                          selection->wants_leaks */
	uint64_t freed_ticks;  /* when the block is freed, UINT64_MAX: never; only if
	                          selection->wants_frees */
};

/* A block that was chosen is freed. */
struct exp_freed {
	uint32_t row;   /* of its allocation */
	uint64_t ticks; /* when */
	uint64_t bytes;
	uint64_t count; /* in 1 / units of a block: sampled blocks stand for others, too */
	uint64_t units;
};

#define EXP_ROW_NONE (UINT32_MAX - 1)
enum { EXP_ROWS_MAX = 16 << 20 }; /* of a grouped load; events of further rows are left out */

struct exp_selection {
	void *context;
	/* Called before the first event, with the stacks that facts name; may be NULL. Returns 0 or
	 * -errno. */
	int (*begin)(void *context, const struct exp_nodes *nodes);
	/* Where an event counts: EXP_ROW_NONE: nowhere; in a grouped load the number of a row, from
	 * 0 without gaps; else anything, for its stack. Of the heap, allocations are asked about; a
	 * free follows its block. */
	uint32_t (*row)(void *context, const struct exp_fact *fact);
	/* Called for blocks that are freed; may be NULL. */
	void (*freed)(void *context, const struct exp_freed *freed);
	unsigned left_out; /* set of enum exp_data: kinds whose files of events need not be read */
	/* The first event time behind `ticks` at which the answers of row may change although
	 * nothing but the time does: there, waits are divided, and each part is asked about.
	 * UINT64_MAX: there is none. NULL: times do not matter. */
	uint64_t (*next_cut)(void *context, uint64_t ticks);
	unsigned is_grouped : 1;
	unsigned wants_java : 1; /* a grouped load asks about objects of Java, too; they have no row
	                          */
	unsigned wants_leaks : 1; /* read heap events twice, to know which blocks are never freed */
	unsigned wants_frees : 1; /* and when the others are: 8 bytes of memory for each block */
};

/* Read the data streams once more. Of a grouped load, out->nodes has a value for each row, and no
 * stacks. Faults of the input are not reported again. experiment_load must have succeeded before.
 * Returns 0 and *out, which the caller gives to exp_data_set_destroy before experiment_close; or
 * -ENOMEM, or what begin returned. */
int experiment_select(struct experiment *experiment, const struct exp_selection *selection,
                      const struct exp_data_set **out);
void exp_data_set_destroy(const struct exp_data_set *set);

/* Nanoseconds from the experiment's start to `ticks`; ns that so many ticks last. */
int64_t experiment_time_ns(const struct experiment *experiment, uint64_t ticks);
/* The first event time that is not before `ns` since the start. */
uint64_t experiment_time_ticks(const struct experiment *experiment, int64_t ns);
uint64_t experiment_ticks_ns(const struct experiment *experiment, uint64_t ticks);

/* Index of the thread with this id at this time, in set->threads; EXP_NO_INDEX if there is none. */
uint32_t exp_thread_at(const struct exp_data_set *set, uint32_t tid, double time_s);

#endif

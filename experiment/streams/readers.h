/* readers.h: the readers of the kinds of data, wherever they are. */
#ifndef XER_EXPERIMENT_STREAMS_READERS_H
#define XER_EXPERIMENT_STREAMS_READERS_H

#include "experiment/streams/load_context.h"

/* Read one kind of data into the load. Return 0 or -ENOMEM. Of counters and of the function trace
 * (which pairs its calls and makes nodes of their paths) this comes before rows are made, and they
 * are counted later. */
#define DATAKIND(id, number, stream, reader, ...) int exp_##reader##_read(struct exp_load *load);
#include "format/datakind.def"

/* The same of the Java machine's objects, and of usage and threads. */
int exp_javaheap_read(struct exp_load *load);
int exp_overview_read(struct exp_load *load);

/* Count the calls of the function trace. Returns 0 or -ENOMEM. */
int exp_functrace_values(struct exp_load *load);
void exp_functrace_free(struct exp_load *load);

/* Were functions traced? No calls are read. */
int exp_functrace_exists(const struct experiment *experiment);

/* Make the table of threads of what the overview told (in load->threads) and of the buffers'
 * uses. */
int exp_threads_finish(struct exp_load *load);

/* Complete wall-clock time, when the threads are known (walltime.c). Returns 0 or -ENOMEM. */
int exp_wall_finish(struct exp_load *load);

/* Count a clock sample's time by what its thread did for OpenMP, and at the end, what was outside
 * of it (omp.c). */
void exp_omp_sample(struct exp_load *load, unsigned state, uint32_t row, uint64_t cpu_ns);
void exp_omp_finish(struct exp_load *load);

/* Count a clock sample's time by the MPI function that its thread was in (mpi.c). */
void exp_mpi_sample(struct exp_load *load, unsigned state, uint32_t row, uint64_t cpu_ns);

#endif

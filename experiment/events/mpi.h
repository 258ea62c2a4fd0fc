/* mpi.h: what an experiment has about calls of MPI functions. */
#ifndef XER_EXPERIMENT_EVENTS_MPI_H
#define XER_EXPERIMENT_EVENTS_MPI_H

#include "experiment/experiment.h"

/* The calls of one MPI function. */
struct exp_mpi_function {
	unsigned func; /* enum fmt_mpi_func */
	uint64_t calls, failed;
	uint64_t time_ns, longest_ns;
	uint64_t sent, received; /* bytes */
};

/* The messages from and to another process of the job. */
struct exp_mpi_peer {
	uint32_t rank;                            /* in MPI_COMM_WORLD */
	uint64_t sends, sent, receives, received; /* messages, bytes */
	uint64_t put, got;                        /* bytes, one-sided */
};

struct exp_mpi {
	const struct exp_mpi_function *functions; /* functions[function_count], in order of func */
	size_t function_count;
	const struct exp_mpi_peer *peers; /* peers[peer_count], in order of rank */
	size_t peer_count;
};

#endif

/* mpi.h: a made-up MPI library, for the unit tests of libcollector/mpi. It is built twice, with
 * MPICH's handles (mpich.so) and with Open MPI's (ompi.so).
 *
 * Four processes, of which this one is rank 1. `half` has the ranks 1 and 3 of the world, `across`
 * is an intercommunicator of {0, 1} with {2, 3, 0}, `window` has the processes of half. The size of
 * a type is the second byte of its handle. */
#ifndef XER_TESTS_MPI_H
#define XER_TESTS_MPI_H

#include <stdint.h>

#ifdef OPEN_MPI
typedef uintptr_t mpi_handle_type;
struct mpi_status {
	int source, tag, error, cancelled;
	uint64_t bytes;
};
#else
typedef uint32_t mpi_handle_type;
struct mpi_status {
	int bytes, cancelled, source, tag, error;
};
#endif

enum { MADE_WORLD_SIZE = 4, MADE_RANK = 1, MADE_TAG = 5 };

struct made_mpi {
	uint64_t world, half, across, window, lost; /* handles; lost: of no communicator */
	int is_initialized, is_finalized;
	int result; /* of calls */
	int asked;  /* questions about communicators, groups, types, statuses */
	int groups; /* given out and not freed yet */
	/* What calls that report messages return: their statuses. */
	struct {
		int source, bytes, cancelled;
	} status[8];
	int flag;           /* of tests, of probes; the index of MPI_Waitany */
	int some, index[8]; /* of MPI_Waitsome */
	uint64_t request;   /* that calls return, and messages */
	void *status_seen;  /* the status of the last call */
	int calls;
	void (*inside)(void); /* called in MPI_Send, if not NULL */
	int topology;         /* 0: none, 1: Cartesian, 2: graph, 3: distributed graph */
};

#endif

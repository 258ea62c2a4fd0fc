/* mpi_rank.h: the rank of this process in an MPI job: in its log, and in the name of its
 * directory. */
#ifndef XER_COLLECTOR_MPI_RANK_H
#define XER_COLLECTOR_MPI_RANK_H

/* MPI_Init has ended, or a running process turns out to belong to a job: record rank, size and
 * library, and rename the directory of a descendant to M_rN.er if that is asked for and the name is
 * free (a second job has the same ranks). Normal context. */
void mpi_rank_begin(void);

/* Was it recorded? Signal-safe. */
int mpi_rank_is_known(void);

/* A recording begins after another one has ended: the rank is recorded again. */
void mpi_rank_forget(void);

/* The program ends the job by MPI_Abort, which does not return. */
void mpi_rank_abort(int code);

#endif

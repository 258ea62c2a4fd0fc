/* mpi_rank.h: what process of an MPI job this is: in its log, and in its directory's name. */
#ifndef XER_COLLECTOR_MPI_RANK_H
#define XER_COLLECTOR_MPI_RANK_H

/* MPI_Init has ended, or a process that runs already is seen to be one of a job: tell rank, size
 * and library, and let the directory of a descendant be M_rN.er if that is wanted and nobody has
 * the name (a second job has the same ranks). Normal context. */
void mpi_rank_begin(void);

/* Has it been told? Signal-safe. */
int mpi_rank_is_known(void);

/* A recording begins where another one has ended: it is told again. */
void mpi_rank_forget(void);

/* The program ends the job by MPI_Abort, which does not return. */
void mpi_rank_abort(int code);

#endif

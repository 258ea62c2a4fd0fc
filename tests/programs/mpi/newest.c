/* New in MPI 4.1, with 2 ranks. Each rank attaches a buffer to a duplicate of MPI_COMM_WORLD, to
 * itself and to a session; sends 4 ints to the other rank by MPI_Bsend on the first of them;
 * flushes each buffer twice, once with MPI_Wait; asks for the status of its MPI_Irecv of 4 ints by
 * all three MPI_Request_get_status_*, until MPI_Wait ends it. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { INTS = 4, SIZE = 4096 + MPI_BSEND_OVERHEAD };

int main(int argc, char **argv)
{
	int rank, flag, index, count, indices[1], out[INTS] = {1, 2, 3, 4}, in[INTS] = {0}, size;
	void *buffer;
	MPI_Comm both;
	MPI_Session session;
	MPI_Request request, flushed;
	MPI_Status status;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_dup(MPI_COMM_WORLD, &both);
	MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
	MPI_Buffer_attach(malloc(SIZE), SIZE);
	MPI_Comm_attach_buffer(both, malloc(SIZE), SIZE);
	MPI_Session_attach_buffer(session, malloc(SIZE), SIZE);

	MPI_Irecv(in, INTS, MPI_INT, !rank, 1, both, &request);
	MPI_Bsend(out, INTS, MPI_INT, !rank, 1, both);
	MPI_Request_get_status_all(1, &request, &flag, &status);
	MPI_Request_get_status_any(1, &request, &index, &flag, &status);
	MPI_Request_get_status_some(1, &request, &count, indices, &status);
	MPI_Wait(&request, MPI_STATUS_IGNORE);

	MPI_Buffer_flush();
	MPI_Buffer_iflush(&flushed);
	MPI_Wait(&flushed, MPI_STATUS_IGNORE);
	MPI_Comm_flush_buffer(both);
	MPI_Comm_iflush_buffer(both, &flushed);
	MPI_Wait(&flushed, MPI_STATUS_IGNORE);
	MPI_Session_flush_buffer(session);
	MPI_Session_iflush_buffer(session, &flushed);
	MPI_Wait(&flushed, MPI_STATUS_IGNORE);

	MPI_Session_detach_buffer(session, &buffer, &size);
	MPI_Comm_detach_buffer(both, &buffer, &size);
	MPI_Buffer_detach(&buffer, &size);
	if (in[0] != 1 || in[INTS - 1] != 4)
		puts("the message is wrong");
	MPI_Session_finalize(&session);
	MPI_Comm_free(&both);
	MPI_Finalize();
	return 0;
}

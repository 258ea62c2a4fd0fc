/* Known calls and bytes of every class, with any number of ranks from 2 on, N. Each rank r, with
 * ROUNDS = 10: 10 MPI_Send of 100 ints (400 bytes) to r + 1, 10 MPI_Recv from r - 1 into 200 ints,
 * status ignored; 5 MPI_Irecv (ANY_SOURCE) and 5 MPI_Isend of 64 doubles (512 bytes) with r ^ 1 (if
 * there is one), one MPI_Waitall of 10, statuses ignored; then 1 MPI_Sendrecv of 10 chars to r + 1
 * and from r - 1; 3 MPI_Startall of a persistent send and receive of 8 bytes, on a duplicate of
 * MPI_COMM_WORLD in reverse order (MPI_Comm_split), to the next in it, each with MPI_Waitall; 1
 * MPI_Send to MPI_PROC_NULL, which is no message; 4 MPI_Barrier, 3 MPI_Bcast of 1000 bytes from
 * rank 1, 2 MPI_Allreduce of 4 doubles, one of them in place, MPI_Gatherv of r + 1 ints to rank 0,
 * MPI_Alltoall of 2 ints each, MPI_Allgather of one int in place, MPI_Ibcast and MPI_Wait; MPI_Put
 * of 16 bytes and MPI_Get of 24 bytes at r + 1 between two fences; MPI_File_write_at of 100 bytes
 * and MPI_File_read_at of 100 bytes in file argv[1]. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 10, PAIRS = 5 };
static int rank, size;

static void ring(void)
{
	int out[100] = {0}, in[200];

	for (int i = 0; i < ROUNDS; i++) {
		if (rank % 2 == 0)
			MPI_Send(out, 100, MPI_INT, (rank + 1) % size, 1, MPI_COMM_WORLD);
		MPI_Recv(in, 200, MPI_INT, (rank + size - 1) % size, 1, MPI_COMM_WORLD,
		         MPI_STATUS_IGNORE);
		if (rank % 2 == 1)
			MPI_Send(out, 100, MPI_INT, (rank + 1) % size, 1, MPI_COMM_WORLD);
	}
	MPI_Send(out, 100, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
}

static void pairs(void)
{
	static double out[64], in[PAIRS][128];
	MPI_Request requests[2 * PAIRS];
	int other = rank ^ 1;

	if (other >= size)
		return;
	for (int i = 0; i < PAIRS; i++) {
		MPI_Irecv(in[i], 128, MPI_DOUBLE, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &requests[i]);
		MPI_Isend(out, 64, MPI_DOUBLE, other, 2, MPI_COMM_WORLD, &requests[PAIRS + i]);
	}
	MPI_Waitall(2 * PAIRS, requests, MPI_STATUSES_IGNORE);
}

static void persistent(void)
{
	MPI_Request requests[2];
	MPI_Comm reverse;
	char out[10] = "", in[10];
	int at;

	MPI_Sendrecv(out, 10, MPI_CHAR, (rank + 1) % size, 3, in, 10, MPI_CHAR,
	             (rank + size - 1) % size, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reverse);
	MPI_Comm_rank(reverse, &at);
	MPI_Send_init(out, 8, MPI_CHAR, (at + 1) % size, 4, reverse, &requests[0]);
	MPI_Recv_init(in, 8, MPI_CHAR, (at + size - 1) % size, 4, reverse, &requests[1]);
	for (int i = 0; i < 3; i++) {
		MPI_Startall(2, requests);
		MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
	}
	MPI_Request_free(&requests[0]);
	MPI_Request_free(&requests[1]);
	MPI_Comm_free(&reverse);
}

static void collectives(void)
{
	static char bytes[1000];
	double values[4] = {0}, sums[4];
	int *table = calloc((size_t)(4 * size + 2 * size * size), sizeof(int));
	int *counts = table, *places = table + size, *out = table + 2 * size, *in = out + 2 * size;
	MPI_Request request;

	for (int i = 0; i < 4; i++)
		MPI_Barrier(MPI_COMM_WORLD);
	for (int i = 0; i < 3; i++)
		MPI_Bcast(bytes, 1000, MPI_BYTE, 1, MPI_COMM_WORLD);
	MPI_Allreduce(values, sums, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	MPI_Allreduce(MPI_IN_PLACE, sums, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	for (int i = 0; i < size; i++) {
		counts[i] = i + 1;
		places[i] = i * size;
	}
	MPI_Gatherv(out, rank + 1, MPI_INT, in, rank == 0 ? counts : NULL,
	            rank == 0 ? places : NULL, rank == 0 ? MPI_INT : MPI_DATATYPE_NULL, 0,
	            MPI_COMM_WORLD);
	MPI_Alltoall(out, 2, MPI_INT, in, 2, MPI_INT, MPI_COMM_WORLD);
	MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 1, MPI_INT, MPI_COMM_WORLD);
	MPI_Ibcast(bytes, 1000, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	free(table);
}

static void onesided(void)
{
	static char window[64], own[64];
	MPI_Win win;

	MPI_Win_create(window, sizeof(window), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_fence(0, win);
	MPI_Put(own, 16, MPI_CHAR, (rank + 1) % size, 0, 16, MPI_CHAR, win);
	MPI_Get(own + 16, 24, MPI_CHAR, (rank + 1) % size, 16, 24, MPI_CHAR, win);
	MPI_Win_fence(0, win);
	MPI_Win_free(&win);
}

static void files(const char *name)
{
	char block[100] = "";
	MPI_Status status;
	MPI_File file;

	if (MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
	                  &file) != MPI_SUCCESS)
		return;
	MPI_File_write_at(file, 100 * rank, block, 100, MPI_BYTE, &status);
	MPI_File_read_at(file, 100 * rank, block, 100, MPI_BYTE, MPI_STATUS_IGNORE);
	MPI_File_close(&file);
}

int main(int argc, char **argv)
{
	volatile double x = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (argc > 2 && rank == atoi(argv[2]))
		raise(SIGKILL);
	for (int i = 0; i < 20000000; i++)
		x += i;
	ring();
	pairs();
	persistent();
	collectives();
	onesided();
	if (argc > 1)
		files(argv[1]);
	if (rank == 0)
		printf("done %d\n", size);
	MPI_Finalize();
	return 0;
}

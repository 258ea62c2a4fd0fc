/* Handles that are freed while their operation goes on, and handles that are used again, with N = 4
 * ranks. Each rank r: on a duplicate of MPI_COMM_WORLD that is freed before the messages have come:
 * MPI_Irecv of 1 int from r + 1 and of 1 from any rank, MPI_Send of these 2 to r - 1, with MPI_Wait
 * each; MPI_Send of 3 ints to r - 1, received by MPI_Mprobe and MPI_Mrecv; MPI_Allgather of 1 int
 * in a half of MPI_COMM_WORLD (its odd or even ranks), which is freed while the recording is
 * paused, and of 1 on another communicator with the same handle, of all ranks; MPI_Bcast of 4 GiB
 * (one byte again and again) in MPI_COMM_SELF, where nothing moves; MPI_Reduce_scatter of 6 ints
 * between rank 0 and the others, with counts after which memory is unreadable: rank 0 gets 6, the
 * others 2 each; MPI_Reduce_scatter_block of the same, with counts of the other side; 200 MPI_Irecv
 * from itself, 200 MPI_Send, MPI_Waitsome until all have come, with the requests in reverse order;
 * before that, while they are on their way, an MPI_Waitall of two requests at NULL, which fails. */
#include "collectorAPI.h"

#include <mpi.h>
#include <stdio.h>
#include <sys/mman.h>

enum { PAGE = 4096, MANY = 200 };
static int rank, size;

static void freed(void)
{
	int in[5] = {0}, out[3] = {rank, rank, rank}, before = (rank + size - 1) % size,
	    behind = (rank + 1) % size;
	MPI_Request requests[2];
	MPI_Message message;
	MPI_Comm all;

	MPI_Comm_dup(MPI_COMM_WORLD, &all);
	MPI_Irecv(&in[0], 1, MPI_INT, behind, 1, all, &requests[0]);
	MPI_Irecv(&in[1], 1, MPI_INT, MPI_ANY_SOURCE, 2, all, &requests[1]);
	MPI_Send(out, 1, MPI_INT, before, 1, all);
	MPI_Send(out, 1, MPI_INT, before, 2, all);
	MPI_Send(out, 3, MPI_INT, before, 3, all);
	MPI_Mprobe(behind, 3, all, &message, MPI_STATUS_IGNORE);
	MPI_Comm_free(&all);
	MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
	MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
	MPI_Mrecv(&in[2], 3, MPI_INT, &message, MPI_STATUS_IGNORE);
	if (in[0] != behind || in[1] != behind || in[4] != behind)
		printf("rank %d got %d %d %d\n", rank, in[0], in[1], in[4]);
}

static void reused(void)
{
	MPI_Comm half, all;
	int in[16];

	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
	MPI_Allgather(&rank, 1, MPI_INT, in, 1, MPI_INT, half);
	collector_pause();
	MPI_Comm_free(&half);
	MPI_Comm_dup(MPI_COMM_WORLD, &all);
	collector_resume();
	MPI_Allgather(&rank, 1, MPI_INT, in, 1, MPI_INT, all);
}

static void huge(void)
{
	MPI_Datatype type;
	char byte = 0;

	MPI_Type_vector(1 << 30, 4, 0, MPI_BYTE, &type);
	MPI_Type_commit(&type);
	MPI_Bcast(&byte, 1, type, 0, MPI_COMM_SELF);
	MPI_Type_free(&type);
}

static void sides(void)
{
	char *pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
	                   0);
	int left = rank == 0, processes = left ? 1 : size - 1, in[16] = {0}, out[16] = {0};
	int *counts = (int *)(void *)(pages + PAGE) - processes;
	MPI_Comm half, both;

	mprotect(pages + PAGE, PAGE, PROT_NONE);
	for (int i = 0; i < processes; i++)
		counts[i] = 2 * (size - 1) / processes;
	MPI_Comm_split(MPI_COMM_WORLD, left, rank, &half);
	MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, left ? 1 : 0, 4, &both);
	MPI_Reduce_scatter(out, in, counts, MPI_INT, MPI_SUM, both);
	MPI_Reduce_scatter_block(out, in, counts[0], MPI_INT, MPI_SUM, both);
	MPI_Comm_free(&both);
}

static void many(void)
{
	static int in[MANY], out, index[MANY];
	MPI_Request requests[MANY];
	int came, count;

	for (int i = 0; i < MANY; i++)
		MPI_Irecv(&in[i], 1, MPI_INT, 0, i, MPI_COMM_SELF, &requests[MANY - 1 - i]);
	for (int i = 0; i < MANY; i++)
		MPI_Send(&out, 1, MPI_INT, 0, i, MPI_COMM_SELF);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	if (MPI_Waitall(2, NULL, MPI_STATUSES_IGNORE) == MPI_SUCCESS)
		puts("requests at NULL are complete");
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
	for (came = 0; came < MANY; came += count)
		MPI_Waitsome(MANY, requests, &count, index, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	freed();
	reused();
	huge();
	sides();
	many();
	MPI_Finalize();
	return 0;
}

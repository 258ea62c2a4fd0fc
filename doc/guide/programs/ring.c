/* ring.c: an example of the guide: rank 0 works before it sends, so that the other ranks wait for
 * it. mpicc -g -O1 -o ring ring.c && mpirun -np 2 ./ring */
#include <mpi.h>
#include <stdio.h>

static unsigned long work(unsigned long turns)
{
	unsigned long sum = turns;

	while (turns-- > 0)
		sum = sum * 31 + (sum >> 7) % 1001;
	return sum;
}

int main(int argc, char **argv)
{
	unsigned long token = 0;
	int rank, size;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int turn = 0; turn < 20; turn++) {
		if (rank == 0) {
			token += work(1000000);
			MPI_Send(&token, 1, MPI_UNSIGNED_LONG, (rank + 1) % size, 0,
			         MPI_COMM_WORLD);
		}
		MPI_Recv(&token, 1, MPI_UNSIGNED_LONG, (rank + size - 1) % size, 0, MPI_COMM_WORLD,
		         MPI_STATUS_IGNORE);
		if (rank != 0)
			MPI_Send(&token, 1, MPI_UNSIGNED_LONG, (rank + 1) % size, 0,
			         MPI_COMM_WORLD);
	}
	if (rank == 0)
		printf("%lu\n", token);
	MPI_Finalize();
	return 0;
}

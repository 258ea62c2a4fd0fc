/* cost.c: CPU nanoseconds of an MPI call in a job of one process: N (argv[1]) times what argv[2]
 * names, in nine rounds. send: MPI_Send to MPI_PROC_NULL, the cheapest call. self: MPI_Irecv,
 * MPI_Send to itself, MPI_Wait: three calls and a message with a request, a third of it. Prints
 * "call_ns" and the thread's CPU time in the best round, divided by the calls. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 9 };

static double cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void round_of(long n, int is_self)
{
	char out[8] = "", in[8];
	MPI_Request request;

	for (long i = 0; i < n && !is_self; i++)
		MPI_Send(out, 8, MPI_CHAR, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
	for (long i = 0; i < n && is_self; i += 3) {
		MPI_Irecv(in, 8, MPI_CHAR, 0, 1, MPI_COMM_SELF, &request);
		MPI_Send(out, 8, MPI_CHAR, 0, 1, MPI_COMM_SELF);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	}
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 100000;
	int is_self = argc > 2 && strcmp(argv[2], "self") == 0;
	double best = 0;

	MPI_Init(&argc, &argv);
	for (int i = 0; i < ROUNDS; i++) {
		double begin = cpu_ns();

		round_of(n, is_self);
		begin = cpu_ns() - begin;
		best = best == 0 || begin < best ? begin : best;
	}
	printf("call_ns %.2f\n", best / (double)n);
	MPI_Finalize();
	return 0;
}

/* Calls that do not return, and calls in calls. Each rank: 5 MPI_Send to a rank that does not
 * exist, which an error handler leaves by longjmp, each followed by an MPI_Barrier much deeper in
 * the stack, in frames that are not written; one more, which fails; 2 MPI_Allreduce with an
 * operation of the program's own, which calls MPI_Barrier. */
#include <mpi.h>
#include <setjmp.h>

static jmp_buf back;

static void jump(MPI_Comm *comm, int *error, ...)
{
	(void)comm;
	(void)error;
	longjmp(back, 1);
}

static __attribute__((noinline)) void barrier_below(int frames)
{
	volatile char hole[256];

	hole[0] = 0;
	if (frames > 0)
		barrier_below(frames - 1);
	else
		MPI_Barrier(MPI_COMM_WORLD);
	hole[1] = 0;
}

static void add(void *in, void *sum, int *count, MPI_Datatype *type)
{
	(void)type;
	MPI_Barrier(MPI_COMM_SELF);
	for (int i = 0; i < *count; i++)
		((int *)sum)[i] += ((int *)in)[i];
}

int main(int argc, char **argv)
{
	MPI_Errhandler handler;
	int one = 1, sum = 0;
	MPI_Op op;

	MPI_Init(&argc, &argv);
	MPI_Comm_create_errhandler(jump, &handler);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
	for (volatile int i = 0; i < 5; i++) {
		if (setjmp(back) == 0)
			MPI_Send(&one, 1, MPI_INT, 99, 1, MPI_COMM_WORLD);
		else
			barrier_below(20);
	}
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Send(&one, 1, MPI_INT, 99, 1, MPI_COMM_WORLD);
	MPI_Op_create(add, 1, &op);
	MPI_Allreduce(&one, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
	MPI_Allreduce(&one, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}

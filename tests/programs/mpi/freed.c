/* One thread frees the communicator of another thread's call; and NULL handles. One rank; by
 * argument, N = 100 times: wait: MPI_Comm_dup of MPI_COMM_SELF, MPI_Irecv of an int from itself,
 * MPI_Send, and MPI_Wait, during which another thread calls MPI_Comm_free; receive: MPI_Comm_dup of
 * MPI_COMM_SELF, MPI_Recv of an int, which another thread sends by MPI_Send before it calls
 * MPI_Comm_free. Or once, with errors returned, printing 0 if it succeeds, else 1: comm:
 * MPI_Comm_free of NULL; message: MPI_Mrecv of a message at NULL. */
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { N = 100 };
static MPI_Comm comm;
static atomic_int turn, done; /* rounds that have begun; rounds whose communicator was freed */
static int is_sender;

static void wait_until(const atomic_int *word, int value)
{
	while (atomic_load(word) != value)
		sched_yield();
}

static void *free_all(void *unused)
{
	int out = 1;

	(void)unused;
	for (int i = 1; i <= N; i++) {
		MPI_Comm own;

		wait_until(&turn, i);
		own = comm;
		if (is_sender)
			MPI_Send(&out, 1, MPI_INT, 0, 1, own);
		MPI_Comm_free(&own);
		atomic_store(&done, i);
	}
	return NULL;
}

static void together(void)
{
	pthread_t thread;
	int in, out = 1;

	pthread_create(&thread, NULL, free_all, NULL);
	for (int i = 1; i <= N; i++) {
		MPI_Request request;

		MPI_Comm_dup(MPI_COMM_SELF, &comm);
		if (!is_sender) {
			MPI_Irecv(&in, 1, MPI_INT, 0, 1, comm, &request);
			MPI_Send(&out, 1, MPI_INT, 0, 1, comm);
		}
		atomic_store(&turn, i);
		if (is_sender)
			MPI_Recv(&in, 1, MPI_INT, 0, 1, comm, MPI_STATUS_IGNORE);
		else
			MPI_Wait(&request, MPI_STATUS_IGNORE);
		wait_until(&done, i);
	}
	pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	int provided, in;

	alarm(60);
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	is_sender = strcmp(argv[1], "receive") == 0;
	if (strcmp(argv[1], "comm") == 0)
		printf("%d\n", MPI_Comm_free(NULL) != MPI_SUCCESS);
	else if (strcmp(argv[1], "message") == 0)
		printf("%d\n", MPI_Mrecv(&in, 1, MPI_INT, NULL, MPI_STATUS_IGNORE) != MPI_SUCCESS);
	else if (provided == MPI_THREAD_MULTIPLE)
		together();
	MPI_Finalize();
	return 0;
}

/* mpi: see mpi.h. */
#include "tests/programs/late/mpi.h"

#include <stddef.h>
#include <string.h>

typedef mpi_handle_type handle;

#ifdef OPEN_MPI
enum { CART = 1, GRAPH = 2, DISTRIBUTED = 3 };
static char objects[16];
extern char ompi_mpi_comm_world[];
char ompi_mpi_comm_world[1];
#define WORLD ((uintptr_t)ompi_mpi_comm_world)
#define HALF ((uintptr_t)&objects[1])
#define ACROSS ((uintptr_t)&objects[2])
#define WINDOW ((uintptr_t)&objects[3])
#else
enum { CART = 2, GRAPH = 1, DISTRIBUTED = 3 };
#define WORLD 0x44000000
#define HALF 0x84000001
#define ACROSS 0x84000002
#define WINDOW 0xa0000001
#endif
enum { GROUP_OF_WORLD = 0x100, GROUP_OF_HALF = 0x200, GROUP_OF_OTHERS = 0x300 };

extern struct made_mpi made_mpi;
struct made_mpi made_mpi = {.world = WORLD,
                            .half = HALF,
                            .across = ACROSS,
                            .window = WINDOW,
                            .lost = 0xdead,
                            .is_initialized = 1,
                            .request = 0x98000001};

#pragma GCC diagnostic ignored "-Wmissing-prototypes"

/* ---- questions */

int PMPI_Initialized(int *flag)
{
	*flag = made_mpi.is_initialized;
	return 0;
}

int PMPI_Finalized(int *flag)
{
	*flag = made_mpi.is_finalized;
	return 0;
}

#ifdef OPEN_MPI
handle PMPI_Comm_f2c(int number)
{
	return number == 0 ? WORLD : 0;
}

handle PMPI_Type_f2c(int number)
{
	return number == 1 ? 0x10100 : number == 0 ? 0x20000 : 0;
}

handle PMPI_Op_f2c(int number)
{
	return number == 14 ? 0x30014 : 0;
}
#endif

int PMPI_Error_class(int code, int *class)
{
	*class = code & 0xff;
	return code == 0x7fff;
}

int PMPI_Type_size_x(handle type, int64_t *size)
{
	made_mpi.asked++;
	*size = type >> 8 & 0xff;
	return 0;
}

int PMPI_Get_elements_x(const struct mpi_status *status, handle type, int64_t *count)
{
	made_mpi.asked++;
	*count = (int64_t)status->bytes / (int64_t)(type >> 8 & 0xff);
	return 0;
}

int PMPI_Test_cancelled(const struct mpi_status *status, int *flag)
{
	*flag = status->cancelled;
	return 0;
}

int PMPI_Comm_rank(handle comm, int *rank)
{
	made_mpi.asked++;
	*rank = comm == WORLD || comm == ACROSS ? MADE_RANK : 0;
	return 0;
}

int PMPI_Comm_size(handle comm, int *size)
{
	made_mpi.asked++;
	*size = comm == WORLD ? MADE_WORLD_SIZE : 2;
	return 0;
}

int PMPI_Comm_test_inter(handle comm, int *flag)
{
	*flag = comm == ACROSS;
	return 0;
}

int PMPI_Comm_remote_size(handle comm, int *size)
{
	*size = comm == ACROSS ? 3 : -1;
	return 0;
}

static int give(handle *group, handle value)
{
	made_mpi.groups++;
	*group = value;
	return 0;
}

int PMPI_Comm_group(handle comm, handle *group)
{
	return give(group, comm == WORLD ? GROUP_OF_WORLD : GROUP_OF_HALF);
}

int PMPI_Comm_remote_group(handle comm, handle *group)
{
	(void)comm;
	return give(group, GROUP_OF_OTHERS);
}

int PMPI_Win_get_group(handle window, handle *group)
{
	(void)window;
	return give(group, GROUP_OF_HALF);
}

int PMPI_Group_size(handle group, int *size)
{
	*size = group == GROUP_OF_WORLD ? MADE_WORLD_SIZE : group == GROUP_OF_HALF ? 2 : 3;
	return 0;
}

int PMPI_Group_rank(handle group, int *rank)
{
	*rank = group == GROUP_OF_WORLD ? MADE_RANK : 0;
	return 0;
}

/* -3 is no rank. */
int PMPI_Group_translate_ranks(handle from, int count, const int *ranks, handle to, int *out)
{
	static const int half[] = {1, 3}, others[] = {2, 3, -3};

	if (to != GROUP_OF_WORLD)
		return 1;
	for (int i = 0; i < count; i++)
		out[i] = from == GROUP_OF_HALF ? half[ranks[i]] : others[ranks[i]];
	return 0;
}

int PMPI_Group_free(handle *group)
{
	made_mpi.groups--;
	*group = 0;
	return 0;
}

int PMPI_Topo_test(handle comm, int *kind)
{
	static const int kinds[] = {-1, CART, GRAPH, DISTRIBUTED};

	(void)comm;
	*kind = kinds[made_mpi.topology];
	return made_mpi.topology == 0;
}

int PMPI_Cartdim_get(handle comm, int *dimensions)
{
	(void)comm;
	*dimensions = 3;
	return 0;
}

int PMPI_Graph_neighbors_count(handle comm, int rank, int *count)
{
	*count = comm == WORLD && rank == MADE_RANK ? 5 : -1;
	return 0;
}

int PMPI_Dist_graph_neighbors_count(handle comm, int *in, int *out, int *weighted)
{
	(void)comm;
	*in = 2;
	*out = 7;
	*weighted = 0;
	return 0;
}

int PMPI_Get_library_version(char *version, int *length)
{
	strcpy(version, "Made\tup 4.2, of no use");
	*length = (int)strlen(version);
	return 0;
}

/* ---- calls */

static int done(void)
{
	made_mpi.calls++;
	return made_mpi.result;
}

static void put_status(struct mpi_status *status, int index)
{
	made_mpi.status_seen = status;
	status->source = made_mpi.status[index].source;
	status->bytes = (unsigned)made_mpi.status[index].bytes;
	status->cancelled = made_mpi.status[index].cancelled;
}

int MPI_Init(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	made_mpi.is_initialized = 1;
	return done();
}

int MPI_Finalize(void)
{
	made_mpi.is_finalized = 1;
	return done();
}

int MPI_Abort(handle comm, int code)
{
	(void)comm;
	(void)code;
	return done();
}

int MPI_Send(const void *buffer, int count, handle type, int to, int tag, handle comm)
{
	(void)buffer;
	(void)count;
	(void)type;
	(void)to;
	(void)tag;
	(void)comm;
	if (made_mpi.inside)
		made_mpi.inside();
	return done();
}

int MPI_Send_c(const void *buffer, int64_t count, handle type, int to, int tag, handle comm)
{
	return MPI_Send(buffer, (int)count, type, to, tag, comm);
}

int PMPI_Send(const void *buffer, int count, handle type, int to, int tag, handle comm)
{
	return MPI_Send(buffer, count, type, to, tag, comm);
}

int MPI_Recv(void *buffer, int count, handle type, int from, int tag, handle comm,
             struct mpi_status *status)
{
	(void)buffer;
	(void)count;
	(void)type;
	(void)from;
	(void)tag;
	(void)comm;
	put_status(status, 0);
	return done();
}

int MPI_Sendrecv(const void *buffer, int count, handle type, int to, int tag, void *other,
                 int other_count, handle other_type, int from, int other_tag, handle comm,
                 struct mpi_status *status)
{
	(void)other;
	(void)other_count;
	(void)other_type;
	(void)from;
	(void)other_tag;
	put_status(status, 0);
	return MPI_Send(buffer, count, type, to, tag, comm);
}

static int give_request(handle *request)
{
	*request = (handle)made_mpi.request++;
	return done();
}

int MPI_Irecv(void *buffer, int count, handle type, int from, int tag, handle comm, handle *request)
{
	(void)buffer;
	(void)count;
	(void)type;
	(void)from;
	(void)tag;
	(void)comm;
	return give_request(request);
}

int MPI_Send_init(const void *buffer, int count, handle type, int to, int tag, handle comm,
                  handle *request)
{
	(void)buffer;
	(void)count;
	(void)type;
	(void)to;
	(void)tag;
	(void)comm;
	return give_request(request);
}

int MPI_Recv_init(void *buffer, int count, handle type, int from, int tag, handle comm,
                  handle *request)
{
	return MPI_Irecv(buffer, count, type, from, tag, comm, request);
}

int MPI_Mprobe(int from, int tag, handle comm, handle *message, struct mpi_status *status)
{
	(void)from;
	(void)tag;
	(void)comm;
	(void)status;
	return give_request(message);
}

int MPI_Improbe(int from, int tag, handle comm, int *flag, handle *message,
                struct mpi_status *status)
{
	*flag = made_mpi.flag;
	return MPI_Mprobe(from, tag, comm, message, status);
}

int MPI_Mrecv(void *buffer, int count, handle type, handle *message, struct mpi_status *status)
{
	(void)buffer;
	(void)count;
	(void)type;
	*message = 0;
	put_status(status, 0);
	return done();
}

int MPI_Start(handle *request)
{
	(void)request;
	return done();
}

int MPI_Request_free(handle *request)
{
	*request = 0;
	return done();
}

int MPI_Wait(handle *request, struct mpi_status *status)
{
	*request = 0;
	put_status(status, 0);
	return done();
}

int MPI_Waitall(int count, handle *requests, struct mpi_status *statuses)
{
	(void)requests;
	made_mpi.status_seen = statuses;
	for (int i = 0; i < count && i < 8; i++)
		put_status(&statuses[i], i);
	made_mpi.status_seen = statuses;
	return done();
}

int MPI_Waitany(int count, handle *requests, int *index, struct mpi_status *status)
{
	(void)count;
	(void)requests;
	*index = made_mpi.flag;
	put_status(status, 0);
	return done();
}

int MPI_Waitsome(int count, handle *requests, int *number, int *indices,
                 struct mpi_status *statuses)
{
	(void)count;
	(void)requests;
	*number = made_mpi.some;
	for (int i = 0; i < made_mpi.some; i++) {
		indices[i] = made_mpi.index[i];
		put_status(&statuses[i], i);
	}
	return done();
}

int MPI_Test(handle *request, int *flag, struct mpi_status *status)
{
	(void)request;
	*flag = made_mpi.flag;
	if (*flag)
		put_status(status, 0);
	return done();
}

int MPI_Bcast(void *buffer, int count, handle type, int root, handle comm)
{
	(void)buffer;
	(void)count;
	(void)type;
	(void)root;
	(void)comm;
	return done();
}

int MPI_Barrier(handle comm)
{
	(void)comm;
	return done();
}

int MPI_Comm_free(handle *comm)
{
	*comm = 0;
	return done();
}

int MPI_Put(const void *buffer, int count, handle type, int target, intptr_t at, int other_count,
            handle other_type, handle window)
{
	(void)buffer;
	(void)count;
	(void)type;
	(void)target;
	(void)at;
	(void)other_count;
	(void)other_type;
	(void)window;
	return done();
}

int MPI_File_write(void *file, const void *buffer, int count, handle type,
                   struct mpi_status *status)
{
	(void)file;
	(void)buffer;
	(void)count;
	(void)type;
	put_status(status, 0);
	return done();
}

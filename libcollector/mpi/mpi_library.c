/* mpi_library.c: the MPI library of this process, called through its PMPI_ names. There are two
 * binary interfaces: that of Open MPI, whose handles are pointers, and that of MPICH, whose handles
 * are ints, which libraries based on it keep (Intel MPI, MVAPICH).
 * See doc/decisions/10-mpi.md. */
#include "libcollector/mpi/mpi.h"

#include "libcollector/base/lock.h"
#include "libcollector/hook/next.h"
#include "libcollector/thread/scope.h"

#include <dlfcn.h>

enum { GROUPS = 1024, PROBES = 32, BUSY = 1, FREE_TURNS = COL_WAIT_YIELDS + 20 };
enum state { UNKNOWN, READY, ENDED };

struct mpi_library mpi_library __attribute__((visibility("hidden")));
static atomic_uint state;
static struct mpi_group groups[GROUPS];
static atomic_uint group_numbers;
static atomic_uint frees, askers;

static int find_functions(void)
{
	int missing = 0;

#define FUNCTION(name) \
	mpi_library.name = (mpi_function *)next_definition("PMPI_" #name, NULL); \
	missing |= !mpi_library.name;
	MPI_FUNCTIONS
#undef FUNCTION
	return missing ? -1 : 0;
}

/* The address of a predefined object of Open MPI. Programs may have copies of these objects, which
 * then are the valid ones, so the symbols may be wrong: the Fortran numbers of the objects are
 * not. */
static uint64_t open_mpi_handle(const char *from_fortran, int number)
{
	uint64_t (*convert)(int) = (uint64_t(*)(int))next_definition(from_fortran, NULL);

	return convert ? convert(number) : 0;
}

static void learn_interface(void)
{
	if (next_definition("ompi_mpi_comm_world", NULL)) {
		mpi_library.name = "Open MPI";
		mpi_library.world = open_mpi_handle("PMPI_Comm_f2c", 0);
		mpi_library.byte = open_mpi_handle("PMPI_Type_f2c", 1);
		mpi_library.no_type = open_mpi_handle("PMPI_Type_f2c", 0);
		mpi_library.no_op = open_mpi_handle("PMPI_Op_f2c", 14);
		mpi_library.in_place = 1;
		mpi_library.status_ignore = 0;
		mpi_library.proc_null = -2;
		mpi_library.root = -4;
		mpi_library.source_word = 0;
		mpi_library.handle_bytes = 8;
		mpi_library.cart = 1;
		mpi_library.graph = 2;
	} else {
		mpi_library.name = "MPICH";
		mpi_library.byte = 0x4c00010d;
		mpi_library.world = 0x44000000;
		mpi_library.no_type = 0x0c000000;
		mpi_library.no_op = 0x5800000e;
		mpi_library.in_place = UINT64_MAX;
		mpi_library.status_ignore = 1;
		mpi_library.proc_null = -1;
		mpi_library.root = -3;
		mpi_library.source_word = 2;
		mpi_library.handle_bytes = 4;
		mpi_library.cart = 2;
		mpi_library.graph = 1;
	}
}

static int is_between(void)
{
	int yes = 0, over = 0;

	mpi_library.Initialized = (mpi_function *)next_definition("PMPI_Initialized", NULL);
	mpi_library.Finalized = (mpi_function *)next_definition("PMPI_Finalized", NULL);
	return mpi_library.Initialized && mpi_library.Finalized && ASK(Initialized, &yes) == 0 &&
	       yes && ASK(Finalized, &over) == 0 && !over;
}

int mpi_library_is_ready(void)
{
	unsigned now = atomic_load_explicit(&state, memory_order_acquire);

	if (likely(now != UNKNOWN))
		return now == READY;
	if (!is_between())
		return 0;
	/* Several threads may get here, and write the same. */
	learn_interface();
	if (find_functions() < 0) {
		atomic_store(&state, ENDED);
		return 0;
	}
	atomic_compare_exchange_strong(&state, &now, READY);
	return atomic_load(&state) == READY;
}

void mpi_library_end(void)
{
	atomic_store(&state, ENDED);
}

uint64_t mpi_handle(uint64_t word)
{
	return mpi_library.handle_bytes == 4 ? (uint32_t)word : word;
}

uint64_t mpi_handle_at(uint64_t array, uint64_t index)
{
	return mpi_library.handle_bytes == 4 ? ((const uint32_t *)array)[index]
	                                     : ((const uint64_t *)array)[index];
}

uint64_t mpi_type_size(uint64_t type)
{
	int64_t size = 0;

	if (mpi_handle(type) == mpi_library.no_type)
		return 0;
	return ASK(Type_size_x, type, &size) == 0 && size > 0 ? (uint64_t)size : 0;
}

/* ---- communicators and windows ---- */

/* Ranks of `group`, a handle, in MPI_COMM_WORLD. */
static const int *translate(uint64_t group, int size)
{
	int *ranks = size > 0 ? sys_mmap_anonymous(2 * (size_t)size * sizeof(int)) : NULL;
	uint64_t world = 0;
	int done;

	if (!ranks)
		return NULL;
	for (int i = 0; i < size; i++)
		ranks[i] = i;
	done = ASK(Comm_group, mpi_library.world, &world) == 0 &&
	       ASK(Group_translate_ranks, group, size, ranks, world, ranks + size) == 0;
	ASK(Group_free, &world);
	return done ? ranks + size : NULL;
}

static uint64_t group_of(struct mpi_group *out, uint64_t handle, int is_window)
{
	uint64_t group = 0;

	if (is_window) {
		ASK(Win_get_group, handle, &group);
		ASK(Group_size, group, &out->size);
		ASK(Group_rank, group, &out->rank);
		out->own_size = out->size;
		return group;
	}
	ASK(Comm_rank, handle, &out->rank);
	ASK(Comm_size, handle, &out->own_size);
	ASK(Comm_test_inter, handle, &out->is_inter);
	if (out->is_inter) {
		ASK(Comm_remote_size, handle, &out->size);
		ASK(Comm_remote_group, handle, &group);
	} else {
		out->size = out->own_size;
		if (handle != mpi_library.world)
			ASK(Comm_group, handle, &group);
	}
	return group;
}

static void learn_group(struct mpi_group *out, uint64_t handle, int is_window, int is_kept)
{
	uint64_t group;

	out->rank = out->size = out->own_size = out->is_inter = 0;
	out->world = NULL;
	out->is_world = !is_window && handle == mpi_library.world;
	group = group_of(out, handle, is_window);
	if (!out->is_world) {
		if (is_kept)
			out->world = translate(group, out->size);
		ASK(Group_free, &group);
	}
}

static unsigned place_of(uint64_t handle)
{
	return (unsigned)((handle * UINT64_C(0x9e3779b97f4a7c15)) >> 40);
}

void mpi_group_leave(const struct mpi_group *known)
{
	struct mpi_group *group = known && known->number ? &groups[known - groups] : NULL;

	if (!group || atomic_fetch_sub(&group->users, 1) > 1)
		return;
	if (group->world)
		sys_munmap((void *)(group->world - group->size),
		           2 * (size_t)group->size * sizeof(int));
	atomic_store_explicit(&group->handle, 0, memory_order_release);
}

/* Returns 0 if it is another one now, or is being freed. */
static int hold(struct mpi_group *group, uint64_t handle, uint32_t number)
{
	unsigned users = atomic_load(&group->users);

	while (users && !atomic_compare_exchange_weak(&group->users, &users, users + 1))
		;
	if (users && atomic_load(&group->handle) == handle &&
	    (number == 0 || group->number == number))
		return 1;
	if (users)
		mpi_group_leave(group);
	return 0;
}

/* If two threads found it at the same time, each may have given it a number. 0: any. */
static struct mpi_group *find(uint64_t handle, uint32_t number)
{
	unsigned at = place_of(handle);

	for (unsigned i = 0; i < PROBES; i++) {
		struct mpi_group *group = &groups[(at + i) % GROUPS];

		if (atomic_load_explicit(&group->handle, memory_order_acquire) == handle &&
		    hold(group, handle, number))
			return group;
	}
	return NULL;
}

const struct mpi_group *mpi_group_known(uint64_t handle, uint32_t number)
{
	return number ? find(handle, number) : NULL;
}

unsigned mpi_group_frees(void)
{
	return atomic_load(&frees);
}

/* May the library be asked about the arguments of a call that began when this many had been freed?
 * A thread that frees one waits then. */
static int begin_asking(unsigned then)
{
	atomic_fetch_add(&askers, 1);
	if (atomic_load(&frees) == then)
		return 1;
	atomic_fetch_sub(&askers, 1);
	return 0;
}

static void end_asking(void)
{
	atomic_fetch_sub(&askers, 1);
}

static const struct mpi_group *ask_for_group(uint64_t handle, int is_window,
                                             struct mpi_group *spare)
{
	unsigned at = place_of(handle);

	for (unsigned i = 0; i < PROBES; i++) {
		struct mpi_group *group = &groups[(at + i) % GROUPS];
		uint_fast64_t none = 0;

		if (atomic_load(&group->handle) != 0 ||
		    !atomic_compare_exchange_strong(&group->handle, &none, BUSY))
			continue;
		learn_group(group, handle, is_window, 1);
		group->number = atomic_fetch_add(&group_numbers, 1) + 1;
		atomic_store(&group->users, 2); /* the table, and the caller */
		atomic_store_explicit(&group->handle, handle, memory_order_release);
		return group;
	}
	learn_group(spare, handle, is_window, 0);
	spare->number = 0;
	return spare;
}

const struct mpi_group *mpi_group_find(uint64_t handle, int is_window, unsigned then,
                                       struct mpi_group *spare)
{
	const struct mpi_group *found = find(handle, 0);

	if (found || !begin_asking(then))
		return found;
	found = ask_for_group(handle, is_window, spare);
	end_asking();
	return found;
}

static void forget(struct mpi_group *group, uint_fast64_t handle)
{
	if (atomic_load(&group->handle) == handle &&
	    atomic_compare_exchange_strong(&group->handle, &handle, BUSY))
		mpi_group_leave(group);
}

void mpi_group_forget(uint64_t handle)
{
	unsigned at = place_of(handle), turns = 0;

	atomic_fetch_add(&frees, 1);
	while (atomic_load(&askers) &&
	       turns < FREE_TURNS) /* a call that an error handler has left by a jump never ends */
		col_wait_turn(&turns);
	for (unsigned i = 0; i < PROBES; i++)
		forget(&groups[(at + i) % GROUPS], handle);
}

void mpi_groups_forget(void)
{
	for (unsigned i = 0; atomic_load(&group_numbers) && i < GROUPS; i++) {
		uint_fast64_t handle = atomic_load(&groups[i].handle);

		if (handle > BUSY)
			forget(&groups[i], handle);
	}
}

uint32_t mpi_group_world(const struct mpi_group *group, int rank)
{
	if (rank < 0 || rank >= group->size)
		return MPI_NO_PEER;
	if (group->is_world)
		return (uint32_t)rank;
	return group->world && group->world[rank] >= 0 ? (uint32_t)group->world[rank] : MPI_NO_PEER;
}

static void ask_for_neighbors(uint64_t comm, int *in, int *out)
{
	int kind = 0, weighted = 0;

	if (ASK(Topo_test, comm, &kind) != 0)
		return;
	if (kind == mpi_library.cart) {
		ASK(Cartdim_get, comm, in);
		*out = *in *= 2;
	} else if (kind == mpi_library.graph) {
		int rank = 0;

		ASK(Comm_rank, comm, &rank);
		ASK(Graph_neighbors_count, comm, rank, in);
		*out = *in;
	} else {
		ASK(Dist_graph_neighbors_count, comm, in, out, &weighted);
	}
}

void mpi_neighbors(uint64_t comm, unsigned then, int *in, int *out)
{
	*in = *out = 0;
	if (!begin_asking(then))
		return;
	ask_for_neighbors(comm, in, out);
	end_asking();
}

/* ---- statuses ---- */

uint64_t mpi_status_bytes(const void *status)
{
	int64_t count = 0;

	return ASK(Get_elements_x, status, mpi_library.byte, &count) == 0 && count > 0
	               ? (uint64_t)count
	               : 0;
}

int mpi_status_source(const void *status)
{
	return ((const int *)status)[mpi_library.source_word];
}

int mpi_status_is_cancelled(const void *status)
{
	int cancelled = 0;

	return ASK(Test_cancelled, status, &cancelled) != 0 || cancelled;
}

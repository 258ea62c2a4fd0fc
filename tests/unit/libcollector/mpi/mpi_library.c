/* The two binary interfaces of MPI, in made-up libraries (tests/programs/late/mpi.c). */
#include "libcollector/mpi/mpi.h"
#include "tests/programs/late/mpi.h"
#include "tests/unit/libcollector/scratch.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <string.h>

static struct made_mpi *made;

static void load(const char *name)
{
	made = dlsym(scratch_load(name, RTLD_NOW | RTLD_LOCAL), "made_mpi");
	cr_assert_not_null(made);
}

Test(mpi_library, handles_of_mpich_are_numbers)
{
	static const uint32_t handles[] = {7, 8, 9};

	load("mpich.so");
	cr_assert_eq(mpi_library_is_ready(), 1);
	cr_assert_str_eq(mpi_library.name, "MPICH");
	cr_assert_eq(mpi_library.world, 0x44000000);
	cr_assert_eq(mpi_library.proc_null, -1);
	cr_assert_eq(mpi_library.root, -3);
	cr_assert_eq(mpi_library.status_ignore, 1);
	cr_assert_eq(mpi_library.in_place, UINT64_MAX);
	cr_assert_eq(mpi_library.no_op, 0x5800000e);
	cr_assert_eq(mpi_handle(0xffffffff44000000), 0x44000000, "the upper half is nobody's");
	cr_assert_eq(mpi_handle_at((uint64_t)handles, 2), 9);
	cr_assert_eq(mpi_type_size(0x4c000841), 8);
	cr_assert_eq(mpi_type_size(0x4c000001), 0);
	made->asked = 0;
	cr_assert_eq(mpi_type_size(0x0c000000), 0);
	cr_assert_eq(made->asked, 0, "MPI_DATATYPE_NULL is not asked about");
}

Test(mpi_library, handles_of_open_mpi_are_addresses)
{
	static const uint64_t handles[] = {(uint64_t)7 << 32, (uint64_t)8 << 32};

	load("ompi.so");
	cr_assert_eq(mpi_library_is_ready(), 1);
	cr_assert_str_eq(mpi_library.name, "Open MPI");
	cr_assert_eq(mpi_library.world, made->world);
	cr_assert_eq(mpi_library.byte, 0x10100);
	cr_assert_eq(mpi_library.no_type, 0x20000);
	cr_assert_eq(mpi_library.no_op, 0x30014);
	cr_assert_eq(mpi_library.proc_null, -2);
	cr_assert_eq(mpi_library.root, -4);
	cr_assert_eq(mpi_library.status_ignore, 0);
	cr_assert_eq(mpi_library.in_place, 1);
	cr_assert_eq(mpi_handle((uint64_t)7 << 40), (uint64_t)7 << 40);
	cr_assert_eq(mpi_handle_at((uint64_t)handles, 1), (uint64_t)8 << 32);
}

Test(mpi_library, it_is_asked_only_between_its_begin_and_its_end)
{
	cr_assert_eq(mpi_library_is_ready(), 0, "there is none");
	load("mpich.so");
	made->is_initialized = 0;
	cr_assert_eq(mpi_library_is_ready(), 0);
	made->is_initialized = made->is_finalized = 1;
	cr_assert_eq(mpi_library_is_ready(), 0);
	made->is_finalized = 0;
	cr_assert_eq(mpi_library_is_ready(), 1);
	made->is_initialized = 0;
	cr_assert_eq(mpi_library_is_ready(), 1, "that it has begun is known");
	mpi_library_end();
	cr_assert_eq(mpi_library_is_ready(), 0);
}

/* ---- communicators */

static void setup(void)
{
	load("mpich.so");
	mpi_library_is_ready();
}

static const struct mpi_group *find(uint64_t handle, int is_window)
{
	static struct mpi_group spare;

	return mpi_group_find(handle, is_window, mpi_group_frees(), &spare);
}

Test(mpi_library, ranks_of_the_world_are_their_own, .init = setup)
{
	const struct mpi_group *world = find(made->world, 0);

	cr_assert(world->is_world && !world->is_inter);
	cr_assert_eq(world->rank, 1);
	cr_assert_eq(world->size, 4);
	cr_assert_eq(world->own_size, 4);
	cr_assert_eq(world->number, 1);
	cr_assert_eq(mpi_group_world(world, 0), 0);
	cr_assert_eq(mpi_group_world(world, 3), 3);
	cr_assert_eq(mpi_group_world(world, 4), MPI_NO_PEER);
	cr_assert_eq(mpi_group_world(world, -1), MPI_NO_PEER);
	cr_assert_eq(made->groups, 0, "what is given is given back");
}

Test(mpi_library, ranks_of_a_communicator_are_told_in_the_world, .init = setup)
{
	const struct mpi_group *half = find(made->half, 0);

	cr_assert(!half->is_world && !half->is_inter);
	cr_assert_eq(half->rank, 0);
	cr_assert_eq(half->size, 2);
	cr_assert_eq(mpi_group_world(half, 0), 1);
	cr_assert_eq(mpi_group_world(half, 1), 3);
	cr_assert_eq(mpi_group_world(half, 2), MPI_NO_PEER);
	cr_assert_eq(made->groups, 0);
}

Test(mpi_library, ranks_of_an_intercommunicator_are_the_other_sides, .init = setup)
{
	const struct mpi_group *across = find(made->across, 0);

	cr_assert(across->is_inter);
	cr_assert_eq(across->rank, 1);
	cr_assert_eq(across->own_size, 2);
	cr_assert_eq(across->size, 3);
	cr_assert_eq(mpi_group_world(across, 0), 2);
	cr_assert_eq(mpi_group_world(across, 1), 3);
	cr_assert_eq(mpi_group_world(across, 2), MPI_NO_PEER, "it is of another job");
	cr_assert_eq(made->groups, 0);
}

Test(mpi_library, a_window_has_the_ranks_of_its_group, .init = setup)
{
	const struct mpi_group *window = find(made->window, 1);

	cr_assert_eq(window->rank, 0);
	cr_assert_eq(window->size, 2);
	cr_assert_eq(window->own_size, 2);
	cr_assert_eq(mpi_group_world(window, 1), 3);
	cr_assert_eq(made->groups, 0);
}

Test(mpi_library, a_communicator_keeps_its_number_until_it_is_freed, .init = setup)
{
	const struct mpi_group *half = find(made->half, 0), *again;
	int asked = made->asked;

	again = find(made->half, 0);
	cr_assert_eq(again, half);
	cr_assert_eq(made->asked, asked);
	mpi_group_leave(again);
	cr_assert_eq(mpi_group_known(made->half, 1), half);
	mpi_group_leave(half);
	cr_assert_null(mpi_group_known(made->half, 2));
	cr_assert_null(mpi_group_known(made->half, 0));
	cr_assert_null(mpi_group_known(made->across, 1));
	mpi_group_forget(made->half);
	cr_assert_eq(mpi_group_frees(), 1);
	/* Still held by the first find. */
	cr_assert_eq(mpi_group_world(half, 1), 3);
	mpi_group_leave(half);
	cr_assert_null(mpi_group_known(made->half, 1));
	half = find(made->half, 0);
	cr_assert_eq(half->number, 2);
	mpi_group_leave(NULL);
}

/* Another thread may have freed what a call uses since the call began. */
Test(mpi_library, nothing_is_asked_about_what_may_be_gone, .init = setup)
{
	unsigned before = mpi_group_frees();
	struct mpi_group spare;
	int in = 1, out = 1;

	mpi_group_forget(made->half);
	made->asked = 0;
	cr_assert_null(mpi_group_find(made->half, 0, before, &spare));
	made->topology = 1;
	mpi_neighbors(made->half, before, &in, &out);
	cr_assert(in == 0 && out == 0);
	cr_assert_eq(made->asked, 0);
	cr_assert_not_null(mpi_group_find(made->half, 0, before + 1, &spare));
	cr_assert_not_null(mpi_group_find(made->half, 0, before, &spare), "it is known");
}

Test(mpi_library, what_has_no_room_is_told_without_ranks, .init = setup)
{
	const struct mpi_group *group = NULL;
	uint64_t handle;

	for (handle = 1000; handle < 5000; handle++) {
		group = find(handle, 0);
		if (group->number == 0)
			break;
	}
	cr_assert_lt(handle, 5000);
	cr_assert_gt(handle, 1100);
	cr_assert_eq(group->size, 2);
	cr_assert_eq(mpi_group_world(group, 0), MPI_NO_PEER);
	mpi_group_leave(group);
	cr_assert_eq(made->groups, 0);
	mpi_groups_forget();
	for (uint64_t each = 1000; each < handle; each++)
		mpi_group_leave(find(each, 0));
	cr_assert_eq(find(handle, 0)->size, 2);
}

Test(mpi_library, neighbours_are_those_of_the_topology, .init = setup)
{
	int in, out;

	mpi_neighbors(made->world, mpi_group_frees(), &in, &out);
	cr_assert(in == 0 && out == 0);
	made->topology = 1;
	mpi_neighbors(made->world, mpi_group_frees(), &in, &out);
	cr_assert(in == 6 && out == 6, "two in each of three dimensions");
	made->topology = 2;
	mpi_neighbors(made->world, mpi_group_frees(), &in, &out);
	cr_assert(in == 5 && out == 5);
	made->topology = 3;
	mpi_neighbors(made->world, mpi_group_frees(), &in, &out);
	cr_assert(in == 2 && out == 7);
}

static void statuses(const char *name)
{
	struct mpi_status mpich = {.bytes = 24, .source = 3};
	struct {
		int source, tag, error, cancelled;
		uint64_t bytes;
	} open = {.source = 3, .bytes = 24};
	void *status = strcmp(name, "ompi.so") == 0 ? (void *)&open : (void *)&mpich;

	load(name);
	mpi_library_is_ready();
	cr_assert_eq(mpi_status_bytes(status), 24);
	cr_assert_eq(mpi_status_source(status), 3);
	cr_assert_eq(mpi_status_is_cancelled(status), 0);
	open.cancelled = mpich.cancelled = 1;
	cr_assert_eq(mpi_status_is_cancelled(status), 1);
	mpich.bytes = -1;
	open.bytes = UINT64_MAX;
	cr_assert_eq(mpi_status_bytes(status), 0);
}

Test(mpi_library, statuses_of_mpich_are_read)
{
	statuses("mpich.so");
}

Test(mpi_library, statuses_of_open_mpi_are_read)
{
	statuses("ompi.so");
}

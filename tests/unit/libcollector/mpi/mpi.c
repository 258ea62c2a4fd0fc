/* MPI calls, with a made-up library behind the wrappers (tests/programs/late/mpi.c), and their
 * records. */
#include "libcollector/mpi/mpi.h"
#include "libcollector/mpi/mpi_rank.h"
#include "tests/programs/late/mpi.h"
#include "tests/unit/libcollector/scratch.h"

#include "libcollector/base/collector.h"
#include "libcollector/base/file.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <errno.h>
#include <setjmp.h>
#include <string.h>
#include <unistd.h>

#define W uint64_t
int MPI_Init(W, W);
int MPI_Finalize(void);
int MPI_Abort(W, W);
int MPI_Send(W, W, W, W, W, W);
int MPI_Send_c(W, W, W, W, W, W);
int PMPI_Send(W, W, W, W, W, W);
int MPI_Recv(W, W, W, W, W, W, W);
int MPI_Sendrecv(W, W, W, W, W, W, W, W, W, W, W, W);
int MPI_Irecv(W, W, W, W, W, W, W);
int MPI_Send_init(W, W, W, W, W, W, W);
int MPI_Recv_init(W, W, W, W, W, W, W);
int MPI_Mprobe(W, W, W, W, W);
int MPI_Improbe(W, W, W, W, W, W);
int MPI_Mrecv(W, W, W, W, W);
int MPI_Start(W);
int MPI_Wait(W, W);
int MPI_Bcast(W, W, W, W, W);
int MPI_Barrier(W);
int MPI_Comm_free(W);
int MPI_Put(W, W, W, W, W, W, W, W);
int MPI_File_write(W, W, W, W, W);
int MPI_Scan(W, W, W, W, W, W);

enum { DOUBLE = 0x4c000841, PROC_NULL = -1, IGNORE = 1 };

static struct made_mpi *made;
static struct fmt_mpi records[32];
static int count;

static void setup(void)
{
	scratch_open();
	made = dlsym(scratch_load("mpich.so", RTLD_NOW | RTLD_LOCAL), "made_mpi");
	cr_assert_not_null(made);
	col.descriptor.mpi = MPI_CALLS;
	mpi_start();
}

TestSuite(mpi, .init = setup, .fini = scratch_remove);

static void load_records(int expected)
{
	count = scratch_records("mpitrace", FMT_KIND_mpi, records, sizeof(records[0]), 32);
	cr_assert_eq(count, expected, "%d records", count);
}

static void is_record(int index, enum fmt_mpi_func func, enum fmt_mpi_message message,
                      uint32_t peer, uint64_t sent, uint64_t received)
{
	const struct fmt_mpi *record = &records[index];

	cr_assert_eq(record->func, func, "%d: function %d", index, record->func);
	cr_assert_eq(record->message, message, "%d: message %d", index, record->message);
	cr_assert_eq(record->peer, peer, "%d: peer %u", index, record->peer);
	cr_assert_eq(fmt_u48_get(&record->sent), sent, "%d: %lu sent", index,
	             fmt_u48_get(&record->sent));
	cr_assert_eq(fmt_u48_get(&record->received), received, "%d: %lu received", index,
	             fmt_u48_get(&record->received));
}

static void answer(int source, int bytes)
{
	made->status[0].source = source;
	made->status[0].bytes = bytes;
}

Test(mpi, a_send_has_its_bytes_and_its_receiver)
{
	uint64_t begin = col_ticks();

	cr_assert_eq(MPI_Send(0, 10, DOUBLE, 2, 0, made->world), 0);
	cr_assert_eq(MPI_Send(0, 10, DOUBLE, 1, 0, made->half), 0);
	cr_assert_eq(MPI_Send(0, 10, DOUBLE, (W)PROC_NULL, 0, made->world), 0);
	cr_assert_eq(MPI_Send_c(0, (W)1 << 32, DOUBLE, 2, 0, made->world), 0);
	load_records(4);
	is_record(0, FMT_mpi_func_Send, FMT_mpi_message_SENT, 2, 80, 0);
	is_record(1, FMT_mpi_func_Send, FMT_mpi_message_SENT, 3, 80, 0);
	is_record(2, FMT_mpi_func_Send, FMT_mpi_message_NONE, MPI_NO_PEER, 0, 0);
	is_record(3, FMT_mpi_func_Send, FMT_mpi_message_SENT, 2, (W)8 << 32, 0);
	cr_assert_eq(records[0].comm, 1);
	cr_assert_eq(records[1].comm, 2);
	cr_assert_eq(records[2].comm, 1);
	cr_assert_eq(records[0].error, 0);
	cr_assert_neq(records[0].stack, 0);
	cr_assert_gt(fmt_u48_get(&records[0].duration), 0);
	cr_assert_lt(fmt_u48_get(&records[0].duration), col_ticks() - begin);
	cr_assert_eq(thread_current()->events[SOURCE_MPI], 4);
	cr_assert_eq(thread_current()->mpi.state, FMT_mpi_state_NONE);
}

Test(mpi, a_receive_has_what_its_status_says)
{
	struct mpi_status status;

	answer(3, 24);
	cr_assert_eq(MPI_Recv(0, 100, DOUBLE, 0, 0, made->world, (W)&status), 0);
	cr_assert_eq(made->status_seen, &status);
	answer(1, 8);
	cr_assert_eq(MPI_Recv(0, 100, DOUBLE, 0, 0, made->half, IGNORE), 0);
	cr_assert_neq(made->status_seen, (void *)IGNORE, "one of the recorder's");
	answer(PROC_NULL, 0);
	cr_assert_eq(MPI_Recv(0, 100, DOUBLE, (W)PROC_NULL, 0, made->world, (W)&status), 0);
	load_records(3);
	is_record(0, FMT_mpi_func_Recv, FMT_mpi_message_RECEIVED, 3, 0, 24);
	is_record(1, FMT_mpi_func_Recv, FMT_mpi_message_RECEIVED, 3, 0, 8);
	is_record(2, FMT_mpi_func_Recv, FMT_mpi_message_NONE, MPI_NO_PEER, 0, 0);
}

Test(mpi, a_call_that_sends_and_receives_has_two_messages)
{
	struct mpi_status status;

	answer(0, 16);
	cr_assert_eq(MPI_Sendrecv(0, 5, DOUBLE, 2, 0, 0, 9, DOUBLE, 0, 0, made->world, (W)&status),
	             0);
	answer(PROC_NULL, 0);
	MPI_Sendrecv(0, 5, DOUBLE, 2, 0, 0, 9, DOUBLE, (W)PROC_NULL, 0, made->world, (W)&status);
	answer(0, 16);
	MPI_Sendrecv(0, 5, DOUBLE, (W)PROC_NULL, 0, 0, 9, DOUBLE, 0, 0, made->world, (W)&status);
	load_records(5);
	is_record(0, FMT_mpi_func_Sendrecv, FMT_mpi_message_ALSO_SENT, 2, 40, 0);
	cr_assert_eq(fmt_u48_get(&records[0].duration), 0);
	is_record(1, FMT_mpi_func_Sendrecv, FMT_mpi_message_RECEIVED, 0, 0, 16);
	is_record(2, FMT_mpi_func_Sendrecv, FMT_mpi_message_ALSO_SENT, 2, 40, 0);
	is_record(3, FMT_mpi_func_Sendrecv, FMT_mpi_message_NONE, 2, 0, 0);
	is_record(4, FMT_mpi_func_Sendrecv, FMT_mpi_message_RECEIVED, 0, 0, 16);
}

Test(mpi, collective_and_one_sided_calls_have_their_bytes)
{
	struct mpi_status status;

	answer(0, 48);
	MPI_Bcast(0, 4, DOUBLE, 0, made->world);
	MPI_Bcast(0, 4, DOUBLE, 1, made->world);
	MPI_Put(0, 3, DOUBLE, 1, 0, 3, DOUBLE, made->window);
	MPI_File_write(0, 0, 100, DOUBLE, (W)&status);
	MPI_File_write(0, 0, 100, DOUBLE, IGNORE);
	load_records(5);
	is_record(0, FMT_mpi_func_Bcast, FMT_mpi_message_NONE, MPI_NO_PEER, 0, 32);
	is_record(1, FMT_mpi_func_Bcast, FMT_mpi_message_NONE, MPI_NO_PEER, 32, 0);
	is_record(2, FMT_mpi_func_Put, FMT_mpi_message_NONE, 3, 24, 0);
	is_record(3, FMT_mpi_func_File_write, FMT_mpi_message_NONE, MPI_NO_PEER, 48, 0);
	is_record(4, FMT_mpi_func_File_write, FMT_mpi_message_NONE, MPI_NO_PEER, 48, 0);
	cr_assert_eq(records[3].comm, 0);
}

Test(mpi, what_comes_later_is_told_at_the_place_that_asked_for_it)
{
	uint32_t request, null;
	struct mpi_status status;

	MPI_Irecv(0, 9, DOUBLE, 0, 0, made->half, (W)&request);
	MPI_Irecv(0, 9, DOUBLE, (W)PROC_NULL, 0, made->half, (W)&null);
	answer(1, 72);
	MPI_Wait((W)&null, (W)&status);
	MPI_Wait((W)&request, IGNORE);
	load_records(5);
	is_record(0, FMT_mpi_func_Irecv, FMT_mpi_message_NONE, MPI_NO_PEER, 0, 0);
	is_record(2, FMT_mpi_func_Wait, FMT_mpi_message_NONE, MPI_NO_PEER, 0, 0);
	is_record(3, FMT_mpi_func_Irecv, FMT_mpi_message_ALSO_RECEIVED, 3, 0, 72);
	cr_assert_eq(records[3].stack, records[0].stack);
	cr_assert_eq(records[3].comm, records[0].comm);
	is_record(4, FMT_mpi_func_Wait, FMT_mpi_message_NONE, MPI_NO_PEER, 0, 0);
}

Test(mpi, a_message_that_is_cancelled_is_none)
{
	uint32_t request;

	MPI_Irecv(0, 9, DOUBLE, 0, 0, made->world, (W)&request);
	answer(1, 72);
	made->status[0].cancelled = 1;
	MPI_Wait((W)&request, IGNORE);
	load_records(2);
	made->status[0].cancelled = 0;
	MPI_Irecv(0, 9, DOUBLE, 0, 0, made->world, (W)&request);
	answer(PROC_NULL, 0);
	MPI_Wait((W)&request, IGNORE);
	load_records(4);
}

/* Its communicator's handle may stand for another one by then: the rank is the one at the time of
 * the request. */
Test(mpi, a_message_of_a_communicator_that_was_freed_has_the_rank_that_was_asked_for)
{
	uint32_t request, half = (uint32_t)made->half;

	MPI_Irecv(0, 9, DOUBLE, 1, 0, made->half, (W)&request);
	MPI_Comm_free((W)&half);
	answer(0, 72);
	MPI_Wait((W)&request, IGNORE);
	load_records(4);
	is_record(2, FMT_mpi_func_Irecv, FMT_mpi_message_ALSO_RECEIVED, 3, 0, 72);
	cr_assert_eq(records[2].comm, 1);
}

Test(mpi, persistent_requests_send_and_receive_when_they_are_started)
{
	uint32_t out, in, null;

	MPI_Send_init(0, 5, DOUBLE, 2, 0, made->world, (W)&out);
	MPI_Send_init(0, 5, DOUBLE, (W)PROC_NULL, 0, made->world, (W)&null);
	MPI_Recv_init(0, 5, DOUBLE, 3, 0, made->world, (W)&in);
	load_records(3);
	is_record(0, FMT_mpi_func_Send_init, FMT_mpi_message_NONE, MPI_NO_PEER, 0, 0);
	MPI_Start((W)&out);
	MPI_Start((W)&null);
	MPI_Start((W)&in);
	answer(3, 8);
	MPI_Wait((W)&in, IGNORE);
	load_records(9);
	is_record(3, FMT_mpi_func_Send_init, FMT_mpi_message_ALSO_SENT, 2, 40, 0);
	is_record(4, FMT_mpi_func_Start, FMT_mpi_message_NONE, MPI_NO_PEER, 0, 0);
	is_record(5, FMT_mpi_func_Start, FMT_mpi_message_NONE, MPI_NO_PEER, 0, 0);
	is_record(6, FMT_mpi_func_Start, FMT_mpi_message_NONE, MPI_NO_PEER, 0, 0);
	is_record(7, FMT_mpi_func_Recv_init, FMT_mpi_message_ALSO_RECEIVED, 3, 0, 8);
}

Test(mpi, a_probed_message_is_of_the_communicator_that_was_probed)
{
	uint32_t message = 0;
	struct mpi_status status;

	MPI_Mprobe(0, 0, made->half, (W)&message, IGNORE);
	answer(1, 16);
	MPI_Mrecv(0, 10, DOUBLE, (W)&message, (W)&status);
	made->flag = 0;
	MPI_Improbe(0, 0, made->half, (W)&made->flag, (W)&message, IGNORE);
	MPI_Mrecv(0, 10, DOUBLE, (W)&message, (W)&status);
	load_records(4);
	is_record(1, FMT_mpi_func_Mrecv, FMT_mpi_message_RECEIVED, 3, 0, 16);
	cr_assert_eq(records[1].comm, records[0].comm);
	is_record(3, FMT_mpi_func_Mrecv, FMT_mpi_message_RECEIVED, MPI_NO_PEER, 0, 16);
	cr_assert_eq(records[3].comm, 0, "no message was found");
}

/* ---- calls that fail, and those that are not recorded */

Test(mpi, a_call_that_failed_has_its_class_of_error)
{
	made->result = 0x1206;
	cr_assert_eq(MPI_Send(0, 10, DOUBLE, 2, 0, made->world), 0x1206);
	made->result = 0x7fff;
	cr_assert_eq(MPI_Send(0, 10, DOUBLE, 2, 0, made->world), 0x7fff);
	made->is_finalized = 1;
	MPI_Finalize();
	made->result = 70000;
	MPI_Barrier(made->world);
	load_records(4);
	is_record(0, FMT_mpi_func_Send, FMT_mpi_message_NONE, MPI_NO_PEER, 0, 0);
	cr_assert_eq(records[0].error, 6);
	cr_assert_eq(records[1].error, 0x7fff, "which has no class");
	cr_assert_eq(records[2].error, 0x7fff);
	cr_assert_eq(records[3].error, 1);
	cr_assert_eq(records[0].comm, 0);
}

static void call_inside(void)
{
	made->inside = NULL;
	MPI_Barrier(made->world);
}

Test(mpi, what_a_call_calls_is_not_recorded)
{
	made->inside = call_inside;
	MPI_Send(0, 10, DOUBLE, 2, 0, made->world);
	cr_assert_eq(made->calls, 2);
	MPI_Barrier(made->world);
	load_records(2);
	is_record(0, FMT_mpi_func_Send, FMT_mpi_message_SENT, 2, 80, 0);
	cr_assert_eq(records[1].func, FMT_mpi_func_Barrier);
}

static jmp_buf out;

static void leave(void)
{
	made->inside = NULL;
	longjmp(out, 1);
}

static __attribute__((noinline)) void call_deeper(void)
{
	volatile char frame[3000];

	frame[0] = 1;
	MPI_Barrier(made->world);
	(void)frame[0];
}

/* Another function has a frame where it was, further in. */
Test(mpi, a_call_that_was_left_by_a_jump_is_over)
{
	made->inside = leave;
	if (!setjmp(out))
		MPI_Send(0, 10, DOUBLE, 2, 0, made->world);
	cr_assert_eq(thread_current()->mpi.state, FMT_mpi_state_SEND);
	call_deeper();
	load_records(1);
	cr_assert_eq(records[0].func, FMT_mpi_func_Barrier);
}

Test(mpi, calls_by_the_profiling_interface_are_the_librarys_own)
{
	cr_assert_eq(PMPI_Send(0, 10, DOUBLE, 2, 0, made->world), 0);
	cr_assert_eq(made->calls, 1);
	load_records(0);
}

Test(mpi, nothing_is_recorded_while_it_is_off)
{
	atomic_store(&col.switches->on[SOURCE_MPI], 0);
	cr_assert_eq(MPI_Send(0, 10, DOUBLE, 2, 0, made->world), 0);
	cr_assert_eq(made->calls, 1);
	cr_assert_eq(made->asked, 0);
	load_records(0);
	col.descriptor.mpi = 0;
	mpi_start();
	cr_assert_eq(col_on(SOURCE_MPI), 0);
	MPI_Send(0, 10, DOUBLE, 2, 0, made->world);
	load_records(0);
}

Test(mpi, a_program_without_mpi_gets_an_error)
{
	cr_assert_eq(MPI_Scan(0, 0, 0, 0, 0, 0), 16, "the made-up library has no such function");
	atomic_store(&col.switches->on[SOURCE_MPI], 0);
	cr_assert_eq(MPI_Scan(0, 0, 0, 0, 0, 0), 16);
}

/* ---- ranks */

Test(mpi, the_first_call_that_ends_well_tells_the_rank)
{
	made->is_initialized = 0;
	MPI_Init(0, 0);
	cr_assert_eq(mpi_rank_is_known(), 1);
	MPI_Barrier(made->world);
	cr_assert_eq(scratch_count("log.xml", "\" rank=\"1\" size=\"4\" library=\"MPICH\" "
	                                      "version=\"Made up 4.2\"/>"),
	             1);
	cr_assert_eq(scratch_count("log.xml", "kind=\"mpi\""), 1);
	mpi_restart();
	cr_assert_eq(mpi_rank_is_known(), 0);
	MPI_Barrier(made->world);
	cr_assert_eq(scratch_count("log.xml", "kind=\"mpi\""), 2);
}

Test(mpi, a_call_that_failed_tells_no_rank)
{
	made->result = 5;
	MPI_Barrier(made->world);
	cr_assert_eq(mpi_rank_is_known(), 0);
}

Test(mpi, an_abort_is_told_before_it_ends_the_process)
{
	MPI_Abort(made->world, (W)-7);
	cr_assert_eq(scratch_count("log.xml", "kind=\"mpi_abort\""), 1);
	cr_assert_eq(scratch_count("log.xml", " code=\"4294967289\"/>"), 1);
}

/* Without the calls: only the directory has the rank in its name. */
Test(mpi, a_descendants_directory_has_the_name_of_its_rank)
{
	mkdirat(col_founder_get(), "_f1.er", 0700);
	cr_assert_eq(col_directory_open("_f1.er"), 0);
	atomic_store(&col.switches->on[SOURCE_MPI], 0);
	col.descriptor.mpi = MPI_RANKS;
	MPI_Barrier(made->world);
	cr_assert_eq(mpi_rank_is_known(), 0, "where it begins is of interest");
	MPI_Init(0, 0);
	cr_assert_eq(mpi_rank_is_known(), 1);
	cr_assert_eq(faccessat(col_founder_get(), "M_r1.er", F_OK, 0), 0);
	load_records(0);
}

static int launched_with(const char *variable)
{
	extern char **environ;
	char *variables[] = {"OTHER=1", (char *)(uintptr_t)variable, NULL};
	char **before = environ;
	int found;

	scratch_open();
	environ = variables;
	mpi_open();
	environ = before;
	found = scratch_count("log.xml", "kind=\"mpi_launched\"");
	if (found) {
		found = scratch_count("log.xml", " rank=\"12\"/>");
		cr_assert_eq(found, 1, "%s", variable);
	}
	scratch_remove();
	return found;
}

Test(mpi, launchers_tell_the_rank_in_the_environment)
{
	scratch_remove();
	cr_assert(launched_with("OMPI_COMM_WORLD_RANK=12"));
	cr_assert(launched_with("PMIX_RANK=12"));
	cr_assert(launched_with("PMI_RANK=12x"));
	cr_assert(!launched_with("PMI_RANK="));
	cr_assert(!launched_with("PMI_RANK=x"));
	cr_assert(!launched_with("PMI_RANKS=12"));
	col.descriptor.mpi = 0;
	cr_assert(!launched_with("PMI_RANK=12"));
	scratch_open();
}

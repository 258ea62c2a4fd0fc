/* MPI calls: totals by function, by peer and by stack; messages that belong to no call; damage. */
#include "experiment/events/mpi.h"
#include "format/record.h"

#include <criterion/criterion.h>

enum { MAIN, CALL, OTHER, CUT, CUT_CALL, NODES };
static const uint64_t pcs[NODES] = {0x1000, 0x2000, 0x3000, FMT_PC_TRUNCATED, 0x2000};
static const int parents[NODES] = {-1, 0, 0, -1, 3};
#include "tests/unit/experiment/one_stream.h"

TestSuite(mpi, .init = set_up, .fini = tear_down);

static unsigned error_of_next;

static void put(uint64_t ticks, enum fmt_mpi_func func, enum fmt_mpi_message message,
                uint32_t stack, uint64_t duration, uint64_t sent, uint64_t received, uint32_t peer)
{
	struct fmt_mpi record = {.kind = FMT_KIND_mpi,
	                         .message = (uint8_t)message,
	                         .func = (uint16_t)func,
	                         .stack = stack,
	                         .peer = peer};

	record.error = (typeof(record.error))error_of_next;
	fmt_u48_put(&record.duration, duration);
	fmt_u48_put(&record.sent, sent);
	fmt_u48_put(&record.received, received);
	maker_event(&stream, ticks, &record, sizeof(record));
}

Test(mpi, counts_functions_peers_and_stacks)
{
	maker_extent(&stream, 42, t, 4096);
	put(t + 1000, FMT_mpi_func_Send, FMT_mpi_message_SENT, ids[CALL], 100, 400, 0, 3);
	put(t + 2000, FMT_mpi_func_Send, FMT_mpi_message_SENT, ids[CALL], 300, 0, 0,
	    3); /* an empty message is one */
	put(t + 3000, FMT_mpi_func_Send, FMT_mpi_message_NONE, ids[CALL], 10, 0, 0,
	    UINT32_MAX); /* to no rank: not a message */
	put(t + 4000, FMT_mpi_func_Sendrecv, FMT_mpi_message_ALSO_SENT, ids[CALL], 0, 8, 0, 1);
	put(t + 4000, FMT_mpi_func_Sendrecv, FMT_mpi_message_RECEIVED, ids[CALL], 50, 0, 16, 2);
	put(t + 5000, FMT_mpi_func_Irecv, FMT_mpi_message_ALSO_RECEIVED, ids[OTHER], 0, 0, 64, 2);
	put(t + 5000, FMT_mpi_func_Wait, FMT_mpi_message_NONE, ids[CALL], 500, 0, 0, UINT32_MAX);
	put(t + 6000, FMT_mpi_func_Put, FMT_mpi_message_NONE, ids[CALL], 5, 24, 0, 1);

	const struct exp_data_set *set = load("mpitrace");
	const struct exp_mpi *mpi = set->mpi;

	cr_assert_eq(set->have, EXP_DATA_MPI);
	cr_assert_eq(set->quality.mpi_events, 6);
	cr_assert_eq(mpi->function_count, 5);
	cr_assert_eq(mpi->functions[0].func, FMT_mpi_func_Send);
	cr_assert_eq(mpi->functions[0].calls, 3);
	cr_assert_eq(mpi->functions[0].time_ns, 410);
	cr_assert_eq(mpi->functions[0].longest_ns, 300);
	cr_assert_eq(mpi->functions[0].sent, 400);
	cr_assert_eq(mpi->functions[1].func, FMT_mpi_func_Irecv);
	cr_assert_eq(mpi->functions[1].calls, 0);
	cr_assert_eq(mpi->functions[1].received, 64);
	cr_assert_eq(mpi->functions[2].func, FMT_mpi_func_Sendrecv);
	cr_assert_eq(mpi->functions[2].calls, 1);
	cr_assert_eq(mpi->functions[2].sent, 8);
	cr_assert_eq(mpi->functions[2].received, 16);

	cr_assert_eq(mpi->peer_count, 3);
	cr_assert_eq(mpi->peers[0].rank, 1);
	cr_assert_eq(mpi->peers[0].sends, 1);
	cr_assert_eq(mpi->peers[0].put, 24);
	cr_assert_eq(mpi->peers[1].receives, 2);
	cr_assert_eq(mpi->peers[1].received, 80);
	cr_assert_eq(mpi->peers[2].sends, 2);
	cr_assert_eq(mpi->peers[2].sent, 400);

	cr_assert_eq(exp_node_value(&set->nodes, EXP_MPI_SENDS, CALL), 3);
	cr_assert_eq(exp_node_value(&set->nodes, EXP_MPI_BYTES_SENT, CALL), 408);
	cr_assert_eq(exp_node_value(&set->nodes, EXP_MPI_RECEIVES, CALL), 1);
	cr_assert_eq(exp_node_value(&set->nodes, EXP_MPI_RECEIVES, OTHER), 1);
	cr_assert_eq(exp_node_value(&set->nodes, EXP_MPI_BYTES_RECEIVED, OTHER), 64);
	cr_assert_eq(exp_node_value(&set->nodes, EXP_MPI_OTHER, CALL), 2, "MPI_Wait and MPI_Put");
	cr_assert_eq(exp_node_value(&set->nodes, EXP_MPI_TIME, CALL), 965);
	cr_assert_eq(maker.warnings, 0, "%s", maker.warning);
}

Test(mpi, calls_that_failed_are_counted_by_function)
{
	const struct exp_mpi *mpi;

	maker_extent(&stream, 42, t, 4096);
	put(t + 1000, FMT_mpi_func_Send, FMT_mpi_message_NONE, ids[CALL], 100, 0, 0, 3);
	put(t + 2000, FMT_mpi_func_Send, FMT_mpi_message_NONE, ids[CALL], 100, 0, 0, 3);
	put(t + 3000, FMT_mpi_func_Wait, FMT_mpi_message_NONE, ids[CALL], 50, 0, 0, 3);
	error_of_next = 1;
	put(t + 4000, FMT_mpi_func_Send, FMT_mpi_message_NONE, ids[CALL], 100, 0, 0, 3);
	mpi = load("mpitrace")->mpi;
	cr_assert_eq(mpi->function_count, 2);
	cr_expect_eq(mpi->functions[0].calls, 3);
	cr_expect_eq(mpi->functions[0].failed, 1);
	cr_expect_eq(mpi->functions[1].calls, 1);
	cr_expect_eq(mpi->functions[1].failed, 0);
}

Test(mpi, calls_of_truncated_stacks_are_counted)
{
	maker_extent(&stream, 42, t, 4096);
	put(t + 1000, FMT_mpi_func_Send, FMT_mpi_message_SENT, ids[CALL], 100, 400, 0, 3);
	put(t + 2000, FMT_mpi_func_Sendrecv, FMT_mpi_message_ALSO_SENT, ids[CUT_CALL], 0, 8, 0, 1);
	put(t + 2000, FMT_mpi_func_Sendrecv, FMT_mpi_message_RECEIVED, ids[CUT_CALL], 50, 0, 16, 2);
	put(t + 3000, FMT_mpi_func_Send, FMT_mpi_message_NONE, ids[CUT_CALL], 10, 0, 0, UINT32_MAX);

	const struct exp_data_set *set = load("mpitrace");

	cr_assert_eq(set->quality.mpi_events, 3);
	cr_assert_eq(set->quality.stack_events, 3);
	cr_assert_eq(set->quality.truncated_events, 2);
	cr_assert_eq(set->quality.truncated, 1);
}

Test(mpi, damage_is_left_out_and_told)
{
	maker_extent(&stream, 42, t, 4096);
	put(t + 1000, FMT_mpi_func_Send, (enum fmt_mpi_message)16, ids[CALL], 1, 1, 0,
	    1); /* no such message */
	put(t + 1000, FMT_mpi_func_Send, (enum fmt_mpi_message)3, ids[CALL], 1, 1, 0, 1);
	put(t + 1000, FMT_mpi_func_Send, FMT_mpi_message_SENT, ids[CALL], UINT64_C(1) << 47, 1, 0,
	    1); /* since long before the start */
	put(t + 1000, FMT_mpi_func_Send, FMT_mpi_message_SENT, ids[CALL], 1, UINT64_C(1) << 47, 0,
	    1); /* more than there are */
	put(t + 1100, (enum fmt_mpi_func)65535, FMT_mpi_message_SENT, ids[CALL], 10, 1, 0,
	    UINT32_MAX - 1); /* of a later version */

	const struct exp_data_set *set = load("mpitrace");

	cr_assert_eq(set->quality.mpi_events, 1);
	cr_assert_eq(set->mpi->function_count, 1);
	cr_assert_eq(set->mpi->peer_count, 1);
	cr_assert_gt(maker.warnings, 0);
}

Test(mpi, clock_samples_tell_work_from_waits)
{
	const uint8_t states[] = {FMT_mpi_state_NONE,    FMT_mpi_state_SEND,
	                          FMT_mpi_state_RECEIVE, FMT_mpi_state_COLLECTIVE,
	                          FMT_mpi_state_IO,      200};

	maker_extent(&stream, 42, t, 4096);
	for (unsigned i = 0; i < sizeof(states); i++) {
		struct fmt_clock sample = {.kind = FMT_KIND_clock,
		                           .mpi = states[i],
		                           .stack = ids[CALL],
		                           .cpu_ns = 16 << i};

		maker_event(&stream, t + 1000 * (i + 1), &sample, sizeof(sample));
	}

	const struct exp_data_set *set = load("profile");

	cr_assert_eq(set->have, EXP_DATA_PROFILE | EXP_DATA_MPI);
	cr_assert_eq(exp_node_value(&set->nodes, EXP_MPI_WORK, CALL), 32 + 256 + 512);
	cr_assert_eq(exp_node_value(&set->nodes, EXP_MPI_WAIT, CALL), 64 + 128);
}

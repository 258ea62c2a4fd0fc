/* The bytes that MPI calls move, by what the standard says of the functions. */
#include "libcollector/mpi/mpi.h"

#include <criterion/criterion.h>
#include <limits.h>
#include <string.h>

/* Handles of types are numbers here; the last byte is the size. */
enum { COMM = 77, IN_PLACE = 99, NO_OP = 88, NO_TYPE = 11 };

static int type_size(uint64_t type, uint64_t out, uint64_t c, uint64_t d, uint64_t e)
{
	(void)c;
	(void)d;
	(void)e;
	*(int64_t *)out = (int64_t)(type & 0xff);
	return type == 0xbad;
}

static int topology(uint64_t comm, uint64_t kind, uint64_t c, uint64_t d, uint64_t e)
{
	(void)c;
	(void)d;
	(void)e;
	*(int *)kind = 3;
	return comm != COMM;
}

static int neighbors(uint64_t comm, uint64_t in, uint64_t out, uint64_t weighted, uint64_t e)
{
	(void)comm;
	(void)weighted;
	(void)e;
	*(int *)in = 2;
	*(int *)out = 3;
	return 0;
}

static void setup(void)
{
	mpi_library = (struct mpi_library){.Type_size_x = type_size,
	                                   .Topo_test = topology,
	                                   .Dist_graph_neighbors_count = neighbors,
	                                   .in_place = IN_PLACE,
	                                   .no_type = NO_TYPE,
	                                   .no_op = NO_OP,
	                                   .proc_null = -1,
	                                   .root = -3,
	                                   .handle_bytes = 4,
	                                   .cart = 1,
	                                   .graph = 2};
}

TestSuite(mpi_bytes, .init = setup);

/* This process is rank 1 of 4; and, between two groups, rank 1 of 4 with 6 in the remote group. */
static const struct mpi_group group = {.rank = 1, .size = 4, .own_size = 4},
			      across = {.rank = 1, .size = 6, .own_size = 4, .is_inter = 1};

static void moves(const struct mpi_row *row, const struct mpi_group *in_group,
                  const uint64_t *arguments, uint64_t out, uint64_t in)
{
	uint64_t word[16] = {0}, got_out = 1, got_in = 1;
	struct mpi_call call = {.row = row, .word = word, .frees = mpi_group_frees()};

	memcpy(word + 1, arguments, row->words * sizeof(*arguments));
	mpi_bytes(&call, in_group, &got_out, &got_in);
	cr_assert_eq(got_out, out, "%lu go out", got_out);
	cr_assert_eq(got_in, in, "%lu come in", got_in);
}

#define MOVES(row, group, out, in, ...) \
	moves(&(row), group, (const uint64_t[]){__VA_ARGS__}, out, in)

static const struct mpi_row
	send = {.words = 3, .out = {PLAIN, 2, 3}},
	bcast = {.words = 5,
                 .out = {PLAIN, 2, 3},
                 .out_at = ROOT,
                 .in = {PLAIN, 2, 3},
                 .in_at = OTHERS,
                 .root = 4},
	gather = {.words = 7,
                  .out = {PLAIN, 2, 3},
                  .in = {TIMES, 5, 6},
                  .out_buffer = 1,
                  .in_at = ROOT,
                  .root = 7},
	scatterv = {.words = 8,
                    .out = {SUM, 2, 4},
                    .out_at = ROOT,
                    .in = {PLAIN, 6, 7},
                    .in_buffer = 5,
                    .root = 8},
	alltoallw = {.words = 8, .out = {TYPES, 2, 4}, .in = {TYPES, 6, 8}, .out_buffer = 1},
	alltoall = {.words = 6, .out = {TIMES, 2, 3}, .in = {TIMES, 5, 6}, .out_buffer = 1},
	allgatherv = {.words = 7, .out = {PLAIN, 2, 3}, .in = {SUM, 5, 7}, .out_buffer = 1},
	reduce_scatter = {.words = 4, .out = {SUM, 3, 4}, .in = {OWN, 3, 4}, .own_side = 1},
	neighbor = {.words = 7,
                    .out = {TIMES, 2, 3},
                    .in = {TIMES, 5, 6},
                    .neighbors = 1,
                    .comm = 7},
	fetch = {.words = 3, .out = {ONE, 0, 2}, .in = {ONE, 0, 3}},
	get_accumulate = {.words = 7, .out = {PLAIN, 2, 3}, .in = {PLAIN, 5, 6}, .op = 7};

Test(mpi_bytes, of_a_message_are_its_elements)
{
	MOVES(send, NULL, 80, 0, 0, 10, 8);
	MOVES(send, NULL, 0, 0, 0, 0, 8);
	MOVES(send, NULL, 0, 0, 0, (uint32_t)-1, 8);
	MOVES(send, NULL, 0, 0, 0, 10, NO_TYPE);
	MOVES(send, NULL, 0, 0, 0, 10, 0xbad);
	/* The upper half of the register of an int may have any value. */
	MOVES(send, NULL, 80, 0, 0, (uint64_t)7 << 32 | 10, (uint64_t)7 << 32 | 8);
	MOVES(fetch, NULL, 8, 4, 0, 8, 4);
}

Test(mpi_bytes, counts_may_have_64_bits)
{
	uint64_t word[] = {0, 0, (uint64_t)3 << 32, 2}, out, in;
	const int64_t counts[] = {(int64_t)1 << 33, 1, -1, 2};
	uint64_t words[] = {0, 0, 0, (uint64_t)counts, 4};
	struct mpi_call call = {.row = &send, .word = word, .is_wide = 1};

	mpi_bytes(&call, NULL, &out, &in);
	cr_assert_eq(out, (uint64_t)3 << 33);
	call.row = &reduce_scatter;
	call.word = words;
	mpi_bytes(&call, &group, &out, &in);
	cr_assert_eq(out, 4 * (((uint64_t)1 << 33) + 3));
	cr_assert_eq(in, 4);
}

Test(mpi_bytes, of_a_broadcast_go_out_at_the_root_and_come_in_elsewhere)
{
	MOVES(bcast, &group, 80, 0, 0, 10, 8, 1, 0);
	MOVES(bcast, &group, 0, 80, 0, 10, 8, 0, 0);
	MOVES(bcast, &across, 80, 0, 0, 10, 8, (uint64_t)-3, 0);
	MOVES(bcast, &across, 0, 0, 0, 10, 8, (uint64_t)-1, 0);
	MOVES(bcast, &across, 0, 80, 0, 10, 8, 1, 0);
}

Test(mpi_bytes, of_a_gathering_come_in_at_the_root_from_each_process)
{
	MOVES(gather, &group, 40, 4 * 40, 0, 10, 4, 0, 5, 8, 1);
	MOVES(gather, &group, 40, 0, 0, 10, 4, 0, 5, 8, 0);
	MOVES(gather, &group, 40, 4 * 40, IN_PLACE, 0, 0, 0, 5, 8, 1);
	MOVES(gather, &across, 0, 6 * 40, 0, 10, 4, 0, 5, 8, (uint64_t)-3);
	MOVES(gather, &across, 40, 0, 0, 10, 4, 0, 5, 8, 2);
	MOVES(gather, &across, 0, 0, 0, 10, 4, 0, 5, 8, (uint64_t)-1);
}

Test(mpi_bytes, of_counts_are_their_sum)
{
	const int32_t counts[] = {1, 2, -5, 4, 100, 100};

	MOVES(scatterv, &group, 7 * 8, 3 * 2, 0, (uint64_t)counts, 0, 8, 0, 3, 2, 1);
	MOVES(scatterv, &group, 0, 3 * 2, 0, (uint64_t)counts, 0, 8, 0, 3, 2, 0);
	MOVES(scatterv, &group, 7 * 8, 2 * 8, 0, (uint64_t)counts, 0, 8, IN_PLACE, 3, 2, 1);
	MOVES(scatterv, &group, 0, 3 * 2, 0, 0, 0, 8, 0, 3, 2, 1);
	MOVES(allgatherv, &group, 3 * 2, 7 * 8, 0, 3, 2, 0, (uint64_t)counts, 0, 8);
	MOVES(allgatherv, &group, 2 * 8, 7 * 8, IN_PLACE, 3, 2, 0, (uint64_t)counts, 0, 8);
	MOVES(reduce_scatter, &group, 7 * 8, 2 * 8, 0, 0, (uint64_t)counts, 8);
	MOVES(reduce_scatter, &across, 7 * 8, 2 * 8, 0, 0, (uint64_t)counts, 8);
}

Test(mpi_bytes, each_count_may_have_a_type_of_its_own)
{
	const int32_t counts[] = {1, 2, 0, 4}, others[] = {1, 1, 1, 1};
	const uint32_t types[] = {8, 4, 0xbad, 2};

	MOVES(alltoallw, &group, 8 + 8 + 8, 8 + 4 + 0 + 2, 0, (uint64_t)counts, 0, (uint64_t)types,
	      0, (uint64_t)others, 0, (uint64_t)types);
	MOVES(alltoallw, &group, 14, 14, IN_PLACE, 0, 0, 0, 0, (uint64_t)others, 0,
	      (uint64_t)types);
}

Test(mpi_bytes, of_all_to_all_are_as_many_as_processes)
{
	MOVES(alltoall, &group, 4 * 80, 4 * 20, 0, 10, 8, 0, 5, 4);
	MOVES(alltoall, &group, 4 * 20, 4 * 20, IN_PLACE, 10, 8, 0, 5, 4);
	MOVES(alltoall, &across, 6 * 80, 6 * 20, 0, 10, 8, 0, 5, 4);
	MOVES(alltoall, NULL, 0, 0, 0, 10, 8, 0, 5, 4);
}

Test(mpi_bytes, of_neighbours_are_as_many_as_they_are)
{
	MOVES(neighbor, &group, 3 * 80, 2 * 20, 0, 10, 8, 0, 5, 4, COMM);
	MOVES(neighbor, &group, 0, 0, 0, 10, 8, 0, 5, 4, COMM + 1);
}

Test(mpi_bytes, nothing_goes_out_where_no_operation_is_done)
{
	MOVES(get_accumulate, &group, 80, 20, 0, 10, 8, 0, 5, 4, NO_OP + 1);
	MOVES(get_accumulate, &group, 0, 20, 0, 10, 8, 0, 5, 4, NO_OP);
}

/* mpi.c: reads calls of MPI functions, by function and by the process at the other side. */
#include "experiment/events/mpi.h"

#include "experiment/streams/load_context.h"
#include "experiment/streams/readers.h"
#include "experiment/streams/stream.h"
#include "experiment/table/index.h"
#include "format/layout.h"
#include "format/record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* PEERS_MAX bounds memory; ALSO is the bit of messages that are not the call's own. */
enum { PEERS_MAX = 1 << 20, NO_PEER = UINT32_MAX, ALSO = 16, BYTES_BITS = 44 };

struct reader {
	struct exp_load *load;
	struct exp_index by_func, by_rank;
	size_t functions, function_capacity;
	size_t peers, peer_capacity;
	uint64_t overflow; /* messages of further peers */
};

void exp_mpi_sample(struct exp_load *load, unsigned state, uint32_t row, uint64_t cpu_ns)
{
	enum exp_metric metric = EXP_MPI_WORK;

	switch (state) {
	case FMT_mpi_state_RECEIVE:
	case FMT_mpi_state_COLLECTIVE:
	case FMT_mpi_state_WAIT:
	case FMT_mpi_state_SYNC:
		metric = EXP_MPI_WAIT;
		break;
	default:
		break;
	}
	if (exp_load_need(load, metric) != 0) {
		load->rc = -ENOMEM;
		return;
	}
	load->set.have |= EXP_DATA_MPI;
	exp_load_add(load, metric, row, cpu_ns);
}

/* NULL, and load->rc, if there is no memory. */
static struct exp_mpi_function *find_function(struct reader *reader, unsigned func)
{
	struct exp_load *load = reader->load;
	uint32_t at = exp_index_find(&reader->by_func, func);

	if (at != EXP_INDEX_NONE)
		return &load->mpi_functions[at];
	if (exp_array_reserve(&load->mpi_functions, &reader->function_capacity, reader->functions,
	                      sizeof(*load->mpi_functions)) != 0 ||
	    exp_index_add(&reader->by_func, func, (uint32_t)reader->functions) != 0) {
		load->rc = -ENOMEM;
		return NULL;
	}
	load->mpi_functions[reader->functions] = (struct exp_mpi_function){.func = func};
	return &load->mpi_functions[reader->functions++];
}

/* NULL also if there are too many. */
static struct exp_mpi_peer *find_peer(struct reader *reader, uint32_t rank)
{
	struct exp_load *load = reader->load;
	uint32_t at = exp_index_find(&reader->by_rank, rank);

	if (at != EXP_INDEX_NONE)
		return &load->mpi_peers[at];
	if (reader->peers == PEERS_MAX) {
		reader->overflow++;
		return NULL;
	}
	if (exp_array_reserve(&load->mpi_peers, &reader->peer_capacity, reader->peers,
	                      sizeof(*load->mpi_peers)) != 0 ||
	    exp_index_add(&reader->by_rank, rank, (uint32_t)reader->peers) != 0) {
		load->rc = -ENOMEM;
		return NULL;
	}
	load->mpi_peers[reader->peers] = (struct exp_mpi_peer){.rank = rank};
	return &load->mpi_peers[reader->peers++];
}

static void count_peer(struct reader *reader, const struct fmt_mpi *event)
{
	struct exp_mpi_peer *peer = event->peer == NO_PEER ? NULL : find_peer(reader, event->peer);
	uint64_t sent = fmt_u48_get(&event->sent), received = fmt_u48_get(&event->received);

	if (!peer)
		return;
	switch (event->message & ~ALSO) {
	case FMT_mpi_message_SENT:
		peer->sends++;
		peer->sent += sent;
		break;
	case FMT_mpi_message_RECEIVED:
		peer->receives++;
		peer->received += received;
		break;
	default:
		peer->put += sent;
		peer->got += received;
	}
}

static void count_function(struct reader *reader, const struct fmt_mpi *event)
{
	struct exp_mpi_function *function = find_function(reader, event->func);
	uint64_t ticks = fmt_ticks_get(event->duration_high, &event->duration);

	if (!function)
		return;
	function->sent += fmt_u48_get(&event->sent);
	function->received += fmt_u48_get(&event->received);
	if (event->message & ALSO)
		return;
	function->calls++;
	function->failed += event->error != 0;
	function->time_ns += ticks;
	if (ticks > function->longest_ns)
		function->longest_ns = ticks;
}

static void count_metrics(struct reader *reader, const struct fmt_mpi *event, uint32_t row)
{
	struct exp_load *load = reader->load;
	unsigned class = event->func >> 8;

	exp_load_add(load, EXP_MPI_TIME, row,
	             fmt_ticks_get(event->duration_high, &event->duration));
	if ((event->message & ~ALSO) == FMT_mpi_message_SENT) {
		exp_load_add(load, EXP_MPI_SENDS, row, 1);
		exp_load_add(load, EXP_MPI_BYTES_SENT, row, fmt_u48_get(&event->sent));
	} else if ((event->message & ~ALSO) == FMT_mpi_message_RECEIVED) {
		exp_load_add(load, EXP_MPI_RECEIVES, row, 1);
		exp_load_add(load, EXP_MPI_BYTES_RECEIVED, row, fmt_u48_get(&event->received));
	} else if (class != FMT_mpi_state_SEND && class != FMT_mpi_state_RECEIVE) {
		exp_load_add(load, EXP_MPI_OTHER, row, 1);
	}
}

/* ---- the stream ---- */

static const char *fault_of(const struct exp_load *load, const struct exp_cursor *cursor,
                            struct fmt_mpi *event)
{
	if ((event->message & ~ALSO) > FMT_mpi_message_RECEIVED || event->message == ALSO)
		return "an MPI call of an unknown kind";
	if (!exp_load_cut_wait(load, cursor->tsc, &event->duration_high, &event->duration))
		return "an MPI call of impossible length";
	if (fmt_u48_get(&event->sent) >> BYTES_BITS || fmt_u48_get(&event->received) >> BYTES_BITS)
		return "an MPI call of impossible size";
	return NULL;
}

static void on_mpi(struct reader *reader, const struct exp_cursor *cursor,
                   const struct fmt_mpi *event)
{
	struct exp_load *load = reader->load;
	struct exp_fact fact = {.data = EXP_DATA_MPI,
	                        .type = event->func,
	                        .wait_ticks = fmt_ticks_get(event->duration_high, &event->duration),
	                        .error = event->error,
	                        .bytes = fmt_u48_get(&event->sent) + fmt_u48_get(&event->received),
	                        .mpi = event,
	                        .mpi_state = event->func >> 8,
	                        .node = exp_load_stack(load, cursor, event->stack)};
	uint32_t row = exp_load_row(load, cursor, &fact);

	if (row == EXP_ROW_NONE)
		return;
	if (!(event->message & ALSO)) {
		load->set.quality.mpi_events++;
		exp_load_count_other(load, row);
	}
	count_metrics(reader, event, row);
	count_function(reader, event);
	count_peer(reader, event);
}

static void on_event(void *context, const struct exp_cursor *cursor)
{
	struct reader *reader = context;
	struct fmt_mpi event;
	const char *fault;

	if (cursor->payload[0] != FMT_KIND_mpi)
		return;
	if (cursor->payload_size < sizeof(event)) {
		exp_cursor_fault(cursor, "an MPI call is too short");
		return;
	}
	memcpy(&event, cursor->payload, sizeof(event));
	fault = fault_of(reader->load, cursor, &event);
	if (fault) {
		exp_cursor_fault(cursor, fault);
		return;
	}
	exp_load_time(reader->load, cursor->tsc);
	on_mpi(reader, cursor, &event);
}

static int by_func(const void *left, const void *right)
{
	return (int)((const struct exp_mpi_function *)left)->func -
	       (int)((const struct exp_mpi_function *)right)->func;
}

static int by_rank(const void *left, const void *right)
{
	uint32_t a = ((const struct exp_mpi_peer *)left)->rank,
		 b = ((const struct exp_mpi_peer *)right)->rank;

	return (a > b) - (a < b);
}

static void finish(struct reader *reader)
{
	struct exp_load *load = reader->load;
	struct exp_mpi *mpi;

	exp_load_metric_ns(load, EXP_MPI_TIME);
	for (size_t i = 0; i < reader->functions; i++) {
		load->mpi_functions[i].time_ns = exp_load_ns(load, load->mpi_functions[i].time_ns);
		load->mpi_functions[i].longest_ns = exp_load_ns(load,
		                                                load->mpi_functions[i].longest_ns);
	}
	if (reader->functions > 1)
		qsort(load->mpi_functions, reader->functions, sizeof(*load->mpi_functions),
		      by_func);
	if (reader->peers > 1)
		qsort(load->mpi_peers, reader->peers, sizeof(*load->mpi_peers), by_rank);
	mpi = exp_arena_alloc(&load->arena, sizeof(*mpi));
	if (!mpi) {
		load->rc = -ENOMEM;
		return;
	}
	*mpi = (struct exp_mpi){load->mpi_functions, reader->functions, load->mpi_peers,
	                        reader->peers};
	load->set.mpi = mpi;
	if (reader->overflow != 0)
		exp_warn(load->experiment, "%s: too many ranks: %llu messages belong to none",
		         exp_stream_names[FMT_STREAM_MPITRACE],
		         (unsigned long long)reader->overflow);
}

static int read_stream(struct exp_load *load, struct exp_stream *stream)
{
	struct reader reader = {.load = load};
	int rc = exp_load_in_order(load, stream, on_event, &reader);

	if (rc == 0)
		finish(&reader);
	if (rc == 0)
		rc = load->rc;
	exp_index_fini(&reader.by_func);
	exp_index_fini(&reader.by_rank);
	return rc;
}

int exp_mpi_read(struct exp_load *load)
{
	return exp_load_kind(load, EXP_DATA_MPI, EXP_MPI_TIME, EXP_MPI_OTHER, read_stream);
}

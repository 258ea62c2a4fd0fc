/* mpi_record.c: the records of a call of an MPI function: its own, and one for each further message
 * that it sends, receives or completes.
 * See doc/decisions/10-mpi.md. */
#include "libcollector/mpi/mpi.h"
#include "libcollector/thread/scope.h"

static void put(struct mpi_call *call, struct fmt_mpi *event, uint64_t sent, uint64_t received,
                uint64_t now)
{
	struct col_thread *thread = call->thread;

	event->kind = FMT_KIND_mpi;
	fmt_u48_put(&event->sent, sent);
	fmt_u48_put(&event->received, received);
	if (col_slot_write(&thread->slot[COL_NORMAL][FMT_STREAM_MPITRACE], FMT_STREAM_MPITRACE,
	                   atomic_load(&thread->tid), event, sizeof(*event), now) == 0)
		thread->events[SOURCE_MPI]++;
}

/* A message of a request, at the call that created the request. */
static void write_tracked(struct mpi_call *call, const struct mpi_message *message,
                          const void *status)
{
	struct fmt_mpi event __attribute__((aligned(8))) = {
		.message = message->is_send ? FMT_mpi_message_ALSO_SENT
	                                    : FMT_mpi_message_ALSO_RECEIVED,
		.func = message->func,
		.stack = message->node,
		.comm = message->number,
		.peer = message->peer,
	};
	const struct mpi_group *group;
	int source;

	if (message->is_send) {
		put(call, &event, message->bytes, 0, col_ticks());
		return;
	}
	source = mpi_status_source(status);
	if (source == mpi_library.proc_null || mpi_status_is_cancelled(status))
		return;
	group = mpi_group_known(message->comm, message->number);
	if (group)
		event.peer = mpi_group_world(group, source);
	mpi_group_leave(group);
	put(call, &event, 0, mpi_status_bytes(status), col_ticks());
}

/* Bytes and messages of a call that has succeeded. `event` has its stack. */
struct facts {
	uint64_t out, in;
	uint32_t from, to;   /* in MPI_COMM_WORLD */
	int sends, receives; /* a message of its own */
};

static int rank_argument(const struct mpi_call *call, uint8_t argument)
{
	return (int32_t)call->word[argument];
}

static void find_facts(struct mpi_call *call, const struct mpi_group *group, struct facts *facts)
{
	const struct mpi_row *row = call->row;

	mpi_bytes(call, group, &facts->out, &facts->in);
	if (row->in.how == STATUS)
		facts->in = mpi_status_bytes(call->statuses);
	else if (row->out.how == STATUS)
		facts->out = mpi_status_bytes(call->statuses);
	if (row->to && !row->persistent) {
		facts->sends = rank_argument(call, row->to) != mpi_library.proc_null;
		facts->to = group ? mpi_group_world(group, rank_argument(call, row->to))
		                  : MPI_NO_PEER;
		facts->out = facts->sends ? facts->out : 0;
	}
	if (row->target && group)
		facts->to = mpi_group_world(group, rank_argument(call, row->target));
	if (row->in.how == STATUS && row->func >> 8 == FMT_mpi_state_RECEIVE) {
		int source = mpi_status_source(call->statuses);

		facts->receives = source != mpi_library.proc_null;
		facts->from = group ? mpi_group_world(group, source) : MPI_NO_PEER;
	}
	if (row->persistent)
		facts->out = 0;
}

/* The request that the call has created. */
static void track(struct mpi_call *call, const struct mpi_group *group, uint32_t node,
                  const struct mpi_message *probed)
{
	const struct mpi_row *row = call->row;
	struct mpi_message message = {.func = row->func,
	                              .node = node,
	                              .number = group ? group->number : 0,
	                              .peer = MPI_NO_PEER};
	uint64_t in;

	if (row->comm)
		message.comm = mpi_handle(call->word[row->comm]);
	else if (probed) {
		message.comm = probed->comm;
		message.number = probed->number;
	}
	message.is_persistent = row->persistent;
	message.is_send = row->persistent && row->to;
	if (message.is_send) {
		mpi_bytes(call, group, &message.bytes, &in);
		message.peer = group ? mpi_group_world(group, rank_argument(call, row->to))
		                     : MPI_NO_PEER;
		if (rank_argument(call, row->to) == mpi_library.proc_null)
			return;
	} else if (row->source) {
		if (rank_argument(call, row->source) == mpi_library.proc_null)
			return;
		message.peer = group ? mpi_group_world(group, rank_argument(call, row->source))
		                     : MPI_NO_PEER;
	}
	mpi_request_add(mpi_handle_at(call->word[row->request], 0), &message);
}

/* A message that a probe has found. */
static void track_probed(struct mpi_call *call, const struct mpi_group *group)
{
	const struct mpi_row *row = call->row;
	struct mpi_message message = {.comm = mpi_handle(call->word[row->comm]),
	                              .number = group ? group->number : 0};

	if (!row->flag || *(const int32_t *)call->word[row->flag])
		mpi_probed_add(mpi_handle_at(call->word[row->message], 0), &message);
}

static const struct mpi_group *group_of(struct mpi_call *call, const struct mpi_message *probed,
                                        struct mpi_group *spare)
{
	const struct mpi_row *row = call->row;

	if (row->comm)
		return mpi_group_find(mpi_handle(call->word[row->comm]), 0, call->frees, spare);
	if (row->win)
		return mpi_group_find(mpi_handle(call->word[row->win]), 1, call->frees, spare);
	return probed ? mpi_group_known(probed->comm, probed->number) : NULL;
}

static void record_ended(struct mpi_call *call, struct fmt_mpi *event,
                         const struct mpi_message *probed, uint64_t now)
{
	const struct mpi_row *row = call->row;
	struct facts facts = {.from = MPI_NO_PEER, .to = MPI_NO_PEER};
	struct mpi_group spare;
	const struct mpi_group *group = group_of(call, probed, &spare);

	mpi_requests_after(call, write_tracked);
	find_facts(call, group, &facts);
	event->comm = group ? group->number : 0;
	if (facts.sends && (facts.receives || row->from)) {
		struct fmt_mpi sent __attribute__((aligned(8))) = *event;

		sent.message = FMT_mpi_message_ALSO_SENT;
		sent.peer = facts.to;
		put(call, &sent, facts.out, 0, now);
		facts.out = facts.sends = 0;
	}
	event->message = facts.sends      ? FMT_mpi_message_SENT
	                 : facts.receives ? FMT_mpi_message_RECEIVED
	                                  : FMT_mpi_message_NONE;
	event->peer = facts.receives ? facts.from : facts.to;
	if (row->in.how == LATER || row->persistent)
		track(call, group, event->stack, probed);
	if (row->ends == MPI_ENDS_MPROBE)
		track_probed(call, group);
	fmt_ticks_put(&event->duration_high, &event->duration, now - call->begin);
	put(call, event, facts.out, facts.in, now);
	mpi_group_leave(group);
}

void mpi_record(struct mpi_call *call, int result, const struct mpi_message *probed,
                const struct caller *caller)
{
	struct fmt_mpi event
		__attribute__((aligned(8))) = {.func = call->row->func, .peer = MPI_NO_PEER};
	uint64_t now = col_ticks();
	struct col_thread *thread = scope_enter();

	if (!thread)
		return;
	call->thread = thread;
	event.stack = stack_of(thread, caller);
	scope_ask(thread);
	if (result == 0 && mpi_library_is_ready()) {
		record_ended(call, &event, probed, now);
	} else {
		int class = result;

		if (result && mpi_library_is_ready() &&
		    ASK(Error_class, (uint32_t)result, &class) != 0)
			class = result;
		event.error = class > 0 && class < UINT16_MAX ? (uint16_t) class : result != 0;
		fmt_ticks_put(&event.duration_high, &event.duration, now - call->begin);
		put(call, &event, 0, 0, now);
	}
	scope_leave(thread);
}

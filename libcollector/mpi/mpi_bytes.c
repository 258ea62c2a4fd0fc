/* mpi_bytes.c: the bytes of a call, from its row and its arguments. They are those that this
 * process sends and receives by the meaning of the function, however the library does it: a
 * broadcast sends its data once, at the root. */
#include "libcollector/mpi/mpi.h"

#include <stddef.h>

/* A count argument. */
static int64_t count_of(const struct mpi_call *call, uint8_t argument)
{
	return call->is_wide ? (int64_t)call->word[argument] : (int32_t)call->word[argument];
}

static uint64_t count_at(const struct mpi_call *call, uint64_t array, int index)
{
	int64_t count = call->is_wide ? ((const int64_t *)array)[index]
	                              : ((const int32_t *)array)[index];

	return count > 0 ? (uint64_t)count : 0;
}

static uint64_t sum(const struct mpi_call *call, const struct mpi_bytes *bytes, int partners)
{
	uint64_t counts = call->word[bytes->count], result = 0;

	for (int i = 0; i < partners && counts; i++) {
		uint64_t count = count_at(call, counts, i);

		result += bytes->how == SUM || count == 0
		                  ? count
		                  : count * mpi_type_size(mpi_handle_at(call->word[bytes->type],
		                                                        (uint64_t)i));
	}
	return bytes->how == SUM && result ? result * mpi_type_size(call->word[bytes->type])
	                                   : result;
}

static uint64_t bytes_of(const struct mpi_call *call, const struct mpi_bytes *bytes,
                         const struct mpi_group *group, int partners)
{
	int64_t count = bytes->how == PLAIN || bytes->how == TIMES ? count_of(call, bytes->count)
	                                                           : 1;

	switch ((enum mpi_how)bytes->how) {
	case ONE:
	case PLAIN:
		return count > 0 ? (uint64_t)count * mpi_type_size(call->word[bytes->type]) : 0;
	case TIMES:
		return count > 0 ? (uint64_t)count * (uint64_t)partners *
		                           mpi_type_size(call->word[bytes->type])
		                 : 0;
	case SUM:
	case TYPES:
		return sum(call, bytes, partners);
	case OWN:
		return group->rank < partners
		               ? count_at(call, call->word[bytes->count], group->rank) *
		                         mpi_type_size(call->word[bytes->type])
		               : 0;
	case MPI_NO_BYTES:
	case STATUS:
	case LATER:
		break;
	}
	return 0;
}

/* MPI_IN_PLACE: the arguments of the other direction give the size, of which one process's part
 * belongs to this process. The arguments of this direction are not used then, and may be
 * anything. */
static struct mpi_bytes in_place(const struct mpi_bytes *own, const struct mpi_bytes *other)
{
	struct mpi_bytes result = *other;

	if (own->how == PLAIN && other->how == TIMES)
		result.how = PLAIN;
	else if (own->how == PLAIN && other->how == SUM)
		result.how = OWN;
	return result;
}

static int is_in_place(const struct mpi_call *call, uint8_t buffer)
{
	return buffer && call->word[buffer] == mpi_library.in_place;
}

/* Does this process do what only some processes do? In an intercommunicator, one side has the root,
 * and the other processes of that side do nothing. */
static int takes_part(const struct mpi_call *call, const struct mpi_group *group, uint8_t at)
{
	int root = call->row->root ? (int32_t)call->word[call->row->root] : 0;

	if (call->row->root && group->is_inter && root == mpi_library.proc_null)
		return 0;
	if (at == MPI_EVERYWHERE)
		return !(call->row->root && group->is_inter && root == mpi_library.root);
	return (group->is_inter ? root == mpi_library.root : root == group->rank) == (at == ROOT);
}

void mpi_bytes(const struct mpi_call *call, const struct mpi_group *group, uint64_t *out,
               uint64_t *in)
{
	static const struct mpi_group nothing = {.size = 0};
	const struct mpi_row *row = call->row;
	struct mpi_bytes goes = row->out, comes = row->in;
	int senders, receivers;

	if (!group)
		group = &nothing;
	senders = receivers = row->own_side ? group->own_size : group->size;
	if (row->neighbors)
		mpi_neighbors(call->word[row->comm], call->frees, &senders, &receivers);
	if (is_in_place(call, row->out_buffer))
		goes = in_place(&row->out, &row->in);
	else if (is_in_place(call, row->in_buffer))
		comes = in_place(&row->in, &row->out);
	if (row->op && mpi_handle(call->word[row->op]) == mpi_library.no_op)
		goes.how = MPI_NO_BYTES;
	*in = takes_part(call, group, row->in_at) ? bytes_of(call, &comes, group, senders) : 0;
	*out = takes_part(call, group, row->out_at) ? bytes_of(call, &goes, group, receivers) : 0;
}

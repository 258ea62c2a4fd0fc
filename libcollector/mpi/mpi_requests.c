/* mpi_requests.c: requests that will receive a message, or can be started again. The length of a
 * message and its sender are known when one of the functions that wait and test finds its request
 * complete.
 *
 * Requests are found by their handles in a lock-free table of fixed size. If the end of a request
 * was not recorded because of a pause, its epoch shows that, and its place is reused when it is
 * found again.
 * See doc/decisions/10-mpi.md. */
#include "libcollector/mpi/mpi.h"

#include "libcollector/base/budget.h"
#include "libcollector/thread/scope.h"

#include <string.h>

enum { REQUESTS = 1 << 16, PROBES = 32, BUSY = 1 };

struct mpi_pending {
	struct mpi_message message;
	unsigned epoch;
	int is_active; /* else it is persistent, and not started */
};

struct requests {
	atomic_uint_fast64_t keys[REQUESTS];
	struct mpi_pending pending[REQUESTS];
};
static _Atomic(void *) table; /* struct requests */
static atomic_uint count;     /* of requests in the table: it is there if any are */
static atomic_uint epoch;

/* Message handles are not requests, but may have the same numbers. */
enum { MESSAGE_BIT = 1 };
static uint64_t key_of(uint64_t handle, int is_message)
{
	return handle << 1 | (unsigned)is_message;
}

static unsigned place_of(uint64_t key)
{
	return (unsigned)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 40);
}

static struct mpi_pending *find(uint64_t key)
{
	struct requests *requests = atomic_load(&table);
	unsigned at = place_of(key);

	for (unsigned i = 0; i < PROBES; i++)
		if (atomic_load_explicit(&requests->keys[(at + i) % REQUESTS],
		                         memory_order_acquire) == key) {
			struct mpi_pending *found = &requests->pending[(at + i) % REQUESTS];

			return found->epoch == atomic_load_explicit(&epoch, memory_order_relaxed)
			               ? found
			               : NULL;
		}
	return NULL;
}

static void give_up(struct mpi_pending *request)
{
	struct requests *requests = atomic_load(&table);

	atomic_store(&requests->keys[request - requests->pending], 0);
	atomic_fetch_sub(&count, 1);
}

static int add(uint64_t key, const struct mpi_message *message)
{
	struct requests *requests = budget_table(&table, sizeof(*requests));
	unsigned at = place_of(key), now = atomic_load(&epoch);

	for (unsigned i = 0; requests && i < PROBES; i++) {
		unsigned slot = (at + i) % REQUESTS;
		uint_fast64_t old = atomic_load(&requests->keys[slot]);
		int is_stale = old == key || (old > BUSY && requests->pending[slot].epoch != now);

		if ((old != 0 && !is_stale) ||
		    !atomic_compare_exchange_strong(&requests->keys[slot], &old, BUSY))
			continue;
		requests->pending[slot] = (struct mpi_pending){
			.message = *message, .epoch = now, .is_active = !message->is_persistent};
		atomic_store_explicit(&requests->keys[slot], key, memory_order_release);
		if (!is_stale)
			atomic_fetch_add(&count, 1);
		return 0;
	}
	col_count(&col.count.mpi_untracked, 1);
	return -1;
}

void mpi_requests_forget(void)
{
	atomic_fetch_add(&epoch, 1);
}

int mpi_request_add(uint64_t handle, const struct mpi_message *message)
{
	return add(key_of(handle, 0), message);
}

int mpi_probed_add(uint64_t handle, const struct mpi_message *message)
{
	return add(key_of(handle, MESSAGE_BIT), message);
}

int mpi_probed_take(uint64_t handle, struct mpi_message *out)
{
	struct mpi_pending *found = atomic_load_explicit(&count, memory_order_relaxed)
	                                    ? find(key_of(handle, MESSAGE_BIT))
	                                    : NULL;

	if (!found)
		return -1;
	*out = found->message;
	give_up(found);
	return 0;
}

/* ---- the requests of a call ---- */

static uint64_t requests_of(const struct mpi_call *call)
{
	int32_t number = call->row->count ? (int32_t)call->word[call->row->count] : 1;

	return number > 0 ? (uint64_t)number : 0;
}

static int is_array_of_statuses(const struct mpi_call *call)
{
	return call->row->ends == MPI_ENDS_WAITALL || call->row->ends == MPI_ENDS_TESTALL ||
	       call->row->ends == MPI_ENDS_WAITSOME;
}

static uint64_t find_all(const struct mpi_call *call, struct mpi_tracked *tracked,
                         uint64_t capacity)
{
	uint64_t requests = requests_of(call), found = 0;

	for (uint64_t i = 0; i < requests; i++) {
		struct mpi_pending *request = find(
			key_of(mpi_handle_at(call->word[call->row->request], i), 0));

		if (request && found < capacity)
			tracked[found] = (struct mpi_tracked){request, i};
		found += request != NULL;
	}
	return found;
}

/* Memory for `bytes`, our own if they are more than `kept` has. NULL: there is none. */
static void *memory_for(struct mpi_call *call, uint64_t bytes, void *kept, uint64_t kept_size,
                        uint64_t *used)
{
	if (bytes <= kept_size)
		return kept;
	if (!call->mapped)
		return NULL;
	*used += bytes;
	return (char *)call->mapped + *used - bytes;
}

void mpi_requests_before(struct mpi_call *call)
{
	const struct mpi_row *row = call->row;
	uint64_t statuses = is_array_of_statuses(call) ? requests_of(call) * MPI_STATUS_SIZE
	                                               : MPI_STATUS_SIZE;
	uint64_t found, bytes, used = 0;

	if (!row->request || row->ends == MPI_ENDS_NOTHING ||
	    !atomic_load_explicit(&count, memory_order_relaxed))
		return;
	if (!call->word[row->request]) /* the library's to refuse */
		return;
	found = find_all(call, call->kept_tracked, MPI_KEPT);
	if (found == 0)
		return;
	bytes = found * sizeof(*call->tracked);
	if (bytes > sizeof(call->kept_tracked) || statuses > sizeof(call->kept_status)) {
		call->mapped_size = bytes + statuses;
		call->mapped = sys_mmap_anonymous(call->mapped_size);
	}
	call->tracked = memory_for(call, bytes, call->kept_tracked, sizeof(call->kept_tracked),
	                           &used);
	if (!call->tracked)
		return;
	call->tracked_count = find_all(call, call->tracked, found);
	if (call->tracked_count > found) /* another thread's */
		call->tracked_count = found;
	if (!row->status)
		return;
	if (call->word[row->status] == mpi_library.status_ignore) {
		void *own = memory_for(call, statuses, call->kept_status, sizeof(call->kept_status),
		                       &used);

		if (own)
			memset(own, 0, statuses);
		if (own)
			call->word[row->status] = (uint64_t)own;
		else
			call->tracked_count = 0;
	}
	call->statuses = (void *)call->word[row->status];
}

static const void *status_at(const struct mpi_call *call, uint64_t index)
{
	uint64_t size = mpi_library.handle_bytes == 4 ? 20 : 24;

	return (const char *)call->statuses + index * size;
}

static void complete(struct mpi_call *call, const struct mpi_tracked *tracked, const void *status,
                     mpi_message_taker *on)
{
	struct mpi_pending *request = tracked->request;

	if (!request->message.is_send && request->is_active)
		on(call, &request->message, status);
	if (request->message.is_persistent)
		request->is_active = 0;
	else
		give_up(request);
}

static void begin(struct mpi_call *call, const struct mpi_tracked *tracked, mpi_message_taker *on)
{
	struct mpi_pending *request = tracked->request;

	request->is_active = 1;
	if (request->message.is_send)
		on(call, &request->message, NULL);
}

/* The tracked request at an index of the call, NULL if there is none. */
static const struct mpi_tracked *tracked_at(const struct mpi_call *call, uint64_t index)
{
	uint64_t low = 0, high = call->tracked_count;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (call->tracked[middle].index < index)
			low = middle + 1;
		else
			high = middle;
	}
	return low < call->tracked_count && call->tracked[low].index == index ? &call->tracked[low]
	                                                                      : NULL;
}

/* The functions that return the indices of the complete requests. */
static void complete_some(struct mpi_call *call, mpi_message_taker *on)
{
	int32_t number = *(const int32_t *)call->word[call->row->flag];
	const int32_t *index = (const int32_t *)call->word[call->row->flag + 1];

	for (int32_t i = 0; i < number; i++) {
		const struct mpi_tracked *tracked = tracked_at(call, (uint64_t)index[i]);

		if (tracked)
			complete(call, tracked, status_at(call, (uint64_t)i), on);
	}
}

/* Is the request at this index complete? For functions that say so of all requests, or of one. */
static int is_complete(const struct mpi_call *call, uint64_t index)
{
	switch ((enum mpi_ends)call->row->ends) {
	case MPI_ENDS_TEST:
	case MPI_ENDS_TESTALL:
		return *(const int32_t *)call->word[call->row->flag] != 0;
	case MPI_ENDS_WAITANY:
		return *(const int32_t *)call->word[call->row->flag] == (int32_t)index;
	default:
		return 1;
	}
}

void mpi_requests_after(struct mpi_call *call, mpi_message_taker *on)
{
	if (call->row->ends == MPI_ENDS_WAITSOME && call->tracked_count) {
		complete_some(call, on);
		return;
	}
	for (uint64_t i = 0; i < call->tracked_count; i++) {
		const struct mpi_tracked *tracked = &call->tracked[i];

		if (call->row->ends == MPI_ENDS_FREE)
			give_up(tracked->request);
		else if (call->row->ends == MPI_ENDS_START || call->row->ends == MPI_ENDS_STARTALL)
			begin(call, tracked, on);
		else if (is_complete(call, tracked->index))
			complete(call, tracked,
			         status_at(call, is_array_of_statuses(call) ? tracked->index : 0),
			         on);
	}
}

void mpi_requests_end(struct mpi_call *call)
{
	if (call->mapped)
		sys_munmap(call->mapped, call->mapped_size);
}

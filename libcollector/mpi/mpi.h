/* mpi.h: what the wrappers of MPI functions share. One library serves all MPIs: arguments are
 * passed through as register words, and their meaning is in the rows of mpi.def and the few numbers
 * of struct mpi_library. */
#ifndef XER_COLLECTOR_MPI_H
#define XER_COLLECTOR_MPI_H

#include "libcollector/thread/thread.h"

enum { MPI_CALLS = 1, MPI_RANKS = 2 }; /* bits of the descriptor's word */
enum { MPI_WORDS = 13, MPI_STATUS_SIZE = 24, MPI_KEPT = 16 };
#define MPI_NO_PEER UINT32_MAX

enum mpi_how { MPI_NO_BYTES, ONE, PLAIN, TIMES, SUM, TYPES, OWN, STATUS, LATER };
enum mpi_at { MPI_EVERYWHERE, ROOT, OTHERS };
enum mpi_ends {
	MPI_ENDS_NOTHING,
	MPI_ENDS_WAIT,
	MPI_ENDS_WAITALL,
	MPI_ENDS_WAITANY,
	MPI_ENDS_WAITSOME,
	MPI_ENDS_TEST,
	MPI_ENDS_TESTALL,
	MPI_ENDS_MPROBE,
	MPI_ENDS_START,
	MPI_ENDS_STARTALL,
	MPI_ENDS_FREE,
	MPI_ENDS_COMM_FREE,
	MPI_ENDS_WIN_FREE,
	MPI_ENDS_INIT,
	MPI_ENDS_FINALIZE
};

/* A row of mpi.def. Arguments are numbered from 1, 0: there is none. */
struct mpi_row {
	uint16_t func; /* enum fmt_mpi_func */
	uint8_t words;
	struct mpi_bytes {
		uint8_t how, count, type; /* enum mpi_how; STATUS: count is the status's argument */
	} out, in;
	uint8_t out_at, in_at; /* enum mpi_at */
	uint8_t neighbors, own_side, persistent, op;
	uint8_t out_buffer, in_buffer; /* which may be MPI_IN_PLACE */
	uint8_t to, from, target;
	uint8_t source; /* as FROM, of a message that comes later */
	uint8_t comm, win, root;
	uint8_t status, request, message, flag, count;
	uint8_t ends; /* enum mpi_ends */
};

/* Begin to record calls, if they are wanted. Any context. */
void mpi_start(void);

/* The thread begins: it is not in a call. */
void mpi_thread_begin(struct col_thread *thread);

/* Another recording in this process: groups and ranks have to be recorded again. */
void mpi_restart(void);

/* An image begins: note the rank that a launcher gave it, for processes that do not reach the end
 * of MPI_Init. */
void mpi_open(void);

/* ---- the library (mpi_library.c) ---- */

/* What this process knows about a communicator or a window. */
struct mpi_group {
	atomic_uint_fast64_t handle; /* 0: unused */
	atomic_uint users; /* references: the table's, until it is freed, and those of its users;
	                    * the last one releases its memory */
	uint32_t number;
	int rank, size; /* own rank; number of processes that ranks refer to, on the other side if
	                 * there is one */
	int own_size;   /* processes of this side */
	int is_inter;
	int is_world;     /* ranks are those of MPI_COMM_WORLD */
	const int *world; /* world[size]: ranks in MPI_COMM_WORLD, NULL: unknown */
};

/* What differs between libraries, and their functions, whose arguments are words too. */
typedef int mpi_function(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);
struct mpi_library {
	const char *name;
	uint64_t status_ignore, in_place, byte, world, no_type, no_op;
	int proc_null, root;
	int source_word; /* of a status, in ints: MPI_SOURCE */
	int handle_bytes;
	int cart, graph; /* what MPI_Topo_test says */
/* clang-format off */
#define MPI_FUNCTIONS \
	FUNCTION(Initialized) FUNCTION(Finalized) FUNCTION(Error_class) FUNCTION(Type_size_x) FUNCTION(Get_elements_x) \
	FUNCTION(Test_cancelled) FUNCTION(Comm_rank) FUNCTION(Comm_size) FUNCTION(Comm_test_inter) FUNCTION(Comm_remote_size) \
	FUNCTION(Comm_group) FUNCTION(Comm_remote_group) FUNCTION(Group_translate_ranks) FUNCTION(Group_size) FUNCTION(Group_rank) \
	FUNCTION(Group_free) FUNCTION(Win_get_group) FUNCTION(Topo_test) FUNCTION(Cartdim_get) FUNCTION(Graph_neighbors_count) \
	FUNCTION(Dist_graph_neighbors_count) FUNCTION(Get_library_version)
/* clang-format on */
#define FUNCTION(name) mpi_function *name;
	MPI_FUNCTIONS
#undef FUNCTION
};
extern struct mpi_library mpi_library __attribute__((visibility("hidden")));

/* Call one of them: ASK(name, up to five arguments). An error handler of the program must not be
 * called, so questions are only about what the program has just passed to the library with
 * success. */
#define ASK(name, ...) ASK_(mpi_library.name, __VA_ARGS__, 0, 0, 0, 0)
#define ASK_(function, a, b, c, d, e, ...) \
	function((uint64_t)(a), (uint64_t)(b), (uint64_t)(c), (uint64_t)(d), (uint64_t)(e))

/* Can the library be called? It can between MPI_Init and MPI_Finalize; the first time, this finds
 * out which library it is. Normal context. */
int mpi_library_is_ready(void);

/* The library ends: it must not be called any more. */
void mpi_library_end(void);

/* A handle in an argument, or at `index` of an array of handles. */
uint64_t mpi_handle(uint64_t word);
uint64_t mpi_handle_at(uint64_t array, uint64_t index);

/* Bytes of an element of a type, 0 if the library does not say. */
uint64_t mpi_type_size(uint64_t type);

/* What is known about a communicator or a window; to be released. *spare is used when there are
 * more than the table holds. Another thread may free it while a call on it goes on: the library is
 * asked about it only if nothing was freed since mpi_group_frees() returned `frees`. NULL: it is
 * not known. */
const struct mpi_group *mpi_group_find(uint64_t handle, int is_window, unsigned frees,
                                       struct mpi_group *spare);

/* Communicators and windows that have been freed. */
unsigned mpi_group_frees(void);

/* It is about to be freed. */
void mpi_group_forget(uint64_t handle);

/* The communicator with that number; to be released. NULL: it was freed since, as may happen while
 * a message is in transit, so its handle is invalid or belongs to another one; or it has no
 * number. */
const struct mpi_group *mpi_group_known(uint64_t handle, uint32_t number);

/* Release what was found, which may be NULL. */
void mpi_group_leave(const struct mpi_group *group);

/* A recording begins after another one has ended: communicators may have been created and freed in
 * between. No thread is in a recorded call. */
void mpi_groups_forget(void);

/* The rank in MPI_COMM_WORLD, MPI_NO_PEER if it is none. */
uint32_t mpi_group_world(const struct mpi_group *group, int rank);

/* Partners in a communicator's topology; `frees` as above. */
void mpi_neighbors(uint64_t comm, unsigned frees, int *in, int *out);

/* What a status says: bytes, and the rank they came from, in its communicator. Was the request
 * cancelled? Only statuses of requests for messages have that; in others it may not even be set. */
uint64_t mpi_status_bytes(const void *status);
int mpi_status_source(const void *status);
int mpi_status_is_cancelled(const void *status);

/* ---- a call ---- */

struct mpi_pending;

struct mpi_call {
	const struct mpi_row *row;
	struct col_thread *thread;
	uint64_t *word; /* word[1 .. row->words] */
	int is_wide;    /* counts have 64 bits */
	uint64_t begin;
	unsigned frees; /* mpi_group_frees() when it began */
	void *statuses; /* that of the program, or our own instead of MPI_STATUS_IGNORE; NULL: there
	                 * is none */
	struct mpi_tracked {
		struct mpi_pending *request;
		uint64_t index;
	} * tracked; /* requests of the call's that are tracked, tracked[tracked_count], in order of
	                index */
	uint64_t tracked_count;
	struct mpi_tracked kept_tracked[MPI_KEPT];
	uint64_t kept_status[MPI_KEPT * MPI_STATUS_SIZE / 8];
	void *mapped; /* memory for more of them */
	uint64_t mapped_size;
};

/* Bytes that a successful call sends and receives, without STATUS and LATER (mpi_bytes.c). */
void mpi_bytes(const struct mpi_call *call, const struct mpi_group *group, uint64_t *out,
               uint64_t *in);

/* ---- requests (mpi_requests.c) ---- */

/* The message of a request, or of a message handle. */
struct mpi_message {
	uint16_t func;
	uint32_t node;   /* where it was asked for */
	uint32_t number; /* of the communicator */
	uint64_t comm;
	uint64_t bytes; /* to be sent */
	uint32_t peer;  /* the rank it goes to, or comes from, if that is known when the request is
	                 * created */
	uint8_t is_send, is_persistent;
};

/* Track a request. Returns 0, or -1 if there are too many. */
int mpi_request_add(uint64_t handle, const struct mpi_message *message);

/* The same for a message that a probe has found, until it is received: take it then. Returns 0, or
 * -1 if there is none. */
int mpi_probed_add(uint64_t handle, const struct mpi_message *message);
int mpi_probed_take(uint64_t handle, struct mpi_message *out);

/* All that is tracked is out of date, because calls were not recorded. */
void mpi_requests_forget(void);

/* Before the call: find out which of its requests are tracked, and replace ignored statuses by ours
 * where they are needed. */
void mpi_requests_before(struct mpi_call *call);

/* After a successful call: report to `on` each message that the call has started to send (status
 * NULL) or has completed receiving, and stop tracking the requests that it has ended. */
typedef void mpi_message_taker(struct mpi_call *call, const struct mpi_message *message,
                               const void *status);
void mpi_requests_after(struct mpi_call *call, mpi_message_taker *on);

/* Release memory that the call has used. */
void mpi_requests_end(struct mpi_call *call);

/* ---- its records (mpi_record.c) ---- */

struct caller;

/* Record a call that has returned `result` to `caller`, and its messages; probed: the message that
 * it has received, if a probe had found that, else NULL. Normal context. */
void mpi_record(struct mpi_call *call, int result, const struct mpi_message *probed,
                const struct caller *caller);

#endif

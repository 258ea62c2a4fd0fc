/* mpi.c: wrappers of MPI functions, which are the rows of mpi.def. Their records: mpi_record.c.
 *
 * A call inside another MPI call, by the library itself or by a callback of the program, is passed
 * on: the outer one is recorded. The outer call is known by the address of its wrapper's frame.
 * That frame must still exist, so that a call that was left by a jump does not count as one in
 * progress.
 *
 * The Fortran bindings of a library call the C functions, by their MPI_ names (MPICH) or by their
 * PMPI_ names (Open MPI). So the PMPI_ names have wrappers too, which record only calls from those
 * bindings. This covers all languages, and nothing is counted twice.
 * See doc/decisions/10-mpi.md. */
#include "libcollector/mpi/mpi.h"

#include "libcollector/base/object.h"
#include "libcollector/hook/next.h"
#include "libcollector/mpi/mpi_rank.h"
#include "libcollector/thread/scope.h"

#include <errno.h>
#include <link.h>
#include <string.h>

/* ---- the functions ---- */

enum mpi_index {
#define CALL(name, ...) INDEX_##name,
#define COUNTED CALL
#include "libcollector/mpi/mpi.def"
	ROWS
};

#define OUT(how, count, type) .out = {how, count, type}
#define IN(how, count, type) .in = {how, count, type}
#define TO(argument) .to = argument
#define FROM(argument) .from = argument
#define TARGET(argument) .target = argument
#define COMM(argument) .comm = argument
#define WIN(argument) .win = argument
#define ENDS(what) .ends = MPI_ENDS_##what
static const struct mpi_row rows[] = {
#define CALL(name, arguments, ...) \
	[INDEX_##name] = {.func = FMT_mpi_func_##name, .words = arguments, __VA_ARGS__},
#define COUNTED CALL
#include "libcollector/mpi/mpi.def"
};
#undef OUT
#undef IN
#undef TO
#undef FROM
#undef TARGET
#undef COMM
#undef WIN
#undef ENDS

/* The four functions of a row. */
enum form { MPI, PMPI, MPI_c, PMPI_c, FORMS };
static const char *const names[] = {
#define CALL(name, ...) "PMPI_" #name,
#define COUNTED CALL
#include "libcollector/mpi/mpi.def"
};
static const char *const wide_names[] = {
#define CALL(name, ...) NULL,
#define COUNTED(name, ...) "PMPI_" #name "_c",
#include "libcollector/mpi/mpi.def"
};

static struct {
	_Atomic(void *) function;
	atomic_uint generation; /* of the address map, + 1 */
} known[ROWS][FORMS];

static void *behind(enum mpi_index index, enum form form, const void *caller)
{
	unsigned generation = atomic_load_explicit(&col.generation, memory_order_relaxed) + 1;
	const char *name = form < MPI_c ? names[index] : wide_names[index];
	void *function;

	if (likely(atomic_load_explicit(&known[index][form].generation, memory_order_acquire) ==
	           generation))
		return atomic_load_explicit(&known[index][form].function, memory_order_relaxed);
	function = next_definition(form == MPI || form == MPI_c ? name + 1 : name, caller);
	atomic_store_explicit(&known[index][form].function, function, memory_order_relaxed);
	atomic_store_explicit(&known[index][form].generation, generation, memory_order_release);
	return function;
}

/* ---- bindings of other languages ---- */

enum { OBJECTS = 16 };

/* Objects that have called PMPI_ functions. `start` is stored last. */
static struct {
	atomic_uint_fast64_t start;
	uint64_t end;
	unsigned generation;
	int is_binding;
} objects[OBJECTS];
static atomic_uint object_count;

static int has_binding_name(const char *path)
{
	static const char *const bindings[] = {"libmpi_mpifh", "libmpi_usempi", "libmpichf",
	                                       "libmpifort", "libfmpich"};
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;

	for (size_t i = 0; i < sizeof(bindings) / sizeof(bindings[0]); i++)
		if (strncmp(name, bindings[i], strlen(bindings[i])) == 0)
			return 1;
	return 0;
}

/* Does the code at `address` belong to a binding of another language? */
static int is_binding(uint64_t address)
{
	unsigned generation = atomic_load_explicit(&col.generation, memory_order_relaxed);
	struct object_found object;
	unsigned at;
	int result;

	for (unsigned i = 0; i < OBJECTS; i++) {
		uint64_t start = atomic_load_explicit(&objects[i].start, memory_order_acquire);

		if (start && address >= start && address < objects[i].end &&
		    objects[i].generation == generation)
			return objects[i].is_binding;
	}
	if (object_find((uintptr_t)address, &object) != 0)
		return 0;
	result = has_binding_name(object.link->l_name);
	at = atomic_load(&object_count) < OBJECTS ? atomic_fetch_add(&object_count, 1) : OBJECTS;
	if (at < OBJECTS) {
		objects[at].end = object.end;
		objects[at].generation = generation;
		objects[at].is_binding = result;
		atomic_store_explicit(&objects[at].start, object.start, memory_order_release);
	}
	return result;
}

/* ---- a call ---- */

void mpi_start(void)
{
	if (!(col.descriptor.mpi & MPI_CALLS))
		return;
	mpi_requests_forget();
	atomic_store(&col.switches->on[SOURCE_MPI], 1);
}

void mpi_thread_begin(struct col_thread *thread)
{
	thread->mpi.state = FMT_mpi_state_NONE;
}

void mpi_restart(void)
{
	mpi_groups_forget();
	mpi_rank_forget();
}

static inline int is_on(void)
{
	return (int)col_on(SOURCE_MPI);
}

/* The beginning of MPI matters even if calls are not recorded, since ranks get their names there.
 * The end of a handle matters even during a pause, since the handle may belong to another
 * communicator when the recording goes on. */
static int is_wanted(const struct mpi_row *row)
{
	unsigned what = row->ends == MPI_ENDS_INIT ? MPI_RANKS
	                : row->ends == MPI_ENDS_COMM_FREE || row->ends == MPI_ENDS_WIN_FREE
	                        ? MPI_CALLS
	                        : 0;

	return is_on() || (col.descriptor.mpi & what && col_is_recording());
}

/* The handle that an argument points to becomes invalid. */
static void forget_handle(const struct mpi_call *call)
{
	if (call->word[1] && mpi_library_is_ready()) /* the library refuses NULL itself */
		mpi_group_forget(mpi_handle_at(call->word[1], 0));
}

static void prepare(struct mpi_call *call)
{
	const struct mpi_row *row = call->row;

	if (row->func == FMT_mpi_func_Abort)
		mpi_rank_abort((int)call->word[2]);
	if (row->ends == MPI_ENDS_COMM_FREE || row->ends == MPI_ENDS_WIN_FREE)
		forget_handle(call);
	else if (row->ends == MPI_ENDS_FINALIZE)
		mpi_library_end();
	else if (row->ends != MPI_ENDS_INIT && mpi_library_is_ready())
		mpi_requests_before(call);
	if (row->in.how != STATUS && row->out.how != STATUS)
		return;
	if (mpi_library_is_ready() && call->word[row->status] == mpi_library.status_ignore) {
		memset(call->kept_status, 0, MPI_STATUS_SIZE);
		call->word[row->status] = (uint64_t)call->kept_status;
	}
	call->statuses = (void *)call->word[row->status];
}

/* Is `thread` still in the call whose frame is further out on the caller's stack? After a jump out
 * of the call, something else may be there: so a walk outwards must find the address that the call
 * returns to. If the stack cannot be walked to its end, the call counts as still there. */
static int is_inside(struct col_thread *thread, const struct caller *caller)
{
	const struct walk_memo *memo;
	int is_found = 1;

	if (!scope_enter())
		return 1;
	stack_of(thread, caller);
	memo = memo_of(thread, COL_NORMAL);
	if (memo && memo->count && !memo->base_node) {
		is_found = 0;
		for (uint32_t i = 0; i < memo->count && !is_found; i++)
			is_found = memo->frame[i].sp == thread->mpi.sp &&
			           memo->frame[i].pc == thread->mpi.pc;
	}
	scope_leave(thread);
	return is_found;
}

/* Returns 0 if the call is only to be passed on. */
static int begin(struct mpi_call *call, const struct mpi_row *row, uint64_t *word, int is_wide,
                 const struct caller *caller)
{
	struct col_thread *thread = thread_current();

	if (!thread ||
	    (thread->mpi.state && caller->sp < thread->mpi.sp && is_inside(thread, caller)))
		return 0;
	call->row = row;
	call->thread = thread;
	call->word = word;
	call->is_wide = is_wide;
	call->statuses = NULL;
	call->tracked_count = 0;
	call->mapped = NULL;
	call->frees = mpi_group_frees();
	thread->mpi.pc = shadow_true_address(caller->pc, caller->sp);
	thread->mpi.sp = caller->sp;
	thread->mpi.state = (uint8_t)(row->func >> 8);
	prepare(call);
	call->begin = col_ticks();
	return 1;
}

/* ---- its end ---- */

static int end(struct mpi_call *call, int result, const struct mpi_message *probed,
               const struct caller *caller)
{
	int saved_errno = errno;

	if (is_on())
		mpi_record(call, result, probed, caller);
	mpi_requests_end(call);
	call->thread->mpi.state = FMT_mpi_state_NONE;
	if (unlikely(!mpi_rank_is_known()) && result == 0 && mpi_library_is_ready())
		mpi_rank_begin();
	errno = saved_errno;
	return result;
}

/* The message that a receive of a probed message names: its handle is invalid afterwards. */
static const struct mpi_message *take_probed(const struct mpi_call *call,
                                             struct mpi_message *memory)
{
	if (!call->row->message || call->row->ends == MPI_ENDS_MPROBE ||
	    !call->word[call->row->message] || !mpi_library_is_ready())
		return NULL;
	return mpi_probed_take(mpi_handle_at(call->word[call->row->message], 0), memory) == 0
	               ? memory
	               : NULL;
}

/* ---- the wrappers ---- */

#define W uint64_t
#define PARAMETERS_0 void
#define PARAMETERS_1 W a
#define PARAMETERS_2 PARAMETERS_1, W b
#define PARAMETERS_3 PARAMETERS_2, W c
#define PARAMETERS_4 PARAMETERS_3, W d
#define PARAMETERS_5 PARAMETERS_4, W e
#define PARAMETERS_6 PARAMETERS_5, W f
#define PARAMETERS_7 PARAMETERS_6, W g
#define PARAMETERS_8 PARAMETERS_7, W h
#define PARAMETERS_9 PARAMETERS_8, W i
#define PARAMETERS_10 PARAMETERS_9, W j
#define PARAMETERS_11 PARAMETERS_10, W k
#define PARAMETERS_12 PARAMETERS_11, W l
#define PARAMETERS_13 PARAMETERS_12, W m
#define ARGUMENTS_0
#define ARGUMENTS_1 , a
#define ARGUMENTS_2 ARGUMENTS_1, b
#define ARGUMENTS_3 ARGUMENTS_2, c
#define ARGUMENTS_4 ARGUMENTS_3, d
#define ARGUMENTS_5 ARGUMENTS_4, e
#define ARGUMENTS_6 ARGUMENTS_5, f
#define ARGUMENTS_7 ARGUMENTS_6, g
#define ARGUMENTS_8 ARGUMENTS_7, h
#define ARGUMENTS_9 ARGUMENTS_8, i
#define ARGUMENTS_10 ARGUMENTS_9, j
#define ARGUMENTS_11 ARGUMENTS_10, k
#define ARGUMENTS_12 ARGUMENTS_11, l
#define ARGUMENTS_13 ARGUMENTS_12, m
#define PASS_0(w)
#define PASS_1(w) (w)[1]
#define PASS_2(w) PASS_1(w), (w)[2]
#define PASS_3(w) PASS_2(w), (w)[3]
#define PASS_4(w) PASS_3(w), (w)[4]
#define PASS_5(w) PASS_4(w), (w)[5]
#define PASS_6(w) PASS_5(w), (w)[6]
#define PASS_7(w) PASS_6(w), (w)[7]
#define PASS_8(w) PASS_7(w), (w)[8]
#define PASS_9(w) PASS_8(w), (w)[9]
#define PASS_10(w) PASS_9(w), (w)[10]
#define PASS_11(w) PASS_10(w), (w)[11]
#define PASS_12(w) PASS_11(w), (w)[12]
#define PASS_13(w) PASS_12(w), (w)[13]

/* A program that refers to MPI weakly, without having it, finds the wrappers: then they fail with
 * MPI_ERR_OTHER. */
enum { NO_MPI = 16 };

#define WRAPPER(symbol, index, form, words, is_wide, is_ours) \
	static __attribute__((noinline)) int symbol##_traced(PARAMETERS_##words) \
	{ \
		int (*real)(PARAMETERS_##words) = (int (*)(PARAMETERS_##words))behind( \
			INDEX_##index, form, __builtin_return_address(0)); \
		uint64_t word[] = {0 ARGUMENTS_##words}; \
		const struct mpi_message *probed; \
		struct mpi_message memory; \
		struct mpi_call call; \
\
		if (!real) \
			return NO_MPI; \
		if (!begin(&call, &rows[INDEX_##index], word, is_wide, &CALLER)) \
			return real(PASS_##words(word)); \
		probed = take_probed(&call, &memory); \
		return end(&call, real(PASS_##words(word)), probed, &CALLER); \
	} \
	EXPORT int symbol(PARAMETERS_##words); \
	EXPORT int symbol(PARAMETERS_##words) \
	{ \
		const uint64_t word[] __attribute__((unused)) = {0 ARGUMENTS_##words}; \
		int (*real)(PARAMETERS_##words); \
\
		if (unlikely(is_wanted(&rows[INDEX_##index])) && (is_ours)) \
			return symbol##_traced(PASS_##words(word)); \
		real = (int (*)(PARAMETERS_##words))behind(INDEX_##index, form, \
		                                           __builtin_return_address(0)); \
		return real ? real(PASS_##words(word)) : NO_MPI; \
	}

#define OF_BINDING is_binding((uint64_t)__builtin_return_address(0))
#define CALL(name, words, ...) \
	WRAPPER(MPI_##name, name, MPI, words, 0, 1) \
	WRAPPER(PMPI_##name, name, PMPI, words, 0, OF_BINDING)
#define COUNTED(name, words, ...) \
	CALL(name, words) \
	WRAPPER(MPI_##name##_c, name, MPI_c, words, 1, 1) \
	WRAPPER(PMPI_##name##_c, name, PMPI_c, words, 1, OF_BINDING)
#include "libcollector/mpi/mpi.def"

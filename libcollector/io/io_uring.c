/* io_uring.c: input and output by rings that the program shares with the kernel. What it asks for
 * is in memory, and so no call tells it. But most programs tell the kernel, by functions of
 * liburing or by syscall(2), to look there, and these say how many requests it has taken. So what
 * is not recorded is counted. */
#include "libcollector/io/io.h"

#include "libcollector/base/collector.h"
#include "libcollector/hook/next.h"
#include "libcollector/write/log.h"

#include <errno.h>
#include <signal.h>
#include <time.h>

/* Functions of liburing call each other by their exported names, and older ones (2.1) syscall(2):
 * only the outermost call counts. */
static __thread unsigned char is_inside;

static void tell(void)
{
	static atomic_uint is_told;

	if (!atomic_exchange(&is_told, 1))
		col_log_warning("input and output by io_uring is not recorded");
}

/* liburing makes its system calls by itself, and reads the rings in the program's own code. */
void io_listed(const char *path)
{
	const char *name = strrchr(path, '/');

	if (col.descriptor.io && strncmp(name ? name + 1 : path, "liburing.so", 11) == 0)
		tell();
}

void io_uring_opened(long result)
{
	if (is_inside)
		return;
	if (result >= 0)
		col_count(&col.count.uring_rings, 1);
	tell();
}

void io_uring_entered(long requests)
{
	if (requests > 0 && !is_inside) {
		col_count(&col.count.uring_calls, 1);
		col_count(&col.count.uring_requests, (uint64_t)requests);
	}
}

/* The functions behind the wrappers, for each place that calls one: libraries of the program may
 * have a liburing each. Rows are only added. */
enum { PLACES = 64 };
static struct place {
	atomic_uint state;
	const void *caller;
	const char *name;
	void *found;
} places[PLACES];
enum { EMPTY, FILLING, READY };

static void remember(const char *name, const void *caller, void *found)
{
	for (int i = 0; i < PLACES; i++) {
		unsigned empty = EMPTY;

		if (!atomic_compare_exchange_strong(&places[i].state, &empty, FILLING))
			continue;
		places[i].caller = caller;
		places[i].name = name;
		places[i].found = found;
		atomic_store_explicit(&places[i].state, READY, memory_order_release);
		return;
	}
}

/* NULL: a program has asked for a function that is nowhere, and takes ours for it. */
static void *find(const char *name, const void *caller)
{
	void *found;

	for (int i = 0; i < PLACES; i++) {
		unsigned state = atomic_load_explicit(&places[i].state, memory_order_acquire);

		if (state == EMPTY)
			break;
		if (state == READY && places[i].caller == caller && places[i].name == name)
			return places[i].found;
	}
	found = next_definition(name, caller);
	if (found)
		remember(name, caller, found);
	return found;
}

/* A function of liburing, which returns -errno for errors, and what its result means. Where a
 * handler jumps out of it, the thread's further calls are not counted. */
#define RING(name, parameters, arguments, means) \
	EXPORT int name parameters; \
	EXPORT int name parameters \
	{ \
		static const char own_name[] = #name; \
		int(*real) parameters = (int(*) parameters)find(own_name, \
		                                                __builtin_return_address(0)); \
		int result; \
\
		if (!real) \
			return -ENOSYS; \
		if (is_inside || !col_on(SOURCE_IO)) \
			return real arguments; \
		is_inside = 1; \
		result = real arguments; \
		is_inside = 0; \
		means(result); \
		return result; \
	}

struct io_uring;
struct io_uring_cqe;
struct io_uring_params;
struct __kernel_timespec;

RING(io_uring_queue_init, (unsigned entries, struct io_uring *ring, unsigned flags),
     (entries, ring, flags), io_uring_opened)
RING(io_uring_queue_init_params,
     (unsigned entries, struct io_uring *ring, struct io_uring_params *wishes),
     (entries, ring, wishes), io_uring_opened)
RING(io_uring_setup, (unsigned entries, struct io_uring_params *wishes), (entries, wishes),
     io_uring_opened)
RING(io_uring_submit, (struct io_uring * ring), (ring), io_uring_entered)
RING(io_uring_submit_and_wait, (struct io_uring * ring, unsigned count), (ring, count),
     io_uring_entered)
RING(io_uring_submit_and_get_events, (struct io_uring * ring), (ring), io_uring_entered)
RING(io_uring_submit_and_wait_timeout,
     (struct io_uring * ring, struct io_uring_cqe **done, unsigned count,
      struct __kernel_timespec *timeout, sigset_t *mask),
     (ring, done, count, timeout, mask), io_uring_entered)
RING(io_uring_enter, (unsigned fd, unsigned submit, unsigned least, unsigned flags, sigset_t *mask),
     (fd, submit, least, flags, mask), io_uring_entered)
RING(io_uring_enter2,
     (unsigned fd, unsigned submit, unsigned least, unsigned flags, sigset_t *mask, size_t size),
     (fd, submit, least, flags, mask, size), io_uring_entered)
